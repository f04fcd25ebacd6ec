"""A few boxes of Yahtzee, once more in the plainest way: every keep of every roll, sheets as they are written."""

from __future__ import annotations

import numpy as np
import pytest

from rollwise.games.yahtzee import rules as games
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from tests.solver.plain import Yahtzee

SMALL = [
    ("chance",),
    ("yahtzee",),
    ("sixes", "full house"),
    ("yahtzee", "large straight"),
    ("small straight", "sixes", "yahtzee"),
    ("fours", "fives", "sixes"),  # with the 35
    ("ones", "full house", "yahtzee", "chance"),
]


@pytest.mark.parametrize("joker", ["forced", "free"])
@pytest.mark.parametrize("played", SMALL, ids=",".join)
def test_every_board_of_a_few_boxes_is_worth_what_plain_play_finds(played: tuple[str, ...], joker: str) -> None:
    game = games.Yahtzee(joker=joker, boxes=",".join(played))
    found = BoardSolver(game, compile_turn(game), workers=1, compiled=False).solve()
    plain = Yahtzee(joker)
    boards = np.flatnonzero(np.isfinite(found.values))
    assert found.n_boards == len(boards)
    for index in boards.tolist():
        sheet = {box: 0 for box in plain.boxes if box not in played} | game.sheet(game.boards().board(index))
        assert abs(found.values[index] - plain.mean(sheet)) <= found.radius[index] + 1e-11
        assert found.radius[index] < 1e-10


def test_one_chance_is_worth_its_known_fraction() -> None:
    # each die on its own: 7/2 with one throw, 17/4 with two (keep from 4 on), 14/3 with three (keep from 5 on)
    assert Yahtzee().mean(dict.fromkeys(Yahtzee.boxes[:-1], 0)) == pytest.approx(5 * 14 / 3, abs=1e-12)
