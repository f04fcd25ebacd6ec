"""Piggy Six for three with a low target, written afresh from the rules: seat by seat the same, from every score."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from rollwise.games.claims.replay import turn_game
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from rollwise.solver.values.table import solve_table
from tests.solver.plain import swept, thorough
from tests.toys.seats import refuted

Shares = NDArray[np.float64]
Scores = tuple[int, ...]
SUMS, WAYS = np.unique([one + other for one, other in product(range(1, 6), repeat=2)], return_counts=True)  # no sixes
FAR = (34, 45, 56)  # nobody rolls on from here, by seat; a later seat can be past all before it


class Afresh:
    """Everybody's share when it is a seat's turn, whatever the number of players."""

    def __init__(self, target: int, players: int) -> None:
        self.target, self.players = target, players
        self.last_turn = cache(self.turn)
        boards = [(scores, seat) for scores in product(range(target), repeat=players) for seat in range(players)]
        self.worth = {board: np.full(players, 1 / players) for board in boards}
        swept(self.worth, boards, lambda board: self.turn(*board), 1e-11)

    def after(self, scores: Scores, seat: int) -> Shares:
        """A turn is over."""
        most = max(scores)
        if most < self.target:
            return self.worth[scores, (seat + 1) % self.players]
        if seat < self.players - 1:
            return self.last_turn(scores, seat + 1)  # of the last round, which never comes back
        return np.array([score == most for score in scores]) / scores.count(most)

    def turn(self, scores: Scores, seat: int) -> Shares:
        def with_score(score: int) -> Shares:
            return self.after((*scores[:seat], score, *scores[seat + 1 :]), seat)

        far, own = FAR[seat], scores[seat]
        nothing, zero = with_score(own), with_score(0)
        worth = np.zeros((far + 10, self.players))

        def rolled(score: int) -> Shares:
            return np.asarray((10 * nothing + zero + WAYS @ worth[score + SUMS]) / 36)

        for score in range(far + 9, own + 1, -1):
            worth[score] = with_score(score)
            if score < far:
                again = rolled(score)
                worth[score] = again if again[seat] > worth[score, seat] + 1e-12 else worth[score]
        return rolled(own)


@pytest.mark.thorough
@pytest.mark.parametrize("target", [2, *thorough((4,))])
def test_three_players_share_as_a_game_written_afresh_says(target: int) -> None:
    made = turn_game("piggy-six", target=target, players=3)
    solved = solve_table(made, compile_turn(made), workers=1)
    assert solved.gain_limit < 1e-9
    afresh = Afresh(target, 3)
    chases = [((30, 1, 0), 1), ((target, 0, 1), 1), ((42, 0, 1), 2), ((3, target + 3, 0), 2), ((41, 41, 1), 2)]
    for scores, seat in [*afresh.worth, *chases]:
        shares = afresh.turn(scores, seat)
        others = (scores[(seat + 1) % 3], scores[(seat + 2) % 3])
        board = made.locate(mine=scores[seat], theirs=others, seat=seat).board
        by_place = [shares[(seat + place) % 3] for place in range(3)]
        assert np.abs(solved.values[made.boards().index_of(**board)] - by_place).max() < 1e-9, (scores, seat)


def test_two_players_win_as_a_game_written_afresh_says() -> None:
    """So the other game is right of a game that is known."""
    made = turn_game("piggy-six", target=4)
    solved = BoardSolver(made, compile_turn(made), compiled=False).solve()
    for (scores, seat), shares in Afresh(4, 2).worth.items():
        index = made.boards().index_of(mine=scores[seat], theirs=scores[1 - seat], seat=seat)
        assert abs(solved.values[index] - shares[seat]) < 1e-9


@pytest.mark.slow
def test_the_shortest_game_in_which_best_moves_chase_each_other_is_an_equilibrium_of_two_drawn_decisions() -> None:
    """To 35: two players with the same scores, one turn apart."""
    made = turn_game("piggy-six", target=35, players=3)
    graph = compile_turn(made)
    solved = solve_table(made, graph, workers=2)
    rows = solved.mixed.rows
    drawn = {made.boards().board(int(board))["scores"] for board in rows[:, 0]}
    assert drawn == {(2, 8, 8, 1), (1, 1, 8, 8)}
    assert len(rows) == 4
    assert ((rows[:, 3] > 0.01) & (rows[:, 3] < 0.99)).all()
    assert solved.gain < 1e-12
    assert solved.gain_limit < 1e-9
    assert solved.responses is None
    assert refuted(made, graph, solved) is None
