"""A move as a value: what is done, with which dice, for how many points. Its spelling is made and read here alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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

    def __str__(self) -> str:
        words = [self.verb, *map(str, self.dice), self.rest, "" if self.points is None else f"for {self.points}"]
        return " ".join(filter(None, words))

    @property
    def kept(self) -> tuple[int, ...]:
        """The dice that are kept; none of any other move."""
        return self.dice if self.verb == "keep" else ()

    @property
    def without_points(self) -> str:
        """The move, without what it counts."""
        return str(replace(self, points=None))


@lru_cache(4096)
def does(move: str) -> Doing:
    """What a move does.

    >>> does("keep 1 5 for 150"), does("score full house").rest, does("roll").dice
    (Doing(verb='keep', dice=(1, 5), rest='', points=150), 'full house', ())
    >>> [str(does(move)) for move in ("keep 1 5 for 150", "keep nothing", "score full house", "roll")]
    ['keep 1 5 for 150', 'keep nothing', 'score full house', 'roll']
    """
    verb, *words = move.split() or [""]
    points = None
    if words[-2:-1] == ["for"] and words[-1].isdecimal():
        *words, _, last = words
        points = int(last)
    if all(map(str.isdecimal, words)):
        return Doing(verb, tuple(map(int, words)), points=points)
    return Doing(verb, rest=" ".join(words), points=points)


def keeping(dice: Sequence[int]) -> str:
    """The move that keeps these dice.

    >>> keeping([5, 1]), keeping([])
    ('keep 1 5', 'keep nothing')
    """
    return str(Doing("keep", tuple(sorted(dice)), "" if dice else "nothing"))
