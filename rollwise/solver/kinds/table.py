"""Tables: three seats or more, each of which maximises its own share, so a board is worth a number for every seat."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.solver.components.saving import part
from rollwise.solver.kinds.cost_model import TABLE, Typical, about_possible, typical
from rollwise.solver.kinds.duel import mean_loss
from rollwise.solver.kinds.kind import (
    SOLVED,
    ActionValue,
    Answer,
    Array,
    Floats,
    Ints,
    Kind,
    OtherTies,
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
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.game import Position, TurnGame, TurnSize
from rollwise.solver.model.rounding import above, around, below, down, up
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import read
from rollwise.solver.turn.query import OneTableTurn, TableTurns, moves_asked
from rollwise.solver.turn.successors import ThrowOutcome
from rollwise.solver.turn.transition_reader import TransitionReader, Uses
from rollwise.solver.turn.vectors import (
    ENDING,
    NEXT_SEAT,
    REVERSED,
    UNMIXED,
    MixedStrategy,
    ending_chances,
    is_nothing,
    n_seats,
    table_replies,
    table_settler,
    table_uses,
)
from rollwise.solver.values.anderson import DEPTH

if TYPE_CHECKING:
    from rollwise.solver.policy.policy_in_duel import Rule


def memory(each: Typical, boards: int, seats: int) -> int:
    """Bytes that a solve of so many boards like ``each`` holds at once.

    Of every board by index, whether it can be or not, its level, root and order; for each seat the share, the radius,
    and how long it can make the game last; the widest radius, and the chances of endings that are counted. Of those
    that can be their places in two lists. Of those that are swept at once where every end leads, and the shares after
    some past sweeps.
    """
    by_index = 4 + 2 + 8 + (8 + 4 + 8) * seats + 4 + (16 + 8 * (seats + 1)) * each.endings
    swept = 4 * each.ends + 8 * seats * (DEPTH + 4)
    return int(boards * (by_index / each.possible + 2 * 8 + each.together * swept))


class OpenedShares(Solution):
    """Shares of every board from the mover, and a radius of each."""

    @cached_property
    def settler(self) -> TransitionReader:
        """Reads where results lead."""
        return table_settler(self.game, self.graph)

    @cached_property
    def mixed(self) -> MixedStrategy:
        """Decisions that are drawn by lot."""
        return MixedStrategy(self.kept.whole("mixed")) if "mixed" in self.kept.names else UNMIXED

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """(shares, radius) of boards by index."""
        return self.kept.rows("values", boards), self.kept.rows("radius", boards).astype(np.float64)

    def ask(self, position: Position, given: Mapping[str, Any], wanted: QueryOptions, report: Report) -> Answer:
        """See ``Solution``; the shares are those of the move that is played, the first of equally good ones, or the mean
        of those that are drawn by lot.
        """
        if wanted.exact:
            raise TooLarge("a table is solved without fractions; leave out --exact (the interval is certified)")
        turn = self.turn_on(position.board)
        found = list(turn.moves(position.state, all_moves=wanted.all_moves))
        node, never = self.graph.node_of(position.state), is_nothing(self.read(turn.boards)[0][0])
        lots = next((draw.chances for draw in turn.draws if draw.node == node), None)
        edges = [move.name for move in moves_asked(self.game, position.state)] if lots else []
        moves = []
        for name, shares in found:
            value, lower, upper = turn.intervals(shares).tolist()
            often = lots.get(edges.index(name), 0.0) if lots else None
            by_seat = self.by_seat(shares, position.mover)
            if never[0] or never[1:].all():  # whatever anybody does
                value = lower = upper = 0.0 if never[0] else 1.0
            moves.append(ActionValue(name, value, lower, upper, shares=by_seat, probability=often))
        best = max(shares[0] for _, shares in found)
        first = next(shares for _, shares in found if shares[0] >= best - turn.tie)
        played = first if lots is None or node is None else turn.nodes[node]
        radius = float(turn.radius[0])
        all_seats = np.array(self.by_seat(played, position.mover))
        never = np.roll(never, position.mover)
        alone = ~never & (never.sum() == len(never) - 1)
        lower, upper = np.where(alone, 1.0, all_seats - radius), np.where(never, 0.0, all_seats + radius)
        value, lower, upper = np.clip([np.where(alone, 1.0, all_seats), lower, upper], 0.0, 1.0)
        told = tuple(value.tolist()), tuple(lower.tolist()), tuple(upper.tolist())
        quantities = self.endings(turn, position)
        return Answer(position.mover, tuple(moves), shares=told, quantities=quantities)

    def endings(self, turn: OneTableTurn, position: Position) -> dict[str, Quantity]:
        """How likely each sort of endings is that the game counts, if everybody plays as the solution does."""
        counted, node = self.game.endings(), self.graph.node_of(position.state)
        if not counted or node is None:
            return {}
        constants, used = self.settler.constants, np.flatnonzero(turn.has_leaf)
        following, _ = read(self.settler.transitions(used, turn.boards).codes[:, 0], constants.bits)
        on = following < constants.n_boards
        policy = np.where(np.isnan(turn.nodes), 0.0, turn.nodes)[:, None]  # nan where other turns than this one come to
        found = {}
        for name, counts in counted.items():
            leaves = np.zeros((self.graph.n_leaves, 1, 2))  # what the mover may prefer, and what comes under the policy
            kept = self.kept.rows(ENDING + name, following[on])
            ended = ending_chances(constants, n_seats(self.game), counts)[following[~on] - constants.n_boards]
            leaves[used[on], 0, 1], leaves[used[~on], 0, 1] = kept[:, 0], ended
            chance = float(table_replies(self.graph, leaves, policy, turn.tie, turn.draws)[node, 0, 1])
            off = float(np.max(kept[:, 1], initial=0.0)) + 2 * (self.graph.terms + 1) * UNIT
            found[name] = Quantity(chance, max(0.0, chance - off), min(1.0, chance + off), None, "probability")
        return found

    @property
    def lists_seats(self) -> bool:
        """See ``Solution``."""
        return True

    def seat_after(self, position: Position, passed: int) -> int:
        """See ``Solution``."""
        return (position.mover + passed) % n_seats(self.game)

    def stands(self, position: Position, fall: ThrowOutcome, question: Question | None) -> PositionValue:
        """See ``Solution``."""
        assert fall.board is not None
        assert fall.word is not None
        turn = self.turn_on(dict(zip(self.game.boards().names, fall.board, strict=True)))
        shares = np.roll(turn.worth(fall.word), fall.passed)
        own, radius = float(shares[0]), float(turn.radius[0])
        by_seat = self.by_seat(shares, position.mover)
        return PositionValue(own, max(0.0, down(own - radius)), min(1.0, up(own + radius)), by_seat)

    def stands_at_end(self, position: Position, fall: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        assert fall.shares is not None
        own = fall.shares[0]
        by_seat = self.by_seat(np.array([float(share) for share in fall.shares]), position.mover)
        return PositionValue(float(own), below(own), above(own), by_seat)

    def by_seat(self, shares: Floats, mover: int) -> tuple[float, ...]:
        """Shares from the mover to the left as shares by seat."""
        return tuple(np.roll(shares, mover).tolist())

    def turn_on(self, board: Mapping[str, Any]) -> OneTableTurn:
        """See ``Solution``."""
        return OneTableTurn(self.game, self.graph, board, self.read, self.settler, self.mixed, self.facts["tie"])

    def quantities(self) -> dict[str, Quantity]:
        """``gain``: the most that any one seat could win more by playing otherwise."""
        return {"gain": Quantity(self.facts["gain"], 0.0, self.facts["gain_limit"], None, "probability")}

    def turns(self, boards: Ints) -> TableTurns:
        """See ``Solution``."""
        return TableTurns(self.game, self.graph, boards, self.read, self.settler, self.mixed, self.facts["tie"])

    @property
    def numbers_a_node(self) -> int:
        """See ``Solution``."""
        return max(3, n_seats(self.game))


class Table(Kind):
    """Tables of three seats and more."""

    opened = OpenedShares

    def uses(self, game: TurnGame) -> Uses:
        """See ``Kind``."""
        return table_uses(game)

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        size, seats = game.boards().size, n_seats(game)
        kept = 12 * seats + 16 * len(game.endings())
        n_boards, each = about_possible(game), typical(game, turn)
        seconds = TABLE.seconds(each, n_boards, seats)
        return Plan(n_boards, turn.n_edges, memory(each, n_boards, seats), kept * size, seconds)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> Solved:
        """See ``Kind``."""
        from rollwise.solver.values.table import TableSolve

        solver = TableSolve(game, graph, workers=tools.workers)
        with tools.kept(solver) as save:
            table = solver.run(tools.report, save)
        facts = {
            "boards": table.n_boards,
            "method": table.method,
            "gain": table.gain,
            "gain_limit": table.gain_limit,
            "tie": table.tie,
        }
        arrays: dict[str, Array] = {"values": table.values, "radius": table.radius}
        if table.replies is not None:
            arrays["replies"] = table.replies
        if len(table.mixed.rows):
            arrays["mixed"] = table.mixed.rows
        arrays |= {ENDING + name: array for name, array in table.endings.items()}
        return Solved(arrays, facts, 2 * float(np.nanmax(table.radius)))

    def other_ties(self, opened: Solution, tools: Tools) -> OtherTies:
        """See ``Kind``: the whole game is solved again, once with the last of equally good moves, and once with the
        one of them that is best for the next seat.
        """
        from rollwise.solver.values.table import solve_table

        game, kept = opened.game, opened.kept
        start = game.boards().index_of(**game.first_board())
        values, radius = kept.whole("values"), kept.whole("radius")
        at_start = anywhere = off = 0.0
        for number, ties in enumerate((REVERSED, NEXT_SEAT)):
            report = part(tools.report, number / 2, (number + 1) / 2)
            other = solve_table(game, opened.graph, report, workers=tools.workers, ties=ties)
            change = np.abs(other.values - values)
            at_start = max(at_start, float(change[start].max()))
            anywhere = max(anywhere, float(np.nanmax(change)))
            off = max(off, float(np.nanmax(other.radius.astype(np.float64) + radius)))
        return OtherTies(at_start, anywhere, off)

    def require_comparable(self, game: TurnGame) -> None:
        """See ``Kind``: any table."""

    def compare(
        self, opened: Solution, rule: Rule, start: Position, tools: Tools, last_level: int | None = None
    ) -> RuleCost:
        """See ``Kind``; at a table one seat plays by the rule, and the others as the solution does."""
        from rollwise.solver.policy.policy_at_table import AtTable, TableSolution
        from rollwise.solver.turn.played import PlayedTurn

        assert isinstance(opened, OpenedShares)
        game, kept = opened.game, opened.kept
        if last_level is not None:
            raise BadInput(f"a slice cannot be compared with {n_seats(game)} players; give a rule for every decision")
        others = TableSolution(kept.whole("values"), opened.mixed, opened.facts["tie"])
        contest = AtTable(PlayedTurn(game, opened.graph), opened.graph, rule, others, tools.report)
        chances, off = contest.by_place(start.board)
        values, radius = opened.read(np.array([game.boards().index_of(**start.board)]))
        seats = range(n_seats(game))
        places = [(seat - start.mover) % n_seats(game) for seat in seats]
        best = tuple(around(float(values[0, place]), float(radius[0, place])) for place in places)
        ruled = tuple(around(float(chances[place]), off) for place in places)

        return RuleCost(best, ruled, mean_loss("max", best, ruled), SOLVED)

    def prove(
        self, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``."""
        from rollwise.solver.checker.endings import endings_hold
        from rollwise.solver.checker.table import Claimed, table_holds

        shape = (game.boards().size, n_seats(game))
        optional = {"replies": shape} if "replies" in kept.names else {}
        sorts = {ENDING + name: counts for name, counts in game.endings().items()}
        counted = dict.fromkeys(sorts, (shape[0], 2))
        wrong = self.require_arrays(kept, {"values": shape, "radius": shape, **optional, **counted})
        if wrong:
            return wrong
        claimed = Claimed(
            kept.whole("values"),
            kept.whole("radius"),
            kept.whole("replies") if optional else None,
            kept.whole("mixed") if "mixed" in kept.names else np.zeros((0, 4)),
            facts.get("tie"),
            facts.get("gain_limit"),
        )
        wrong = table_holds(game, graph, claimed, tools.report)
        for name, counts in sorts.items():
            wrong = wrong or endings_hold(game, graph, claimed, kept.whole(name), counts)
        return wrong


KIND = Table()
