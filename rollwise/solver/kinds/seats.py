"""Luck games of several seats: chances to win and game lengths, by an absorbing Markov chain (Kemeny and Snell 1960).

The answer of the start is stored, and the odds of every board.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rollwise.solver.components.checkpoints import partial_report
from rollwise.solver.kinds.cost_model import START_S, estimate_board_cost, estimate_n_boards
from rollwise.solver.kinds.kind import (
    Array,
    Kind,
    Plan,
    QueryOptions,
    Question,
    Report,
    Solution,
    SolutionArrays,
    SolveResult,
    Tools,
    no_progress,
)
from rollwise.solver.markov_chains.forwards import LARGE_CHAIN_BOARDS
from rollwise.solver.markov_chains.layout import (
    MAX_TABLE_CODES,
    Chain,
    lay_out,
    lay_out_few,
    place_sort_key,
    seats_uses,
    unrecorded_results,
)
from rollwise.solver.markov_chains.odds import LENGTHS, as_quantities, odds, odds_of_row
from rollwise.solver.markov_chains.rounds import MIN_ROUNDS_BOARDS
from rollwise.solver.markov_chains.values import ChainValues
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Goto, Position, TurnGame, TurnSize
from rollwise.solver.model.solution import Answer, PositionValue, Quantity
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.questions import next_question
from rollwise.solver.turn.successors import ThrowOutcome
from rollwise.solver.turn.transitions import UsedFields

MAX_UNASKED_BOARDS = 1 << 16  # after a board: up to so many, answers have fractions and lengths by default
INDEX_BYTES = 4  # of a board's index, below 2^31
SECONDS_PER_NUMBER = 3e-8  # of a board, and each end of its turn
ROUNDS_BYTES = 76  # beside its row, where all seats are solved in rounds
CYCLIC_FACTOR = 7  # of the time, where all boards lead to each other
LENGTHS_FACTOR = 2  # of the time, with the distribution of lengths
UNRECORDED_FACTOR = 2  # of the time, where results are read block by block
LAY_OUT_SHARE = 0.08  # of the time, about, to find the boards


class ChainSolution(Solution):
    """The answer of the start in ``facts``, and the odds of every board."""

    def ask(self, position: Position, fields: Mapping[str, Any], options: QueryOptions, report: Report) -> Answer:
        """See ``Solution``."""
        game = self.game
        is_start = dict(position.board) == dict(game.first_board()) and position.mover == game.locate().mover
        quantities = as_quantities(self.facts["start"])
        if is_start and not options.exact and (LENGTHS in quantities or not options.lengths):
            return Answer(position.mover, quantities=quantities)
        return Answer(
            position.mover, quantities=self.odds(position, options.exact or None, options.lengths or None, report)
        )

    def odds(
        self, position: Position, exact: bool | None, lengths: bool | None, report: Report = no_progress
    ) -> dict[str, Quantity]:
        """Odds of a position; ``exact`` and ``lengths``: see ``solver.markov_chains.odds``."""
        game = self.game
        board = game.boards().index_of(**position.board)
        row = self.stored_row(board)
        chain: Chain | None
        if exact or lengths:
            chain = lay_out(game, self.graph, board, partial_report(report, 0.0, LAY_OUT_SHARE))
        else:
            chain = lay_out_few(game, self.graph, board, MAX_UNASKED_BOARDS)
        if chain is None:
            chances = odds_of_row(row, 0, max(1, game.seats))
        else:
            later_report = partial_report(report, LAY_OUT_SHARE, 1.0)
            chances = odds(chain, chain.place(board), later_report, rows=row, exact=exact, lengths=lengths)
        return chances.quantities(seats_of(game, position), n_seats(game), game.outcome)

    @property
    def lists_seats(self) -> bool:
        """See ``Solution``."""
        return n_seats(self.game) > 1 or bool(self.game.team)

    def seat_after(self, position: Position, passed: int) -> int:
        """See ``Solution``: turns go round the seats still on the board; in a game of teams the board names it."""
        seats = (position.mover,) if self.game.team else seats_of(self.game, position)
        return seats[passed % len(seats)]

    def question(self, fields: Mapping[str, Any], move: str, outcome: ThrowOutcome, seat: int) -> Question | None:
        """See ``Solution``."""
        if not self.game.team:
            return super().question(fields, move, outcome, seat)
        assert isinstance(outcome.node, Goto)
        return next_question(self.game, fields, move, outcome, outcome.node.state, None)

    def value_after(self, position: Position, outcome: ThrowOutcome, question: Question | None) -> PositionValue:
        """See ``Solution``."""
        if question is None:
            raise ModelError(f"{self.game} comes to {outcome.board}, of which no question can be asked")
        _, next_position = question
        board = self.game.boards().index_of(**next_position.board)
        return self._by_seat(next_position, self.stored_row(board).values[0])

    def value_at_end(self, position: Position, outcome: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        return self._by_seat(position, outcome.shares or ())

    def _by_seat(self, position: Position, shares: Sequence[Any]) -> PositionValue:
        """Shares by seat, from those by place on the board, or from the share of a team."""
        if self.game.team:
            team_share, seats = float(shares[0]), range(KIND.n_seats(self.game))
            return PositionValue(
                None, None, None, tuple(team_share if seat in self.game.team else 1 - team_share for seat in seats)
            )
        by_seat = [0.0] * n_seats(self.game)
        for place, seat in enumerate(seats_of(self.game, position)):
            by_seat[seat] = float(shares[place])
        return PositionValue(None, None, None, tuple(by_seat))

    def stored_row(self, board: int) -> ChainValues:
        """The stored values of one board."""

        def board_of(place: int) -> int:
            return int(self.arrays.rows("boards", np.array([place]))[0])

        n_boards = self.arrays.shape("boards")[0][0]
        place = bisect_left(
            range(n_boards), place_sort_key(self.game, board), key=lambda at: place_sort_key(self.game, board_of(at))
        )
        if place == n_boards or board_of(place) != board:
            raise ModelError(f"{self.game} does not come to {self.game.boards().board(board)}")
        row = self.arrays.rows("values", np.array([place]))
        return ChainValues(row, self.facts["chance_error"], self.facts["turn_error"])


def n_seats(game: TurnGame) -> int:
    """Number of seats in an answer."""
    return max(game.seats, 1)


def seats_of(game: TurnGame, position: Position) -> tuple[int, ...]:
    """The seat at each place of the board, the mover's first."""
    n = n_seats(game)
    return position.seats or tuple((position.mover + place) % n for place in range(n))


class Seats(Kind):
    """Luck games of several seats."""

    solution_type = ChainSolution
    has_decisions = False

    def uses(self, game: TurnGame) -> UsedFields:
        """See ``Kind``."""
        return seats_uses(game)

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        assert isinstance(turn, TurnGraph)  # no game of this kind says more of it
        n_boards = estimate_n_boards(game)
        columns, board_cost = max(1, game.seats) + 2, estimate_board_cost(game, turn, is_followed=False)
        row_bytes, unrecorded = 8 * columns, unrecorded_results(game, turn)
        disk = n_boards * (row_bytes + INDEX_BYTES)
        memory = n_boards * (row_bytes + 2 * INDEX_BYTES) + 4 * min(n_boards * len(turn.results), MAX_TABLE_CODES)
        if board_cost.together == 1 and n_boards > MIN_ROUNDS_BOARDS:
            memory = n_boards * (ROUNDS_BYTES + row_bytes + 4 * len(turn.results)) + INDEX_BYTES * game.boards().size
        factor = (
            (1 + CYCLIC_FACTOR * board_cost.together)
            * (LENGTHS_FACTOR if n_boards < LARGE_CHAIN_BOARDS else 1)
            * (UNRECORDED_FACTOR if unrecorded else 1)
        )
        seconds = START_S + n_boards * board_cost.ends * columns * SECONDS_PER_NUMBER * factor
        return Plan(n_boards, turn.n_edges, memory, disk, seconds, unrecorded)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> SolveResult:
        """See ``Kind``."""
        chain = lay_out(game, graph, report=partial_report(tools.report, 0.0, LAY_OUT_SHARE))
        start = chain.place(game.boards().index_of(**game.first_board()))
        result = odds(chain, start, partial_report(tools.report, LAY_OUT_SHARE, 1.0), saving=tools.checkpointing)
        quantities = result.quantities(seats_of(game, game.locate()), n_seats(game), game.outcome)
        values = result.eliminated
        facts = {
            "boards": chain.n_boards,
            "method": result.method,
            "start": {name: quantity.plain() for name, quantity in quantities.items()},
            "chance_error": values.chance_error,
            "turn_error": values.turn_error,
        }
        arrays: dict[str, Array] = {"values": values.values, "boards": chain.compact_boards}
        return SolveResult(arrays, facts, 2 * values.radius(start)[0])

    def prove(
        self, game: TurnGame, graph: TurnGraph, arrays: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``: one more backup of the stored rows; the answer of the start is computed again."""
        from rollwise.solver.checker.seats import StoredOdds, rows_hold

        start = game.boards().index_of(**game.first_board())
        if not {"values", "boards"} <= {*arrays.names}:
            return "no odds are kept"
        rows = StoredOdds(arrays.whole("values"), arrays.whole("boards"), facts["chance_error"], facts["turn_error"])
        wrong = rows_hold(rows, game, graph, n_seats(game), partial_report(tools.report, 0.0, 0.6))
        if wrong is not None:
            return wrong
        places = np.flatnonzero(rows.boards == start)
        if not len(places):
            return "the start has no row"
        chain = lay_out(game, graph)
        again = odds(
            chain,
            chain.place(start),
            partial_report(tools.report, 0.6, 1.0),
            rows=ChainValues(rows.values, rows.chance_error, rows.turn_error),
            rows_place=int(places[0]),
            exact=False,
        )
        quantities = again.quantities(seats_of(game, game.locate()), n_seats(game), game.outcome)
        for name, quantity in quantities.items():
            if name not in facts["start"] or not _intervals_meet(quantity.plain(), facts["start"][name]):
                return f"{name.replace('_', ' ')} of the start is not what comes out now"
        return None

    def proved(self, facts: Mapping[str, Any], widest: float) -> str:
        """See ``Kind``."""
        return f"the odds of {facts['boards']} boards hold; the widest is {widest:.2g}"


def _intervals_meet(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """True if the intervals of two certified quantities overlap."""
    if ours["unit"] != theirs["unit"]:
        return False
    names = ("value", "lower", "upper")
    if isinstance(ours["value"], dict):
        pairs = [
            [bounds.get(key, 0.0) for bounds in (ours["lower"], ours["upper"], theirs["lower"], theirs["upper"])]
            for key in ours["value"].keys() | theirs["value"].keys()
        ]
    elif isinstance(ours["value"], list):
        if any(len(ours[name]) != len(theirs[name]) for name in names):
            return False
        pairs = [list(row) for row in zip(ours["lower"], ours["upper"], theirs["lower"], theirs["upper"], strict=True)]
    else:
        pairs = [[ours["lower"], ours["upper"], theirs["lower"], theirs["upper"]]]
    tail = float((ours.get("tail") or {}).get("upper", 0.0)) + float((theirs.get("tail") or {}).get("upper", 0.0))
    return all(low <= above + tail and below <= high + tail for low, high, below, above in pairs)


KIND = Seats()
