"""The outcomes of a move in order, for a terminal and for a page: the best first, groups of them, and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rollwise.answers.labels import LOW_IS_GOOD
from rollwise.answers.outcomes import OutcomeRow, Outcomes
from rollwise.text.moves import imperative
from rollwise.text.numbers import TOLD, number, signed

MOST_GROUPS = 11
FEWEST_GROUPS = 4  # fewer are told apart further, by value
BANDS = 8
ON = "it goes on"
ENDED = {"won": "won", "lost": "lost", "shared": "a shared win", "over": "the game is over"}
NEVER = "The best play never makes this call, so that nothing says what dice lie behind it."


@dataclass(frozen=True)
class RankedOutcome:
    """An outcome with what is best then, in short, or who comes next; ``worth``: its value for who made the move."""

    row: OutcomeRow
    then: str
    worth: float | None


@dataclass(frozen=True)
class OutcomeGroup:
    """Outcomes with the same thing to do then; ``mean``: what they are worth on average, None where it is not known."""

    then: str
    outcomes: tuple[RankedOutcome, ...]

    @property
    def chance(self) -> Fraction:
        """How likely they are together."""
        return sum((each.row.chance or Fraction(0) for each in self.outcomes), Fraction(0))

    @property
    def throws(self) -> int:
        """How many throws lead to them."""
        return sum(len(each.row.thrown) for each in self.outcomes)

    @property
    def is_alike(self) -> bool:
        """Is the same to be done after all of them?"""
        return all(each.then == self.then for each in self.outcomes)

    @property
    def mean(self) -> float | None:
        """The mean by their chances."""
        if any(each.worth is None or each.row.chance is None for each in self.outcomes):
            return None
        chances = [float(each.row.chance or 0) for each in self.outcomes]
        values = zip(chances, self.outcomes, strict=True)
        return sum(chance * (each.worth or 0.0) for chance, each in values) / sum(chances)


class RankedOutcomes:
    """The outcomes of a move, the best for who made it first; those of which that is not known come last."""

    def __init__(self, answer: Outcomes, places: int = TOLD) -> None:
        """``places``: digits of values."""
        self.answer, self.places, self.unit = answer, places, answer.unit
        self.sign = -1 if answer.sense == "min" else 1
        self.base = answer.mean
        shares = next((row.shares for row in answer.rows if row.shares is not None), None)
        self.seats = 0 if shares is None else len(shares)
        self.luck = answer.value is None and self.seats > 0
        outcomes = [RankedOutcome(row, self._then(row), answer.of(row)) for row in answer.rows]
        self.outcomes = sorted(outcomes, key=lambda one: float("inf") if one.worth is None else -self.sign * one.worth)
        known = [each.worth for each in outcomes if each.worth is not None]
        self.low, self.high = (min(known), max(known)) if known else (0.0, 0.0)

    def _then(self, row: OutcomeRow) -> str:
        """What follows an outcome, in a few words."""
        if row.ended is not None:
            return ENDED[row.ended]
        if row.state is None:
            return "not solved further"
        if row.mover != self.answer.mover:
            return "their turn" if row.shares is None else f"seat {row.mover}'s turn"
        return row.best or ON

    @property
    def is_certain(self) -> bool:
        """Is there one outcome only?"""
        return len(self.outcomes) == 1

    @property
    def has_chances(self) -> bool:
        """Is it known how likely they are? Not behind a call that nobody makes."""
        return all(each.row.chance is not None for each in self.outcomes)

    def sentences(self) -> list[str]:
        """What the move is worth, and between what it may leave."""
        answer, low = self.answer, f"; {LOW_IS_GOOD}" if self.sign < 0 else ""
        text = f"{imperative(answer.move)}: "
        if self.base is not None:
            text += f"{answer.label} {self.value(self.base)}" + (f" for seat {answer.mover}" if self.luck else "")
        known = [each.worth for each in self.outcomes if each.worth is not None]
        if not self.is_certain and known:
            several = f"{len(self.outcomes)} outcomes"
            ends = f"from {self.value(known[-1])} to {self.value(known[0])}"
            text += f" on average; {several}, {ends}" if self.base is not None else several
        first = f"{answer.note}. {text}{low}." if answer.note else f"{text}{low}."
        return [first] if self.has_chances else [first, NEVER]

    def value(self, worth: float | None) -> str:
        """A value with its unit."""
        return "" if worth is None else number(worth, self.unit, self.places)

    def apart(self, worth: float | None) -> float | None:
        """How far it is from the move's."""
        return None if worth is None or self.base is None else worth - self.base

    def change(self, worth: float | None) -> str:
        """The same in words."""
        apart = self.apart(worth)
        return "" if apart is None else signed(apart, self.unit, self.places)

    def ink(self, worth: float | None) -> str:
        """The colour of what is better, or worse, than the move is on average."""
        better = self.sign * (self.apart(worth) or 0.0)
        return "" if abs(better) < 1e-12 else "good" if better > 0 else "bad"

    def warmth(self, worth: float | None) -> float:
        """How much better than the move on average (a half): as far as any outcome is from that, from 0 to 1."""
        middle = (self.low + self.high) / 2 if self.base is None else self.base
        reach = max(self.high - middle, middle - self.low)
        if worth is None or self.high - self.low < 1e-12:
            return 0.5
        return min(1.0, max(0.0, 0.5 + 0.5 * self.sign * (worth - middle) / reach))

    def pairs(self) -> dict[tuple[int, ...], RankedOutcome]:
        """The outcomes of a throw of two dice, by the pair; nothing for any other throw."""
        by_pair: dict[tuple[int, ...], RankedOutcome] = {}
        for each in self.outcomes:
            for throw in each.row.thrown:
                if each.worth is None or len(throw.dice) != 2 or throw.then or each.row.chance is None:
                    return {}
                by_pair[throw.dice] = each
        sides = max((face for pair in by_pair for face in pair), default=0)
        return by_pair if len(by_pair) == sides * (sides + 1) // 2 else {}

    def groups(self, *, by_value: bool = True) -> list[OutcomeGroup]:
        """Outcomes by what is to be done then, the best first; of many kinds the likeliest by themselves.

        Where that is too little to tell, and ``by_value``, they are told apart by their values too.
        """
        by_band = by_value and len({each.then for each in self.outcomes}) < FEWEST_GROUPS and self.high > self.low
        together: dict[tuple[str, int], list[RankedOutcome]] = {}
        for each in self.outcomes:
            share = 0.0 if each.worth is None or not by_band else (each.worth - self.low) / (self.high - self.low)
            together.setdefault((each.then, min(BANDS - 1, int(BANDS * share))), []).append(each)
        groups = [OutcomeGroup(then, tuple(some)) for (then, _), some in together.items()]
        groups.sort(key=lambda group: -group.chance)
        most = MOST_GROUPS - 1 if len(groups) > MOST_GROUPS else MOST_GROUPS
        shown, rest = groups[:most], groups[most:]
        shown.sort(key=lambda group: -self.sign * (group.mean or 0.0))
        others = tuple(each for group in rest for each in group.outcomes)
        return [*shown, OutcomeGroup(f"{len(rest)} others", others)] if rest else shown
