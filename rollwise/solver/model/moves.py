"""A move as data: its verb, dice and points; the only place that writes and parses its spelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache


@dataclass(frozen=True)
class Move:
    """A move: its ``verb`` (keep, roll, score, shut, call, ...), and the numbers after it or the ``rest`` in words.

    ``dice``: these numbers, faces or boxes. ``points``: those that its name states.
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
        """The dice that the move keeps; none of any other move."""
        return self.dice if self.verb == "keep" else ()

    @property
    def without_points(self) -> str:
        """The move, without its points."""
        return str(replace(self, points=None))


@lru_cache(4096)
def parse_move(move: str) -> Move:
    """Parse the name of a move.

    >>> parse_move("keep 1 5 for 150"), parse_move("score full house").rest, parse_move("roll").dice
    (ParsedMove(verb='keep', dice=(1, 5), rest='', points=150), 'full house', ())
    >>> [str(parse_move(move)) for move in ("keep 1 5 for 150", "keep nothing", "score full house", "roll")]
    ['keep 1 5 for 150', 'keep nothing', 'score full house', 'roll']
    """
    verb, *words = move.split() or [""]
    points = None
    if words[-2:-1] == ["for"] and words[-1].isdecimal():
        *words, _, last = words
        points = int(last)
    if all(map(str.isdecimal, words)):
        return Move(verb, tuple(map(int, words)), points=points)
    return Move(verb, rest=" ".join(words), points=points)


def keep_move(dice: Sequence[int]) -> str:
    """The move that keeps these dice.

    >>> keep_move([5, 1]), keep_move([])
    ('keep 1 5', 'keep nothing')
    """
    return str(Move("keep", tuple(sorted(dice)), "" if dice else "nothing"))
