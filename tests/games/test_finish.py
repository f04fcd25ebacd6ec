"""Finish by its rules: the sheet's example round, what each roll costs and brings, what a question may say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rollwise.games.finish.rules import NEW, Finish, outcome
from rollwise.solver.markov_chains.layout import lay_out
from rollwise.solver.model.errors import ModelError
from rollwise.solver.turn.graph import compile_turn
from tests.games.helping import by_place, played, rules, thorough

FOUR = Finish(4)
A, B, C, D = range(4)
WHOLE, NO_ONE = "123456", "234566"
EXAMPLE = ["123661", "123661, 413", "123661, 413, 62", "123661, 413, 62, 55", "123661, 413, 62, 55, 6"]
NINES, TEN = (9, 9, 9, 9), (10, 10, 10, 10)


def test_everybody_starts_with_ten_chips() -> None:
    assert FOUR.locate().board == {"row": NEW, "chips": TEN}


@rules(
    "question, play, row, chips, mover",
    {
        "the example's first roll": ({}, EXAMPLE[0], 3, TEN, B),
        "its second": ({}, EXAMPLE[1], 4, TEN, C),
        "its third": ({}, EXAMPLE[2], 4, (10, 10, 8, 10), D),
        "its fourth": ({}, EXAMPLE[3], 5, (10, 10, 8, 10), A),
        "its fifth finishes": ({}, EXAMPLE[4], NEW, (13, 9, 7, 9), B),
        **{
            f"whoever places nothing pays for each empty space, {n}": (
                *({"placed": n, "chips": NINES}, "1" * (6 - n), n),
                *((9 - (6 - n), 9, 9, 9), B),
            )
            for n in range(1, 6)
        },
        "an opener pays for all six and passes six dice": ({}, NO_ONE, 0, (4, 10, 10, 10), B),
        "too few chips put the player out": ({"placed": 3, "chips": (2, 9, 9, 9)}, "111", 3, (0, 9, 9, 9), B),
        "so does the last one paid": ({"placed": 3, "chips": (3, 9, 9, 9)}, "111, 411", 4, (0, 9, 9, 9), C),
        "dice pass over those who are out": ({"placed": 4, "chips": (9, None, None, 9)}, "55", 5, (9, 0, 0, 9), D),
        "the finisher gets a chip of all in": ({"placed": 5, "chips": (9, None, 4, 9)}, "6", NEW, (11, 0, 3, 8), C),
        "whoever gives the last one is out": ({"placed": 5, "chips": (9, 1, 4, 9)}, "6", NEW, (12, 0, 3, 8), C),
        "after one in vain the whole row only finishes": ({}, f"{NO_ONE}, {WHOLE}", NEW, (3, 13, 9, 9), C),
        "also after all in vain": ({}, ", ".join([*[NO_ONE] * 4, WHOLE]), NEW, (7, 3, 3, 3), B),
    },
)
def test_a_round_goes_as_the_sheet_says(
    question: dict[str, Any], play: str, row: int, chips: tuple[int, ...], mover: int
) -> None:
    at = played(FOUR, question, play, outcome)
    assert (at.board["row"], by_place(at, "chips", 4), at.mover, at.over) == (row, chips, mover, False)


@rules(
    "question, play, winner",
    {
        "the last one in, by finishing": ({"placed": 5, "chips": (None, 1, 4, 1), "mover": C}, "6", C),
        "or when the other pays all": ({"placed": 5, "chips": (None, 1, 4, None), "mover": B}, "1", C),
        "an opener who rolls the whole row": ({"mover": C}, WHOLE, C),
        "in a later round too": ({}, f"{EXAMPLE[-1]}, {WHOLE}", B),
    },
)
def test_the_game_is_won_by(question: dict[str, Any], play: str, winner: int) -> None:
    assert played(FOUR, question, play, outcome).shares.index(Fraction(1)) == winner


def test_questions_and_throws_fit_the_row() -> None:
    with pytest.raises(ModelError, match="does not throw 4 dice here"):
        played(FOUR, {}, "123661, 4133", outcome)
    assert (outcome((3, 4, 5, 5), 2), outcome((4, 5, 6, 6), 2)) == (5, "pays")
    for said, row in (({"opened": 1}, 0), ({}, NEW), ({"placed": 2}, 2)):
        assert FOUR.locate(chips=(4, 10, 10, 10), mover=1, **said).state == (row,)


@pytest.mark.parametrize(("players", "held"), [(3, 3), (5, 1), *thorough((3, 1), (3, 10), (4, 2), (4, 4), (5, 2))])
def test_the_pot_always_has_what_must_have_been_paid(players: int, held: int) -> None:
    game = Finish(players, held)
    start = game.boards().index_of(**game.first_board())
    assert game.possible(game.boards().columns(lay_out(game, compile_turn(game), start).boards)).all()
