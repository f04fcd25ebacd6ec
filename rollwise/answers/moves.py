"""A move as a value: what is done, with which dice, for how many points. The one place that reads a move's spelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Doing:
    """A move: its ``verb`` (keep, roll, score, shut, call, ...), and the numbers after it or the ``rest`` in words.

    ``dice``: these numbers, faces or boxes. ``points``: what it counts, where the move says so.
    """

    verb: str
    dice: tuple[int, ...] = ()
    rest: str = ""
    points: int | None = None

    @property
    def kept(self) -> tuple[int, ...]:
        """The dice that are kept; none of any other move."""
        return self.dice if self.verb == "keep" else ()

    @property
    def without_points(self) -> str:
        """The move, without what it counts."""
        return " ".join([self.verb, *map(str, self.dice), *([self.rest] if self.rest else [])])


@lru_cache(4096)
def does(move: str) -> Doing:
    """What a move does.

    >>> does("keep 1 5 for 150"), does("score full house").rest, does("roll").dice
    (Doing(verb='keep', dice=(1, 5), rest='', points=150), 'full house', ())
    """
    verb, *rest = move.split() or [""]
    points = None
    if rest[-2:-1] == ["for"] and rest[-1].isdecimal():
        points = int(rest[-1])
        rest = rest[:-2]
    if all(map(str.isdecimal, rest)):
        return Doing(verb, tuple(map(int, rest)), points=points)
    return Doing(verb, rest=" ".join(rest), points=points)


def keeping(dice: Sequence[int]) -> str:
    """The move that keeps these dice.

    >>> keeping([5, 1]), keeping([])
    ('keep 1 5', 'keep nothing')
    """
    return f"keep {' '.join(map(str, sorted(dice)))}" if dice else "keep nothing"
