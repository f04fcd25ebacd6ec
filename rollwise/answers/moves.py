"""A move as a value: what is done, with which dice, for how many points. The one place that reads a move's spelling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

SPELT = re.compile(r"(?P<verb>\S+)(?: (?P<dice>\d+(?: \d+)*)| (?P<rest>.+?))?(?: for (?P<points>\d+))?")


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
    found = SPELT.fullmatch(move)
    if found is None:
        return Doing("", rest=move)
    dice = tuple(map(int, (found["dice"] or "").split()))
    return Doing(found["verb"], dice, found["rest"] or "", int(found["points"]) if found["points"] else None)


def keeping(dice: Sequence[int]) -> str:
    """The move that keeps these dice.

    >>> keeping([5, 1]), keeping([])
    ('keep 1 5', 'keep nothing')
    """
    return f"keep {' '.join(map(str, sorted(dice)))}" if dice else "keep nothing"
