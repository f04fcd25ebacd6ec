"""Cops and Robbers by its rules: moves, the extra rules of later rounds, captures, both ends, what one may ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from rollwise.games.cops_and_robbers.claims import after, thrown
from rollwise.games.cops_and_robbers.rules import CopsAndRobbers
from rollwise.solver.model.game import Position
from tests.games.helping import rules

COP, NEAR, OTHER_COP, FAR = range(4)
START = (75, 64, 75, 66)
Scores = tuple[int | None, ...]


def played(scores: Scores, mover: int, *dice: int, last: int | None = 1, six: str = "bonus_too") -> tuple[Scores, int]:
    """(scores by seat, who moves next) after a turn; cops who stay are told apart by their points."""
    table = after(asked(scores, mover, last), *dice, six=six)
    return tuple(table["scores"]), table["mover"]


def asked(scores: Scores, mover: int, last: int | None) -> Mapping[str, Any]:
    return {"scores": scores, "mover": mover, **({} if last is None else {"last": last})}


# --- turns ---------------------------------------------------------------------------------------------------------

MIDDLE, CLOSE = (60, 40, 50, 30), (48, 40, 70, 30)
Turn = tuple[Scores, int, str, int | None]  # before it: scores, who moves, the dice, the turn before


@rules(
    "turn, then",
    {
        **{
            f"in the first round every throw is a plain move: {face}": (
                *((START, COP, str(face), None), ((75 - face, 64, 75, 66), NEAR)),
            )
            for face in range(1, 7)
        },
        "there throws are not compared": ((START, COP, "4", None), ((71, 64, 75, 66), NEAR)),
        "by the second": (((71, 64, 75, 66), NEAR, "4", None), ((71, 60, 75, 66), OTHER_COP)),
        "by the third": (((71, 60, 75, 66), OTHER_COP, "4", None), ((71, 60, 71, 66), FAR)),
        "by the fourth": (((71, 60, 71, 66), FAR, "4", None), ((71, 60, 71, 62), COP)),
        "the fifth turn is": (((71, 60, 70, 62), COP, "4", 4), ((71, 60, 70, 62), NEAR)),
        **{
            f"a low throw is a plain move: {face}": ((MIDDLE, COP, str(face), 6), ((60 - face, 40, 50, 30), NEAR))
            for face in (1, 2, 3)
        },
        **{
            f"a six brings a bonus and skips nobody: {bonus}": (
                *((MIDDLE, NEAR, f"6{bonus}", 1), ((60, 34 - (1 if bonus < 4 else 2), 50, 30), OTHER_COP)),
            )
            for bonus in range(1, 7)
        },
        **{
            f"seat {seat} repeats a {face}, which takes off nothing, and nobody misses a turn": (
                *((MIDDLE, seat, str(face), face), (MIDDLE, (seat + 1) % 4)),
            )
            for seat in range(4)
            for face in range(1, 6)
        },
        "a repeated six gives no bonus": ((MIDDLE, COP, "65", 6), (MIDDLE, NEAR)),
        "the turn before counts whoever had it": (((55, 40, 50, 30), OTHER_COP, "5", 5), ((55, 40, 50, 30), FAR)),
        "a cop level with a robber has caught him": (((43, 40, 70, 30), COP, "3", 1), ((40, None, 70, 30), OTHER_COP)),
        "or below": (((42, 40, 70, 30), COP, "3", 1), ((39, None, 70, 30), OTHER_COP)),
        "by two": (((41, 40, 70, 30), COP, "3", 1), ((38, None, 70, 30), OTHER_COP)),
        "above he has not": (((44, 40, 70, 30), COP, "3", 1), ((41, 40, 70, 30), NEAR)),
        "either robber can be caught": (((41, 30, 70, 40), COP, "2", 1), ((39, 30, 70, None), NEAR)),
        "by either cop": (((70, 40, 41, 30), OTHER_COP, "2", 1), ((70, None, 39, 30), FAR)),
        "by that one too": (((70, 30, 41, 40), OTHER_COP, "2", 1), ((70, 30, 39, None), COP)),
        "a bonus that is too low": ((CLOSE, COP, "63", 1), ((41, 40, 70, 30), NEAR)),
        "and one that counts for a capture": ((CLOSE, COP, "64", 1), ((40, None, 70, 30), OTHER_COP)),
        "a robber is not caught by moving": (((41, 40, 42, 30), NEAR, "3", 1), ((41, 37, 42, 30), OTHER_COP)),
        "the caught are out before missed turns: one": (((41, 40, 70, 30), COP, "5", 1), ((36, None, 70, 30), FAR)),
        "both who are left": (((41, 40, 70, 30), COP, "4", 1), ((37, None, 70, 30), COP)),
    },
)
def test_a_turn_goes_as_the_sheet_says(turn: Turn, then: tuple[Scores, int]) -> None:
    scores, mover, dice, last = turn
    assert played(scores, mover, *map(int, dice), last=last) == then


@pytest.mark.parametrize(("bonus", "points"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 2)])
def test_a_bonus_may_come_alone_and_not_with_a_repeated_six(bonus: int, points: int) -> None:
    assert played(MIDDLE, NEAR, 6, bonus, six="bonus_only") == ((60, 40 - points, 50, 30), OTHER_COP)
    assert played(MIDDLE, COP, 6, bonus, last=6, six="bonus_only") == (MIDDLE, NEAR)


@pytest.mark.parametrize("seat", range(4))
def test_after_a_five_one_player_on_the_left_misses_a_turn_and_after_a_four_two(seat: int) -> None:
    assert [played(MIDDLE, seat, face)[1] for face in (5, 4)] == [(seat + 2) % 4, (seat + 3) % 4]


@pytest.mark.parametrize("opener", range(4))
def test_the_one_who_starts_moves_first_with_all_points(opener: int) -> None:
    game = CopsAndRobbers(start=opener)
    (fields,) = game.describe(game.locate().board, (opener, True))
    assert fields == {"scores": START, "last": None, "mover": opener}


def test_a_throw_and_not_its_bonus_is_what_the_next_is_compared_with_whoever_was_skipped() -> None:
    assert after({"scores": (71, 60, 71, 66), "mover": FAR}, 4) == {
        "scores": (71, 60, 71, 62), "last": 4, "mover": COP
    }  # fmt: skip
    for dice, last, told in (((5,), 1, (5, OTHER_COP)), ((2,), 2, (2, NEAR)), ((6, 3), 1, (6, NEAR))):
        table = after(asked(MIDDLE, COP, last), *dice)
        assert (table["last"], table["mover"]) == told


@pytest.mark.parametrize(
    ("out", "mover", "next_seats"),
    [
        (NEAR, COP, (OTHER_COP, FAR, COP)),
        (NEAR, OTHER_COP, (FAR, COP, OTHER_COP)),
        (NEAR, FAR, (COP, OTHER_COP, FAR)),
        (FAR, COP, (NEAR, OTHER_COP, COP)),
        (FAR, NEAR, (OTHER_COP, COP, NEAR)),
        (FAR, OTHER_COP, (COP, NEAR, OTHER_COP)),
    ],
)
def test_with_three_left_turns_go_round_among_them(out: int, mover: int, next_seats: tuple[int, ...]) -> None:
    scores = {NEAR: (60, None, 50, 30), FAR: (60, 30, 50, None)}[out]
    assert tuple(played(scores, mover, face)[1] for face in (3, 5, 4)) == next_seats
    assert tuple(played(scores, mover, face, last=face)[1] for face in (3, 5, 4)) == (next_seats[0],) * 3


@rules(
    "turn, who",
    {
        **{
            f"a robber at {points - 3} after a three{how}": ((scores, mover, "3", 1), who)
            for points, who in ((3, "robbers"), (2, "robbers"), (4, "nobody"))
            for how, scores, mover in (
                ("", (60, points, 50, 30), NEAR),
                (", the other", (60, 30, 50, points), FAR),
                (", the last one", (60, None, 50, points), FAR),
            )
        },
        "a repeated throw brings nobody home": (((60, 1, 50, 30), NEAR, "3", 3), "nobody"),
        "the cops win when both robbers are caught": (((41, None, 50, 40), COP, "1", 6), "cops"),
        "at once": (((41, 40, 50, 40), COP, "1", 6), "cops"),
        "but not with one": (((41, 40, 50, 39), COP, "1", 6), "nobody"),
        "a cop below 0 has caught them all": (((5, 4, 50, None), COP, "66", 1), "cops"),
    },
)
def test_the_game_is_won_by(turn: Turn, who: str) -> None:
    scores, mover, dice, last = turn
    result = thrown(asked(scores, mover, last), *map(int, dice))
    assert (("robbers" if result.shares[0] else "cops") if result.over else "nobody") == who


# --- boards --------------------------------------------------------------------------------------------------------


def test_cops_stay_above_every_robber_who_runs_and_levels_are_points_lost_also_by_the_caught() -> None:
    space = CopsAndRobbers(distance=4).boards()
    chase = space.columns(np.arange(space.size)).chase
    assert (chase[3:].min(axis=0) > chase[1:3].max(axis=0)).all()
    game = CopsAndRobbers()
    space = game.boards()
    for scores, level in [((74, 63, 74, 65), 4), ((60, None, 50, 30), 140)]:
        board = space.columns(space.index(game.locate(scores, last=2, mover=0).board, 1))
        assert game.level(board).tolist() == [level]


def test_both_sides_of_the_table_are_one_board_of_63_million() -> None:
    game = CopsAndRobbers()
    here = game.locate((60, 40, 50, 30), last=2, mover=1)
    there = game.locate((50, 30, 60, 40), last=2, mover=3)
    assert (here.board, here.state) == (there.board, there.state)
    assert (here.mover, there.mover) == (1, 3)
    assert CopsAndRobbers().boards().size == 62_834_608


# --- questions -----------------------------------------------------------------------------------------------------


def test_a_question_says_who_has_moved_and_who_began() -> None:
    game = CopsAndRobbers(start=2)
    position = game.locate((70, 64, 71, 60), mover=1)
    assert position == Position({"chase": (3, 64, 60, 70, 71), "mover": 1}, (1, True), mover=1)
    game = CopsAndRobbers(start=2)
    position = game.locate((60, 40, 50, 30), last=3)
    assert position.mover == 2
    assert next(iter(game.describe(position.board, position.state)))["mover"] == 2


def test_a_robber_is_caught_by_a_cop_who_has_no_more_points_than_he_had() -> None:
    def told(*scores: int | None) -> bool | None:
        return CopsAndRobbers().reachable(CopsAndRobbers().locate(scores=scores, last=1).board)

    assert (told(66, None, 67, 30), told(65, None, 67, 30), told(66, 60, 67, 30)) == (False, None, None)
