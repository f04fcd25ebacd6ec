"""Fields of a question: the values they allow, and the parsing of text and data into them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from rollwise.solver.model.errors import BadInput, DiceError, ModelError, StateError
from rollwise.solver.model.plain import (
    DASHES,
    Unordered,
    is_nothing,
    one_line,
    pairs,
    parts,
    plain,
    quoted,
    truth,
    unwrapped,
    whole,
)

Of: TypeAlias = Literal["board", "turn", "both"]
Drawn: TypeAlias = Literal["", "tiles", "pegs", "track", "cup", "boxes", "seat", "line"]
Form: TypeAlias = dict[str, Any]  # how a value is filled in, as plain data; "form" names one of a few ways
NO_LIMIT = 10**9  # the highest value of a number without a limit, such as the points of a turn that may always go on
ABSENT = object()  # the value of a field that is not there
MAX_DICE = 6  # dice that a roll has at most, in any game
RANGE = re.compile(r"([0-9]{1,9})\s*-\s*([0-9]{1,9})")


@dataclass(frozen=True)
class Field:
    """One field of a question. ``parse`` accepts text or plain data and returns the checked value.

    ``of`` is what it belongs to, in games with decisions: a field of the board is the same in all states of the turn
    there; one of the turn is, in a state of it, the same on all boards whose turns begin alike; any other is of both.
    Exports and comparisons rely on that.

    The rest is for pages. ``drawn``: the picture of it, where its form allows one: ``tiles`` that are shut, ``pegs`` of
    which each seat has so many, a ``track`` of squares up to a marker, dice under a ``cup``, ``boxes`` of a sheet that
    several fields share, a ``seat`` by its player, a ``line`` of a sheet (``Scores``). ``if_fits``: pages offer only
    values that the other fields allow. ``left_out``: the value of a table's row that has none, or of a table without
    such a column; None: every row must have it.
    """

    name: str
    help: str
    of: Of = field(default="board", kw_only=True)
    drawn: Drawn = field(default="", kw_only=True)
    if_fits: bool = field(default=False, kw_only=True)
    left_out: Any = field(default=None, kw_only=True)

    @property
    def by_seat(self) -> bool:
        """True where the value is a list by seat, from seat 0 on."""
        return False

    @property
    def form(self) -> Form:
        """The control in which the field is filled in; ``parse`` takes all that it offers, as plain data too.

        A number of seats (``seats``) is a list that holds one of ``each`` for every seat, None where that is ``out``.
        """
        raise NotImplementedError

    def parse(self, argument: Any) -> Any:
        """The value of any object, checked on its own; raises StateError or DiceError, which name the field."""
        try:
            return self.read(plain(argument))
        except BadInput as error:
            error.field = error.field or self.name
            raise

    def read(self, argument: Any) -> Any:
        """The value of plain data (``solver.model.plain``); raises StateError or DiceError in one line."""
        raise NotImplementedError

    def show(self, value: Any) -> str:
        """The value as a user would type it."""
        return str(value)

    def joins(self, word: str) -> bool:
        """True where this word of a command line belongs to the value before it, with a space between them."""
        return False


def check_same_field(
    game: object, of: str, fields: Sequence[Field], one: Mapping[str, Any], other: Mapping[str, Any]
) -> None:
    """Raise ModelError where a field of this board, or state of the turn, differs in two questions of it."""
    for each in fields:
        if each.of == of and one.get(each.name, ABSENT) != other.get(each.name, ABSENT):
            values = ["not said" if row.get(each.name) is None else each.show(row[each.name]) for row in (one, other)]
            raise ModelError(
                f"{game} has the field {each.name} of the {of}, but it is {' and '.join(values)} on one {of}: "
                f'give it of="{"turn" if of == "board" else "board"}", or of="both"'
            )


def number_form(low: int, high: int, step: int = 1, none: bool = False) -> Form:
    """A whole number from ``low`` to ``high`` in steps; ``none``: or the word none, which is None.

    >>> number_form(0, 10, 4)
    {'form': 'number', 'low': 0, 'high': 8, 'step': 4, 'none': False}
    """
    return {"form": "number", "low": low, "high": high - (high - low) % step, "step": step, "none": none}


def dice_form(fewest: int, most: int) -> Form:
    """So many faces 1-6, in any order."""
    return {"form": "dice", "fewest": fewest, "most": most}


def set_form(of: Sequence[Any]) -> Form:
    """Any of these numbers or names, each once."""
    return {"form": "set", "of": list(of)}


def choice_form(of: Sequence[Any]) -> Form:
    """One of these."""
    return {"form": "choice", "of": list(of)}


def pairs_form(keys: range, key: str, allowed: range, values: str, step: float = 1) -> Form:
    """For some ``keys`` a value each, from the first of ``allowed`` to the last in steps; the names of both."""
    ends = {"low": allowed[0], "high": allowed[-1], "step": step, "called": values}
    return {"form": "pairs", "keys": {"low": keys[0], "high": keys[-1], "called": key}, "values": ends}


def seats_form(count: int, each: Form, out: bool) -> Form:
    """One value for each seat; ``out``: or none, typed as ``-``."""
    return {"form": "seats", "count": count, "each": each, "out": out}


def whole_number(name: str, argument: Any) -> int:
    """The whole number of a field or a part of it; raises StateError, which names it, for anything else."""
    number = whole(argument)
    if number is None:
        raise StateError(f"{name} is a whole number, got {quoted(argument)}")
    return number


def _check(name: str, value: int, low: int, high: int, step: int) -> int:
    if not low <= value <= high:
        raise StateError(f"{name} is from {low} to {high}, got {quoted(value)}")
    if (value - low) % step:
        raise StateError(f"{name} is a multiple of {step}, got {value}")
    return value


@dataclass(frozen=True)
class YesNo(Field):
    """A field that is true or false."""

    @property
    def form(self) -> Form:
        """A switch."""
        return {"form": "switch"}

    def read(self, argument: Any) -> bool:
        """True or False."""
        value = truth(argument)
        if value is None:
            raise StateError(f"{self.name} is true or false, got {quoted(argument)}")
        return value

    def show(self, value: Any) -> str:
        """As typed: true."""
        return str(value).lower()


@dataclass(frozen=True)
class Number(Field):
    """A whole number from ``low`` to ``high``, in steps of ``step`` from ``low``."""

    low: int
    high: int
    step: int = 1

    @property
    def form(self) -> Form:
        """A number."""
        return number_form(self.low, self.high, self.step)

    def read(self, argument: Any) -> Any:
        """The number."""
        return _check(self.name, whole_number(self.name, argument), self.low, self.high, self.step)


@dataclass(frozen=True)
class NumberOrNone(Number):
    """A whole number, or ``none``: None, which ``parse`` returns."""

    @property
    def form(self) -> Form:
        """A number, or none."""
        return number_form(self.low, self.high, self.step, none=True)

    def read(self, argument: Any) -> int | None:
        """The number, or None."""
        return None if argument is None or is_nothing(argument) else int(super().read(argument))

    def show(self, value: Any) -> str:
        """As typed: 3 or none."""
        return "none" if value is None else str(value)


@dataclass(frozen=True)
class ThrowsLeft(Number):
    """Further throws of this turn, from which follows which throw the ``dice`` on the table are; default: the first.

    A turn has ``throws``, unless the question before its first throw, as the game describes it, has fewer.
    """

    throws: int = 3
    dice: str = "roll"
    of: Of = field(default="turn", kw_only=True)

    @property
    def form(self) -> Form:
        """A number, beside the field of dice whose throw it numbers."""
        return {**super().form, "throw_of": self.dice}


@dataclass(frozen=True)
class Numbers(Field):
    """A list of ``count`` whole numbers (any count, each once, where ``count`` is None); ``-`` or ``none`` is empty.

    In a list by seat of which some may be ``out``, these are ``-``, which ``parse`` returns as None, as it does
    ``out_at``. In a list of boxes or spaces that lie side by side, ``1-9`` is all of them (``from_to``).
    """

    low: int
    high: int
    count: int | None = None
    step: int = 1
    out: bool = False
    from_to: bool = False
    out_at: int | None = None

    @property
    def by_seat(self) -> bool:
        """True of a list of a fixed length."""
        return self.count is not None

    @property
    def form(self) -> Form:
        """A number for each seat, or some of all numbers."""
        if self.count is None:
            return set_form(range(self.low, self.high + 1, self.step))
        return seats_form(self.count, number_form(self.low, self.high, self.step), self.out)

    def read(self, argument: Any) -> tuple[Any, ...]:
        """The numbers, in the order given; those of a set ascending."""
        members = [] if is_nothing(argument) else parts(self._ranges_together(argument))
        if members is None:
            raise StateError(f"{self.name} is a list like 1,2,3, got {quoted(argument)}")
        if self.count is not None and isinstance(argument, Unordered):
            raise StateError(f"{self.name} is a list in order, and a set has none: {quoted(argument)}")
        values = tuple(value for member in members for value in self._read_part(member, alone=len(members) == 1))
        if self.count is not None and len(values) != self.count:
            raise StateError(f"{self.name} is a list of {self.count} numbers, got {len(values)}")
        if self.count is None and len(set(values)) < len(values):
            duplicate = next(v for v in values if values.count(v) > 1)
            raise StateError(f"{self.name} names {duplicate} twice")
        return tuple(sorted(values)) if isinstance(argument, Unordered) else values

    def _ranges_together(self, text: Any) -> Any:
        return RANGE.sub(r"\1-\2", text.translate(DASHES)) if self.from_to and isinstance(text, str) else text

    def _read_part(self, part: Any, alone: bool) -> list[int | None]:
        """The numbers of one member of the list, which may be a range."""
        if self.out and (part is None or part == "-"):
            return [None]
        ends = RANGE.fullmatch(part) if self.from_to and isinstance(part, str) else None
        if ends:
            first, last = (_check(self.name, int(end), self.low, self.high, self.step) for end in ends.groups())
            if first > last:
                raise StateError(f"{self.name}={one_line(part)} runs downwards", hint=f"{self.name}={last}-{first}")
            return list(range(first, last + 1))
        try:
            number = _check(self.name, whole_number(self.name, part), self.low, self.high, self.step)
            return [None if self.out and number == self.out_at else number]
        except StateError as error:
            digits = [int(digit) for digit in str(part)] if alone and (whole(part) or 0) > 0 else []
            fits = len(digits) in (self.count, len(set(digits)) * (self.count is None))
            if len(digits) > 1 and fits and all(self.low <= digit <= self.high for digit in digits):
                error.hint = f"{self.name}={','.join(map(str, digits))}"
            raise

    def show(self, value: Any) -> str:
        """As typed: 1,2,3."""
        return ",".join("-" if number is None else str(number) for number in value) if value else "none"


def dice_in_text(argument: Any) -> list[Any]:
    """The dice in plain data or text, not checked: anything but a list of whole numbers is no roll.

    >>> dice_in_text("135"), dice_in_text("1-3-5"), dice_in_text("[1, 3, 5]"), dice_in_text("1 3 5")
    ([1, 3, 5], [1, 3, 5], [1, 3, 5], [1, 3, 5])
    """
    if is_nothing(argument):
        return []
    if isinstance(argument, str):
        text = unwrapped(argument).replace("'", "").replace('"', "")
        dice: Sequence[Any] = text if text.isascii() and text.isdigit() else re.split(r"\s*[,-]\s*|\s+", text)
    elif whole(argument) is not None and argument >= 0:
        dice = str(argument)
    else:
        dice = argument if isinstance(argument, list) else [argument]
    return [number if (number := whole(part)) is not None else part for part in dice]


@dataclass(frozen=True)
class Faces(Field):
    """The dice of a roll: from ``fewest`` to ``most`` faces 1-6, sorted ascending; no dice are ``none``."""

    fewest: int
    most: int
    of: Of = field(default="turn", kw_only=True)

    @property
    def form(self) -> Form:
        """Dice."""
        return dice_form(self.fewest, self.most)

    def read(self, argument: Any) -> tuple[int, ...]:
        """The faces, ascending."""
        dice = dice_in_text(argument)
        if not self.fewest <= len(dice) <= self.most or not all(1 <= (whole(die) or 0) <= 6 for die in dice):
            expected = f"{self.fewest}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
            are_numbers = len(dice) <= 2 * MAX_DICE and all(whole(die) is not None for die in dice)
            shown = ",".join(map(str, dice)) if are_numbers else quoted(argument).strip("'")
            raise DiceError(f"{self.name} needs {expected} faces in 1..6, got {shown or 'none'}")
        return tuple(sorted(dice))

    def show(self, value: Any) -> str:
        """As typed: 1,5,5 or none."""
        return ",".join(map(str, value)) or "none"

    def joins(self, word: str) -> bool:
        """True of further dice."""
        return re.fullmatch(r"[\[({]?[0-9][-0-9,]*[\])}]?|[,\])}]", word) is not None


@dataclass(frozen=True)
class Pairs(Field):
    """A map from whole numbers to whole numbers, each key once, typed as ``like``: 4:0,6:2.

    ``key`` is the name of a key, ``values`` the plural name of the values.
    """

    key: str
    values: str
    keys: range
    allowed: range
    like: str

    @property
    def form(self) -> Form:
        """For some numbers a number each."""
        return pairs_form(self.keys, self.key, self.allowed, self.values)

    def read(self, argument: Any) -> dict[int, int]:
        """Values by key, ascending."""
        values: dict[int, int] = {}
        for key, value in self._pairs(argument):
            if key not in self.keys:
                raise StateError(f"{self.name} names {self.key}s from {self._ends(self.keys)}, got {quoted(key)}")
            if key in values:
                raise StateError(f"{self.name} names {self.key} {key} twice")
            if value not in self.allowed:
                raise StateError(
                    f"{self.name} names {self.values} from {self._ends(self.allowed)}, got {quoted(value)}"
                )
            values[key] = value
        return dict(sorted(values.items()))

    def _pairs(self, argument: Any) -> Iterator[tuple[int, int]]:
        items = [] if is_nothing(argument) else pairs(argument)
        for pair in [None] if items is None else items:
            key, value = map(whole, pair or (None, None))
            if key is None or value is None:
                raise StateError(
                    f"{self.name} is a list of {self.key}:{self.values.removesuffix('s')} like {self.like}, "
                    f"got {quoted(argument)}"
                )
            yield key, value

    @staticmethod
    def _ends(numbers: range) -> str:
        return f"{numbers.start} to {numbers.stop - 1}"

    def show(self, value: Any) -> str:
        """As typed: 4:0,6:2."""
        return ",".join(f"{key}:{number}" for key, number in value.items()) or "none"
