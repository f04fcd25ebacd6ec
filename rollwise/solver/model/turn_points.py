"""Turns that can be told in points: what a game says of its throws and of a turn's results, for the odds of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rollwise.solver.model.game import NodeKey, Position, TurnGame


@dataclass(frozen=True)
class Hand:
    """Dice about to be thrown: how many, a state of the turn before that throw, and the trio beside them, if any."""

    dice: int
    state: NodeKey
    trio: int | None = None


@dataclass(frozen=True)
class Made:
    """What a result of a turn makes: ``points``, which it adds to its player's score; less than 0 where it costs some.

    ``bust``: its last throw made nothing and ended the turn. ``or_more``: so many points at least, how many is not
    followed; ``unsure``: nor whether they are lost.
    """

    points: int
    bust: bool = False
    or_more: bool = False
    unsure: bool = False


@dataclass(frozen=True)
class PointSpread:
    """The points of a turn: the chance of each number of them, and of a bust (None where a turn ends in none).

    ``beyond``: of what is not followed, the number of points that it comes to at least, and its chance; ``open_`` is
    the part of that chance which may come to fewer all the same. ``mean``: the least and the most that it can be; None
    where it means nothing, or is not known.
    """

    chances: Mapping[int, Fraction]
    bust: Fraction | None
    mean: tuple[Fraction, Fraction] | None
    beyond: tuple[int, Fraction] | None = None
    open_: Fraction = Fraction(0)


@dataclass(frozen=True)
class TurnWords:
    """How people say it. ``bust``: what a bust is, or why no throw is one; ``lost``: what a turn that ends so is.

    ``counted``: what points are called; ``reached``: so many of them, or better. ``gain`` and ``loss``: what a throw
    does that makes things better, or worse, by so many points; ``held``: where the points are before it; ``no_more``:
    why there is no such throw.
    """

    bust: str
    lost: str = "that it ends in a bust"
    counted: str = "points"
    reached: str = "or more"
    gain: str = "adds"
    loss: str = "loses"
    held: str = "in hand"
    no_more: str = "none can follow"


class PointGame(TurnGame):
    """A game whose turn makes points that can be told (``solver.policy.points_of_turn``).

    ``words``: how they are told. ``low_is_good``: fewer are better. ``ranked``: they are places in
    a ranking, so that only higher and lower mean something, and a mean does not. ``busts``: a turn can end in a bust.
    """

    words: ClassVar[TurnWords]
    low_is_good: ClassVar[bool] = False
    ranked: ClassVar[bool] = False
    busts: ClassVar[bool] = True

    @property
    def most_more(self) -> int | None:
        """Past an end to which a turn is followed nobody makes more points on average than so many; None: not known."""
        return None

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> Sequence[Hand]:
        """The throws whose chance to bust is told where a turn stands in this state; none where no throw busts."""
        return ()

    def made(self, board: Mapping[str, Any], state: NodeKey) -> int | None:
        """The points in hand before a throw: those at stake in it, or those of the dice that it takes up again.

        None where there are no such points, as before a first throw, or with dice on the table still to be decided on.
        """
        raise NotImplementedError

    def ended(self, board: Mapping[str, Any], result: Any) -> Made:
        """What a result of a turn makes on this board."""
        raise NotImplementedError

    def board_asked(self, fields: Mapping[str, Any], position: Position) -> Mapping[str, Any]:
        """The board of a question as its fields say it: where a solve takes several for one, not all lose the same."""
        return position.board

    def shown(self, points: int) -> str:
        """Points as they are written."""
        return str(points)

    def go(self, graph: Any, position: Position) -> PointSpread | None:
        """All points of a go that is a chain of many turns as ``turn`` has them, without choices; else None."""
        return None
