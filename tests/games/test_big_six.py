"""Big Six by its rules: what each roll does, who wins, what a question may say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.games.big_six.rules import SPACES, BigSix, move
from rollwise.solver.markov_chains.layout import lay_out
from rollwise.solver.model.dice import throws
from rollwise.solver.turn.graph import compile_turn
from tests.games.helping import by_place, played, rules

THREE = BigSix(3)


def test_everybody_starts_with_five_chips_and_nothing_lies_on_the_board() -> None:
    assert THREE.locate().board == {"occupied": 0, "chips": (5, 5, 5)}


@rules(
    "question, play, chips, occupied, mover",
    {
        "a roll of an empty space puts a chip there": ({}, "3", (4, 5, 5), 1, 1),
        "of an occupied one takes it": ({"board": (1, 2), "mover": 1, "chips": (4, 3, 3)}, "2", (4, 4, 3), 1, 2),
        "a last chip is kept where it is": ({"chips": (1, 3, 3), "board": (1,)}, "1", (2, 3, 3), 0, 1),
        "chips on space six are never taken again": ({}, "6, 6, 6", (4, 4, 4), 0, 0),
        **{
            f"a six always puts a chip out of the game, {n}": (
                *({"board": tuple(range(1, n + 1)), "chips": (3, 3, 3)}, "6"),
                *((2, 3, 3), n, 1),
            )
            for n in range(SPACES + 1)
        },
    },
)
def test_a_roll_moves_chips(
    question: dict[str, Any], play: str, chips: tuple[int, ...], occupied: int, mover: int
) -> None:
    at = played(THREE, question, play, move)
    assert (by_place(at, "chips", 3), at.board["occupied"], at.mover, at.over) == (chips, occupied, mover, False)


def test_chips_that_are_out_of_the_game_count_and_which_spaces_are_occupied_does_not() -> None:
    board = played(THREE, {}, "6, 6, 6", move).board
    assert all(move(faces, occupied=0) != "take" for faces, _ in throws(1))
    assert THREE.level(THREE.boards().columns(np.array([THREE.boards().index_of(**board)]))) == [3]
    game = BigSix()
    assert game.locate(chips=(4, 4), board=(1, 4)) == game.locate(chips=(4, 4), board=(3, 5))


@pytest.mark.parametrize("face", ["4", "6"])
def test_the_first_player_without_chips_wins_at_once(face: str) -> None:
    assert played(THREE, {"chips": (3, 1, 3), "mover": 1}, face, move).shares.index(Fraction(1)) == 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_boards_that_are_reached_agree_in_odd_and_even(players: int) -> None:
    game = BigSix(players)
    start = game.boards().index_of(**game.first_board())
    columns = game.boards().columns(lay_out(game, compile_turn(game), start).boards)
    assert game.possible(columns).all()
    turns = ((columns.chips[1:] + columns.chips[:-1]) % 2).sum(axis=0)
    assert set(turns.tolist()) == {0, 1}
