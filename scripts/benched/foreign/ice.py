"""Dice with icepool, in an environment that has icepool only: WHAT RUNS; WHAT is bust, sums or yahtzee."""

import sys
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import icepool
from icepool import d6

from scripts.benched.foreign.telling import best, tell


class Bust(icepool.MultisetEvaluator):  # type: ignore[misc, unused-ignore]
    """Zilch: no 1, no 5, no three of a kind, no three pairs."""

    def initial_state(self, order: Any, outcomes: Any, *sizes: Any) -> int:
        """No pair yet."""
        return 0

    def next_state(self, state: int, order: Any, outcome: int, count: int) -> int:
        """The pairs so far; -1 once anything scores."""
        if state < 0 or count > 2 or (count and outcome in (1, 5)):
            return -1
        pairs = state + (count == 2)
        return -1 if pairs == 3 else pairs

    def final_outcome(self, final_state: int, order: Any, outcomes: Any, *sizes: Any) -> bool:
        """Does it bust?"""
        return final_state >= 0


def bust() -> list[Any]:
    """The chance with one to six dice."""
    evaluator = Bust()
    return [evaluator.evaluate(d6.pool(dice)).probability(True) for dice in range(1, 7)]


def sums() -> list[Any]:
    """The chance of each sum of two dice."""
    both = 2 @ d6
    return [both.probability(n) for n in range(2, 13)]


def yahtzee() -> list[Any]:
    """Expected points of the last box, Yahtzee, with the recursion over keeps written here."""

    @cache
    def kept(dice: tuple[int, ...], left: int) -> Any:
        return d6.pool(5 - len(dice)).expand().map(lambda thrown: found(tuple(sorted(dice + thrown)), left)).mean()

    @cache
    def found(dice: tuple[int, ...], left: int) -> Any:
        if not left:
            return Fraction(50 * (len(set(dice)) == 1))
        return max(kept(part, left - 1) for n in range(6) for part in set(combinations(dice, n)))

    return [kept((), 2)]


def main() -> None:
    """One of them."""
    found, times = best({"bust": bust, "sums": sums, "yahtzee": yahtzee}[sys.argv[1]], int(sys.argv[2]))
    value = " ".join(map(str, found))
    tell("icepool", build=0.0, **times, value=value, lower=value, upper=value)


main()
