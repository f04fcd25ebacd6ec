"""Duels and solo games: the value of a board is one number, to the player to move.

In a duel the other player's value is ``total`` less the mover's. Each board is stored with its value and a radius
within which the true value lies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.solver.kinds.cost_model import DUEL_RATES, estimate_board_cost, estimate_n_boards
from rollwise.solver.kinds.kind import (
    BEST_RESPONSE,
    NO_OTHERS,
    BoundedValue,
    Floats,
    Ints,
    Kind,
    Plan,
    QueryOptions,
    Question,
    Report,
    RuleCost,
    Solution,
    SolutionArrays,
    SolveResult,
    Tools,
)
from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import Goto, Node, Position, TurnGame, TurnSize
from rollwise.solver.model.limits import evict_oldest
from rollwise.solver.model.rounding import above, below, down, float_interval, outward_interval, up
from rollwise.solver.model.sheet import Boxes
from rollwise.solver.model.solution import ActionValue, Answer, FollowUpValue, PositionValue
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.policy_turn import PolicyTurn
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, ExactTurn, OneTurn, Turns
from rollwise.solver.turn.questions import question_moves
from rollwise.solver.turn.successors import ThrowOutcome
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.transitions import SCALAR, UsedFields

if TYPE_CHECKING:
    from rollwise.solver.policy.policy_in_duel import Policy

MAX_GUESS_BOARDS = 1_000_000  # whose float values the exact solver takes as a first guess
MAX_CACHED_TURNS = 4  # backed-up turns, at most a few megabytes each
BYTES_PER_BOARD = 40  # of a solve,
BYTES_PER_SWEPT_END = 20  # for each end of a board in a large component,
BYTES_PER_EDGE = 500  # and for each edge of the turn


class ValueSolution(Solution):
    """Values and radius of every board."""

    by_primes = True

    def __init__(self, game: TurnGame, graph: TurnGraph, arrays: SolutionArrays, facts: Mapping[str, Any]) -> None:
        super().__init__(game, graph, arrays, facts)
        self.reader = TransitionReader(game, graph, Constants(game.boards().size), uses=uses(game))
        self._turns: dict[int, OneTurn] = {}  # of recent boards: questions change the dice more often than the board

    @cached_property
    def played(self) -> PolicyTurn:
        """The turn with a node for every state, for rules of thumb."""
        return PolicyTurn(self.game, self.graph)

    def turn_on(self, board: Mapping[str, Any]) -> OneTurn:
        """The backed-up turn of a board, from the cache of recent ones where it is there."""
        index = self.game.boards().index_of(**board)
        turn = self._turns.pop(index, None) or OneTurn(self.game, self.graph, board, self.read, self.reader)
        self._turns[index] = turn  # the most recent
        evict_oldest(self._turns, MAX_CACHED_TURNS)
        return turn

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """(values, radius) of boards by index."""
        return self.arrays.rows("values", boards), self.arrays.rows("radius", boards).astype(np.float64)

    def ask(self, position: Position, fields: Mapping[str, Any], options: QueryOptions, report: Report) -> Answer:
        """See ``Solution``."""
        game = self.game
        turn = self.turn_on(position.board)
        fractions: dict[str, Fraction] = {}
        if options.exact:
            size = game.boards().size
            values = self.read(np.arange(size))[0] if size <= MAX_GUESS_BOARDS else None
            values_ahead = partial(options.ahead, self, report) if options.ahead and self.by_primes else None
            approve = partial(options.beyond, game) if options.beyond else None
            fractions = exact_moves(game, self.graph, values, position, options.all_moves, values_ahead, approve)[0]
        next_nodes = nodes_after_moves(game, position) if game.two_steps else {}
        moves = tuple(
            ActionValue(
                name,
                *with_points(game, row, position.points),
                then=self.then(turn, next_nodes[name], position) if name in next_nodes else (),
            )
            for name, row in turn.moves(position.state, all_moves=options.all_moves)
        )
        exact = {name: number + position.points for name, number in fractions.items()}
        moves = tuple(move.exactly(exact[move.move]) if move.move in exact else move for move in moves)
        quantities = game.quantities_beside(self.graph, self.read, position)
        answer = Answer(position.mover, moves, quantities=quantities, going_for=partial(goes_for, turn, position))
        return with_shares(answer) if game.by_seat else answer

    def then(self, turn: OneTurn, node: Node, position: Position) -> tuple[FollowUpValue, ...]:
        """Moves of the decision that follows at once, best first."""
        return tuple(
            FollowUpValue(name, *with_points(self.game, row, position.points), loss)
            for name, row, loss in turn.then(node)
        )

    @property
    def lists_seats(self) -> bool:
        """See ``Solution``."""
        return self.game.by_seat

    def value_after(self, position: Position, outcome: ThrowOutcome, question: Question | None) -> PositionValue:
        """See ``Solution``."""
        game, node = self.game, outcome.node
        assert outcome.board is not None
        assert node is not None
        board = dict(zip(game.boards().names, outcome.board, strict=True))
        if outcome.result is not None and isinstance(node, Goto) and node.state in game.roots():
            row = self.start_values(np.array([game.boards().index_of(**board)]))[0]
        else:
            row = self.turn_on(board).value_of(node)
        if is_duel(game) and outcome.passed % 2:
            row = other_side((row[0], row[1], row[2]), game.total)
        return self._value_of(position, with_points(game, row, position.points + outcome.earned))

    def value_at_end(self, position: Position, outcome: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        worth = Fraction(position.points) + outcome.earned
        return self._value_of(position, (float(worth), below(worth), above(worth)))

    def _value_of(self, position: Position, bounds: BoundedValue) -> PositionValue:
        if not self.game.by_seat:
            return PositionValue(*bounds)
        both = (bounds[0], 1 - bounds[0])
        return PositionValue(*bounds, both if position.mover == 0 else both[::-1])

    def turns(self, boards: Ints) -> Turns:
        """See ``Solution``."""
        return Turns(self.game, self.graph, boards, self.read, self.reader)

    def start_values(self, boards: Ints) -> Floats:
        """See ``Solution``."""
        value, radius = self.read(boards)
        lower, upper = down(value - radius), up(value + radius)
        if self.game.measure == "win":
            lower, upper = np.maximum(lower, 0.0), np.minimum(upper, 1.0)
        return np.stack([value, lower, upper], axis=-1)

    def forecast(self, board: int | Mapping[int, float], report: Report) -> Any:
        """See ``Solution``."""
        from rollwise.solver.policy.forecast import forecast

        return forecast(self.game, self.graph, self.read, board, report=report)


def uses(game: TurnGame) -> UsedFields:
    """Transition fields: a duel passes the turn on, a solo game does not."""
    if is_duel(game):
        if game.measure == "win" and game.total != 1:
            raise ModelError(f"{game} is a duel for the win, and its chances are {game.total} together, not 1")
        return UsedFields("a duel", SCALAR.names, seats=2)
    return UsedFields("a game played alone", SCALAR.names)


def with_shares(answer: Answer) -> Answer:
    """Answer of a duel with the chance of each seat to win, for each move and for the best."""

    def by_seat(mover: Any, other: Any) -> tuple[Any, ...]:
        return (mover, other) if answer.mover == 0 else (other, mover)

    best = max(answer.moves, key=lambda move: move.value if move.exact is None else move.exact)
    bounds = (best.value, best.lower, best.upper)
    other_bounds = tuple(min(max(bound, 0.0), 1.0) for bound in other_side(bounds, 1))
    other_bounds = other_bounds if best.exact is None else float_interval(1 - best.exact)
    value, lower, upper = (by_seat(*pair) for pair in zip(bounds, other_bounds, strict=True))
    return replace(
        answer,
        moves=tuple(replace(move, shares=by_seat(move.value, 1 - move.value)) for move in answer.moves),
        shares=(value, lower, upper),
        shares_exact=None if best.exact is None else by_seat(best.exact, 1 - best.exact),
    )


def with_points(game: TurnGame, row: Any, points: Any) -> BoundedValue:
    """(value, lower, upper) plus points already made, rounded outward; chances stay within 0..1."""
    value, lower, upper = float(row[VALUE]), float(row[LOWER]), float(row[UPPER])
    if points:
        value += float(points)
        lower, upper = down(lower + float(points)), up(upper + float(points))
    return clip_chance(game, value), clip_chance(game, lower), clip_chance(game, upper)


def clip_chance(game: TurnGame, chance: float) -> float:
    """A chance clipped to 0..1, against rounding; other numbers as they are."""
    return min(max(chance, 0.0), 1.0) if game.measure == "win" else chance


def nodes_after_moves(game: TurnGame, position: Position) -> dict[str, Node]:
    """The node after each move of a position, by name."""
    return {move.name: move.after for move in question_moves(game, position.state)}


def goes_for(turn: OneTurn | ExactTurn, position: Position, move: str) -> tuple[str, float] | None:
    """The box that a turn aims at after this move, and the chance to score in it; see ``solver.policy.going_for``."""
    if not isinstance(turn.game, Boxes):
        return None
    from rollwise.solver.policy.going_for import going_for

    next_nodes = nodes_after_moves(turn.game, position)
    return going_for(turn, next_nodes[move]) if len(next_nodes) > 1 and move in next_nodes else None


def exact_moves(
    game: TurnGame,
    graph: TurnGraph,
    values: Any,
    position: Position,
    all_moves: bool,
    values_ahead: Callable[[int], Mapping[int, Fraction]] | None = None,
    approve: Callable[[int, int, float], bool] | None = None,
) -> tuple[dict[str, Fraction], ExactTurn]:
    """Exact value of every legal move, in the game's own order, and the turn; raises TooLarge for a long computation.

    ``values``: float values by board index to start from, or None. ``values_ahead``: function that returns the exact
    values of a board's successors, where they would take long otherwise; ``approve``: see ``solver.exact.optimal``.
    """
    from rollwise.solver.exact.optimal import solve_exact
    from rollwise.solver.exact.primes import has_modular_values

    board = game.boards().index_of(**position.board)
    solve = partial(solve_exact, game, graph, values, boards=[board], uses=uses(game))
    by_primes = values_ahead is not None and has_modular_values(game, graph)
    try:
        exact = solve() if by_primes or approve is None else solve(beyond=approve)
    except TooLarge:
        if values_ahead is None or not by_primes:
            raise
        exact = solve(boundary=values_ahead(board))
    turn = ExactTurn(game, graph, position.board, exact.nodes(board), exact.values)
    return turn.fractions(position.state, all_moves=all_moves), turn


class Duel(Kind):
    """Duels and solo games."""

    solution_type = ValueSolution

    def n_seats(self, game: TurnGame) -> int:
        """See ``Kind``."""
        return 2 if is_duel(game) else 1

    def uses(self, game: TurnGame) -> UsedFields:
        """See ``Kind``."""
        return uses(game)

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        size, n_boards, board_cost = game.boards().size, estimate_n_boards(game), estimate_board_cost(game, turn)
        swept_bytes = BYTES_PER_SWEPT_END * board_cost.ends * board_cost.swept * n_boards
        memory = BYTES_PER_BOARD * size + int(swept_bytes) + BYTES_PER_EDGE * turn.n_edges
        return Plan(n_boards, turn.n_edges, memory, 12 * size, DUEL_RATES.seconds(board_cost, n_boards))

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> SolveResult:
        """See ``Kind``."""
        from rollwise.solver.values.board_solver import BoardSolver

        solver = BoardSolver(game, graph, workers=tools.workers, uses=uses(game))
        with tools.checkpointing(solver) as save:
            result = solver.solve(tools.report, save)
        facts = {"boards": result.n_boards, "method": result.method, "edge_operations": result.work.edge_operations}
        widest = 2 * float(np.nanmax(result.radius))
        return SolveResult({"values": result.values, "radius": result.radius}, facts, widest)

    def ask_exactly(
        self, game: TurnGame, position: Position, all_moves: bool, turn: Callable[[], TurnGraph]
    ) -> Answer | None:
        """See ``Kind``: solo games without cycles, whose fractions take no solve."""
        has_quantities = type(game).quantities_beside is not TurnGame.quantities_beside
        if game.kind != "solo" or game.cyclic or has_quantities:
            return None
        graph = turn()
        try:
            fractions, one_turn = exact_moves(game, graph, None, position, all_moves)
        except TooLarge:
            from rollwise.solver.exact.primes import has_modular_values

            if not (self.solution_type.by_primes and has_modular_values(game, graph)):
                raise
            return None  # modulo primes, after a solve
        moves = tuple(exact_action_value(move, value + position.points) for move, value in fractions.items())
        return Answer(position.mover, moves, going_for=partial(goes_for, one_turn, position))

    def why_no_forecast(self, game: TurnGame, graph: TurnGraph) -> str:
        """See ``Kind``: solo games with a score have one."""
        from rollwise.solver.policy.forecast import why_no_scores

        return why_no_scores(game, graph) if game.kind == "solo" else f"{game.name} is a duel"

    def require_comparable(self, game: TurnGame) -> None:
        """See ``Kind``: rules are compared in any duel and any solo game."""

    def compare(
        self, solution: Solution, rule: Policy, start: Position, tools: Tools, last_level: int | None = None
    ) -> RuleCost:
        """See ``Kind``; the rule plays against the best response to it, in each seat in turn."""
        assert isinstance(solution, ValueSolution)
        return compare_policy(solution, rule, start, tools, last_level)

    def prove(
        self, game: TurnGame, graph: TurnGraph, arrays: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``."""
        from rollwise.solver.checker.bounds import bounds_hold

        size = game.boards().size
        wrong = self.require_arrays(arrays, {"values": (size,), "radius": (size,)})
        return wrong or bounds_hold(
            game, graph, arrays.whole("values"), arrays.whole("radius"), tools.report, tools.workers
        )


def compare_policy(
    solution: ValueSolution, rule: Policy, start: Position, tools: Tools, last_level: int | None = None
) -> RuleCost:
    """Cost of a rule: see ``Kind.compare``."""
    from rollwise.solver.policy.policy_in_duel import Optimum, PolicyInDuel

    game, n_leaves = solution.game, solution.graph.n_leaves
    space = game.boards()

    def leaves(board: int) -> Floats:
        return solution.turn_on(space.board(board)).nodes[:n_leaves]

    best_beyond = game.kind == "solo" and not game.cyclic
    best = Optimum(leaves, solution.read, last_level if best_beyond else None)
    duel = PolicyInDuel(solution.played, solution.graph, uses(game), rule, tools.report, best).run(start.board)
    value, radius = solution.read(np.array([space.index_of(**start.board)]))
    return policy_cost(game, (float(value[0]), float(radius[0])), duel.by_rule, duel.free, duel.to_best, start.points)


def policy_cost(
    game: TurnGame,
    best: tuple[float, float],
    by_rule: tuple[float, float],
    response: tuple[float, float] | None,
    to_best: tuple[tuple[float, float], tuple[float, float]] | None = None,
    points: Any = 0,
) -> RuleCost:
    """Cost of a rule, from (value, radius) of the optimal policy and of the contest: see ``Kind.compare``.

    ``response``: in a duel, value of the other player, with the rule in the other seat; ``to_best``: both, against the
    optimal policy. ``points`` are made already.
    """

    def seats(mover: tuple[float, float], other: tuple[float, float] | None) -> list[BoundedValue]:
        return [outward_interval(*mover)] + (
            [] if other is None else [other_side(outward_interval(*other), game.total)]
        )

    bests, by_seat = seats(best, None if response is None else best), seats(by_rule, response)
    against_best = [] if to_best is None else seats(*to_best)
    whole = [tuple(with_points(game, row, points) for row in rows) for rows in (bests, by_seat, against_best)]
    cost_to_best = mean_loss(game.sense, bests, against_best) if against_best else None
    others = NO_OTHERS if response is None else BEST_RESPONSE
    return RuleCost(whole[0], whole[1], mean_loss(game.sense, bests, by_seat), others, cost_to_best, whole[2] or None)


def mean_loss(sense: str, optimal: Sequence[BoundedValue], played: Sequence[BoundedValue]) -> BoundedValue:
    """Mean over the seats of the loss against the optimal values."""
    sign = 1 if sense == "max" else -1

    def difference(i: int, j: int) -> float:  # two roundings: the sum, and the division
        return sign * fsum(x for b, p in zip(optimal, played, strict=True) for x in (b[i], -p[j])) / len(optimal)

    ends = difference(1, 2), difference(2, 1)
    return difference(0, 0), down(down(min(ends))), up(up(max(ends)))


def exact_action_value(move: str, value: Any) -> ActionValue:
    """Action value from a fraction."""
    return ActionValue(move, *float_interval(value), value)


def other_side(bounds: BoundedValue, total: float) -> BoundedValue:
    """Bounds from the other seat's side."""
    value, lower, upper = bounds
    return total - value, down(total - upper), up(total - lower)


KIND = Duel()
