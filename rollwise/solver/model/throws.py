"""Distributions of throws: observations of the dice, with the number of ways, and the dice behind each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

Faces = tuple[int, ...]


class ThrowDistribution(tuple[tuple[Any, int], ...]):
    """The distribution of one throw: (observation, ways) pairs, with the dice behind them.

    ``dice``: how many fall, each with faces 1 to ``sides``; ``by(faces)`` is the observation. ``joins``: the die falls
    with the dice before it, as one throw of them all.
    """

    dice: int
    sides: int
    by: Callable[[Faces], Any]
    joins: bool

    def __new__(
        cls,
        pairs: Iterable[tuple[Any, int]],
        dice: int,
        by: Callable[[Faces], Any],
        *,
        sides: int = 6,
        joins: bool = False,
    ) -> ThrowDistribution:
        """The pairs, with their dice."""
        distribution = super().__new__(cls, pairs)
        distribution.dice, distribution.by, distribution.sides, distribution.joins = dice, by, sides, joins
        return distribution

    @cached_property
    def dice_by_outcome(self) -> tuple[tuple[tuple[Faces, int], ...], ...]:
        """The throws (faces ascending, ways) of each pair, in its order."""
        throws: dict[Any, list[tuple[Faces, int]]] = {observation: [] for observation, _ in self}
        for faces, ways in throws_with_ways(self.dice, self.sides):
            throws[self.by(faces)].append((faces, ways))
        return tuple(tuple(throws[observation]) for observation, _ in self)


def throws_with_ways(dice: int, sides: int) -> Iterable[tuple[Faces, int]]:
    """Every throw of so many dice, faces ascending, with the number of ways it can fall."""
    for faces in combinations_with_replacement(range(1, sides + 1), dice):
        yield faces, factorial(dice) // prod(factorial(n) for n in Counter(faces).values())


def throw_distribution(dice: int, by: Callable[[Faces], Any], sides: int = 6) -> ThrowDistribution:
    """Throws counted by ``by(faces)``, in order of first appearance."""
    ways_of: dict[Any, int] = {}
    for faces, ways in throws_with_ways(dice, sides):
        observation = by(faces)
        ways_of[observation] = ways_of.get(observation, 0) + ways
    return ThrowDistribution(ways_of.items(), dice, by, sides=sides)
