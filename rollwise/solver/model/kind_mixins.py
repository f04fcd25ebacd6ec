"""Methods of single kinds of game, each with a default.

Every game has the methods of ``solver.model.game.TurnGame``; these are for some. A game overrides only methods of the
mixins of its own ``kind``:

=============================  ==========================================================
``kind``                       mixins
=============================  ==========================================================
``duel``                       ``ChoiceMixin``, ``DuelMixin``
``solo``                       ``ChoiceMixin``, ``DuelMixin``: a game without an opponent is solved as a duel is
``solo-rows``, ``duel-rows``   ``ChoiceMixin``, ``DuelMixin``, ``ReachMixin``
``table``                      ``ChoiceMixin``, ``TableMixin``
``hidden``, ``hidden-table``   ``ChoiceMixin``, ``HiddenMixin``
``seats``                      ``LuckMixin``, ``SeatsMixin``
``alone``                      ``LuckMixin``, ``AloneMixin``
=============================  ==========================================================

``TurnGame`` has them all, since a game may derive from one of another kind, as Finish with a choice derives from the
Finish of pure luck: ``kind`` is the only declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Protocol

import numpy as np

from rollwise.solver.model.nodes import LuckTransition, Node, NodeKey, Position, TurnSize
from rollwise.solver.model.spaces import Boards, Columns
from rollwise.solver.model.throws import Faces


class Ending(Protocol):
    """Distribution of the points still to come at the end of a game: see ``solver.policy.flow.Forecast``."""

    @property
    def chances(self) -> Any:
        """The chances, by number of points."""

    @property
    def off(self) -> float:
        """The relative error bound of each chance."""

    @property
    def lost(self) -> float:
        """Bound of the chance missing from their sum."""


class ChoiceMixin:
    """Games with decisions."""

    by_seat: ClassVar[bool] = False  # True: questions list both seats, and so do answers
    two_steps: ClassVar[bool] = False  # True: keeping dice of a throw and going on are two decisions

    def part(
        self,
        board: Mapping[str, int] | None = None,
        fields: Mapping[str, Any] | None = None,
        endings: Sequence[Ending] = (),
    ) -> Any:  # a game
        """The game to solve for questions from this board on, with these fields (None: for all questions).

        That is the game itself (the default), but where a question needs no more than the boards below its own.
        ``endings``: the distributions of the games ``beside``.
        """
        return self

    def beside(self, fields: Mapping[str, Any]) -> Sequence[tuple[Any, Mapping[str, int]]]:
        """Games that other players play alone meanwhile, each from a board on."""
        return ()

    def whole_game(self) -> Any:  # a game
        """The game of the users' questions, for a part of it."""
        return self

    def turn_size(self) -> TurnSize | None:
        """Size of the turn, where compiling it to count would take long; None: the compiled turn is counted."""
        return None

    def unsolved_node(self, *state: Any) -> Node | None:
        """The decision of a state past the solved turn, where ``turn`` has fewer moves than the rules.

        A turn is solved as far as any player would go on: up to a goal, or a proven cut. At a table it may go on all
        the same, so a question may be about a state there, or past it, which no solved turn reaches. This node has all
        moves; they lead to nodes of ``turn``, in unsolved states too. ``Bounded`` may stand where no value is known.
        None (the default) for every other state: ``turn`` has all of its moves.
        """
        return None

    def why_only(self, board: Mapping[str, int], state: NodeKey) -> str:
        """Reason why a usual move of this state is illegal on this board, in a clause; empty where all are legal."""
        return ""

    def left_out(self, board: Mapping[str, int], state: NodeKey) -> Iterable[tuple[str, Node, int]]:
        """Dominated legal moves of a decision on this board, which ``turn`` leaves out: one of its own is never worse.

        Each as (name, the node of that other move, points that the move gains on it, 0 or less); their own nodes need
        not be solved. A move with 0 points is as good, and belongs to every answer; the others are listed only in
        answers with all moves.
        """
        return ()

    def marks(self) -> Mapping[str, Iterable[NodeKey]]:
        """States of the turn by a name; the marks that a turn passes classify its endings.

        They are decisions or throws; the root of a turn is no mark.
        """
        return {}

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """The name of a turn with this result on this board; ``marks`` are the marks that it has passed.

        Empty (the default): a name by its effect, as that it is a bust, or that the dice pass on. A turn that wins or
        loses the game at once is named by that, whatever this returns.
        """
        return ""


class DuelMixin:
    """Games of two players, or one alone, whose boards have one value each."""

    ends_named: ClassVar[bool] = False  # True: ``ending_name`` names turns that decide the game too
    endless: ClassVar[bool] = False  # True: play may go on for ever, with the lower limit as value

    def quantities_beside(self, graph: Any, read: Any, position: Position) -> dict[str, Any]:
        """Further quantities beside the value of a decision, by name, as ``solver.model.solution.Quantity``."""
        return {}


class ReachMixin:
    """Games whose boards are in rows (``solver.model.rows``), one for each number that may be ``needed``.

    A result takes the same amount off ``needed`` whatever that is; the remainder at the end has the value
    ``worths / per``, from ``needed_low`` on. In a duel all of that is for the maximising player; ``others_turn`` is the
    minimising player's. All boards of a level are one player's.
    """

    worths: tuple[int, ...] = (1, 0)
    per: int = 1
    needed_low: int = 0
    wants: ClassVar[tuple[str, ...]] = ()  # fields of the objective

    def by_needed(self) -> Any:  # a game
        """The same game with a field ``needed`` in place of the objective, for tables of all that may be needed.

        Itself (the default) where ``needed`` alone does not determine the objective.
        """
        return self

    def set_rows(self, rows: Any) -> None:
        """Set the cached property ``rows`` to the boards of an equal game, which need not be computed again."""
        object.__setattr__(self, "rows", rows)  # the game is frozen, its cache is not

    @property
    def uncertain(self) -> float:
        """Bound of the error of any value from events that the game takes as certain."""
        return 0.0

    def others_turn(self, board: Columns) -> Any:
        """True on boards of a duel where the minimising player moves."""
        return np.zeros(len(board), dtype=bool)

    def note(self, fields: Mapping[str, Any], certain: Fraction | None = None) -> str:
        """A sentence that a reader of the answer needs to understand it; empty where there is none.

        ``certain``: the value of every move, whatever follows.
        """
        return ""

    def may_hold(self, part: Any) -> bool:
        """True where ``holds`` may be true, before any solution is opened."""
        return False

    def holds(self, part: Any, board: Mapping[str, Any]) -> bool:
        """True where this part has all boards that another part needs from this board on."""
        return False

    def plain_boards(self) -> Boards:
        """The boards without the field ``needed``."""
        raise NotImplementedError


class TableMixin:
    """Games of three or more players with decisions, each for a share of its own."""

    @property
    def uncertain(self) -> float:
        """Bound of the chance, under any play, that an event the game takes as certain does not happen.

        It bounds the error of each share, and of the chance of each ending, from that.
        """
        return 0.0

    def endings(self) -> Mapping[str, Callable[[tuple[Fraction, ...]], bool]]:
        """Classes of endings by name, as predicates of the players' shares; answers have the chance of each."""
        return {}


class HiddenMixin:
    """Games with hidden dice."""

    def answers(self, root: NodeKey) -> Mapping[NodeKey, str]:
        """The states in which the other player replies without sight of the dice, with the call it replies to."""
        return {}


class LuckMixin:
    """Games without decisions."""

    outcome: ClassVar[str] = "win"  # the quantity of every outcome of a throw, by name
    outcome_unit: ClassVar[str] = "probability"
    outcome_sense: ClassVar[str] = "max"  # or min: the objective of a seat


class SeatsMixin(LuckMixin):
    """Games of luck of several seats that take turns on one board."""

    team: ClassVar[tuple[int, ...]] = ()  # of two sides: the seats of the side that a board's only share is for

    @property
    def seats(self) -> int:
        """Number of seats with shares in a result, by default all; 0 where one player's score is the only value."""
        return getattr(self, "players", 0) if getattr(self, "kind", "") == "seats" else 0

    def standing(self, board: Columns) -> Any:
        """Number of places of each board still in play; turns go round among them."""
        return self.seats

    def lies(self, fields: Mapping[str, Any], thrown: tuple[Faces, ...]) -> tuple[Faces, ...]:
        """The dice of a turn as they fall in this question: a board may merge throws that differ at the table."""
        return thrown


class AloneMixin(LuckMixin):
    """Games of luck whose boards are those of one player, and whose odds are computed for each question."""

    pays_seats: ClassVar[bool] = False  # True: a result pays shares of a pot

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> LuckTransition:
        """The transition of a throw; ``fields`` are all of the question."""
        raise NotImplementedError

    def quantities(self, graph: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The odds of a question by name, as ``solver.model.solution.Quantity``."""
        return {}

    def outcome_at(self, graph: Any, fields: Mapping[str, Any], parent: Position) -> Any:
        """``outcome`` of a question's ``quantities``, and nothing else.

        ``parent`` is the question that this one follows, which has many such outcomes.
        """
        return self.quantities(graph, fields)[self.outcome]
