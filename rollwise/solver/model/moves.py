"""A move as data: its verb, dice and points; the only place that writes and parses its spelling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache


@dataclass(frozen=True)
class Move:
    """A move: its ``kind`` (keep, roll, score, shut, call, ...), and the numbers after it or the ``box`` in words.

    ``dice``: these numbers, faces or boxes. ``points``: those that its name states after ``for``.
    """

    kind: str
    dice: tuple[int, ...] = ()
    box: str = ""
    points: int | None = None

    def __str__(self) -> str:
        words = [self.kind, *map(str, self.dice), self.box, "" if self.points is None else f"for {self.points}"]
        return " ".join(filter(None, words))

    @property
    def kept(self) -> tuple[int, ...]:
        """The dice that the move keeps; none of any other move."""
        return self.dice if self.kind == "keep" else ()

    @property
    def without_points(self) -> str:
        """The move, without its points."""
        return str(replace(self, points=None))


@lru_cache(4096)
def parse_move(move: str) -> Move:
    """Parse the name of a move.

    >>> parse_move("keep 1 5 for 150"), parse_move("score full house").box, parse_move("roll").dice
    (Move(kind='keep', dice=(1, 5), box='', points=150), 'full house', ())
    >>> [str(parse_move(move)) for move in ("keep 1 5 for 150", "keep nothing", "score full house", "roll")]
    ['keep 1 5 for 150', 'keep nothing', 'score full house', 'roll']
    """
    kind, *words = move.split() or [""]
    points = None
    if words[-2:-1] == ["for"] and words[-1].isdecimal():
        *words, _, last = words
        points = int(last)
    if all(map(str.isdecimal, words)):
        return Move(kind, tuple(map(int, words)), points=points)
    return Move(kind, box=" ".join(words), points=points)


@lru_cache(4096)
def keep_move(dice: tuple[int, ...], points: int | None = None) -> str:
    """The name of the move that keeps these dice, and counts them for these points.

    >>> keep_move((5, 1)), keep_move(()), keep_move((1, 1), 200)
    ('keep 1 5', 'keep nothing', 'keep 1 1 for 200')
    """
    return str(Move("keep", tuple(sorted(dice)), "" if dice else "nothing", points))
