"""Thunderstorm by its rules: the sheet's example, what a throw does to dice and houses, what a question may say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rollwise.games.claims.replay import Played, by_seat, replay
from rollwise.games.thunderstorm import Thunderstorm
from rollwise.solver.game.dice import Faces
from rollwise.solver.game.errors import ModelError, ParameterError, StateError
from rollwise.solver.reference.walk import walk

A, B, C, D = range(4)
SIX_ONES = (1, 1, 1, 1, 1, 1)
NO_ONE = (2, 3, 4, 5, 6, 6)
EXAMPLE = [
    ((1, 1, 5, 3, 6, 5), 4, (0, 0, 0, 0), B),
    ((1, 2, 6, 4), 3, (0, 0, 0, 0), C),
    ((3, 3, 4), 3, (0, 0, 1, 0), D),
    ((1, 1, 5), 1, (0, 0, 1, 0), A),
    ((2,), 1, (1, 0, 1, 0), B),
    ((1,), 6, (1, 0, 1, 0), C),
]  # throw, dice passed on, failures by seat, who throws next


def thrown(*dice: Faces, players: int = 4, **state: Any) -> Played:
    """The players throw these, one after another."""
    return replay(Thunderstorm(players), state, [(faces, None) for faces in dice], lambda faces, _: faces.count(1))


def table(played: Played) -> tuple[int, tuple[int | None, ...], int]:
    """(dice to be thrown, failures by seat, who throws)."""
    game = Thunderstorm(len(played.board["failures"]))
    return 6 - played.board["ones"], by_seat(game, played, "failures"), played.mover


@pytest.mark.parametrize("count", range(1, len(EXAMPLE) + 1))
def test_the_example_goes_as_the_sheet_says(count: int) -> None:
    played = thrown(*(dice for dice, *_ in EXAMPLE[:count]))
    assert table(played) == EXAMPLE[count - 1][1:]


def test_the_first_player_throws_six_dice() -> None:
    assert Thunderstorm().locate().state == (6,)


def test_all_dice_that_are_not_aside_are_thrown() -> None:
    with pytest.raises(ModelError, match="does not throw 5 dice here"):
        thrown((1, 1, 5, 3, 6, 5), (1, 2, 6, 4, 4))


def test_six_ones_at_once_give_the_next_player_six_dice() -> None:
    assert table(thrown(SIX_ONES)) == (6, (0, 0, 0, 0), B)


def test_a_throw_without_a_one_passes_the_dice_on_as_they_are() -> None:
    assert table(thrown(NO_ONE)) == (6, (1, 0, 0, 0), B)


def test_the_sixth_failure_finishes_the_house_and_its_owner_stays_in() -> None:
    assert table(thrown((2,), failures="5,0,0,0", dice=1)) == (1, (6, 0, 0, 0), B)


def test_the_seventh_failure_is_out_and_the_dice_pass_on() -> None:
    assert table(thrown((2, 2), failures="6,1,2,3", dice=2)) == (2, (None, 1, 2, 3), B)


def test_who_is_out_is_left_out_of_the_round() -> None:
    played = thrown((2, 2), (1, 3), (4,), failures="6,1,2,3", dice=2, mover=A)
    assert table(played) == (1, (None, 1, 3, 3), D)
    assert table(thrown((5,), failures="-,1,3,3", dice=1, mover=D)) == (1, (None, 1, 3, 4), B)
    assert table(thrown((5,), failures="0,-,-,3", dice=1, mover=A)) == (1, (1, None, None, 3), D)


@pytest.mark.parametrize(
    ("failures", "mover", "winner"),
    [("6,3,-,-", A, B), ("6,-,6,-", A, C), ("0,-,-,6", D, A), ("-,6,0,-", B, C), ("-,0,6,-", C, B)],
)
def test_the_last_player_in_wins(failures: str, mover: int, winner: int) -> None:
    played = thrown((6,), failures=failures, dice=1, mover=mover)
    assert played.over
    assert [seat for seat, share in enumerate(played.shares) if share] == [winner]
    assert played.shares[winner] == Fraction(1)


def test_nobody_wins_while_three_are_in() -> None:
    assert not thrown((6,), failures="6,6,6,-", dice=1).over


def test_a_one_never_ends_the_game() -> None:
    assert table(thrown((1,), failures="6,6,-,-", dice=1)) == (6, (6, 6, None, None), B)


@pytest.mark.parametrize("players", [2, 9])
def test_three_to_eight_play(players: int) -> None:
    with pytest.raises(ParameterError, match=f"players is from 3 to 8, got {players}"):
        Thunderstorm(players)


@pytest.mark.parametrize(("players", "house"), [(3, 6), (4, 2), (5, 1), (8, 0)])
def test_every_board_can_be_reached(players: int, house: int) -> None:
    report = walk(Thunderstorm(players, house))
    assert report.n_reachable == report.n_boards == Thunderstorm(players, house).boards().size


def test_levels_count_the_failures_of_those_who_are_out() -> None:
    game = Thunderstorm(4)
    space = game.boards()
    for failures, level in [("0,0,0,0", 0), ("6,2,0,1", 9), ("-,2,0,-", 16)]:
        fields = {field.name: field for field in game.fields()}
        position = game.locate(failures=fields["failures"].parse(failures), mover=1)
        board = space.columns(space.index(position.board, 1))
        assert game.level(board).tolist() == [level]


# --- questions -----------------------------------------------------------------------------------------------------


def test_places_of_a_board_are_the_seats_still_in() -> None:
    position = Thunderstorm(5).locate(failures=(4, None, 2, None, 0), dice=3, mover=2)
    assert position.board == {"ones": 3, "failures": (2, 0, 4, 7, 7)}
    assert position.seats == (2, 4, 0)


def test_a_question_without_fields_is_the_start() -> None:
    game = Thunderstorm(6)
    assert game.locate().board == game.first_board()


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"failures": (None, 3, None)}, "the game is over: seat 1 is the last one in and has won"),
        ({"failures": (None, None, None)}, "failures has at least two seats that are still in, got none"),
        ({"failures": (None, 3, 0)}, r"the mover is a seat that is still in \(1 or 2\), got 0"),
    ],
)
def test_a_state_that_cannot_be_is_refused_in_one_line(state: dict[str, Any], message: str) -> None:
    with pytest.raises(StateError, match=message):
        Thunderstorm().locate(**state)


@pytest.mark.parametrize(("typed", "message"), [("7,0,0", "from 0 to 6, got 7"), ("1,2", "list of 3 numbers, got 2")])
def test_seven_failures_are_written_as_out(typed: str, message: str) -> None:
    failures = Thunderstorm().fields()[0]
    with pytest.raises(StateError, match=message):
        failures.parse(typed)
