"""What a kind of game has to answer for: how it is planned, solved, restored, asked, compared and proved again.

A kind takes and gives named arrays and plain facts. It opens no file, takes no lock and prints nothing: that is done
by whoever calls, who in turn knows nothing of kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.processors import n_workers
from rollwise.solver.components.saving import KeptSolve, not_kept
from rollwise.solver.model import cancellation
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import Number
from rollwise.solver.model.game import Game, Goto, NodeKey, Position, TurnGame, TurnSize
from rollwise.solver.model.rounding import rounded
from rollwise.solver.model.solution import Quantity
from rollwise.solver.model.two_seats import is_duel
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.query import Move, OneTurn, Turns, followed
from rollwise.solver.turn.questions import next_question
from rollwise.solver.turn.sampling import Sampler
from rollwise.solver.turn.successors import Successors, ThrowOutcome
from rollwise.solver.turn.transition_reader import Uses

if TYPE_CHECKING:
    from rollwise.solver.policy.endings_of_turn import Ending
    from rollwise.solver.policy.simulation import Simulation

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Report = Callable[[float], None]
Bounds = tuple[float, float, float]  # value, lower, upper

COUNTED = 1 << 18  # boards that are looked at together


@dataclass(frozen=True)
class Plan:
    """What a solve will take: boards that can be, edges of the turn, bytes of memory (about), bytes kept on disk, and
    seconds (about), 0 where nothing is done before a question. Boards in millions are about so many. ``unrecorded``:
    results that have to be settled block by block, each with the reason (``solver.markov_chains.recorded``).
    """

    boards: int
    edges: int
    memory: int
    kept: int
    seconds: float = 0.0
    unrecorded: tuple[str, ...] = ()


unheard: Report = cancellation.no_progress


@dataclass(frozen=True)
class Tools:
    """What a solve is lent: ``report`` hears the share done; ``kept`` takes up what an earlier run has left of a solver
    and gives a function that keeps what is done so far; ``workers`` threads may be used.
    """

    report: Report = unheard
    kept: KeptSolve = not_kept
    workers: int = field(default_factory=n_workers)


@dataclass(frozen=True)
class Solved:
    """What a solve comes to: arrays to be kept, by name, plain facts, and the widest interval that was certified."""

    arrays: Mapping[str, Array]
    facts: dict[str, Any]
    widest: float


class SolutionArrays(Protocol):
    """The arrays of a solved game, wherever they are: in memory, or in a file of which rows are read when needed."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the arrays."""

    def rows(self, name: str, places: Ints) -> Array:
        """Rows of an array, checked."""

    def whole(self, name: str) -> Array:
        """All of an array, checked."""

    def shape(self, name: str) -> tuple[tuple[int, ...], str]:
        """Shape, and kind of number (NumPy's letter), without reading it."""


@dataclass(frozen=True)
class InMemory:
    """``SolutionArrays`` of a game that was solved just now."""

    arrays: Mapping[str, Array]

    @property
    def names(self) -> Sequence[str]:
        """The names of the arrays."""
        return sorted(self.arrays)

    def rows(self, name: str, places: Ints) -> Array:
        """See ``SolutionArrays``."""
        return np.asarray(self.arrays[name][places])

    def whole(self, name: str) -> Array:
        """See ``SolutionArrays``."""
        return self.arrays[name]

    def shape(self, name: str) -> tuple[tuple[int, ...], str]:
        """See ``SolutionArrays``."""
        return self.arrays[name].shape, self.arrays[name].dtype.kind


@dataclass(frozen=True)
class FollowUpValue:
    """A move of the decision that follows a move at once, in the same turn; ``loss``: how much worse than the best."""

    move: str
    value: float
    lower: float
    upper: float
    loss: float


@dataclass(frozen=True)
class ActionValue:
    """What one move is worth to the mover, points already made included: ``lower <= true value <= upper``.

    ``exact`` where fractions were asked for; ``shares``: what it gives every seat, where answers list seats; ``then``,
    where another decision of the same turn follows at once, the moves of that, best first;
    ``probability``, where the best play is a mix, how often the move is made.
    """

    move: str
    value: float
    lower: float
    upper: float
    exact: Fraction | None = None
    shares: tuple[float, ...] | None = None
    then: tuple[FollowUpValue, ...] = ()
    probability: float | None = None

    def exactly(self, exact: Fraction) -> ActionValue:
        """The same with its fraction, from which value and bounds are rounded."""
        return ActionValue(self.move, *rounded(exact), exact, self.shares, self.then, self.probability)


@dataclass(frozen=True)
class Answer:
    """What there is to say of a position: ``moves`` in the game's own order, none where nobody chooses.

    ``shares``: everybody's by seat, under the move that is played, with their lower and upper bounds, and exactly where
    that is known (``shares_exact``).
    ``going_for``: of a move by name, the box that the turn then goes for, and how likely it is scored in. ``note``:
    what has to be known to read the numbers right, in a sentence, where there is something.
    """

    mover: int
    moves: tuple[ActionValue, ...] = ()
    shares: tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]] | None = None
    shares_exact: tuple[Fraction, ...] | None = None
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    going_for: Callable[[str], tuple[str, float] | None] = lambda move: None
    note: str = ""


@dataclass(frozen=True)
class QueryOptions:
    """What a question wants beside its answer: fractions (``exact``), ``all_moves``, those too that a game leaves out
    since another is never worse, and the distribution of ``lengths``, which large luck games leave out otherwise.
    ``ahead`` finds the exact values of all boards that a board of a solved game leads to, where fractions are too many;
    ``beyond`` hears of a game whose fractions take long, as ``solver.exact.optimal`` says it, and whether they may.
    """

    exact: bool = False
    all_moves: bool = False
    lengths: bool = False
    ahead: Callable[[Solution, Report, int], Mapping[int, Fraction]] | None = None
    beyond: Callable[[TurnGame, int, int, float], bool] | None = None


@dataclass(frozen=True)
class PositionValue:
    """What a position is worth to who came to it: (value, lower, upper), points made on the way included.

    Where answers list seats, ``shares`` by seat; games in which nobody chooses have nothing else.
    """

    value: float | None
    lower: float | None
    upper: float | None
    shares: tuple[float, ...] | None = None


Question = tuple[Mapping[str, Any], Position]  # fields of a question, and where it stands


class Solution:
    """A solved game that can be asked. Subclasses say what a kind keeps and what it knows."""

    by_primes = False  # may fractions be found modulo primes, from the floats of all boards?
    adds_points = True  # is a position worth its points on top of what is known of its board and state?

    def __init__(self, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, facts: Mapping[str, Any]) -> None:
        self.game = game
        self.graph = graph
        self.kept = kept
        self.facts = dict(facts)

    def ask(self, position: Position, given: Mapping[str, Any], wanted: QueryOptions, report: Report) -> Answer:
        """The moves of a position, or its odds. ``given`` are the fields of the question.

        ``wanted``: what else the answer is to have.
        """
        raise NotImplementedError

    def quantities(self) -> dict[str, Quantity]:
        """What there is to say of the whole solution beside the value of its start."""
        return {}

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """(values, radius) of boards by index, where boards have values."""
        raise NotImplementedError

    def turn_on(self, board: Mapping[str, Any]) -> OneTurn:
        """All values of one board's turn, where somebody chooses."""
        raise BadInput(f"{self.game.name} has no decisions")

    # --- what a move leads to -----------------------------------------------------------------------------------------

    @property
    def lists_seats(self) -> bool:
        """Does a question say which seat moves?"""
        return False

    def seat_after(self, position: Position, passed: int) -> int:
        """The seat that moves when the turn has passed so many seats to the left."""
        return (position.mover + passed) % 2 if is_duel(self.game) else position.mover

    @cached_property
    def following(self) -> Successors:
        """Walks the game's words, and knows those again that it has seen."""
        return Successors(self.game)

    def falls(self, asked: Mapping[str, Any], position: Position, move: Move) -> list[ThrowOutcome]:
        """Every way that a move of a position goes on, up to the next question; their chances are 1 together.

        ``asked`` are all fields of the question.
        """
        found = self.following.falls(position.board, followed(self.game, move))
        return [replace(fall, thrown=self.game.lies(asked, fall.thrown)) for fall in found]

    def drawn(self, asked: Mapping[str, Any], position: Position, move: Move, random: Random) -> ThrowOutcome:
        """One of ``falls``, drawn by lot, as often as its chance says; its own ``chance`` means nothing."""
        fall = Sampler(self.following, random).drawn(position.board, followed(self.game, move))
        return replace(fall, thrown=self.game.lies(asked, fall.thrown))

    def question(self, asked: Mapping[str, Any], move: str, fall: ThrowOutcome, seat: int) -> Question | None:
        """The question that a fall comes to; None where none can be said."""
        if not isinstance(fall.word, Goto):
            return None
        return next_question(self.game, asked, move, fall, fall.word.state, seat if self.lists_seats else None)

    def heard(self, position: Position, move: str) -> Mapping[str, Any] | None:
        """Hidden dice: the question of the other player, who hears this move and replies; None where nobody does."""
        return None

    def stands(self, position: Position, fall: ThrowOutcome, question: Question | None) -> PositionValue:
        """What the seat that moves in ``position`` has where a move of it has come to; ``question`` is that one's."""
        raise NotImplementedError

    def stands_at_end(self, position: Position, fall: ThrowOutcome) -> PositionValue:
        """The same of a game that is over."""
        raise NotImplementedError

    def ends_of_turn(self, position: Position, moves: Sequence[Move]) -> list[list[Ending]]:
        """How the turn ends after each of some moves of a position, if it is played on by the best play."""
        from rollwise.solver.policy.endings_of_turn import endings_of_turn

        return endings_of_turn(self.turn_on(position.board), position, moves)

    # --- many decisions at once ---------------------------------------------------------------------------------------

    def turns(self, boards: Ints) -> Turns:
        """All values of the turns of these boards, which start in the same root."""
        raise BadInput(f"{self.game.name} has no decisions to export")

    def moves(self, board: int, state: NodeKey) -> tuple[ActionValue, ...]:
        """The moves of a state on a board by index, in the game's own order, where the best play is a mix."""
        raise BadInput(f"{self.game.name} has no decisions to export")

    def at_start(self, boards: Ints) -> Floats | None:
        """(value, lower, upper) of each board before its turn, shape (boards, 3); None where only turns tell."""
        return None

    @property
    def numbers_a_node(self) -> int:
        """How many numbers ``turns`` keeps for every node and board."""
        return 3

    def forecast(self, board: int | Mapping[int, float], report: Report) -> Any:
        """The distribution of the final score from a board on, or from several with their chances, which are 1
        together, as ``solver.policy.flow.Forecast``.
        """
        raise NotImplementedError


ALONE, KNOWS, SOLVED, RULED = "nobody", "knows", "solved", "ruled"  # what the others do, whom a rule is compared with


@dataclass(frozen=True)
class RuleCost:
    """What a rule comes to: by seat the best play and the rule, and what the rule costs, as (value, lower, upper).

    ``others``: what these do. In a duel the other one KNOWS the rule, and replies as well as can be; ``to_best`` is
    what the rule costs if the other one plays as the solution does instead, and ``rule_to_best`` the rule by seat in
    such play, None where that takes too much. At a table
    the others play the solution (SOLVED); at one that is not solved all play the rule (RULED), and ``best`` is by seat
    the best reply to that.
    """

    best: tuple[Bounds, ...]
    rule: tuple[Bounds, ...]
    cost: Bounds
    others: str = ALONE
    to_best: Bounds | None = None
    rule_to_best: tuple[Bounds, ...] | None = None


@dataclass(frozen=True)
class OtherTies:
    """How much shares change where equally good moves are told apart otherwise than by the game's own order.

    ``at_start``: of any seat at the start; ``anywhere``: on any board; ``radius``: all of that is known so closely.
    """

    at_start: float
    anywhere: float
    radius: float


class Kind:
    """One kind of game. ``keeps``: is there anything to keep of a solve? ``chooses``: does anybody choose?

    ``mixes``: is the best play a mix of moves? ``opened``: what a solved game is opened as.
    """

    opened: type[Solution]
    keeps: bool = True
    chooses: bool = True
    mixes: bool = False

    def called(self, game: Game | type[Game]) -> str:
        """What a list calls it: where nobody chooses, a luck game."""
        return game.kind if self.chooses else "luck"

    def n_seats(self, game: TurnGame) -> int:
        """How many take turns; alone, and against robots, that is one."""
        movers = [field for field in game.fields() if field.name == "mover" and isinstance(field, Number)]
        return movers[0].high + 1 if movers else game.seats or int(game.parameters().get("players", 1))

    def uses(self, game: TurnGame) -> Uses:
        """Which words of ``Settled`` the game may use."""
        raise NotImplementedError

    def sources(self, game: TurnGame) -> tuple[str, ...]:
        """Modules that, with all they import, choose, compute and lay out the answer (the game's own apart)."""
        return (type(self).__module__, "rollwise.solver.turn.graph")

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """What a solve will take, before it is done; of a game that says how large its turn is, that is enough."""
        raise NotImplementedError

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> Solved:
        """Solve it."""
        raise NotImplementedError

    def restore(self, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, facts: Mapping[str, Any]) -> Solution:
        """A solved game, opened."""
        return self.opened(game, graph, kept, facts)

    def ask_exactly(
        self, game: TurnGame, position: Position, all_moves: bool, turn: Callable[[], TurnGraph]
    ) -> Answer | None:
        """The answer in fractions where that needs no solve before, from the boards that the position leads to.

        None where it does. ``turn`` gives the compiled turn; it may raise, as where no turn comes to the position.
        """
        return None

    def why_no_forecast(self, game: TurnGame, graph: TurnGraph) -> str:
        """Why there is no forecast, in words: it is of a score that ends turns which never come back to a board.

        Empty where there is one.
        """
        return f"{game.name} is a {self.called(game)} game"

    def other_ties(self, opened: Solution, tools: Tools) -> OtherTies:
        """What other ways to tell equally good moves apart change; BadInput where they change nothing."""
        raise BadInput(
            f"ties between moves matter at tables of three or more; {opened.game} is a {self.called(opened.game)} game",
            hint=f"rollwise solve {opened.game.name}",
            field="ties",
        )

    def compare(
        self, opened: Solution, rule: Any, start: Position, tools: Tools, last_level: int | None = None
    ) -> RuleCost:
        """What a rule of thumb costs against the best play, in a game that goes on from ``start``.

        ``rule``: as ``solver.policy.policy_in_duel`` asks one, or ``solver.hidden_information.ruled`` where the best play is a mix.

        On boards beyond ``last_level`` it has nothing to say: there the best is played.
        """
        raise self.no_comparison(opened.game)

    def simulate(self, opened: Solution, start: Position, n_games: int, seed: int) -> Simulation:
        """Games played from a position on as the solution plays: see ``solver.policy.simulation``."""
        from rollwise.solver.policy.simulation import simulate

        return simulate(opened.game, opened.graph, self.uses(opened.game), opened.turns, start, n_games, seed)

    def require_comparable(self, game: TurnGame) -> None:
        """Raise BadInput, saying why, where no rule can be compared."""
        raise self.no_comparison(game)

    def no_comparison(self, game: TurnGame) -> BadInput:
        """Why not."""
        return BadInput(f"a rule is compared in duels, at tables and alone; {game} is a {self.called(game)} game")

    def prove(
        self, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """Prove what is kept again, by other means: what is wrong with it, in words, or None."""
        assert not self.keeps
        return None

    def proved(self, facts: Mapping[str, Any], widest: float) -> str:
        """What was proved, in words."""
        return f"every bound of {facts['boards']} boards holds; the widest is {widest:.2g}"

    # --- shared by kinds ----------------------------------------------------------------------------------------------

    def require_arrays(self, kept: SolutionArrays, wanted: Mapping[str, tuple[int, ...]]) -> str | None:
        """Are these arrays there, in the right shape? What is wrong, in words."""
        for name, shape in wanted.items():
            if name not in kept.names or kept.shape(name) != (shape, "f"):
                return f"{name} is not an array of {shape} numbers"
        return None


def n_possible(game: TurnGame) -> int:
    """How many boards can be."""
    return sum(len(boards) for boards in possible_boards(game))


def possible_boards(game: TurnGame) -> Iterator[Ints]:
    """Boards that can be, by index, some at a time."""
    space = game.boards()
    for begin in range(0, space.size, COUNTED):
        some = np.arange(begin, min(space.size, begin + COUNTED))
        yield some[np.broadcast_to(np.asarray(game.possible(space.columns(some)), dtype=bool), len(some))]
