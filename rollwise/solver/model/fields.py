"""Fields of a question: what they may hold, and how text from outside becomes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from rollwise.solver.model.bonus import Bonus
from rollwise.solver.model.errors import BadInput, DiceError, ModelError, StateError
from rollwise.solver.model.names import did_you_mean, matched
from rollwise.solver.model.plain import (
    DASHES,
    WHOLE,
    Unordered,
    is_nothing,
    on_a_line,
    pairs,
    parts,
    plain,
    quoted,
    truth,
    unwrapped,
    whole,
)

__all__ = [
    "FAR",
    "WHOLE",
    "Drawn",
    "Faces",
    "Field",
    "Form",
    "Number",
    "Numbers",
    "Pairs",
    "Scores",
    "ThrowsLeft",
    "YesNo",
    "check_alike",
    "choice_form",
    "dice_form",
    "dice_said",
    "listed",
    "number_form",
    "pairs_form",
    "seats_form",
    "set_form",
]

Of: TypeAlias = Literal["board", "turn", "both"]
Drawn: TypeAlias = Literal["", "tiles", "pegs", "track", "cup", "boxes", "seat", "line"]
Form: TypeAlias = dict[str, Any]  # how a value is filled in, as plain data; "form" says which of a few ways it is
FAR = 10**9  # the highest value of a number that has no limit, such as the points of a turn that may always go on
NOT_SAID = object()  # the value of a field that is not there
MANY = 6  # dice that a roll has at most, in any game
RANGE = re.compile(r"([0-9]{1,9})\s*-\s*([0-9]{1,9})")


@dataclass(frozen=True)
class Field:
    """One field of a question. ``parse`` accepts text or plain data and returns the checked value.

    ``of`` says what it belongs to, in games in which somebody chooses: a field of the board is the same in all states
    of the turn there; one of the turn is, in a state of it, the same on all boards whose turns begin alike; any other
    is of both. Exports and comparisons go by that.

    The rest is for pages. ``drawn``: as what it is drawn, where its form allows that: ``tiles`` that are shut, ``pegs``
    of which everybody has so many, a ``track`` of squares up to where something stands, what is under a ``cup``,
    ``boxes`` of one sheet that several fields share, a ``seat`` by who sits there, a ``line`` of a sheet (``Scores``).
    ``if_fits``: only those values are offered that the other fields allow. ``left_out``: the value that a table means
    which has none, be it that it has no such column; None: every row must tell it.
    """

    name: str
    help: str
    of: Of = field(default="board", kw_only=True)
    drawn: Drawn = field(default="", kw_only=True)
    if_fits: bool = field(default=False, kw_only=True)
    left_out: Any = field(default=None, kw_only=True)

    @property
    def by_seat(self) -> bool:
        """Is the value a list by seat, from seat 0 on?"""
        return False

    @property
    def form(self) -> Form:
        """How a person fills the field in; whatever it offers ``parse`` takes, as plain data too.

        A number of seats (``seats``) is a list that holds one of ``each`` for every seat, None where that is ``out``.
        """
        raise NotImplementedError

    def parse(self, given: Any) -> Any:
        """The value of any object, checked on its own; raises StateError or DiceError, which name the field."""
        try:
            return self.read(plain(given))
        except BadInput as error:
            error.field = error.field or self.name
            raise

    def read(self, given: Any) -> Any:
        """The value of plain data (``solver.model.plain``); raises StateError or DiceError in one line."""
        raise NotImplementedError

    def show(self, value: Any) -> str:
        """The value as a user would type it."""
        return str(value)

    def joins(self, word: str) -> bool:
        """On a command line, does this word belong to the value before it, with a space between them?"""
        return False


def check_alike(
    game: object, of: str, fields: Sequence[Field], one: Mapping[str, Any], other: Mapping[str, Any]
) -> None:
    """Raise ModelError where a field of this board, or state of the turn, is not the same in two questions of it."""
    for each in fields:
        if each.of == of and one.get(each.name, NOT_SAID) != other.get(each.name, NOT_SAID):
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


def pairs_form(keys: range, key: str, held: range, values: str, step: float = 1) -> Form:
    """For some ``keys`` a value each, from the first of ``held`` to the last in steps; what both are called."""
    ends = {"low": held[0], "high": held[-1], "step": step, "called": values}
    return {"form": "pairs", "keys": {"low": keys[0], "high": keys[-1], "called": key}, "values": ends}


def seats_form(count: int, each: Form, out: bool) -> Form:
    """One value for each seat; ``out``: or none, typed as ``-``."""
    return {"form": "seats", "count": count, "each": each, "out": out}


def _whole(name: str, given: Any) -> int:
    number = whole(given)
    if number is None:
        raise StateError(f"{name} is a whole number, got {quoted(given)}")
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

    def read(self, given: Any) -> bool:
        """True or False."""
        said = truth(given)
        if said is None:
            raise StateError(f"{self.name} is true or false, got {quoted(given)}")
        return said

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

    def read(self, given: Any) -> Any:
        """The number."""
        return _check(self.name, _whole(self.name, given), self.low, self.high, self.step)


@dataclass(frozen=True)
class NumberOrNone(Number):
    """A whole number, or ``none``: None, which ``parse`` returns."""

    @property
    def form(self) -> Form:
        """A number, or none."""
        return number_form(self.low, self.high, self.step, none=True)

    def read(self, given: Any) -> int | None:
        """The number, or None."""
        return None if given is None or is_nothing(given) else int(super().read(given))

    def show(self, value: Any) -> str:
        """As typed: 3 or none."""
        return "none" if value is None else str(value)


@dataclass(frozen=True)
class ThrowsLeft(Number):
    """Further throws of this turn: says which throw the ``dice`` on the table are; left out, the earliest.

    A turn has ``throws``, unless the question before its first throw, as the game describes it, has fewer.
    """

    throws: int = 3
    dice: str = "roll"
    of: Of = field(default="turn", kw_only=True)

    @property
    def form(self) -> Form:
        """A number that says which throw of the turn these dice were."""
        return {**super().form, "throw_of": self.dice}


@dataclass(frozen=True)
class Numbers(Field):
    """A list of ``count`` whole numbers (any count, each once, where ``count`` is None); ``-`` or ``none`` is empty.

    In a list by seat of which some may be ``out``, these are ``-``, which is None in what ``parse`` returns; the number
    ``out_at`` says the same. In a list of boxes or spaces, numbers that stand one beside the other, ``1-9`` is all
    ``from_to``.
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
        """A list of so many is."""
        return self.count is not None

    @property
    def form(self) -> Form:
        """A number for each seat, or some of all numbers."""
        if self.count is None:
            return set_form(range(self.low, self.high + 1, self.step))
        return seats_form(self.count, number_form(self.low, self.high, self.step), self.out)

    def read(self, given: Any) -> tuple[Any, ...]:
        """The numbers, in the order given; those of a set ascending."""
        found = [] if is_nothing(given) else parts(self._ranges_together(given))
        if found is None:
            raise StateError(f"{self.name} is a list like 1,2,3, got {quoted(given)}")
        if self.count is not None and isinstance(given, Unordered):
            raise StateError(f"{self.name} is a list in order, and a set has none: {quoted(given)}")
        values = tuple(value for part in found for value in self._read_part(part, alone=len(found) == 1))
        if self.count is not None and len(values) != self.count:
            raise StateError(f"{self.name} is a list of {self.count} numbers, got {len(values)}")
        if self.count is None and len(set(values)) < len(values):
            twice = next(v for v in values if values.count(v) > 1)
            raise StateError(f"{self.name} names {twice} twice")
        return tuple(sorted(values)) if isinstance(given, Unordered) else values

    def _ranges_together(self, given: Any) -> Any:
        return RANGE.sub(r"\1-\2", given.translate(DASHES)) if self.from_to and isinstance(given, str) else given

    def _read_part(self, part: Any, alone: bool) -> list[int | None]:
        """The numbers that one member of the list says."""
        if self.out and (part is None or part == "-"):
            return [None]
        ends = RANGE.fullmatch(part) if self.from_to and isinstance(part, str) else None
        if ends:
            first, last = (_check(self.name, int(end), self.low, self.high, self.step) for end in ends.groups())
            if first > last:
                raise StateError(f"{self.name}={on_a_line(part)} runs downwards", hint=f"{self.name}={last}-{first}")
            return list(range(first, last + 1))
        try:
            number = _check(self.name, _whole(self.name, part), self.low, self.high, self.step)
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


def dice_said(given: Any) -> list[Any]:
    """The dice that plain data or text names, not checked: anything but a list of whole numbers is no roll.

    >>> dice_said("135"), dice_said("1-3-5"), dice_said("[1, 3, 5]"), dice_said("1 3 5")
    ([1, 3, 5], [1, 3, 5], [1, 3, 5], [1, 3, 5])
    """
    if is_nothing(given):
        return []
    if isinstance(given, str):
        text = unwrapped(given).replace("'", "").replace('"', "")
        found: Sequence[Any] = text if text.isascii() and text.isdigit() else re.split(r"\s*[,-]\s*|\s+", text)
    elif whole(given) is not None and given >= 0:
        found = str(given)
    else:
        found = given if isinstance(given, list) else [given]
    return [number if (number := whole(part)) is not None else part for part in found]


@dataclass(frozen=True)
class Faces(Field):
    """The dice of a roll: from ``fewest`` to ``most`` faces 1-6, kept ascending; no dice are ``none``."""

    fewest: int
    most: int
    of: Of = field(default="turn", kw_only=True)

    @property
    def form(self) -> Form:
        """Dice."""
        return dice_form(self.fewest, self.most)

    def read(self, given: Any) -> tuple[int, ...]:
        """The faces, ascending."""
        dice = dice_said(given)
        if not self.fewest <= len(dice) <= self.most or not all(1 <= (whole(die) or 0) <= 6 for die in dice):
            wanted = f"{self.fewest}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
            are_numbers = len(dice) <= 2 * MANY and all(whole(die) is not None for die in dice)
            came = ",".join(map(str, dice)) if are_numbers else quoted(given).strip("'")
            raise DiceError(f"{self.name} needs {wanted} faces in 1..6, got {came or 'none'}")
        return tuple(sorted(dice))

    def show(self, value: Any) -> str:
        """As typed: 1,5,5 or none."""
        return ",".join(map(str, value)) or "none"

    def joins(self, word: str) -> bool:
        """Further dice do."""
        return re.fullmatch(r"[\[({]?[0-9][-0-9,]*[\])}]?|[,\])}]", word) is not None


@dataclass(frozen=True)
class Scores(Field):
    """A map from box names to the scores they can hold, typed as ``sixes:18,chance:23``.

    ``bonuses`` are those that boxes earn together; the boxes of the first are the upper part of the sheet. ``line``:
    the field of points that stand on the sheet in no box.
    """

    allowed: Mapping[str, Sequence[int]] = field(default_factory=dict)
    bonuses: tuple[Bonus, ...] = ()
    line: Number | None = None

    @property
    def form(self) -> Form:
        """A sheet: for some boxes one of the scores that each can hold."""
        return {"form": "map", "boxes": {box: list(scores) for box, scores in self.allowed.items()}}

    def read(self, given: Any) -> dict[str, int]:
        """Scores by box name, in the order of the sheet."""
        said = [] if is_nothing(given) else pairs(given)
        if said is None:
            raise StateError(f"{self.name} is a list like box:score,..., got {quoted(given)}")
        scores: dict[str, int] = {}
        for name, score in said:
            box = the_box(self.name, name, self.allowed)
            if box in scores:
                raise StateError(f"{self.name} names '{box}' twice")
            value = _whole(f"{self.name} {box}", score)
            if value not in self.allowed[box]:
                raise StateError(f"box '{box}' can hold {listed(self.allowed[box])}, got {quoted(value)}")
            scores[box] = value
        return {box: scores[box] for box in self.allowed if box in scores}

    def show(self, value: Any) -> str:
        """As typed: sixes:18,chance:23."""
        return ",".join(f"{box}:{score}" for box, score in value.items()) if value else "none"

    def joins(self, word: str) -> bool:
        """There are spaces in the names of boxes."""
        return True


@dataclass(frozen=True)
class Pairs(Field):
    """A map from whole numbers to whole numbers, each key once, typed as ``like``: 4:0,6:2.

    ``key`` is what a key is called, ``values`` what several values are.
    """

    key: str
    values: str
    keys: range
    held: range
    like: str

    @property
    def form(self) -> Form:
        """For some numbers a number each."""
        return pairs_form(self.keys, self.key, self.held, self.values)

    def read(self, given: Any) -> dict[int, int]:
        """Values by key, ascending."""
        found: dict[int, int] = {}
        for key, value in self._pairs(given):
            if key not in self.keys:
                raise StateError(f"{self.name} names {self.key}s from {self._ends(self.keys)}, got {quoted(key)}")
            if key in found:
                raise StateError(f"{self.name} names {self.key} {key} twice")
            if value not in self.held:
                raise StateError(f"{self.name} names {self.values} from {self._ends(self.held)}, got {quoted(value)}")
            found[key] = value
        return dict(sorted(found.items()))

    def _pairs(self, given: Any) -> Iterator[tuple[int, int]]:
        said = [] if is_nothing(given) else pairs(given)
        for pair in [None] if said is None else said:
            key, value = map(whole, pair or (None, None))
            if key is None or value is None:
                raise StateError(
                    f"{self.name} is a list of {self.key}:{self.values.removesuffix('s')} like {self.like}, "
                    f"got {quoted(given)}"
                )
            yield key, value

    @staticmethod
    def _ends(numbers: range) -> str:
        return f"{numbers.start} to {numbers.stop - 1}"

    def show(self, value: Any) -> str:
        """As typed: 4:0,6:2."""
        return ",".join(f"{key}:{held}" for key, held in value.items()) or "none"


def the_box(field_name: str, name: Any, boxes: Mapping[str, Any] | Sequence[str]) -> str:
    """The box that is meant, as its sheet spells it; raises StateError where there is none."""
    box = matched(name, boxes)
    if box is None:
        said = quoted(name.replace("_", " ") if isinstance(name, str) else name)
        raise StateError(f"{field_name} has no box {said}{did_you_mean(name, boxes)}; boxes: {', '.join(boxes)}")
    return box


def listed(values: Sequence[int]) -> str:
    """Whole numbers as a short text: runs of three or more as ``a to b``.

    >>> listed([0, 5, 6, 7, 8])
    '0, 5 to 8'
    """
    runs: list[list[int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
