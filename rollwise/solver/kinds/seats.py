"""Luck games of several seats: who wins how often, and how long a game takes.

What is kept is the answer of the start, and the odds of every board.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rollwise.solver.components.saving import part
from rollwise.solver.kinds.cost_model import START, about_possible, typical
from rollwise.solver.kinds.kind import (
    Answer,
    Array,
    Kind,
    Plan,
    PositionValue,
    QueryOptions,
    Question,
    Report,
    Solution,
    SolutionArrays,
    Solved,
    Tools,
    unheard,
)
from rollwise.solver.markov_chains.forwards import LARGE
from rollwise.solver.markov_chains.layout import MOST_HELD, Chain, lay_out, lay_out_few, rank, seats_uses, unrecorded
from rollwise.solver.markov_chains.odds import LENGTHS, as_quantities, odds, of_row
from rollwise.solver.markov_chains.rounds import ONE_LEVEL
from rollwise.solver.markov_chains.values import Eliminated
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Goto, Position, TurnGame, TurnSize
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.questions import next_question
from rollwise.solver.turn.successors import ThrowOutcome
from rollwise.solver.turn.transition_reader import Uses

AT_ONCE = 1 << 16  # boards ahead of a known one up to which fractions and lengths are told without being asked for
INDEX = 4  # bytes of the index of a board, where there are fewer than 2^31
A_NUMBER = 3e-8  # seconds for a number of a board and each end of its turn,
IN_ROUNDS = 76  # bytes a board where all seats are solved in rounds, beside its row
AGAIN = 7  # so much more where all boards lead to each other,
WITH_LENGTHS = 2  # so many times as much where it is told as well how long games take,
SLOW = 2  # and where results are settled slowly
LAID_OUT = 0.08  # share of the time that it takes to find the boards, more or less


class OpenedChain(Solution):
    """The answer of the start in ``facts``, and of every board its odds."""

    def ask(self, position: Position, given: Mapping[str, Any], wanted: QueryOptions, report: Report) -> Answer:
        """See ``Solution``."""
        game = self.game
        at_start = dict(position.board) == dict(game.first_board()) and position.mover == game.locate().mover
        kept = as_quantities(self.facts["start"])
        if at_start and not wanted.exact and (LENGTHS in kept or not wanted.lengths):
            return Answer(position.mover, quantities=kept)
        return Answer(
            position.mover, quantities=self.odds(position, wanted.exact or None, wanted.lengths or None, report)
        )

    def odds(
        self, position: Position, exact: bool | None, lengths: bool | None, report: Report = unheard
    ) -> dict[str, Quantity]:
        """The odds of a position; ``exact`` and ``lengths`` as ``solver.markov_chains.odds`` takes them."""
        game = self.game
        board = game.boards().index_of(**position.board)
        known = self.known(board)
        steps: Chain | None
        if exact or lengths:
            steps = lay_out(game, self.graph, board, part(report, 0.0, LAID_OUT))
        else:
            steps = lay_out_few(game, self.graph, board, AT_ONCE)
        if steps is None:
            told = of_row(known, 0, max(1, game.seats))
        else:
            ahead = part(report, LAID_OUT, 1.0)
            told = odds(steps, steps.place(board), ahead, known=known, exact=exact, lengths=lengths)
        return told.quantities(seats_of(game, position), n_seats(game), game.outcome)

    @property
    def lists_seats(self) -> bool:
        """See ``Solution``."""
        return n_seats(self.game) > 1 or bool(self.game.team)

    def seat_after(self, position: Position, passed: int) -> int:
        """See ``Solution``: turns go round among those who are still on the board; a game of teams says it itself."""
        seats = (position.mover,) if self.game.team else seats_of(self.game, position)
        return seats[passed % len(seats)]

    def question(self, asked: Mapping[str, Any], move: str, fall: ThrowOutcome, seat: int) -> Question | None:
        """See ``Solution``."""
        if not self.game.team:
            return super().question(asked, move, fall, seat)
        assert isinstance(fall.word, Goto)
        return next_question(self.game, asked, move, fall, fall.word.state, None)

    def stands(self, position: Position, fall: ThrowOutcome, question: Question | None) -> PositionValue:
        """See ``Solution``."""
        if question is None:
            raise ModelError(f"{self.game} comes to {fall.board}, of which no question can be asked")
        _, after = question
        board = self.game.boards().index_of(**after.board)
        return self._by_seat(after, self.known(board).values[0])

    def stands_at_end(self, position: Position, fall: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        return self._by_seat(position, fall.shares or ())

    def _by_seat(self, position: Position, shares: Sequence[Any]) -> PositionValue:
        """Shares of the places of a board, by seat; of a team's share, what each seat's side has."""
        if self.game.team:
            team, seats = float(shares[0]), range(KIND.n_seats(self.game))
            return PositionValue(
                None, None, None, tuple(team if seat in self.game.team else 1 - team for seat in seats)
            )
        by_seat = [0.0] * n_seats(self.game)
        for place, seat in enumerate(seats_of(self.game, position)):
            by_seat[seat] = float(shares[place])
        return PositionValue(None, None, None, tuple(by_seat))

    def known(self, board: int) -> Eliminated:
        """What is kept of one board, as the only one."""

        def board_of(place: int) -> int:
            return int(self.kept.rows("boards", np.array([place]))[0])

        n_boards = self.kept.shape("boards")[0][0]
        place = bisect_left(range(n_boards), rank(self.game, board), key=lambda at: rank(self.game, board_of(at)))
        if place == n_boards or board_of(place) != board:
            raise ModelError(f"{self.game} does not come to {self.game.boards().board(board)}")
        row = self.kept.rows("values", np.array([place]))
        return Eliminated(row, self.facts["chance_error"], self.facts["turn_error"])


def n_seats(game: TurnGame) -> int:
    """How many seats an answer tells of."""
    return max(game.seats, 1)


def seats_of(game: TurnGame, position: Position) -> tuple[int, ...]:
    """Whose place on the board is which, the mover's first."""
    n = n_seats(game)
    return position.seats or tuple((position.mover + place) % n for place in range(n))


class Seats(Kind):
    """Luck games of several seats."""

    opened = OpenedChain
    chooses = False

    def uses(self, game: TurnGame) -> Uses:
        """See ``Kind``."""
        return seats_uses(game)

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        assert isinstance(turn, TurnGraph)  # no game of this kind says more of it
        n_boards = about_possible(game)
        columns, each = max(1, game.seats) + 2, typical(game, turn, is_followed=False)
        a_board, slow = 8 * columns, unrecorded(game, turn)
        kept = n_boards * (a_board + INDEX)
        memory = n_boards * (a_board + 2 * INDEX) + 4 * min(n_boards * len(turn.results), MOST_HELD)
        if each.together == 1 and n_boards > ONE_LEVEL:
            memory = n_boards * (IN_ROUNDS + a_board + 4 * len(turn.results)) + INDEX * game.boards().size
        passes = (1 + AGAIN * each.together) * (WITH_LENGTHS if n_boards < LARGE else 1) * (SLOW if slow else 1)
        seconds = START + n_boards * each.ends * columns * A_NUMBER * passes
        return Plan(n_boards, turn.n_edges, memory, kept, seconds, slow)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> Solved:
        """See ``Kind``."""
        steps = lay_out(game, graph, report=part(tools.report, 0.0, LAID_OUT))
        start = steps.place(game.boards().index_of(**game.first_board()))
        found = odds(steps, start, part(tools.report, LAID_OUT, 1.0), kept=tools.kept)
        told = found.quantities(seats_of(game, game.locate()), n_seats(game), game.outcome)
        known = found.eliminated
        facts = {
            "boards": steps.n_boards,
            "method": found.method,
            "start": {name: quantity.plain() for name, quantity in told.items()},
            "chance_error": known.chance_error,
            "turn_error": known.turn_error,
        }
        arrays: dict[str, Array] = {"values": known.values, "boards": steps.as_held}
        return Solved(arrays, facts, 2 * known.radius(start)[0])

    def prove(
        self, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``: kept rows by a backup of the witness; the answer of the start comes out again."""
        from rollwise.solver.checker.seats import KeptOdds, rows_hold

        start = game.boards().index_of(**game.first_board())
        if not {"values", "boards"} <= {*kept.names}:
            return "no odds are kept"
        rows = KeptOdds(kept.whole("values"), kept.whole("boards"), facts["chance_error"], facts["turn_error"])
        wrong = rows_hold(rows, game, graph, n_seats(game), part(tools.report, 0.0, 0.6))
        if wrong is not None:
            return wrong
        places = np.flatnonzero(rows.boards == start)
        if not len(places):
            return "the start has no row"
        steps = lay_out(game, graph)
        again = odds(
            steps,
            steps.place(start),
            part(tools.report, 0.6, 1.0),
            known=Eliminated(rows.values, rows.chance_error, rows.turn_error),
            known_place=int(places[0]),
            exact=False,
        )
        told = again.quantities(seats_of(game, game.locate()), n_seats(game), game.outcome)
        for name, quantity in told.items():
            if name not in facts["start"] or not _meet(quantity.plain(), facts["start"][name]):
                return f"{name.replace('_', ' ')} of the start is not what comes out now"
        return None

    def proved(self, facts: Mapping[str, Any], widest: float) -> str:
        """See ``Kind``."""
        return f"the odds of {facts['boards']} boards hold; the widest is {widest:.2g}"


def _meet(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """Two certified statements about the same numbers: their intervals must meet."""
    if ours["unit"] != theirs["unit"]:
        return False
    names = ("value", "lower", "upper")
    if isinstance(ours["value"], dict):
        pairs = [
            [told.get(key, 0.0) for told in (ours["lower"], ours["upper"], theirs["lower"], theirs["upper"])]
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
