"""Duels and games played alone: a board is worth one number to whoever moves there.

In a duel the other player's value is ``total`` less the mover's; alone nobody else moves. What is kept of every board
is its value and a radius within which the true one lies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.solver.kinds.cost_model import DUEL, about_possible, typical
from rollwise.solver.kinds.kind import (
    ALONE,
    KNOWS,
    ActionValue,
    Answer,
    Bounds,
    Floats,
    FollowUpValue,
    Ints,
    Kind,
    Plan,
    PositionValue,
    QueryOptions,
    Question,
    Report,
    RuleCost,
    Solution,
    SolutionArrays,
    Solved,
    Tools,
)
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import Goto, Node, Position, TurnGame, TurnSize
from rollwise.solver.model.memory import keep_newest
from rollwise.solver.model.rounding import above, around, below, down, rounded, up
from rollwise.solver.model.sheet import Boxes
from rollwise.solver.model.two_seats import is_duel
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.played import PlayedTurn
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, ExactTurn, OneTurn, Turns, moves_asked
from rollwise.solver.turn.successors import ThrowOutcome
from rollwise.solver.turn.transition_reader import WORTHS, TransitionReader, Uses

if TYPE_CHECKING:
    from rollwise.solver.policy.policy_in_duel import Rule

MOST_GUESSES = 1_000_000  # float values of so many boards are handed to the exact solver as a first guess
MOST_TURNS = 4  # boards whose turns are kept backed up: at most a few megabytes each
WORKING = 40  # bytes a board that a solve holds,
FOLLOWING = 20  # for each end of a board that is swept,
AN_EDGE = 500  # and for each edge of the turn


class OpenedValues(Solution):
    """Values and radius of every board."""

    by_primes = True

    def __init__(self, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, facts: Mapping[str, Any]) -> None:
        super().__init__(game, graph, kept, facts)
        self.settler = TransitionReader(game, graph, Constants(game.boards().size), uses=uses(game))
        self._turns: dict[int, OneTurn] = {}  # of the boards asked last: dice change more often than the board

    @cached_property
    def played(self) -> PlayedTurn:
        """The turn with a node for every state, for rules that are played."""
        return PlayedTurn(self.game, self.graph)

    def turn_on(self, board: Mapping[str, Any]) -> OneTurn:
        """The turn of a board, backed up once for as long as others are not asked more."""
        index = self.game.boards().index_of(**board)
        turn = self._turns.pop(index, None) or OneTurn(self.game, self.graph, board, self.read, self.settler)
        self._turns[index] = turn  # the last of them now
        keep_newest(self._turns, MOST_TURNS)
        return turn

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """(values, radius) of boards by index."""
        return self.kept.rows("values", boards), self.kept.rows("radius", boards).astype(np.float64)

    def ask(self, position: Position, given: Mapping[str, Any], wanted: QueryOptions, report: Report) -> Answer:
        """See ``Solution``."""
        game = self.game
        turn = self.turn_on(position.board)
        fractions: dict[str, Fraction] = {}
        if wanted.exact:
            size = game.boards().size
            values = self.read(np.arange(size))[0] if size <= MOST_GUESSES else None
            ahead = partial(wanted.ahead, self, report) if wanted.ahead and self.by_primes else None
            beyond = partial(wanted.beyond, game) if wanted.beyond else None
            fractions = exact_moves(game, self.graph, values, position, wanted.all_moves, ahead, beyond)[0]
        after = words_after(game, position) if game.two_steps else {}
        moves = tuple(
            ActionValue(
                name,
                *with_points(game, row, position.points),
                then=self.then(turn, after[name], position) if name in after else (),
            )
            for name, row in turn.moves(position.state, all_moves=wanted.all_moves)
        )
        exact = {name: number + position.points for name, number in fractions.items()}
        moves = tuple(move.exactly(exact[move.move]) if move.move in exact else move for move in moves)
        beside = game.quantities_beside(self.graph, self.read, position)
        told = Answer(position.mover, moves, quantities=beside, going_for=partial(goes_for, turn, position))
        return by_seat(told) if game.by_seat else told

    def then(self, turn: OneTurn, word: Node, position: Position) -> tuple[FollowUpValue, ...]:
        """The moves of a decision that follows at once, best first."""
        return tuple(
            FollowUpValue(name, *with_points(self.game, row, position.points), loss)
            for name, row, loss in turn.then(word)
        )

    @property
    def lists_seats(self) -> bool:
        """See ``Solution``."""
        return self.game.by_seat

    def stands(self, position: Position, fall: ThrowOutcome, question: Question | None) -> PositionValue:
        """See ``Solution``."""
        game, word = self.game, fall.word
        assert fall.board is not None
        assert word is not None
        board = dict(zip(game.boards().names, fall.board, strict=True))
        if fall.result is not None and isinstance(word, Goto) and word.state in game.roots():
            row = self.at_start(np.array([game.boards().index_of(**board)]))[0]
        else:
            row = self.turn_on(board).worth(word)
        if is_duel(game) and fall.passed % 2:
            row = other_side((row[0], row[1], row[2]), game.total)
        return self._stands(position, with_points(game, row, position.points + fall.earned))

    def stands_at_end(self, position: Position, fall: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        worth = Fraction(position.points) + fall.earned
        return self._stands(position, (float(worth), below(worth), above(worth)))

    def _stands(self, position: Position, bounds: Bounds) -> PositionValue:
        if not self.game.by_seat:
            return PositionValue(*bounds)
        both = (bounds[0], 1 - bounds[0])
        return PositionValue(*bounds, both if position.mover == 0 else both[::-1])

    def turns(self, boards: Ints) -> Turns:
        """See ``Solution``."""
        return Turns(self.game, self.graph, boards, self.read, self.settler)

    def at_start(self, boards: Ints) -> Floats:
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


def uses(game: TurnGame) -> Uses:
    """A duel passes the turn on, alone nobody does."""
    if is_duel(game):
        if game.measure == "win" and game.total != 1:
            raise ModelError(f"{game} is a duel for the win, and its chances are {game.total} together, not 1")
        return Uses("a duel", WORTHS.words, seats=2)
    return Uses("a game played alone", WORTHS.words)


def by_seat(told: Answer) -> Answer:
    """An answer of a duel to win that says of each move, and of the best, how often each seat wins."""

    def listed(mover: Any, other: Any) -> tuple[Any, ...]:
        return (mover, other) if told.mover == 0 else (other, mover)

    best = max(told.moves, key=lambda move: move.value if move.exact is None else move.exact)
    bounds = (best.value, best.lower, best.upper)
    others = tuple(min(max(bound, 0.0), 1.0) for bound in other_side(bounds, 1))
    others = others if best.exact is None else rounded(1 - best.exact)
    value, lower, upper = (listed(*pair) for pair in zip(bounds, others, strict=True))
    return replace(
        told,
        moves=tuple(replace(move, shares=listed(move.value, 1 - move.value)) for move in told.moves),
        shares=(value, lower, upper),
        shares_exact=None if best.exact is None else listed(best.exact, 1 - best.exact),
    )


def with_points(game: TurnGame, row: Any, points: Any) -> Bounds:
    """(value, lower, upper) with points that are already made, rounded outward; chances stay within 0..1."""
    value, lower, upper = float(row[VALUE]), float(row[LOWER]), float(row[UPPER])
    if points:
        value += float(points)
        lower, upper = down(lower + float(points)), up(upper + float(points))
    return within(game, value), within(game, lower), within(game, upper)


def within(game: TurnGame, number: float) -> float:
    """A chance lies within 0..1, whatever was rounded."""
    return min(max(number, 0.0), 1.0) if game.measure == "win" else number


def words_after(game: TurnGame, position: Position) -> dict[str, Node]:
    """What follows each move of a position."""
    return {move.name: move.after for move in moves_asked(game, position.state)}


def goes_for(turn: OneTurn | ExactTurn, position: Position, move: str) -> tuple[str, float] | None:
    """The box that a turn goes for after this move, and how likely it is scored in; see ``solver.policy.going_for``."""
    if not isinstance(turn.game, Boxes):
        return None
    from rollwise.solver.policy.going_for import going_for

    after = words_after(turn.game, position)
    return going_for(turn, after[move]) if len(after) > 1 and move in after else None


def exact_moves(
    game: TurnGame,
    graph: TurnGraph,
    values: Any,
    position: Position,
    all_moves: bool,
    ahead: Callable[[int], Mapping[int, Fraction]] | None = None,
    beyond: Callable[[int, int, float], bool] | None = None,
) -> tuple[dict[str, Fraction], ExactTurn]:
    """Every legal move's exact value, in the game's own order, and the turn; raises TooLarge where it would take long.

    ``values``: float values by board index to start from, or None. ``ahead``: the exact values of the boards that a
    board leads to, asked where that would take long otherwise; ``beyond`` as ``solver.exact.optimal`` has it.
    """
    from rollwise.solver.exact.optimal import solve_exact
    from rollwise.solver.exact.primes import fits

    board = game.boards().index_of(**position.board)
    solved = partial(solve_exact, game, graph, values, boards=[board], uses=uses(game))
    by_primes = ahead is not None and fits(game, graph)
    try:
        exact = solved() if by_primes or beyond is None else solved(beyond=beyond)
    except TooLarge:
        if ahead is None or not by_primes:
            raise
        exact = solved(known=ahead(board))
    turn = ExactTurn(game, graph, position.board, exact.nodes(board), exact.values)
    return turn.fractions(position.state, all_moves=all_moves), turn


class Duel(Kind):
    """Duels, and games played alone."""

    opened = OpenedValues

    def n_seats(self, game: TurnGame) -> int:
        """See ``Kind``."""
        return 2 if is_duel(game) else 1

    def uses(self, game: TurnGame) -> Uses:
        """See ``Kind``."""
        return uses(game)

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        size, n_boards, each = game.boards().size, about_possible(game), typical(game, turn)
        swept = FOLLOWING * each.ends * each.swept * n_boards
        memory = WORKING * size + int(swept) + AN_EDGE * turn.n_edges
        return Plan(n_boards, turn.n_edges, memory, 12 * size, DUEL.seconds(each, n_boards))

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> Solved:
        """See ``Kind``."""
        from rollwise.solver.values.board_solver import BoardSolver

        solver = BoardSolver(game, graph, workers=tools.workers, uses=uses(game))
        with tools.kept(solver) as save:
            found = solver.solve(tools.report, save)
        facts = {"boards": found.n_boards, "method": found.method, "edge_operations": found.work.edge_operations}
        widest = 2 * float(np.nanmax(found.radius))
        return Solved({"values": found.values, "radius": found.radius}, facts, widest)

    def ask_exactly(
        self, game: TurnGame, position: Position, all_moves: bool, turn: Callable[[], TurnGraph]
    ) -> Answer | None:
        """Alone, where no turn comes back to a board, fractions are all that there is to say."""
        beside = type(game).quantities_beside is not TurnGame.quantities_beside
        if game.kind != "solo" or game.cyclic or beside:
            return None
        graph = turn()
        try:
            found, one_turn = exact_moves(game, graph, None, position, all_moves)
        except TooLarge:
            from rollwise.solver.exact.primes import fits

            if not (self.opened.by_primes and fits(game, graph)):
                raise
            return None  # by primes, once it is solved
        moves = tuple(exactly(move, value + position.points) for move, value in found.items())
        return Answer(position.mover, moves, going_for=partial(goes_for, one_turn, position))

    def why_no_forecast(self, game: TurnGame, graph: TurnGraph) -> str:
        """Alone, with a score, there is one."""
        from rollwise.solver.policy.forecast import why_no_scores

        return why_no_scores(game, graph) if game.kind == "solo" else f"{game.name} is a duel"

    def require_comparable(self, game: TurnGame) -> None:
        """Any duel, and any game played alone."""

    def compare(
        self, opened: Solution, rule: Rule, start: Position, tools: Tools, last_level: int | None = None
    ) -> RuleCost:
        """See ``Kind``; the rule is played against the best reply to it, by each seat in turn."""
        assert isinstance(opened, OpenedValues)
        return compared(opened, rule, start, tools, last_level)

    def prove(
        self, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``."""
        from rollwise.solver.checker.bounds import bounds_hold

        size = game.boards().size
        wrong = self.require_arrays(kept, {"values": (size,), "radius": (size,)})
        return wrong or bounds_hold(
            game, graph, kept.whole("values"), kept.whole("radius"), tools.report, tools.workers
        )


def compared(
    opened: OpenedValues, rule: Rule, start: Position, tools: Tools, last_level: int | None = None
) -> RuleCost:
    """What a rule costs: see ``Kind.compare``."""
    from rollwise.solver.policy.policy_in_duel import Best, Contestants

    game, n_leaves = opened.game, opened.graph.n_leaves
    space = game.boards()

    def leaves(board: int) -> Floats:
        return opened.turn_on(space.board(board)).nodes[:n_leaves]

    is_cut = game.kind == "solo" and not game.cyclic
    best = Best(leaves, opened.read, last_level if is_cut else None)
    found = Contestants(opened.played, opened.graph, uses(game), rule, tools.report, best).run(start.board)
    value, radius = opened.read(np.array([space.index_of(**start.board)]))
    return cost(game, (float(value[0]), float(radius[0])), found.by_rule, found.free, found.to_best, start.points)


def cost(
    game: TurnGame,
    best: tuple[float, float],
    by_rule: tuple[float, float],
    free: tuple[float, float] | None,
    to_best: tuple[tuple[float, float], tuple[float, float]] | None = None,
    points: Any = 0,
) -> RuleCost:
    """What a rule costs, from (value, radius) of the best play and of the contest: see ``Kind.compare``.

    ``free``: in a duel, that of the other player, with the rule in the other seat; ``to_best``: both, against the best
    player. ``points`` are made already.
    """

    def seats(mover: tuple[float, float], other: tuple[float, float] | None) -> list[Bounds]:
        return [around(*mover)] + ([] if other is None else [other_side(around(*other), game.total)])

    bests, played = seats(best, None if free is None else best), seats(by_rule, free)
    against_best = [] if to_best is None else seats(*to_best)
    whole = [tuple(with_points(game, row, points) for row in rows) for rows in (bests, played, against_best)]
    cost_to_best = mean_loss(game.sense, bests, against_best) if against_best else None
    others = ALONE if free is None else KNOWS
    return RuleCost(whole[0], whole[1], mean_loss(game.sense, bests, played), others, cost_to_best, whole[2] or None)


def mean_loss(sense: str, bests: Sequence[Bounds], played: Sequence[Bounds]) -> Bounds:
    """How much worse some are than the best, mean of the seats."""
    sign = 1 if sense == "max" else -1

    def difference(i: int, j: int) -> float:  # rounded twice: the sum once, and the division
        return sign * fsum(x for b, p in zip(bests, played, strict=True) for x in (b[i], -p[j])) / len(bests)

    ends = difference(1, 2), difference(2, 1)
    return difference(0, 0), down(down(min(ends))), up(up(max(ends)))


def exactly(move: str, value: Any) -> ActionValue:
    """A move whose value is a fraction."""
    return ActionValue(move, *rounded(value), value)


def other_side(bounds: Bounds, total: float) -> Bounds:
    """The same seen from the other seat."""
    value, lower, upper = bounds
    return total - value, down(total - upper), up(total - lower)


KIND = Duel()
