"""Thunderstorm by its rules: the sheet's example, what a throw does to dice and houses, what a question may say."""

from __future__ import annotations

from typing import Any

import pytest

from rollwise.games.claims.replay import by_seat
from rollwise.games.thunderstorm.rules import Thunderstorm
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import ModelError
from tests.games.helping import played, rules
from tests.reference.walk import walk

FOUR = Thunderstorm(4)
A, B, C, D = range(4)
EXAMPLE = "115365, 1264, 334, 115, 2, 1"
Table = tuple[int, tuple[int | None, ...], int]


def ones(faces: Faces, *_: object) -> int:
    """All that a throw says."""
    return faces.count(1)


def first(count: int) -> str:
    return ", ".join(EXAMPLE.split(", ")[:count])


@rules(
    "question, play, table",
    {
        "two ones of the example go aside": ({}, first(1), (4, (0, 0, 0, 0), B)),
        "and a third": ({}, first(2), (3, (0, 0, 0, 0), C)),
        "none is a failure": ({}, first(3), (3, (0, 0, 1, 0), D)),
        "two more": ({}, first(4), (1, (0, 0, 1, 0), A)),
        "another failure": ({}, first(5), (1, (1, 0, 1, 0), B)),
        "the last one brings six dice back": ({}, EXAMPLE, (6, (1, 0, 1, 0), C)),
        "six ones at once do too": ({}, "111111", (6, (0, 0, 0, 0), B)),
        "a throw without a one passes the dice on": ({}, "234566", (6, (1, 0, 0, 0), B)),
        "the sixth failure finishes the house": ({"failures": "5,0,0,0", "dice": 1}, "2", (1, (6, 0, 0, 0), B)),
        "the seventh is out": ({"failures": "6,1,2,3", "dice": 2}, "22", (2, (None, 1, 2, 3), B)),
        "the round goes on without": ({"failures": "6,1,2,3", "dice": 2}, "22, 13, 4", (1, (None, 1, 3, 3), D)),
        "who is out is left out": ({"failures": "-,1,3,3", "dice": 1, "mover": D}, "5", (1, (None, 1, 3, 4), B)),
        "also two": ({"failures": "0,-,-,3", "dice": 1}, "5", (1, (1, None, None, 3), D)),
        "a one never ends the game": ({"failures": "6,6,-,-", "dice": 1}, "1", (6, (6, 6, None, None), B)),
    },
)
def test_the_dice_go_round(question: dict[str, Any], play: str, table: Table) -> None:
    """(dice to be thrown, failures by seat, who throws)."""
    at = played(FOUR, question, play, ones)
    assert (6 - at.board["ones"], by_seat(FOUR, at, "failures"), at.mover) == table


def test_all_dice_that_are_not_aside_are_thrown() -> None:
    assert FOUR.locate().state == (6,)
    with pytest.raises(ModelError, match="does not throw 5 dice here"):
        played(FOUR, {}, "115365, 12644", ones)


@pytest.mark.parametrize(
    ("failures", "mover", "winner"),
    [
        ("6,3,-,-", A, B),
        ("6,-,6,-", A, C),
        ("0,-,-,6", D, A),
        ("-,6,0,-", B, C),
        ("-,0,6,-", C, B),
        ("6,6,6,-", A, None),
    ],
)
def test_the_last_player_in_wins_and_nobody_while_three_are_in(failures: str, mover: int, winner: int | None) -> None:
    at = played(FOUR, {"failures": failures, "dice": 1, "mover": mover}, "6", ones)
    assert at.over == (winner is not None)
    assert winner is None or [int(share) for share in at.shares] == [int(seat == winner) for seat in range(4)]


@pytest.mark.parametrize(("players", "house"), [(3, 6), (4, 2), (5, 1), (8, 0)])
def test_every_board_can_be_reached(players: int, house: int) -> None:
    report = walk(Thunderstorm(players, house))
    assert report.n_reachable == report.n_boards == Thunderstorm(players, house).boards().size


@pytest.mark.parametrize(("failures", "level"), [("0,0,0,0", 0), ("6,2,0,1", 9), ("-,2,0,-", 16)])
def test_levels_count_the_failures_of_those_who_are_out(failures: str, level: int) -> None:
    space, board = FOUR.boards(), played(FOUR, {"failures": failures, "mover": 1}).board
    assert FOUR.level(space.columns(space.index(board, 1))).tolist() == [level]


# --- questions -------------------------------------------------------------------------------------------------------


def test_places_of_a_board_are_the_seats_still_in() -> None:
    position = Thunderstorm(5).locate(failures=(4, None, 2, None, 0), dice=3, mover=2)
    assert position.board == {"ones": 3, "failures": (2, 0, 4, 7, 7)}
    assert position.seats == (2, 4, 0)
    assert Thunderstorm(6).locate().board == Thunderstorm(6).first_board()
