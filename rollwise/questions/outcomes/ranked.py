"""Outcomes of a move ranked by value, in groups and in a sentence, for the terminal and for pages."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rollwise.questions.outcomes.data import OutcomeRow, Outcomes
from rollwise.text.labels import LOW_IS_GOOD
from rollwise.text.moves import imperative
from rollwise.text.numbers import TEXT_PLACES, number, signed

MAX_GROUPS = 11
MIN_GROUPS = 4  # fewer are split further by value
VALUE_BANDS = 8
GOES_ON = "it goes on"
ENDINGS = {"won": "won", "lost": "lost", "shared": "a shared win", "over": "the game is over"}
UNUSED_CALL = "The best play never makes this call, so the dice behind it are unknown."


@dataclass(frozen=True)
class RankedOutcome:
    """An outcome with the best move then, or the next seat; ``worth``: its value for the mover."""

    row: OutcomeRow
    then: str
    worth: float | None


@dataclass(frozen=True)
class OutcomeGroup:
    """Outcomes with the same best move then; ``mean``: their mean value, None if unknown."""

    then: str
    outcomes: tuple[RankedOutcome, ...]

    @property
    def chance(self) -> Fraction:
        """The sum of their chances."""
        return sum((each.row.chance or Fraction(0) for each in self.outcomes), Fraction(0))

    @property
    def throws(self) -> int:
        """The number of throws with these outcomes."""
        return sum(len(each.row.thrown) for each in self.outcomes)

    @property
    def is_alike(self) -> bool:
        """True if all outcomes share one best move."""
        return all(each.then == self.then for each in self.outcomes)

    @property
    def mean(self) -> float | None:
        """The mean value, weighted by chance."""
        if any(each.worth is None or each.row.chance is None for each in self.outcomes):
            return None
        chances = [float(each.row.chance or 0) for each in self.outcomes]
        values = zip(chances, self.outcomes, strict=True)
        return sum(chance * (each.worth or 0.0) for chance, each in values) / sum(chances)


class RankedOutcomes:
    """The outcomes of a move, the best for the mover first, those of unknown value last."""

    def __init__(self, answer: Outcomes, places: int = TEXT_PLACES) -> None:
        """``places``: decimal places of values."""
        self.answer, self.places, self.unit = answer, places, answer.unit
        self.sign = -1 if answer.sense == "min" else 1
        self.base = answer.mean
        shares = next((row.shares for row in answer.rows if row.shares is not None), None)
        self.seats = 0 if shares is None else len(shares)
        self.luck = answer.value is None and self.seats > 0
        outcomes = [RankedOutcome(row, self._then(row), answer.of(row)) for row in answer.rows]
        self.outcomes = sorted(outcomes, key=lambda one: float("inf") if one.worth is None else -self.sign * one.worth)
        values = [each.worth for each in outcomes if each.worth is not None]
        self.low, self.high = (min(values), max(values)) if values else (0.0, 0.0)

    def _then(self, row: OutcomeRow) -> str:
        """The best move after an outcome, the next seat or the end, in a few words."""
        if row.ended is not None:
            return ENDINGS[row.ended]
        if row.state is None:
            return "not solved further"
        if row.mover != self.answer.mover:
            return "their turn" if row.shares is None else f"seat {row.mover}'s turn"
        return row.best or GOES_ON

    @property
    def is_certain(self) -> bool:
        """True for a single outcome."""
        return len(self.outcomes) == 1

    @property
    def has_chances(self) -> bool:
        """True if all chances are known; behind a call that the best play never makes they are not."""
        return all(each.row.chance is not None for each in self.outcomes)

    def sentences(self) -> list[str]:
        """The value of the move, and the range of its outcomes."""
        answer, low = self.answer, f"; {LOW_IS_GOOD}" if self.sign < 0 else ""
        text = f"{imperative(answer.move)}: "
        if self.base is not None:
            text += f"{answer.label} {self.value(self.base)}" + (f" for seat {answer.mover}" if self.luck else "")
        values = [each.worth for each in self.outcomes if each.worth is not None]
        if not self.is_certain and values:
            several = f"{len(self.outcomes)} outcomes"
            ends = f"from {self.value(values[-1])} to {self.value(values[0])}"
            text += f" on average; {several}, {ends}" if self.base is not None else several
        first = f"{answer.note}. {text}{low}." if answer.note else f"{text}{low}."
        return [first] if self.has_chances else [first, UNUSED_CALL]

    def value(self, worth: float | None) -> str:
        """A value in words; empty for None."""
        return "" if worth is None else number(worth, self.unit, self.places)

    def difference(self, worth: float | None) -> float | None:
        """The difference from the mean of the move."""
        return None if worth is None or self.base is None else worth - self.base

    def change(self, worth: float | None) -> str:
        """That difference in words."""
        difference = self.difference(worth)
        return "" if difference is None else signed(difference, self.unit, self.places)

    def ink(self, worth: float | None) -> str:
        """The colour of a value above or below the mean of the move."""
        better = self.sign * (self.difference(worth) or 0.0)
        return "" if abs(better) < 1e-12 else "good" if better > 0 else "bad"

    def warmth(self, worth: float | None) -> float:
        """The position of a value on a scale from 0 to 1 with the mean of the move at 0.5."""
        middle = (self.low + self.high) / 2 if self.base is None else self.base
        reach = max(self.high - middle, middle - self.low)
        if worth is None or self.high - self.low < 1e-12:
            return 0.5
        return min(1.0, max(0.0, 0.5 + 0.5 * self.sign * (worth - middle) / reach))

    def pairs(self) -> dict[tuple[int, ...], RankedOutcome]:
        """The outcomes of a throw of two dice by pair; empty for any other throw."""
        by_pair: dict[tuple[int, ...], RankedOutcome] = {}
        for each in self.outcomes:
            for throw in each.row.thrown:
                if each.worth is None or len(throw.dice) != 2 or throw.then or each.row.chance is None:
                    return {}
                by_pair[throw.dice] = each
        sides = max((face for pair in by_pair for face in pair), default=0)
        return by_pair if len(by_pair) == sides * (sides + 1) // 2 else {}

    def groups(self, *, by_value: bool = True) -> list[OutcomeGroup]:
        """Outcomes grouped by the best move then, the best group first; of many groups the least likely are merged.

        With ``by_value`` too few groups are split further by value.
        """
        by_band = by_value and len({each.then for each in self.outcomes}) < MIN_GROUPS and self.high > self.low
        together: dict[tuple[str, int], list[RankedOutcome]] = {}
        for each in self.outcomes:
            share = 0.0 if each.worth is None or not by_band else (each.worth - self.low) / (self.high - self.low)
            together.setdefault((each.then, min(VALUE_BANDS - 1, int(VALUE_BANDS * share))), []).append(each)
        groups = [OutcomeGroup(then, tuple(some)) for (then, _), some in together.items()]
        groups.sort(key=lambda group: -group.chance)
        n_shown = MAX_GROUPS - 1 if len(groups) > MAX_GROUPS else MAX_GROUPS
        shown, rest = groups[:n_shown], groups[n_shown:]
        shown.sort(key=lambda group: -self.sign * (group.mean or 0.0))
        others = tuple(each for group in rest for each in group.outcomes)
        return [*shown, OutcomeGroup(f"{len(rest)} others", others)] if rest else shown
