"""Tables: three seats or more, each maximising its own share, so the value of a board is a number for every seat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.solver.components.checkpoints import partial_report
from rollwise.solver.kinds.cost_model import (
    PROGRAM_BYTES,
    TABLE_RATES,
    BoardCost,
    estimate_board_cost,
    estimate_n_boards,
)
from rollwise.solver.kinds.duel import mean_loss
from rollwise.solver.kinds.kind import (
    OTHERS_OPTIMAL,
    Array,
    Floats,
    Ints,
    Kind,
    OtherTies,
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
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.game import Position, TurnGame, TurnSize
from rollwise.solver.model.rounding import above, below, down, outward_interval, up
from rollwise.solver.model.solution import ActionValue, Answer, PositionValue, Quantity
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.turn.perspective import unpack_codes
from rollwise.solver.turn.query import OneTableTurn, TableTurns
from rollwise.solver.turn.questions import question_moves
from rollwise.solver.turn.successors import ThrowOutcome
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.transitions import UsedFields
from rollwise.solver.turn.vectors import (
    ENDING_PREFIX,
    NEXT_SEAT,
    PURE,
    REVERSED,
    MixedStrategy,
    ending_chances,
    is_surely_zero,
    n_seats,
    table_reader,
    table_replies,
    table_uses,
)
from rollwise.solver.values.anderson import ANDERSON_DEPTH

if TYPE_CHECKING:
    from rollwise.solver.policy.policy_in_duel import Policy

CACHED_GAMES = 32  # whose estimates are cached


def table_bytes(board_cost: BoardCost, n_boards: int, seats: int) -> int:
    """Bytes of memory of a solve of so many boards, each costing ``board_cost``.

    By index, possible or not: level, root and order; for each seat share, radius, and expected turns; the widest
    radius, and the chances of counted endings. For possible boards their places in two lists. For boards that are swept
    together all transitions, and the shares of some past sweeps.
    """
    by_index = 4 + 2 + 8 + (8 + 4 + 8) * seats + 4 + (16 + 8 * (seats + 1)) * board_cost.endings
    swept_bytes = 4 * board_cost.ends + 8 * seats * (ANDERSON_DEPTH + 4)
    return int(n_boards * (by_index / board_cost.possible + 2 * 8 + board_cost.together * swept_bytes))


class ShareSolution(Solution):
    """Shares of every board from the mover, and a radius of each."""

    @cached_property
    def reader(self) -> TransitionReader:
        """Reader of transitions."""
        return table_reader(self.game, self.graph)

    @cached_property
    def mixed(self) -> MixedStrategy:
        """Mixed strategies of randomised decisions."""
        return MixedStrategy(self.arrays.whole("mixed")) if "mixed" in self.arrays.names else PURE

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """(shares, radius) of boards by index."""
        return self.arrays.rows("values", boards), self.arrays.rows("radius", boards).astype(np.float64)

    def ask(self, position: Position, fields: Mapping[str, Any], options: QueryOptions, report: Report) -> Answer:
        """See ``Solution``; the shares are those of the move that is played, the first of equally good ones, or the
        mean of a mixed strategy.
        """
        if options.exact:
            raise TooLarge("a table is solved without fractions; leave out --exact (the interval is certified)")
        turn = self.turn_on(position.board)
        move_shares = list(turn.moves(position.state, all_moves=options.all_moves))
        node, is_zero = self.graph.node_of(position.state), is_surely_zero(self.read(turn.boards)[0][0])
        mixed_chances = next((draw.chances for draw in turn.draws if draw.node == node), None)
        edges = [move.name for move in question_moves(self.game, position.state)] if mixed_chances else []
        moves = []
        for name, shares in move_shares:
            value, lower, upper = turn.intervals(shares).tolist()
            probability = mixed_chances.get(edges.index(name), 0.0) if mixed_chances else None
            by_seat = self.by_seat(shares, position.mover)
            if is_zero[0] or is_zero[1:].all():  # whatever any seat does
                value = lower = upper = 0.0 if is_zero[0] else 1.0
            moves.append(ActionValue(name, value, lower, upper, shares=by_seat, probability=probability))
        best = max(shares[0] for _, shares in move_shares)
        first_best = next(shares for _, shares in move_shares if shares[0] >= best - turn.tie)
        played = first_best if mixed_chances is None or node is None else turn.nodes[node]
        radius = float(turn.radius[0])
        all_seats = np.array(self.by_seat(played, position.mover))
        is_zero = np.roll(is_zero, position.mover)
        takes_all = ~is_zero & (is_zero.sum() == len(is_zero) - 1)
        lower, upper = np.where(takes_all, 1.0, all_seats - radius), np.where(is_zero, 0.0, all_seats + radius)
        value, lower, upper = np.clip([np.where(takes_all, 1.0, all_seats), lower, upper], 0.0, 1.0)
        bounds = tuple(value.tolist()), tuple(lower.tolist()), tuple(upper.tolist())
        quantities = self.endings(turn, position)
        return Answer(position.mover, tuple(moves), shares=bounds, quantities=quantities)

    def endings(self, turn: OneTableTurn, position: Position) -> dict[str, Quantity]:
        """Chances of the sorts of endings that the game counts, if all seats follow the solution's policy."""
        sorts, node = self.game.endings(), self.graph.node_of(position.state)
        if not sorts or node is None:
            return {}
        constants, leaf_ids = self.reader.constants, np.flatnonzero(turn.has_leaf)
        next_boards, _ = unpack_codes(self.reader.transitions(leaf_ids, turn.boards).codes[:, 0], constants.bits)
        is_board = next_boards < constants.n_boards
        policy = np.where(np.isnan(turn.nodes), 0.0, turn.nodes)[:, None]  # nan at nodes of other turns
        quantities = {}
        for name, counted in sorts.items():
            leaves = np.zeros((self.graph.n_leaves, 1, 2))  # two columns: the mover's side, the policy's
            stored = self.arrays.rows(ENDING_PREFIX + name, next_boards[is_board])
            ended = ending_chances(constants, n_seats(self.game), counted)[next_boards[~is_board] - constants.n_boards]
            leaves[leaf_ids[is_board], 0, 1], leaves[leaf_ids[~is_board], 0, 1] = stored[:, 0], ended
            chance = float(table_replies(self.graph, leaves, policy, turn.tie, turn.draws)[node, 0, 1])
            error = float(np.max(stored[:, 1], initial=0.0)) + 2 * (self.graph.terms + 1) * UNIT
            quantities[name] = Quantity(chance, max(0.0, chance - error), min(1.0, chance + error), None, "probability")
        return quantities

    @property
    def lists_seats(self) -> bool:
        """See ``Solution``."""
        return True

    def seat_after(self, position: Position, passed: int) -> int:
        """See ``Solution``."""
        return (position.mover + passed) % n_seats(self.game)

    def value_after(self, position: Position, outcome: ThrowOutcome, question: Question | None) -> PositionValue:
        """See ``Solution``."""
        assert outcome.board is not None
        assert outcome.node is not None
        turn = self.turn_on(dict(zip(self.game.boards().names, outcome.board, strict=True)))
        shares = np.roll(turn.value_of(outcome.node), outcome.passed)
        share, radius = float(shares[0]), float(turn.radius[0])
        by_seat = self.by_seat(shares, position.mover)
        return PositionValue(share, max(0.0, down(share - radius)), min(1.0, up(share + radius)), by_seat)

    def value_at_end(self, position: Position, outcome: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        assert outcome.shares is not None
        mover_share = outcome.shares[0]
        by_seat = self.by_seat(np.array([float(share) for share in outcome.shares]), position.mover)
        return PositionValue(float(mover_share), below(mover_share), above(mover_share), by_seat)

    def by_seat(self, shares: Floats, mover: int) -> tuple[float, ...]:
        """Shares by seat from shares by place, counted from the mover to the left."""
        return tuple(np.roll(shares, mover).tolist())

    def turn_on(self, board: Mapping[str, Any]) -> OneTableTurn:
        """See ``Solution``."""
        return OneTableTurn(self.game, self.graph, board, self.read, self.reader, self.mixed, self.facts["tie"])

    def quantities(self) -> dict[str, Quantity]:
        """``gain``: the largest gain of any one seat by deviating."""
        return {"gain": Quantity(self.facts["gain"], 0.0, self.facts["gain_limit"], None, "probability")}

    def turns(self, boards: Ints) -> TableTurns:
        """See ``Solution``."""
        return TableTurns(self.game, self.graph, boards, self.read, self.reader, self.mixed, self.facts["tie"])

    @property
    def n_values_per_node(self) -> int:
        """See ``Solution``."""
        return max(3, n_seats(self.game))


class Table(Kind):
    """Tables of three seats and more."""

    solution_type = ShareSolution

    def uses(self, game: TurnGame) -> UsedFields:
        """See ``Kind``."""
        return table_uses(game)

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        size, seats = game.boards().size, n_seats(game)
        bytes_per_board = 12 * seats + 16 * len(game.endings())
        n_boards, board_cost = estimate_n_boards(game), estimate_board_cost(game, turn)
        seconds = TABLE_RATES.seconds(board_cost, n_boards, seats)
        return Plan(n_boards, turn.n_edges, table_bytes(board_cost, n_boards, seats), bytes_per_board * size, seconds)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> SolveResult:
        """See ``Kind``."""
        from rollwise.solver.values.table import TableSolve

        solver = TableSolve(game, graph, workers=tools.workers)
        with tools.checkpointing(solver) as save:
            result = solver.run(tools.report, save)
        facts = {
            "boards": result.n_boards,
            "method": result.method,
            "gain": result.gain,
            "gain_limit": result.gain_limit,
            "tie": result.tie,
        }
        arrays: dict[str, Array] = {"values": result.values, "radius": result.radius}
        if result.responses is not None:
            arrays["replies"] = result.responses
        if len(result.mixed.rows):
            arrays["mixed"] = result.mixed.rows
        arrays |= {ENDING_PREFIX + name: array for name, array in result.endings.items()}
        return SolveResult(arrays, facts, 2 * float(np.nanmax(result.radius)))

    def other_ties(self, solution: Solution, tools: Tools) -> OtherTies:
        """See ``Kind``: two more solves, with the last of equally good moves, and with the best of them for the next
        seat.
        """
        from rollwise.solver.values.table import solve_table

        game, arrays = solution.game, solution.arrays
        start = game.boards().index_of(**game.first_board())
        values, radius = arrays.whole("values"), arrays.whole("radius")
        at_start = anywhere = radius_of_both = 0.0
        for number, ties in enumerate((REVERSED, NEXT_SEAT)):
            report = partial_report(tools.report, number / 2, (number + 1) / 2)
            other = solve_table(game, solution.graph, report, workers=tools.workers, ties=ties)
            change = np.abs(other.values - values)
            at_start = max(at_start, float(change[start].max()))
            anywhere = max(anywhere, float(np.nanmax(change)))
            radius_of_both = max(radius_of_both, float(np.nanmax(other.radius.astype(np.float64) + radius)))
        return OtherTies(at_start, anywhere, radius_of_both)

    def require_comparable(self, game: TurnGame) -> None:
        """See ``Kind``: any table."""

    def compare(
        self, solution: Solution, rule: Policy, start: Position, tools: Tools, last_level: int | None = None
    ) -> RuleCost:
        """See ``Kind``; one seat plays by the rule, the others as the solution does."""
        from rollwise.solver.policy.policy_at_table import PolicyAtTable, TableSolution
        from rollwise.solver.turn.policy_turn import PolicyTurn

        assert isinstance(solution, ShareSolution)
        game, arrays = solution.game, solution.arrays
        if last_level is not None:
            raise BadInput(f"a slice cannot be compared with {n_seats(game)} players; give a rule for every decision")
        others = TableSolution(arrays.whole("values"), solution.mixed, solution.facts["tie"])
        contest = PolicyAtTable(PolicyTurn(game, solution.graph), solution.graph, rule, others, tools.report)
        chances, error = contest.by_place(start.board)
        values, radius = solution.read(np.array([game.boards().index_of(**start.board)]))
        seats = range(n_seats(game))
        places = [(seat - start.mover) % n_seats(game) for seat in seats]
        best = tuple(outward_interval(float(values[0, place]), float(radius[0, place])) for place in places)
        by_rule = tuple(outward_interval(float(chances[place]), error) for place in places)

        return RuleCost(best, by_rule, mean_loss("max", best, by_rule), OTHERS_OPTIMAL)

    def prove(
        self, game: TurnGame, graph: TurnGraph, arrays: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``."""
        from rollwise.solver.checker.table import Claims, endings_hold, table_holds

        shape = (game.boards().size, n_seats(game))
        optional = {"replies": shape} if "replies" in arrays.names else {}
        sorts = {ENDING_PREFIX + name: is_counted for name, is_counted in game.endings().items()}
        counted = dict.fromkeys(sorts, (shape[0], 2))
        wrong = self.require_arrays(arrays, {"values": shape, "radius": shape, **optional, **counted})
        if wrong:
            return wrong
        claimed = Claims(
            arrays.whole("values"),
            arrays.whole("radius"),
            arrays.whole("replies") if optional else None,
            arrays.whole("mixed") if "mixed" in arrays.names else np.zeros((0, 4)),
            facts.get("tie"),
            facts.get("gain_limit"),
        )
        wrong = table_holds(game, graph, claimed, tools.report)
        for name, is_counted in sorts.items():
            wrong = wrong or endings_hold(game, graph, claimed, arrays.whole(name), is_counted)
        return wrong


KIND = Table()


@dataclass(frozen=True)
class UnsolvedTable:
    """A table that is not solved, with at least ``boards`` that cost ``each``."""

    players: int
    boards: int
    each: BoardCost

    @property
    def seconds(self) -> float:
        """Seconds of a solve, about."""
        return TABLE_RATES.seconds(self.each, self.boards, self.players)

    @property
    def bytes(self) -> int:
        """Memory of a solve, about."""
        return PROGRAM_BYTES + table_bytes(self.each, self.boards, self.players)


@lru_cache(maxsize=CACHED_GAMES)  # some turns take seconds to compile
def unsolved_tables(game: TurnGame) -> tuple[UnsolvedTable, ...]:
    """The unsolved tables of a game, fewest players first; their boards are assumed to cost as much as solved ones."""
    boards = game.unsolved()
    if not boards:
        return ()
    board_cost = estimate_board_cost(game, game.turn_size() or compile_turn(game))
    return tuple(UnsolvedTable(n, boards[n], board_cost) for n in sorted(boards))
