"""What a move leads to as a map for a page: every throw with its chance, coloured by what it leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from rollwise.answers.outcomes import OutcomeRow, Outcomes
from rollwise.answers.spelling import shown_value
from rollwise.asking.outcomes import with_next_moves
from rollwise.saying.numbers import percent
from rollwise.saying.ranked_outcomes import ON, RankedOutcome, RankedOutcomes
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds.outcomes import Throw
from rollwise.web import address
from rollwise.web.forms import in_words
from rollwise.web.texts import text

SIDES = 6
AT_ONCE = 24  # outcomes that stand one by one
WARMTHS = 4  # steps of colour to either side of the middle


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
class Line:
    """Outcomes with the same thing to do then, how likely they are, and how long their bar is."""

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
    sentences: tuple[str, ...]
    cells: tuple[Cell, ...]
    square: tuple[tuple[Cell, ...], ...]
    groups: tuple[Line, ...]
    more: int
    dice: int
    has_chances: bool

    @property
    def asks_throw(self) -> bool:
        """Must it be asked what was thrown, as not every throw stands there by itself?"""
        return bool(self.groups) or (self.shape == "list" and any(cell.others for cell in self.cells))


def map_of(found: Outcomes, game: TurnGame, *, all_of_it: bool = False) -> Map:
    """The map of a move; ``all_of_it``: every outcome, however many there are."""
    told = RankedOutcomes(with_next_moves(game, found), 1 if found.unit == "probability" else 2)
    writer = _Cells(told, game)
    cells = [writer.cell(each) for each in told.outcomes]
    square = writer.square()
    shape = "certain" if told.is_certain else "square" if square else "row" if writer.is_one_die() else "list"
    many = len(cells) > AT_ONCE and shape == "list"
    return Map(
        move=found.move,
        shape=shape,
        sentences=tuple(told.sentences()),
        cells=tuple(cells if all_of_it or not many else ()),
        square=tuple(square),
        groups=tuple(writer.lines()) if many and not all_of_it else (),
        more=len(cells) if many and not all_of_it else 0,
        dice=max((len(throw.dice) for row in found.rows for throw in row.thrown), default=0),
        has_chances=told.has_chances,
    )


def after_throw(found: Outcomes, dice: Sequence[int]) -> OutcomeRow | None:
    """The outcome of a throw of these dice, of the ways that there are the likeliest."""
    wanted, best, most = tuple(sorted(dice)), None, 0
    for row in found.rows:
        for throw in row.thrown:
            if tuple(sorted(throw.dice)) == wanted and throw.ways > most:
                best, most = row, throw.ways
    return best


def followed(game: TurnGame, row: OutcomeRow, mover: int) -> str:
    """The address of the question that an outcome leaves, marked where it is no longer the mover's; empty at an end."""
    if row.state is None:
        return ""
    url = address.page(game, row.state)
    mark = address.written([(address.TURNED, "1")])
    return url if row.mover == mover or not address.swaps(game) else f"{url}{'&' if '?' in url else '?'}{mark}"


class _Cells:
    """Makes the cells of one map."""

    def __init__(self, told: RankedOutcomes, game: TurnGame) -> None:
        self.told, self.game = told, game

    def warmth(self, worth: float | None) -> str:
        """The name of its colour: from cold4, the worst, over mild to warm4."""
        step = round(WARMTHS * (2 * self.told.warmth(worth) - 1))
        return "mild" if step == 0 else f"{'warm' if step > 0 else 'cold'}{abs(step)}"

    def cell(self, each: RankedOutcome) -> Cell:
        """One outcome."""
        row, first = each.row, _likeliest(each.row.thrown)
        return Cell(
            dice=first.dice if first else (),
            after=first.then if first else (),
            others=max(0, len(row.thrown) - 1),
            label=self._label(row, first),
            chance="" if row.chance is None else percent(float(row.chance), 1),
            fraction="" if row.chance is None or row.chance.denominator > 10**5 else str(row.chance),
            value=self.told.value(each.worth),
            change=self.told.change(each.worth),
            warmth=self.warmth(each.worth),
            then="" if each.then == ON else each.then,
            url=followed(self.game, row, self.told.answer.mover),
            passes=row.mover != self.told.answer.mover,
        )

    def _label(self, row: OutcomeRow, first: Throw | None) -> str:
        if first:
            return " ".join(map(str, first.dice))
        if row.reply or self.told.is_certain:
            return row.reply or text("throws.certain")
        return ", ".join(
            f"{in_words(name)} {said}" for name, said in self.stands(row).items() if name in self.differing
        )

    def stands(self, row: OutcomeRow) -> dict[str, str]:
        """The fields of the question that follows, as they are shown."""
        return {} if row.state is None else {name: shown_value(value) for name, value in row.state.items()}

    @cached_property
    def differing(self) -> set[str]:
        """The fields by which questions that follow differ: without dice nothing else tells outcomes apart."""
        states = [self.stands(each.row) for each in self.told.outcomes if each.row.state is not None]
        names = {name for state in states for name in state}
        return {name for name in names if len({state.get(name) for state in states}) > 1}

    def is_one_die(self) -> bool:
        """Does one die fall, and each face stand for itself?"""
        faces = [throw.dice for each in self.told.outcomes for throw in each.row.thrown]
        return all(len(dice) == 1 for dice in faces) and len(faces) == SIDES == len(self.told.outcomes)

    def square(self) -> list[tuple[Cell, ...]]:
        """A throw of two dice in rows by the first die; nothing for any other throw."""
        by_pair = self.told.pairs()
        if len(by_pair) != SIDES * (SIDES + 1) // 2:
            return []
        faces = range(1, SIDES + 1)
        return [tuple(self.of_pair((min(one, two), max(one, two)), by_pair) for two in faces) for one in faces]

    def of_pair(self, pair: tuple[int, int], by_pair: Mapping[tuple[int, ...], RankedOutcome]) -> Cell:
        """The cell of one throw alone, of an outcome that others may lead to too."""
        row = by_pair[pair].row
        ways = next(throw.ways for throw in row.thrown if throw.dice == pair)
        chance = (row.chance or Fraction(0)) * ways / sum(throw.ways for throw in row.thrown)
        label, told = " ".join(map(str, pair)), percent(float(chance), 1)
        return replace(self.cell(by_pair[pair]), dice=pair, others=0, label=label, chance=told, fraction=str(chance))

    def lines(self) -> list[Line]:
        """Outcomes with the same thing to do then."""
        groups = self.told.groups(by_value=False)
        most = max(group.chance for group in groups) or 1
        return [
            Line(
                group.then,
                group.throws,
                percent(float(group.chance), 1),
                float(100 * group.chance / most),
                self.told.value(group.mean),
                self.warmth(group.mean),
            )
            for group in groups
        ]


def _likeliest(thrown: Sequence[Throw]) -> Throw | None:
    return max(thrown, key=lambda throw: (-len(throw.then), throw.ways), default=None)
