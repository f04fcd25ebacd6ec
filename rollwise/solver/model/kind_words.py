"""The words of single kinds of game, each with what is true of a game that does not give it.

Every game has the words of ``solver.model.game.TurnGame``; these are for some. A game is of the kind that its ``kind``
says, and gives words of that kind's classes alone:

=============================  ==========================================================
``kind``                       words
=============================  ==========================================================
``duel``                       ``ChoiceWords``, ``DuelWords``
``solo``                       ``ChoiceWords``, ``DuelWords``: a game against nobody is solved as a duel is
``solo-rows``, ``duel-rows``   ``ChoiceWords``, ``DuelWords``, ``ReachWords``
``table``                      ``ChoiceWords``, ``TableWords``
``hidden``, ``hidden-table``   ``ChoiceWords``, ``HiddenWords``
``seats``                      ``LuckWords``, ``SeatsWords``
``alone``                      ``LuckWords``, ``AloneWords``
=============================  ==========================================================

``TurnGame`` has them all, since a game may be derived from one of another kind, as Finish with a choice is from the
Finish that is luck: nothing is to be declared beside ``kind``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Protocol

import numpy as np

from rollwise.solver.model.nodes import Node, NodeKey, Onward, Position, TurnSize
from rollwise.solver.model.spaces import Boards, Columns
from rollwise.solver.model.throws import Faces


class Ending(Protocol):
    """How a game ends, by points still to come: see ``solver.policy.flow.Forecast``."""

    @property
    def chances(self) -> Any:
        """By number of points."""

    @property
    def off(self) -> float:
        """How large a part of itself each may be off by."""

    @property
    def lost(self) -> float:
        """What all together may lack."""


class ChoiceWords:
    """Games in which somebody chooses."""

    by_seat: ClassVar[bool] = False  # True where a question lists both seats, so that answers do too
    two_steps: ClassVar[bool] = False  # True: what to keep of a throw, then whether to go on, are two questions

    def part(
        self,
        board: Mapping[str, int] | None = None,
        fields: Mapping[str, Any] | None = None,
        endings: Sequence[Ending] = (),
    ) -> Any:  # a game
        """The game that has to be solved for questions from this board on, with these fields (None: for all questions).

        That is the game itself (the default), but where a question wants no more than what lies below its board.
        ``endings``: how those ``beside`` end.
        """
        return self

    def beside(self, fields: Mapping[str, Any]) -> Sequence[tuple[Any, Mapping[str, int]]]:
        """Games that others play alone meanwhile, each from a board on."""
        return ()

    def as_asked(self) -> Any:  # a game
        """The game that users ask about, of a part of it."""
        return self

    def turn_size(self) -> TurnSize | None:
        """How large the turn is, where compiling it to see that would take long; None: it is compiled and looked at."""
        return None

    def asked(self, *state: Any) -> Node | None:
        """The decision of a state that is only asked about: one past which ``turn`` is not followed as the rules allow.

        A turn is solved as far as anybody would go on: up to a goal, or a proven cut. At a table it may go on all the
        same, so a question may stand there, and past it, in states that no solved turn comes to. This word has all
        moves; what they lead to is what ``turn`` says of it, in states that are not solved too. ``Beyond`` may be where
        nothing better is known. None (the default) for every other state, of which ``turn`` says all.
        """
        return None

    def why_only(self, board: Mapping[str, int], state: NodeKey) -> str:
        """Why a move that is usual in this state is not legal on this board, in a clause; empty where none is."""
        return ""

    def left_out(self, board: Mapping[str, int], state: NodeKey) -> Iterable[tuple[str, Node, int]]:
        """Legal moves of a decision on this board that ``turn`` leaves out, since one of its own is never worse.

        Each as (name, the word of that other move, how many points more than it the move is worth, 0 or less): what
        they lead to need not be solved. With 0 points it is as good, and belongs to every answer; the others are listed
        where all moves are asked for.
        """
        return ()

    def marks(self) -> Mapping[str, Iterable[NodeKey]]:
        """States of the turn, by a name, that a class of endings is told by: has the turn come through one of them?

        They have something to decide or dice to throw; what a turn begins with is no mark.
        """
        return {}

    def ending_name(self, board: Mapping[str, Any], result: Any, seen: frozenset[str]) -> str:
        """What a turn is called that ends so on this board; ``seen`` are the marks that it has come through.

        Empty (the default): by what it does, as that it is a bust, or that the dice pass on. Where the game is won or
        lost by it at once, that is what it is called, whatever this says.
        """
        return ""


class DuelWords:
    """Two players, or one alone, whose boards have one value each."""

    ends_named: ClassVar[bool] = False  # True: ``ending_name`` has names for turns too that decide the game
    endless: ClassVar[bool] = False  # True: play may go on for ever, worth to each its lower limit

    def quantities_beside(self, graph: Any, read: Any, position: Position) -> dict[str, Any]:
        """Further facts beside the value of a decision, by name, as ``solver.model.solution.Quantity``."""
        return {}


class ReachWords:
    """Games whose boards are in rows (``solver.model.rows``), one for each number that may be ``needed``.

    A result takes the same off what is needed whatever that is; what is left at the end is worth ``worths / per``, from
    ``needed_low`` on. In a duel all of that is said of one player, who wants the most; ``others_turn`` is the other's,
    who wants the least. All boards of a level are one player's.
    """

    worths: tuple[int, ...] = (1, 0)
    per: int = 1
    needed_low: int = 0
    wants: ClassVar[tuple[str, ...]] = ()  # fields that say what is wanted

    def by_needed(self) -> Any:  # a game
        """The same game with a field ``needed`` in place of what is wanted, for tables of all that may be.

        Itself (the default) where what is needed does not say it all.
        """
        return self

    @property
    def uncertain(self) -> float:
        """No value is further off because of what the game takes as certain."""
        return 0.0

    def others_turn(self, board: Columns) -> Any:
        """In a duel: does the player move who wants the least?"""
        return np.zeros(len(board), dtype=bool)

    def note(self, fields: Mapping[str, Any], certain: Fraction | None = None) -> str:
        """What has to be known to read the answer to a question right, in a sentence, where there is something.

        ``certain``: every move is worth that, whatever follows.
        """
        return ""

    def may_hold(self, part: Any) -> bool:
        """Can ``holds`` be so, as far as can be told before anything is opened?"""
        return False

    def holds(self, part: Any, board: Mapping[str, Any]) -> bool:
        """Is what another part needs, from this board on, among what this part has?"""
        return False

    def plain_boards(self) -> Boards:
        """The boards without what is needed."""
        raise NotImplementedError


class TableWords:
    """Three and more who choose, each for a share of its own."""

    @property
    def uncertain(self) -> float:
        """What the game takes as certain is as likely at least to be so but for this, whoever plays how.

        So no share, and no chance of an ending, is further off because of it.
        """
        return 0.0

    def endings(self) -> Mapping[str, Callable[[tuple[Fraction, ...]], bool]]:
        """Sorts of endings by name, told by the shares of the players; answers say how likely each is."""
        return {}


class HiddenWords:
    """Games with hidden dice."""

    def answers(self, root: NodeKey) -> Mapping[NodeKey, str]:
        """The states in which the other player, who has seen nothing, replies, with the call it heard."""
        return {}


class LuckWords:
    """Games in which nobody chooses."""

    outcome: ClassVar[str] = "win"  # what every outcome of a throw is told in, a quantity by name
    outcome_unit: ClassVar[str] = "probability"
    outcome_sense: ClassVar[str] = "max"  # or min: what a seat would want


class SeatsWords(LuckWords):
    """Games of luck of several seats that take turns on one board."""

    team: ClassVar[tuple[int, ...]] = ()  # of two sides: the seats whose side a board's only share is of

    @property
    def seats(self) -> int:
        """How many seats a result has shares for; 0 where one player's score is all there is."""
        return 0

    def standing(self, board: Columns) -> Any:
        """How many places of each board still play; turns go round among them."""
        return self.seats

    def lies(self, fields: Mapping[str, Any], thrown: tuple[Faces, ...]) -> tuple[Faces, ...]:
        """The dice of a turn as they fall in this question: what a board holds alike may not be alike at the table."""
        return thrown


class AloneWords(LuckWords):
    """Games of luck whose boards are those of one player, and whose odds are worked out when they are asked for."""

    pays_seats: ClassVar[bool] = False  # does a result pay shares of a pot?

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> Onward:
        """What a throw leads to; ``fields`` are all of the question."""
        raise NotImplementedError

    def quantities(self, graph: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        """The odds of a question by name, as ``solver.model.solution.Quantity``."""
        return {}

    def outcome_at(self, graph: Any, given: Mapping[str, Any], asked: Position) -> Any:
        """``outcome`` of a question's ``quantities``, and nothing else.

        ``asked`` is the question that this one follows, of which many are told at once.
        """
        return self.quantities(graph, given)[self.outcome]
