"""Busted, by its rules (number 4 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from rollwise.games.busted.boards import SPACES, AllChips, can_have_taken
from rollwise.games.busted.rules import Busted, BustedDuel
from rollwise.games.claims.replay import ReplayPosition, begin, by_seat, describe_position, moves, replay, turn_game
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import BadInput, ModelError, ParameterError, StateError
from rollwise.solver.model.game import TurnGame

SUMS: dict[int, Faces] = {thrown: (max(1, thrown - 6), min(6, thrown - 1)) for thrown in range(2, 13)}
FULL = {space: space for space in SPACES}


def table(
    chips: str, board: str = "none", *rolls: int, taken: bool = False, mover: int = 0, players: int = 3
) -> ReplayPosition:
    """Where rolls of these sums lead, each by whoever is to move."""
    game = the_table(chips, board, players)
    state = {"chips": chips, "board": board, "taken": taken, "mover": mover}
    return replay(game, state, [(SUMS[thrown], None) for thrown in rolls])


def the_table(chips: str, board: str, players: int) -> TurnGame:
    """The game in which there are so many chips."""
    all_chips = sum(int(part) for part in chips.split(",") if part != "-")
    all_chips += sum(int(part.split(":")[1]) for part in board.split(",") if part != "none")
    each = all_chips // players
    made = turn_game("busted", players=players, **({"chips": each} if each >= 25 else {"fewer": each}))
    assert all_chips == made.parameters()["players"] * each
    return made


def after(played: ReplayPosition, players: int = 3) -> tuple[tuple[int | None, ...], dict[int, int], int, bool]:
    """(chips by seat, what lies on the board, who moves, whether that one has just taken chips)."""
    total = sum(played.board["chips"])
    game = Busted(fewer=total // 3) if players == 3 and total < 75 else Busted()
    game = BustedDuel(players=2) if players == 2 else game
    fields = describe_position(game, played)
    return by_seat(game, played, "chips"), fields["board"], played.mover, fields["taken"]


# --- one roll --------------------------------------------------------------------------------------------------------


def test_everybody_starts_with_25_chips_and_an_empty_board() -> None:
    assert after(begin(Busted(), {})) == ((25, 25, 25), {}, 0, False)


@pytest.mark.parametrize("thrown", [3, 4, 5, 6, 8, 9, 10, 11])
def test_an_empty_space_is_filled_and_the_dice_pass_on(thrown: int) -> None:
    assert after(table("25,25,25", "none", thrown)) == ((25 - thrown, 25, 25), {thrown: thrown}, 1, False)


@pytest.mark.parametrize("thrown", [3, 4, 5, 6, 8, 9, 10, 11])
def test_chips_on_a_space_are_taken_and_then_there_is_a_choice(thrown: int) -> None:
    played = table(f"25,25,{25 - thrown}", f"{thrown}:{thrown}", thrown)
    assert after(played) == ((25 + thrown, 25, 25 - thrown), {}, 0, True)
    assert moves(Busted(), played) == ["pass", "roll"]


def test_who_has_taken_chips_may_pass_or_roll_again() -> None:
    state = {"chips": "31,25,19", "taken": True}
    assert after(replay(Busted(), state, [(None, "pass")])) == ((31, 25, 19), {}, 1, False)
    assert after(replay(Busted(), state, [(None, "roll"), (SUMS[5], None)])) == ((26, 25, 19), {5: 5}, 1, False)


def test_a_7_always_costs_seven_chips() -> None:
    assert after(table("25,25,25", "none", 7, 7, 7, 7)) == ((11, 18, 18), {7: 28}, 1, False)


@pytest.mark.parametrize("lucky", [2, 12])
def test_a_2_or_12_takes_the_whole_board_and_the_next_roll_is_paid_for(lucky: int) -> None:
    for thrown in (*range(3, 12),):
        played = table("20,19,19", "3:3,7:14", lucky, thrown)
        assert after(played) == ((37 - thrown, 19, 19), {thrown: thrown}, 1, False)


def test_there_is_no_choice_after_a_2_or_12() -> None:
    with pytest.raises(ModelError, match="no move 'pass' here"):
        replay(Busted(), {}, [((1, 1), "pass")])


@pytest.mark.parametrize(("first", "second"), list(product((2, 12), repeat=2)))
def test_two_of_them_fill_every_space(first: int, second: int) -> None:
    assert after(table("59,10,6", "none", first, second)) == ((None, 10, 6), {**FULL, 11: 7}, 1, False)
    assert after(table("61,8,6", "none", first, second)) == ((None, 8, 6), {**FULL, 11: 9}, 1, False)
    assert after(table("58,5,5", "7:7", first, second)) == ((2, 5, 5), FULL, 1, False)


def test_with_too_few_chips_for_all_spaces_the_lowest_are_filled_first() -> None:
    assert after(table("20,30,25", "none", 2, 12)) == ((None, 30, 25), {3: 3, 4: 4, 5: 5, 6: 6, 7: 2}, 1, False)
    assert after(table("12,30,33", "none", 2, 2)) == ((None, 30, 33), {3: 3, 4: 4, 5: 5}, 1, False)


# --- who is out ------------------------------------------------------------------------------------------------------


def test_with_too_few_chips_the_player_puts_down_what_there_is_and_is_out() -> None:
    assert after(table("4,40,31", "none", 9)) == ((None, 40, 31), {9: 4}, 1, False)
    assert after(table("4,40,17", "7:14", 7)) == ((None, 40, 17), {7: 18}, 1, False)
    assert after(table("1,40,20", "7:14", 12, 11)) == ((4, 40, 20), {11: 11}, 1, False)
    assert after(table("1,40,30", "4:4", 12, 11)) == ((None, 40, 30), {11: 5}, 1, False)


def test_an_exact_fit_puts_the_player_out_too() -> None:
    assert after(table("9,40,26", "none", 9)) == ((None, 40, 26), {9: 9}, 1, False)
    assert after(table("7,40,28", "none", 7)) == ((None, 40, 28), {7: 7}, 1, False)


def test_a_space_filled_in_part_pays_what_lies_there() -> None:
    assert after(table("-,40,31", "9:4", 9, mover=1)) == ((None, 44, 31), {}, 1, True)
    assert after(table("-,40,17", "7:18", 7, mover=1)) == ((None, 33, 17), {7: 25}, 2, False)


def test_who_is_out_is_passed_over() -> None:
    assert after(table("40,-,35", "none", 3))[2] == 2
    assert after(table("40,-,35", "none", 3, 4))[2] == 0
    assert after(table("40,35,-", "none", 3, 4, 5))[2] == 1


def test_the_last_player_in_wins() -> None:
    played = table("-,3,65", "7:7", 5, mover=1)
    assert played.over
    assert list(played.shares) == [0, 0, 1]
    duel = table("40,10", "none", 12, 12, players=2)
    assert duel.over
    assert list(duel.shares) == [0, 1]


def test_two_players_play_by_the_same_rules() -> None:
    assert after(table("25,25", "none", 6, 6, players=2), 2) == ((19, 31), {}, 1, True)


# --- boards ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "total"), [(2, 2), (2, 17), (2, 50), (3, 3), (3, 10), (3, 21)])
def test_boards_are_counted_through(players: int, total: int) -> None:
    part = AllChips(players, total)
    every = np.arange(part.size)
    chips = part.column(every)
    assert (part.rank(list(chips), part.size) == every).all()
    assert (chips.sum(axis=0) == total).all()
    assert (chips[:players] > 0).sum(axis=0).min() >= 2
    assert len({tuple(one) for one in chips.T.tolist()}) == part.size


def test_what_cannot_be_has_no_rank() -> None:
    part = AllChips(3, 30)
    whole = [10, 10, 7, 3, 0, 0, 0, 0, 0, 0, 0, 0]
    assert part.rank([np.array([number]) for number in whole], 1) >= 0
    wrong: list[dict[int, int]] = [
        {0: 9},  # a chip is missing
        {0: 12, 3: 1},  # filled in part while all are in
        {0: 0, 1: 20},  # the mover is out
        {1: 0, 2: 0, 0: 27},  # two are out
        {0: 23, 2: 0, 3: 1, 4: 1, 1: 5},  # two spaces are filled in part
        {0: 16, 2: 0, 3: 1, 7: 3},  # and space 7 is one of them
        {0: 14, 3: -1},
        {0: 9, 3: 4},  # more than fits
    ]
    for changes in wrong:
        rows = [np.array([changes.get(row, number)]) for row, number in enumerate(whole)]
        assert part.rank(rows, 1).tolist() == [-1], changes


def test_boards_hold_chips_of_some_players() -> None:
    for players, total in ((1, 5), (4, 40), (3, 2)):
        with pytest.raises(ValueError, match="have no board"):
            AllChips(players, total)


def test_chips_can_have_been_taken_where_a_space_for_them_is_empty() -> None:
    """As many boards as a take leads to."""
    for game in (Busted(fewer=4), BustedDuel(players=2, fewer=9)):
        part = game.space
        chips = part.column(np.arange(part.size))
        board = game.boards().columns(game.boards().index({"taken": 0, "chips": chips}, part.size))
        reached = np.zeros(part.size, dtype=bool)
        for thrown in (3, 4, 5, 6, 8, 9, 10, 11):
            said = game.transition(board, ("rolled", thrown))
            assert said.next is not None
            takes = np.asarray(said.next["taken"]) == 1
            reached[part.rank([row[takes] for row in said.next["chips"]], int(takes.sum()))] = True
        assert (reached == can_have_taken(chips, game.players)).all()


# --- questions -------------------------------------------------------------------------------------------------------


def test_once_chips_are_in_play_a_question_is_whether_to_pass_unless_it_says_otherwise() -> None:
    asked = {"chips": "20,19,19", "board": "3:3,7:14"}
    assert moves(Busted(), begin(Busted(), asked)) == ["pass", "roll"]
    assert moves(Busted(), begin(Busted(), {**asked, "taken": False})) == ["roll"]
    assert moves(Busted(), begin(Busted(), {})) == ["roll"]
    nothing_to_take = {"chips": "3,30,35", "board": "7:7"}  # the least that can be taken leaves one chip more
    assert moves(Busted(), begin(Busted(), nothing_to_take)) == ["roll"]


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"chips": "20,19,19"}, "3 players have 75 chips, in hand and on the board together, got 58 and 0", "board"),
    (
        {"chips": "20,19,19", "board": "3:3"},
        "3 players have 75 chips, in hand and on the board together, got 58",
        "board",
    ),
    ({"chips": "40,40,40"}, "3 players have 75 chips, in hand and on the board together, got 120 and 0", "chips"),
    ({"chips": "70,5,-,1"}, "chips is a list of 3 numbers, got 4", "chips"),
    ({"chips": "-,-,75"}, "the game is over, seat 2 is the last one in and won", "chips"),
    ({"chips": "-,-,-"}, "the last one in wins with chips in hand, got no chips at all", "chips"),
    ({"chips": "25,-,50"}, "", ""),
    ({"chips": "25,-,50", "mover": 1}, "mover is a seat that is still in (0, 2), got 1", "mover"),
    ({"chips": "25,25,21", "board": "5:4"}, "space 5 holds 5 chips or none while everybody is in, got 4", "board"),
    ({"chips": "25,25,19", "board": "5:6"}, "space 5 holds 5 chips or none, got 6", "board"),
    (
        {"chips": "25,25,20", "board": "7:5"},
        "space 7 holds a multiple of 7 chips while everybody is in, got 5",
        "board",
    ),
    ({"chips": "25,-,44", "board": "5:6"}, "space 5 holds 5 chips or none, got 6", "board"),
    ({"chips": "25,-,46", "board": "5:4"}, "", ""),
    ({"chips": "25,-,45", "board": "7:5"}, "", ""),
    ({"chips": "25,-,41", "board": "5:4,7:5"}, "spaces 5 and 7 are both filled in part, but only one player", "board"),
    ({"chips": "25,-,41", "board": "5:4,9:5"}, "spaces 5 and 9 are both filled in part, but only one player", "board"),
    ({"board": "2:2"}, "board names spaces from 3 to 11, got 2", "board"),
    ({"board": "3:3,3:3"}, "board names space 3 twice", "board"),
    ({"board": "3:99"}, "board names chips from 0 to 75, got 99", "board"),
    ({"board": "3"}, "board is a list of space:chip like 3:3,7:14, got '3'", "board"),
    ({"taken": "maybe"}, "taken is true or false, got 'maybe'", "taken"),
    ({"chips": "3,40,32", "taken": True}, "taken=true, but no space can have been emptied that leaves", "taken"),
    ({"mover": "3"}, "mover is from 0 to 2, got 3", "mover"),
]


@pytest.mark.parametrize(("asked", "line", "field"), WRONG, ids=str)
def test_a_question_that_cannot_be_is_refused_in_one_line(asked: dict[str, Any], line: str, field: str) -> None:
    if not line:
        begin(Busted(), asked)
        return
    with pytest.raises(BadInput) as refused:
        begin(Busted(), asked)
    assert str(refused.value).startswith(line)
    assert refused.value.field == field


def test_chips_that_are_missing_may_lie_on_space_7() -> None:
    with pytest.raises(StateError) as refused:
        Busted().locate(chips=(20, 19, 19), board={3: 3})
    assert refused.value.hint == "board=3:3,7:14"
    with pytest.raises(StateError) as refused:
        Busted().locate(chips=(20, 19, 20), board={3: 3})
    assert refused.value.hint == ""


@pytest.mark.parametrize("players", range(4, 11))
def test_more_players_are_refused(players: int) -> None:
    with pytest.raises(ParameterError, match="players is one of 3, 2") as refused:
        turn_game("busted", players=players)
    assert refused.value.field == "players"
    assert Busted().unsolved()[players] > 10**8


@pytest.mark.parametrize(("chips", "line"), [(24, "chips is from 25 to 30, got 24"), (31, "chips is from 25 to 30")])
def test_as_many_chips_as_the_sheet_suggests(chips: int, line: str) -> None:
    with pytest.raises(ParameterError, match=line):
        Busted(chips=chips)
