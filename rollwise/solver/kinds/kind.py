"""Interface of a kind of game: plan, solve, restore, answer, compare and check again.

A kind takes and returns named arrays and plain facts. It opens no file, takes no lock and prints nothing; the caller
does, and knows no kinds.
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

from rollwise.solver.components.checkpoints import Checkpointing, without_checkpoints
from rollwise.solver.model import cancellation
from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import Number
from rollwise.solver.model.game import Game, Goto, NodeKey, Position, TurnGame, TurnSize
from rollwise.solver.model.limits import n_workers
from rollwise.solver.model.solution import ActionValue, Answer, PositionValue, Quantity
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.query import OneTurn, Turns
from rollwise.solver.turn.questions import LegalMove, next_question, node_after_move
from rollwise.solver.turn.successors import Sampler, Successors, ThrowOutcome
from rollwise.solver.turn.transitions import UsedFields

if TYPE_CHECKING:
    from rollwise.solver.policy.endings_of_turn import Ending
    from rollwise.solver.policy.simulation import Simulation

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Report = Callable[[float], None]
BoundedValue = tuple[float, float, float]  # value, lower bound, upper bound

BOARDS_PER_BLOCK = 1 << 18  # whose columns are computed together


@dataclass(frozen=True)
class Plan:
    """Cost of a solve: possible boards, edges of the turn, bytes of memory (about), bytes on disk, and seconds (about),
    0 where nothing is done before a question. Millions of boards are estimated. ``unrecorded``: results that are read
    block by block, each with the reason (``solver.markov_chains.recorded``).
    """

    boards: int
    edges: int
    memory: int
    disk: int
    seconds: float = 0.0
    unrecorded: tuple[str, ...] = ()


no_progress: Report = cancellation.no_progress


@dataclass(frozen=True)
class Tools:
    """Services to a solve: ``report`` receives the share done; ``checkpointing`` resumes a solver from its last
    checkpoint and returns a function that writes the next; ``workers`` threads may be used.
    """

    report: Report = no_progress
    checkpointing: Checkpointing = without_checkpoints
    workers: int = field(default_factory=n_workers)


@dataclass(frozen=True)
class SolveResult:
    """Result of a solve: arrays to store, by name, plain facts, and the widest certified interval."""

    arrays: Mapping[str, Array]
    facts: dict[str, Any]
    widest: float


class SolutionArrays(Protocol):
    """Arrays of a solution: in memory, or in a file whose rows are read when needed."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the arrays."""

    def rows(self, name: str, places: Ints) -> Array:
        """Rows of an array, verified."""

    def whole(self, name: str) -> Array:
        """The whole array, verified."""

    def shape(self, name: str) -> tuple[tuple[int, ...], str]:
        """Shape, and kind of number (NumPy's letter), without reading the array."""


@dataclass(frozen=True)
class InMemory:
    """``SolutionArrays`` of a new solve."""

    arrays: Mapping[str, Array]

    @property
    def names(self) -> Sequence[str]:
        """See ``SolutionArrays``."""
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
class QueryOptions:
    """Options of a question: fractions (``exact``); ``all_moves``, also those that the game leaves out since another is
    never worse; the distribution of ``lengths``, which large luck games leave out otherwise. ``ahead`` computes the
    exact values of all boards that a board of a solved game leads to, where there are too many fractions; ``beyond`` is
    asked to approve long computations of fractions, as in ``solver.exact.optimal``.
    """

    exact: bool = False
    all_moves: bool = False
    lengths: bool = False
    ahead: Callable[[Solution, Report, int], Mapping[int, Fraction]] | None = None
    beyond: Callable[[TurnGame, int, int, float], bool] | None = None


Question = tuple[Mapping[str, Any], Position]  # fields of a question, and its position


class Solution:
    """A solved game that answers questions. Subclasses define the arrays of a kind, and its answers."""

    by_primes = False  # True: fractions can be computed modulo primes, from the floats of all boards
    adds_points = True  # True: a position's value is its points plus the value of its board and state

    def __init__(self, game: TurnGame, graph: TurnGraph, arrays: SolutionArrays, facts: Mapping[str, Any]) -> None:
        self.game = game
        self.graph = graph
        self.arrays = arrays
        self.facts = dict(facts)

    def ask(self, position: Position, fields: Mapping[str, Any], options: QueryOptions, report: Report) -> Answer:
        """Values of the moves of a position, or its odds; ``fields``: of the question."""
        raise NotImplementedError

    def quantities(self) -> dict[str, Quantity]:
        """Quantities of the whole solution, besides the value of its start."""
        return {}

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """(values, radius) of boards by index, where boards have values."""
        raise NotImplementedError

    def turn_on(self, board: Mapping[str, Any]) -> OneTurn:
        """All values of one board's turn, where the game has decisions."""
        raise BadInput(f"{self.game.name} has no decisions")

    # --- outcomes of a move ------------------------------------------------------------------------------------------

    @property
    def lists_seats(self) -> bool:
        """True if questions name the seat that moves."""
        return False

    def seat_after(self, position: Position, passed: int) -> int:
        """The seat to move when the turn has passed so many seats to the left."""
        return (position.mover + passed) % 2 if is_duel(self.game) else position.mover

    @cached_property
    def successors(self) -> Successors:
        """Successor nodes of the game's turn, cached."""
        return Successors(self.game)

    def throw_outcomes(self, fields: Mapping[str, Any], position: Position, move: LegalMove) -> list[ThrowOutcome]:
        """Outcomes of a move up to the next question, with chances that add up to 1; ``fields``: of the question."""
        outcomes = self.successors.outcomes(position.board, node_after_move(self.game, move))
        return [replace(outcome, thrown=self.game.lies(fields, outcome.thrown)) for outcome in outcomes]

    def sample_outcome(
        self, fields: Mapping[str, Any], position: Position, move: LegalMove, random: Random
    ) -> ThrowOutcome:
        """A random one of ``throw_outcomes``, by their chances; its own ``chance`` means nothing."""
        outcome = Sampler(self.successors, random).sample(position.board, node_after_move(self.game, move))
        return replace(outcome, thrown=self.game.lies(fields, outcome.thrown))

    def question(self, fields: Mapping[str, Any], move: str, outcome: ThrowOutcome, seat: int) -> Question | None:
        """The question after an outcome; None where no question expresses it."""
        if not isinstance(outcome.node, Goto):
            return None
        return next_question(self.game, fields, move, outcome, outcome.node.state, seat if self.lists_seats else None)

    def reply_question(self, position: Position, move: str) -> Mapping[str, Any] | None:
        """Hidden dice: fields of the other player's question after this announcement; None where there is no reply."""
        return None

    def value_after(self, position: Position, outcome: ThrowOutcome, question: Question | None) -> PositionValue:
        """Value, for the seat that moved in ``position``, after an outcome; ``question``: the one that follows."""
        raise NotImplementedError

    def value_at_end(self, position: Position, outcome: ThrowOutcome) -> PositionValue:
        """The same, of a finished game."""
        raise NotImplementedError

    def ends_of_turn(self, position: Position, moves: Sequence[LegalMove]) -> list[list[Ending]]:
        """Endings of the turn after each of these moves, under the optimal policy."""
        from rollwise.solver.policy.endings_of_turn import endings_of_turn

        return endings_of_turn(self.turn_on(position.board), position, moves)

    # --- many decisions at once ---------------------------------------------------------------------------------------

    def turns(self, boards: Ints) -> Turns:
        """All values of the turns of these boards, which start in the same root."""
        raise BadInput(f"{self.game.name} has no decisions to export")

    def moves(self, board: int, state: NodeKey) -> tuple[ActionValue, ...]:
        """Action values of a state on a board by index, in the game's own order, where the optimum is mixed."""
        raise BadInput(f"{self.game.name} has no decisions to export")

    def start_values(self, boards: Ints) -> Floats | None:
        """(value, lower, upper) of each board before its turn, shape (boards, 3); None where only turns have values."""
        return None

    @property
    def n_values_per_node(self) -> int:
        """Numbers that ``turns`` holds for every node and board."""
        return 3

    def forecast(self, board: int | Mapping[int, float], report: Report) -> Any:
        """Distribution of the final score from a board, or from several with their chances: ``solver.policy.flow``."""
        raise NotImplementedError


NO_OTHERS, BEST_RESPONSE, OTHERS_OPTIMAL, OTHERS_BY_RULE = "nobody", "knows", "solved", "ruled"  # others' policy


@dataclass(frozen=True)
class RuleCost:
    """Cost of a rule of thumb: by seat the optimal and the rule's value, and their difference, as (value, lower,
    upper).

    ``others``: the policy of the other seats. In a duel the other seat plays the BEST_RESPONSE to the rule; ``to_best``
    is the cost against the solution's policy instead, and ``rule_to_best`` the rule's values by seat there, None where
    that takes too much. At a table the others play the solution (OTHERS_OPTIMAL); at an unsolved one all play the rule
    (OTHERS_BY_RULE), and ``best`` holds by seat the best response to that.
    """

    best: tuple[BoundedValue, ...]
    rule: tuple[BoundedValue, ...]
    cost: BoundedValue
    others: str = NO_OTHERS
    to_best: BoundedValue | None = None
    rule_to_best: tuple[BoundedValue, ...] | None = None


@dataclass(frozen=True)
class OtherTies:
    """Changes of shares when ties between equally good moves are broken otherwise than by the game's own order.

    ``at_start``: of any seat at the start; ``anywhere``: on any board; ``radius``: error bound of both.
    """

    at_start: float
    anywhere: float
    radius: float


class Kind:
    """A kind of game.

    ``is_stored``: solves have arrays to store; ``has_decisions``: players choose moves; ``is_mixed``: the optimal
    strategy is mixed; ``solution_type``: class of its solutions.
    """

    solution_type: type[Solution]
    is_stored: bool = True
    has_decisions: bool = True
    is_mixed: bool = False

    def label(self, game: Game | type[Game]) -> str:
        """The kind's name in lists; games without decisions are luck games."""
        return game.kind if self.has_decisions else "luck"

    def n_seats(self, game: TurnGame) -> int:
        """Number of seats that take turns; alone, and against robots, 1."""
        movers = [field for field in game.fields() if field.name == "mover" and isinstance(field, Number)]
        return movers[0].high + 1 if movers else game.seats or int(game.parameters().get("players", 1))

    def uses(self, game: TurnGame) -> UsedFields:
        """Fields of a ``Transition`` that the game may use."""
        raise NotImplementedError

    def sources(self, game: TurnGame) -> tuple[str, ...]:
        """Modules that, with all their imports, determine the answer (the game's own apart)."""
        return (type(self).__module__, "rollwise.solver.turn.graph")

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """Cost of a solve; from the ``TurnSize`` alone where the game declares one."""
        raise NotImplementedError

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> SolveResult:
        """Solve the game."""
        raise NotImplementedError

    def restore(self, game: TurnGame, graph: TurnGraph, arrays: SolutionArrays, facts: Mapping[str, Any]) -> Solution:
        """Solution from stored arrays and facts."""
        return self.solution_type(game, graph, arrays, facts)

    def ask_exactly(
        self, game: TurnGame, position: Position, all_moves: bool, turn: Callable[[], TurnGraph]
    ) -> Answer | None:
        """Answer in fractions where that needs no solve first, from the boards that the position leads to.

        None where it does. ``turn`` returns the compiled turn; it may raise, as where no turn reaches the position.
        """
        return None

    def why_no_forecast(self, game: TurnGame, graph: TurnGraph) -> str:
        """Reason why there is no forecast (of a final score, without cycles), in words; empty where there is one."""
        return f"{game.name} is a {self.label(game)} game"

    def other_ties(self, solution: Solution, tools: Tools) -> OtherTies:
        """Changes under other tie-breaking; BadInput where ties change nothing."""
        raise BadInput(
            f"ties between moves matter at tables of three or more; "
            f"{solution.game} is a {self.label(solution.game)} game",
            hint=f"rollwise solve {solution.game.name}",
            field="ties",
        )

    def compare(
        self, solution: Solution, rule: Any, start: Position, tools: Tools, last_level: int | None = None
    ) -> RuleCost:
        """Cost of a rule of thumb against the optimal policy, in a game that goes on from ``start``.

        ``rule``: see ``solver.policy.policy_in_duel``, or ``solver.hidden_information`` for mixed ones. On boards
        beyond ``last_level`` the rule is silent, and the optimal policy plays.
        """
        raise self.not_comparable_error(solution.game)

    def simulate(self, solution: Solution, start: Position, n_games: int, seed: int) -> Simulation:
        """Games from a position on, played by the solution's policy: see ``solver.policy.simulation``."""
        from rollwise.solver.policy.simulation import simulate

        return simulate(solution.game, solution.graph, self.uses(solution.game), solution.turns, start, n_games, seed)

    def require_comparable(self, game: TurnGame) -> None:
        """Raise BadInput with the reason where no rule can be compared."""
        raise self.not_comparable_error(game)

    def not_comparable_error(self, game: TurnGame) -> BadInput:
        """BadInput with the reason."""
        return BadInput(f"a rule is compared in duels, at tables and alone; {game} is a {self.label(game)} game")

    def prove(
        self, game: TurnGame, graph: TurnGraph, arrays: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """Check stored arrays again by other means: the error found, in words, or None."""
        assert not self.is_stored
        return None

    def proved(self, facts: Mapping[str, Any], widest: float) -> str:
        """The proved claim, in words."""
        return f"every bound of {facts['boards']} boards holds; the widest is {widest:.2g}"

    # --- shared by kinds ----------------------------------------------------------------------------------------------

    def require_arrays(self, arrays: SolutionArrays, shapes: Mapping[str, tuple[int, ...]]) -> str | None:
        """The error, in words, if one of these arrays is missing or has another shape."""
        for name, shape in shapes.items():
            if name not in arrays.names or arrays.shape(name) != (shape, "f"):
                return f"{name} is not an array of {shape} numbers"
        return None


def count_possible(game: TurnGame) -> int:
    """Number of possible boards."""
    return sum(len(boards) for boards in possible_boards(game))


def possible_boards(game: TurnGame) -> Iterator[Ints]:
    """Indices of possible boards, block by block."""
    space = game.boards()
    for begin in range(0, space.size, BOARDS_PER_BLOCK):
        block = np.arange(begin, min(space.size, begin + BOARDS_PER_BLOCK))
        yield block[np.broadcast_to(np.asarray(game.possible(space.columns(block)), dtype=bool), len(block))]
