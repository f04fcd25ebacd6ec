"""What a move leads to as a map for a page: every throw with its chance, coloured by what it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from rollwise.answer import shown_value
from rollwise.foreseeing import Outcomes, Row
from rollwise.move_words import imperative
from rollwise.next_moves import next_moves
from rollwise.outcome_text import ON, Told, best_first
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds.outcomes import Throw
from rollwise.text import number, percent
from rollwise.web import address
from rollwise.web.forms import in_words
from rollwise.web.texts import text

SIDES = 6
AT_ONCE = 24  # outcomes that stand one by one
WARMTHS = 4  # steps of colour to either side of the middle
GROUPS = 12


@dataclass(frozen=True)
class Cell:
    """One outcome: the dice of its likeliest throw, how many others there are, numbers, colour, where it leads.

    ``passes``: has another seat the next move?
    """

    dice: tuple[int, ...]
    after: tuple[tuple[int, ...], ...]
    others: int
    label: str
    chance: str
    fraction: str
    value: str
    change: str
    warmth: str
    then: str
    url: str
    passes: bool


@dataclass(frozen=True)
class Group:
    """Outcomes with the same thing to do then."""

    then: str
    throws: int
    chance: str
    length: float
    value: str
    warmth: str


@dataclass(frozen=True)
class Map:
    """The next throw: ``shape`` is square (two dice), row (one die), list, or certain (one outcome only).

    ``square`` are rows of cells by the first die, ``cells`` all outcomes best first, ``groups`` where there are many.
    ``dice`` fall at the most, for whoever says what was thrown.
    """

    move: str
    shape: str
    sentence: str
    cells: tuple[Cell, ...]
    square: tuple[tuple[Cell, ...], ...]
    groups: tuple[Group, ...]
    more: int
    dice: int
    has_chances: bool

    @property
    def asks_throw(self) -> bool:
        """Must it be asked what was thrown, as not every throw stands there by itself?"""
        return bool(self.groups) or (self.shape == "list" and any(cell.others for cell in self.cells))


def map_of(found: Outcomes, game: TurnGame, *, all_of_it: bool = False) -> Map:
    """The map of a move; ``all_of_it``: every outcome, however many there are."""
    told = best_first(found, next_moves(game, found.rows, found.mover))
    writer = _Writer(found, game, told)
    cells = [writer.cell(each) for each in told]
    square = writer.square()
    shape = "certain" if len(told) == 1 else "square" if square else "row" if writer.is_one_die() else "list"
    many = len(told) > AT_ONCE and shape == "list"
    return Map(
        move=found.move,
        shape=shape,
        sentence=f"{found.note}. {writer.sentence()}" if found.note else writer.sentence(),
        cells=tuple(cells if all_of_it or not many else ()),
        square=tuple(square),
        groups=tuple(writer.groups()) if many and not all_of_it else (),
        more=len(told) if many and not all_of_it else 0,
        dice=max((len(throw.dice) for each in told for throw in each.row.thrown), default=0),
        has_chances=all(each.row.chance is not None for each in told),
    )


def after_throw(found: Outcomes, dice: Sequence[int]) -> Row | None:
    """The outcome of a throw of these dice, of the ways that there are the likeliest."""
    wanted, best, most = tuple(sorted(dice)), None, 0
    for row in found.rows:
        for throw in row.thrown:
            if tuple(sorted(throw.dice)) == wanted and throw.ways > most:
                best, most = row, throw.ways
    return best


def followed(game: TurnGame, row: Row, mover: int) -> str:
    """The address of the question that an outcome leaves, marked where it is no longer the mover's; empty at an end."""
    if row.state is None:
        return ""
    url = address.page(game, row.state)
    mark = address.written([(address.TURNED, "1")])
    return url if row.mover == mover or not address.swaps(game) else f"{url}{'&' if '?' in url else '?'}{mark}"


class _Writer:
    """Makes the cells of one map."""

    def __init__(self, found: Outcomes, game: TurnGame, told: Sequence[Told]) -> None:
        self.found, self.game, self.told = found, game, told
        self.sign = -1 if found.sense == "min" else 1
        self.base = found.mean
        worths = [each.worth for each in told if each.worth is not None]
        self.low, self.high = (min(worths), max(worths)) if worths else (0.0, 0.0)

    def sentence(self) -> str:
        """What the move is worth, and between what it may leave."""
        words = imperative(self.found.move)
        if self.base is None:
            return text("throws.of", move=words)
        if len(self.told) == 1 or self.high == self.low:
            return text("throws.worth", move=words, label=self.found.label, value=self.value(self.base))
        ends = (self.high, self.low) if self.sign < 0 else (self.low, self.high)
        worst, best = map(self.value, ends)
        told = {"label": self.found.label, "value": self.value(self.base)}
        return text("throws.between", move=words, low=worst, high=best, **told)

    def value(self, worth: float | None) -> str:
        """A value with its unit."""
        return "" if worth is None else number(worth, self.found.unit, 1 if self.found.unit == "probability" else 2)

    def change(self, worth: float | None) -> str:
        """How far it is from the move's."""
        if worth is None or self.base is None:
            return ""
        told = number(worth - self.base, self.found.unit, 1 if self.found.unit == "probability" else 2)
        told = told.replace(" %", "").replace("<", "")
        return told if told.startswith("-") else f"+{told}"

    def warmth(self, worth: float | None) -> str:
        """The name of its colour: from cold4, the worst, over mild to warm4."""
        middle = (self.low + self.high) / 2 if self.base is None else self.base
        if worth is None or self.high - self.low < 1e-12:
            return "mild"
        reach = max(self.high - middle, middle - self.low)
        step = round(WARMTHS * self.sign * (worth - middle) / reach)
        return "mild" if step == 0 else f"{'warm' if step > 0 else 'cold'}{min(abs(step), WARMTHS)}"

    def cell(self, each: Told) -> Cell:
        """One outcome."""
        row, first = each.row, _likeliest(each.row.thrown)
        return Cell(
            dice=first.dice if first else (),
            after=first.then if first else (),
            others=max(0, len(row.thrown) - 1),
            label=self._label(row, first),
            chance="" if row.chance is None else percent(float(row.chance), 1),
            fraction="" if row.chance is None or row.chance.denominator > 10**5 else str(row.chance),
            value=self.value(each.worth),
            change=self.change(each.worth),
            warmth=self.warmth(each.worth),
            then="" if each.then == ON else each.then,
            url=followed(self.game, row, self.found.mover),
            passes=row.mover != self.found.mover,
        )

    def of_throw(self, cell: Cell, row: Row, throw: Throw) -> Cell:
        """The cell of one throw alone, of an outcome that others lead to too."""
        assert row.chance is not None
        chance = row.chance * throw.ways / sum(other.ways for other in row.thrown)
        label, told = " ".join(map(str, throw.dice)), percent(float(chance), 1)
        return replace(cell, dice=throw.dice, others=0, label=label, chance=told, fraction=str(chance))

    def _label(self, row: Row, first: Throw | None) -> str:
        if first:
            return " ".join(map(str, first.dice))
        if row.reply or len(self.told) == 1:
            return row.reply or text("throws.certain")
        return ", ".join(
            f"{in_words(name)} {said}" for name, said in self.stands(row).items() if name in self.differing
        )

    def stands(self, row: Row) -> dict[str, str]:
        """The fields of the question that follows, as they are shown."""
        return {} if row.state is None else {name: shown_value(value) for name, value in row.state.items()}

    @cached_property
    def differing(self) -> set[str]:
        """The fields by which questions that follow differ: without dice nothing else tells outcomes apart."""
        states = [self.stands(each.row) for each in self.told if each.row.state is not None]
        names = {name for state in states for name in state}
        return {name for name in names if len({state.get(name) for state in states}) > 1}

    def is_one_die(self) -> bool:
        """Does one die fall, and each face stand for itself?"""
        faces = [throw.dice for each in self.told for throw in each.row.thrown]
        return all(len(dice) == 1 for dice in faces) and len(faces) == SIDES == len(self.told)

    def square(self) -> list[tuple[Cell, ...]]:
        """A throw of two dice in rows by the first die; nothing for any other throw."""
        by_pair: dict[tuple[int, ...], Cell] = {}
        for each in self.told:
            for throw in each.row.thrown:
                if len(throw.dice) != 2 or throw.then or each.row.chance is None:
                    return []
                by_pair[throw.dice] = self.of_throw(self.cell(each), each.row, throw)
        if len(by_pair) != SIDES * (SIDES + 1) // 2:
            return []
        faces = range(1, SIDES + 1)
        return [tuple(by_pair[min(one, two), max(one, two)] for two in faces) for one in faces]

    def groups(self) -> list[Group]:
        """Outcomes with the same thing to do then, the likeliest first; beyond a few all others in one."""
        by_then: dict[str, list[Told]] = {}
        for each in self.told:
            by_then.setdefault(each.then, []).append(each)
        ordered = sorted(by_then.items(), key=lambda item: -_chance(item[1]))
        rest = [each for _, some in ordered[GROUPS:] for each in some] if len(ordered) > GROUPS + 1 else []
        shown = ordered[:GROUPS] if rest else ordered
        shown += [(text("throws.others", count=len(ordered) - GROUPS), rest)] if rest else []
        most = max(_chance(some) for _, some in shown)
        return [self._group(then, some, float(most)) for then, some in shown]

    def _group(self, then: str, some: Sequence[Told], most: float) -> Group:
        chance = float(_chance(some))
        known = all(each.worth is not None for each in some) and chance > 0
        mean = sum(float(each.row.chance or 0) * (each.worth or 0.0) for each in some) / chance if known else None
        throws = sum(len(each.row.thrown) for each in some)
        length = 100 * chance / most if most else 0.0
        return Group(then, throws, percent(chance, 1), length, self.value(mean), self.warmth(mean))


def _chance(some: Sequence[Told]) -> Fraction:
    return sum((each.row.chance or Fraction(0) for each in some), Fraction(0))


def _likeliest(thrown: Sequence[Throw]) -> Throw | None:
    return max(thrown, key=lambda throw: (-len(throw.then), throw.ways), default=None)
