"""Big Six by its rules: what each roll does, who wins, what a question may say."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from rollwise.games.big_six.rules import SPACES, BigSix, move
from rollwise.games.claims.replay import ReplayPosition, replay
from rollwise.solver.markov_chains.layout import lay_out
from rollwise.solver.model.dice import throws
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.turn.graph import compile_turn


def rolled(*faces: int, **state: object) -> ReplayPosition:
    """The next players roll these, one each; occupied spaces are the first ones."""
    return replay(BigSix(3), state, [((face,), None) for face in faces], outcome_of=move)


def chips(played: ReplayPosition) -> tuple[int, ...]:
    """By seat."""
    held = dict(zip(played.seats, played.board["chips"], strict=True))
    return tuple(held[seat] for seat in range(3))


def winner(played: ReplayPosition) -> int | None:
    """The seat that has won, None while the game goes on."""
    return played.shares.index(Fraction(1)) if played.over else None


def test_everybody_starts_with_five_chips_and_nothing_lies_on_the_board() -> None:
    position = BigSix(3).locate()
    assert position.board == {"occupied": 0, "chips": (5, 5, 5)}


def test_a_roll_of_an_empty_space_puts_a_chip_there() -> None:
    played = rolled(3)
    assert (chips(played), played.board["occupied"], played.mover) == ((4, 5, 5), 1, 1)


def test_a_roll_of_an_occupied_space_takes_its_chip() -> None:
    played = rolled(2, board=(1, 2), mover=1, chips=(4, 3, 3))
    assert (chips(played), played.board["occupied"], played.mover) == ((4, 4, 3), 1, 2)


@pytest.mark.parametrize("occupied", range(SPACES + 1))
def test_a_six_always_puts_a_chip_out_of_the_game(occupied: int) -> None:
    played = rolled(6, board=tuple(range(1, occupied + 1)), chips=(3, 3, 3))
    assert (chips(played), played.board["occupied"]) == ((2, 3, 3), occupied)


def test_chips_on_space_six_are_never_taken_again() -> None:
    game = BigSix(3)
    played = rolled(6, 6, 6)
    assert chips(played) == (4, 4, 4)
    assert played.board["occupied"] == 0
    assert all(move(faces, occupied=0) != "take" for faces, _ in throws(1))
    assert game.level(game.boards().columns(np.array([game.boards().index_of(**played.board)]))) == [3]


@pytest.mark.parametrize("face", [4, 6])
def test_the_first_player_without_chips_wins_at_once(face: int) -> None:
    played = rolled(face, chips=(3, 1, 3), mover=1)
    assert winner(played) == 1


def test_a_last_chip_is_kept_where_the_space_is_occupied() -> None:
    played = rolled(1, chips=(1, 3, 3), board=(1,))
    assert not played.over
    assert chips(played) == (2, 3, 3)


def test_which_spaces_are_occupied_makes_no_difference() -> None:
    game = BigSix()
    assert game.locate(chips=(4, 4), board=(1, 4)) == game.locate(chips=(4, 4), board=(3, 5))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_boards_that_are_reached_agree_in_odd_and_even(players: int) -> None:
    game = BigSix(players)
    start = game.boards().index_of(**game.first_board())
    reached = lay_out(game, compile_turn(game), start).boards
    columns = game.boards().columns(reached)
    assert game.possible(columns).all()
    turns = ((columns.chips[1:] + columns.chips[:-1]) % 2).sum(axis=0)
    assert set(turns.tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"chips": (5, 0, 4)}, "the game is over, seat 1 has no chips left and won"),
        ({"board": (1,)}, "the game holds 15 chips, got 15 in hand and 1 on the board"),
        ({"chips": (5, 4, 5)}, "at most once, got 5,4,5 from the mover on"),
    ],
)
def test_a_board_that_cannot_be_is_refused(state: dict[str, object], said: str) -> None:
    with pytest.raises(StateError, match=said):
        BigSix(3).locate(**state)  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [1, 7])
def test_two_to_six_play(players: int) -> None:
    with pytest.raises(ParameterError, match="players is from 2 to 6"):
        BigSix(players)
