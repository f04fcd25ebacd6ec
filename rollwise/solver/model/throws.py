"""How dice fall: what is seen of a throw, with the number of ways, and which dice show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

Faces = tuple[int, ...]


class Falls(tuple[tuple[Any, int], ...]):
    """What can be seen of one throw: (what is seen, ways) pairs that know their dice.

    ``dice``: how many fall, each with faces 1 to ``sides``; ``by(faces)`` is what is seen of them. ``joins``: the die
    falls with the dice before it, as one throw of them all.
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
    ) -> Falls:
        """The pairs as they are told, and what they are told of."""
        made = super().__new__(cls, pairs)
        made.dice, made.by, made.sides, made.joins = dice, by, sides, joins
        return made

    @cached_property
    def shown(self) -> tuple[tuple[tuple[Faces, int], ...], ...]:
        """Of each pair, the throws (faces ascending, ways) that are seen so."""
        found: dict[Any, list[tuple[Faces, int]]] = {seen: [] for seen, _ in self}
        for faces, ways in throws_of(self.dice, self.sides):
            found[self.by(faces)].append((faces, ways))
        return tuple(tuple(found[seen]) for seen, _ in self)


def throws_of(dice: int, sides: int) -> Iterable[tuple[Faces, int]]:
    """Every throw of so many dice, faces ascending, with the number of ways it can fall."""
    for faces in combinations_with_replacement(range(1, sides + 1), dice):
        yield faces, factorial(dice) // prod(factorial(n) for n in Counter(faces).values())


def falls(dice: int, by: Callable[[Faces], Any], sides: int = 6) -> Falls:
    """Throws counted by ``by(faces)``, in order of first appearance."""
    seen: dict[Any, int] = {}
    for faces, ways in throws_of(dice, sides):
        key = by(faces)
        seen[key] = seen.get(key, 0) + ways
    return Falls(seen.items(), dice, by, sides=sides)
