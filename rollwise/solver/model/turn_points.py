"""Points of turns: throws and results of a game in points, for the odds of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rollwise.solver.model.game import NodeKey, Position, TurnGame


@dataclass(frozen=True)
class Hand:
    """Dice before a throw: their number, a state of the turn before that throw, and the trio beside them, if any."""

    dice: int
    state: NodeKey
    trio: int | None = None


@dataclass(frozen=True)
class ResultPoints:
    """Points of a turn's result: ``points``, which it adds to its player's score, may be negative.

    ``bust``: the last throw scored nothing and ended the turn. ``or_more``: ``points`` is a lower bound; ``unsure``:
    they may be lost as well.
    """

    points: int
    bust: bool = False
    or_more: bool = False
    unsure: bool = False


@dataclass(frozen=True)
class PointSpread:
    """Distribution of the points of a turn: the chance of each number, and of a bust (None where turns cannot bust).

    ``beyond``: past the followed part, the least number of points, and its chance; ``open_`` is the part of that chance
    which may end in fewer all the same. ``mean``: lower and upper bound; None where it is meaningless or unknown.
    """

    chances: Mapping[int, Fraction]
    bust: Fraction | None
    mean: tuple[Fraction, Fraction] | None
    beyond: tuple[int, Fraction] | None = None
    open_: Fraction = Fraction(0)


@dataclass(frozen=True)
class TurnPhrases:
    """Phrases of a game for answers. ``bust``: a bust, or the reason why no throw is one; ``lost``: a turn that busts.

    ``counted``: the noun for points; ``reached``: so many of them, or better. ``gain`` and ``loss``: verbs for a throw
    that makes things better, or worse, by so many points; ``place``: that of the points before it; ``no_more``: the
    reason why there is no such throw.
    """

    bust: str
    lost: str = "that it ends in a bust"
    counted: str = "points"
    reached: str = "or more"
    gain: str = "adds"
    loss: str = "loses"
    place: str = "in hand"
    no_more: str = "none can follow"


class PointGame(TurnGame):
    """A game whose turns score points (``solver.policy.points_of_turn``).

    ``words``: its phrases for them. ``low_is_good``: fewer are better. ``ranked``: they are places in a ranking, an
    ordinal scale without a mean. ``busts``: a turn can end in a bust.
    """

    words: ClassVar[TurnPhrases]
    low_is_good: ClassVar[bool] = False
    ranked: ClassVar[bool] = False
    busts: ClassVar[bool] = True

    @property
    def most_more(self) -> int | None:
        """Upper bound of the mean of further points past the followed part of a turn; None: unknown."""
        return None

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> Sequence[Hand]:
        """The throws from this state for which answers have the chance of a bust; none where no throw busts."""
        return ()

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int | None:
        """Points in hand before a throw: those at stake in it, or those of the dice that it throws again.

        None where there are none, as before a first throw, or with undecided dice on the table.
        """
        raise NotImplementedError

    def result_points(self, board: Mapping[str, Any], result: Any) -> ResultPoints:
        """Points of a turn's result on this board."""
        raise NotImplementedError

    def question_board(self, fields: Mapping[str, Any], position: Position) -> Mapping[str, Any]:
        """The board of a question by its own fields: boards that a solve merges may lose different points."""
        return position.board

    def shown(self, points: int) -> str:
        """Points as they are written."""
        return str(points)

    def chain_points(self, graph: Any, position: Position) -> PointSpread | None:
        """Distribution of all points of a chain of turns without choices; None for other games."""
        return None
