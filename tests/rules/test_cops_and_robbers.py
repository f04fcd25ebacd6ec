"""Cops and Robbers by its rules: moves, the extra rules of later rounds, captures, both ends, what one may ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from rollwise.games.cops_and_robbers.claims import after, thrown
from rollwise.games.cops_and_robbers.rules import CopsAndRobbers
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.game import Position

COP, NEAR, OTHER_COP, FAR = range(4)
START = (75, 64, 75, 66)
Scores = tuple[int | None, ...]


def played(scores: Scores, mover: int, *dice: int, last: int | None = 1, six: str = "bonus_too") -> tuple[Scores, int]:
    """(scores by seat, who moves next) after a turn; cops who stay are told apart by their points."""
    table = after(asked(scores, mover, last), *dice, six=six)
    return tuple(table["scores"]), table["mover"]


def asked(scores: Scores, mover: int, last: int | None) -> Mapping[str, Any]:
    return {"scores": scores, "mover": mover, **({} if last is None else {"last": last})}


def winners(scores: Scores, mover: int, *dice: int, last: int = 1) -> str:
    """Who has won with this turn."""
    result = thrown(asked(scores, mover, last), *dice)
    return ("robbers" if result.shares[0] else "cops") if result.over else "nobody"


# --- the first round -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opener", range(4))
def test_the_one_who_starts_moves_first_with_all_points(opener: int) -> None:
    game = CopsAndRobbers(start=opener)
    (fields,) = game.describe(game.locate().board, (opener, True))
    assert fields == {"scores": START, "last": None, "mover": opener}


@pytest.mark.parametrize("face", range(1, 7))
def test_in_the_first_round_every_throw_is_a_plain_move(face: int) -> None:
    assert played(START, COP, face, last=None) == ((75 - face, 64, 75, 66), NEAR)


def test_in_the_first_round_throws_are_not_compared() -> None:
    scores: Scores = START
    for seat in range(4):
        scores, mover = played(scores, seat, 4, last=None)
        assert mover == (seat + 1) % 4
    assert scores == (71, 60, 71, 62)


def test_the_fifth_turn_is_compared_with_the_fourth() -> None:
    fourth = thrown({"scores": (71, 60, 71, 66), "mover": FAR}, 4)
    fields = next(iter(CopsAndRobbers().describe(fourth.board, ())))
    assert fields == {"scores": (71, 60, 71, 62), "last": 4, "mover": COP}
    assert played((71, 60, 70, 62), COP, 4, last=4) == ((71, 60, 70, 62), NEAR)


# --- a later turn --------------------------------------------------------------------------------------------------

MIDDLE = (60, 40, 50, 30)


@pytest.mark.parametrize("face", [1, 2, 3])
def test_a_low_throw_is_a_plain_move(face: int) -> None:
    assert played(MIDDLE, COP, face, last=6) == ((60 - face, 40, 50, 30), NEAR)


@pytest.mark.parametrize(("bonus", "points"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 2)])
def test_a_six_brings_a_bonus_which_comes_on_top_or_alone_and_skips_nobody(bonus: int, points: int) -> None:
    assert played(MIDDLE, NEAR, 6, bonus) == ((60, 34 - points, 50, 30), OTHER_COP)
    assert played(MIDDLE, NEAR, 6, bonus, six="bonus_only") == ((60, 40 - points, 50, 30), OTHER_COP)


@pytest.mark.parametrize("seat", range(4))
def test_after_a_five_the_player_on_the_left_misses_a_turn(seat: int) -> None:
    assert played(MIDDLE, seat, 5)[1] == (seat + 2) % 4


@pytest.mark.parametrize("seat", range(4))
def test_after_a_four_the_two_nearest_players_on_the_left_miss_a_turn(seat: int) -> None:
    assert played(MIDDLE, seat, 4)[1] == (seat + 3) % 4


@pytest.mark.parametrize("face", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seat", range(4))
def test_a_repeated_throw_takes_off_nothing_and_nobody_misses_a_turn(seat: int, face: int) -> None:
    assert played(MIDDLE, seat, face, last=face) == (MIDDLE, (seat + 1) % 4)


@pytest.mark.parametrize("six", ["bonus_too", "bonus_only"])
def test_a_repeated_six_gives_no_bonus(six: str) -> None:
    assert played(MIDDLE, COP, 6, 5, last=6, six=six) == (MIDDLE, NEAR)


def test_the_turn_before_counts_whoever_had_it_and_whoever_was_skipped() -> None:
    table = after(asked(MIDDLE, COP, 1), 5)
    assert (table["last"], table["mover"]) == (5, OTHER_COP)
    assert played(table["scores"], OTHER_COP, 5, last=5) == ((55, 40, 50, 30), FAR)


def test_a_repeated_throw_is_what_the_next_one_is_compared_with() -> None:
    table = after(asked(MIDDLE, COP, 2), 2)
    assert (table["last"], table["mover"]) == (2, NEAR)


def test_the_bonus_roll_is_not_what_the_next_throw_is_compared_with() -> None:
    assert after(asked(MIDDLE, COP, 1), 6, 3)["last"] == 6


# --- captures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gap", "caught"), [(1, True), (2, True), (3, True), (4, False)])
def test_a_cop_level_with_a_robber_or_below_has_caught_him(gap: int, caught: bool) -> None:
    scores, mover = played((40 + gap, 40, 70, 30), COP, 3)
    assert scores == (37 + gap, None if caught else 40, 70, 30)
    assert mover == (OTHER_COP if caught else NEAR)


def test_either_robber_can_be_caught_by_either_cop() -> None:
    assert played((41, 30, 70, 40), COP, 2) == ((39, 30, 70, None), NEAR)
    assert played((70, 40, 41, 30), OTHER_COP, 2) == ((70, None, 39, 30), FAR)
    assert played((70, 30, 41, 40), OTHER_COP, 2) == ((70, 30, 39, None), COP)


def test_the_bonus_counts_for_a_capture() -> None:
    assert played((48, 40, 70, 30), COP, 6, 3)[0] == (41, 40, 70, 30)
    assert played((48, 40, 70, 30), COP, 6, 4)[0] == (40, None, 70, 30)


def test_a_robber_who_passes_nobody_is_never_caught_by_moving() -> None:
    assert played((41, 40, 42, 30), NEAR, 3) == ((41, 37, 42, 30), OTHER_COP)


def test_the_caught_are_out_before_missed_turns_are_counted() -> None:
    assert played((41, 40, 70, 30), COP, 5) == ((36, None, 70, 30), FAR)  # the other cop misses his turn
    assert played((41, 40, 70, 30), COP, 4) == ((37, None, 70, 30), COP)  # both who are left do


@pytest.mark.parametrize(
    ("scores", "mover", "next_seats"),
    [
        ((60, None, 50, 30), COP, (OTHER_COP, FAR, COP)),
        ((60, None, 50, 30), OTHER_COP, (FAR, COP, OTHER_COP)),
        ((60, None, 50, 30), FAR, (COP, OTHER_COP, FAR)),
        ((60, 30, 50, None), COP, (NEAR, OTHER_COP, COP)),
        ((60, 30, 50, None), NEAR, (OTHER_COP, COP, NEAR)),
        ((60, 30, 50, None), OTHER_COP, (COP, NEAR, OTHER_COP)),
    ],
)
def test_with_three_left_turns_go_round_among_them(scores: Scores, mover: int, next_seats: tuple[int, ...]) -> None:
    assert tuple(played(scores, mover, face)[1] for face in (3, 5, 4)) == next_seats
    assert tuple(played(scores, mover, face, last=face)[1] for face in (3, 5, 4)) == (next_seats[0],) * 3


# --- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("points", "who"), [(3, "robbers"), (2, "robbers"), (4, "nobody")])
def test_a_robber_at_0_or_less_wins_for_both(points: int, who: str) -> None:
    assert winners((60, points, 50, 30), NEAR, 3) == who
    assert winners((60, 30, 50, points), FAR, 3) == who
    assert winners((60, None, 50, points), FAR, 3) == who


def test_a_repeated_throw_brings_nobody_home() -> None:
    assert winners((60, 1, 50, 30), NEAR, 3, last=3) == "nobody"


def test_the_cops_win_when_both_robbers_are_caught() -> None:
    assert winners((41, None, 50, 40), COP, 1, last=6) == "cops"
    assert winners((41, 40, 50, 40), COP, 1, last=6) == "cops"
    assert winners((41, 40, 50, 39), COP, 1, last=6) == "nobody"


def test_a_cop_below_0_has_caught_them_all() -> None:
    assert winners((5, 4, 50, None), COP, 6, 6) == "cops"


# --- boards --------------------------------------------------------------------------------------------------------


def test_cops_stay_above_every_robber_who_runs() -> None:
    space = CopsAndRobbers(distance=4).boards()
    chase = space.columns(np.arange(space.size)).chase
    assert (chase[3:].min(axis=0) > chase[1:3].max(axis=0)).all()


def test_both_sides_of_the_table_are_one_board() -> None:
    game = CopsAndRobbers()
    here = game.locate((60, 40, 50, 30), last=2, mover=1)
    there = game.locate((50, 30, 60, 40), last=2, mover=3)
    assert (here.board, here.state) == (there.board, there.state)
    assert (here.mover, there.mover) == (1, 3)


def test_a_full_game_has_63_million_boards() -> None:
    assert CopsAndRobbers().boards().size == 62_834_608


def test_levels_are_points_lost_also_by_the_caught() -> None:
    game = CopsAndRobbers()
    space = game.boards()
    for scores, level in [((74, 63, 74, 65), 4), ((60, None, 50, 30), 140)]:
        board = space.columns(space.index(game.locate(scores, last=2, mover=0).board, 1))
        assert game.level(board).tolist() == [level]


# --- questions -----------------------------------------------------------------------------------------------------


def test_who_has_moved_in_the_first_round_is_seen_from_the_mover() -> None:
    game = CopsAndRobbers(start=2)
    position = game.locate((70, 64, 71, 60), mover=1)
    assert position == Position({"chase": (3, 64, 60, 70, 71), "mover": 1}, (1, True), mover=1)


def test_a_question_without_a_mover_is_shown_for_the_one_who_started() -> None:
    game = CopsAndRobbers(start=2)
    position = game.locate((60, 40, 50, 30), last=3)
    assert position.mover == 2
    assert next(iter(game.describe(position.board, position.state)))["mover"] == 2


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"scores": (60, 0, 50, 30), "last": 1}, "the game is over: seat 1 has got away and the robbers have won"),
        ({"scores": (60, 10, 50, -2), "last": 1}, "the game is over: seat 3 has got away and the robbers have won"),
        (
            {"scores": (60, None, 50, None), "last": 1},
            "the game is over: both robbers are caught and the cops have won",
        ),
        ({"scores": (None, 40, 50, 30), "last": 1}, "nobody catches the cop in seat 0, who needs points, got -"),
        (
            {"scores": (60, 40, 40, 30), "last": 1},
            "the cop in seat 2 has caught the robber in seat 1, who has -, got 40",
        ),
        ({"scores": (75, 40, 50, 30), "last": 1}, "after the first round seat 0 has at most 74 points, got 75"),
        ({"scores": (74, 64, 74, 60), "last": 1}, "after the first round seat 1 has at most 63 points, got 64"),
        ({"last": 3}, "after the first round seat 0 has at most 74 points, got 75"),
        (
            {"scores": (60, None, 50, 30), "last": 1, "mover": 1},
            "the robber in seat 1 is caught, so the mover is another",
        ),
        (
            {"scores": (60, 40, 50, 30)},
            "without last this is the first round, and with mover=0 seat 0 has 75 points, got 60",
        ),
        ({"scores": (68, 64, 75, 66), "mover": 1}, "with mover=1 seat 0 has 69 to 74 points, got 68"),
        ({"scores": (70, None, 75, 66), "mover": 2}, "with mover=2 seat 1 has 58 to 63 points, got -"),
    ],
)
def test_a_state_that_cannot_be_is_refused_in_one_line(state: dict[str, Any], message: str) -> None:
    with pytest.raises(StateError, match=message):
        CopsAndRobbers().locate(**state)


def test_rules_are_given_as_they_are_named() -> None:
    with pytest.raises(ParameterError, match="six is one of bonus_too, bonus_only, got both"):
        CopsAndRobbers("both")


def test_a_robber_is_caught_by_a_cop_who_has_no_more_points_than_he_had() -> None:
    def told(*scores: int | None) -> bool | None:
        return CopsAndRobbers().reachable(CopsAndRobbers().locate(scores=scores, last=1).board)

    assert (told(66, None, 67, 30), told(65, None, 67, 30), told(66, 60, 67, 30)) == (False, None, None)
