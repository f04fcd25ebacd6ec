"""Aces in the Pot by its rules: where coins go, who rolls next, the last coin, what a question may say."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from rollwise.games.aces_in_the_pot.rules import LAST, SEVERAL, AcesInThePot, Moved, coins_moved, last_coin_fate
from rollwise.games.claims.replay import ReplayPosition, replay
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import ModelError, ParameterError, StateError
from rollwise.solver.model.game import Chance, End

SAFE = (1, 2, 3, 4, 5, 1)  # three throws of both dice without a 6
SIX = (1, 2, 3, 4, 5, 6)


def seen(faces: Faces, stage: str) -> Moved | str:
    return last_coin_fate(faces) if stage == LAST else coins_moved(faces)


def thrown(*dice: Faces, **state: object) -> ReplayPosition:
    """The players throw these, one after another."""
    return replay(AcesInThePot(4), state, [(faces, None) for faces in dice], seen)


def coins(played: ReplayPosition) -> tuple[int, ...]:
    """By seat."""
    held = dict(zip(played.seats, played.board["coins"], strict=True))
    return tuple(held[seat] for seat in range(4))


def winner(played: ReplayPosition) -> int | None:
    """The seat that has won, None while the game goes on."""
    return played.shares.index(Fraction(1)) if played.over else None


def test_everybody_starts_with_two_coins() -> None:
    assert AcesInThePot(4).locate().board == {"coins": (2, 2, 2, 2)}


@pytest.mark.parametrize(
    ("faces", "after"),
    [
        ((2, 5), (2, 2, 2, 2)),
        ((1, 3), (1, 2, 2, 2)),
        ((4, 6), (1, 3, 2, 2)),
        ((1, 1), (0, 2, 2, 2)),
        ((6, 6), (0, 4, 2, 2)),
        ((1, 6), (0, 3, 2, 2)),
    ],
)
def test_ones_go_to_the_pot_and_sixes_to_the_left(faces: Faces, after: tuple[int, ...]) -> None:
    played = thrown(faces)
    assert (coins(played), played.mover) == (after, 1)


def test_the_left_of_the_last_seat_is_the_first() -> None:
    assert coins(thrown((6, 2), mover=3)) == (3, 2, 2, 1)


def test_two_sixes_give_the_one_coin_there_is() -> None:
    assert coins(thrown((6, 6), coins=(1, 2, 0, 0))) == (0, 3, 0, 0)


def test_the_pot_comes_before_the_neighbour() -> None:
    assert coins(thrown((1, 6), coins=(1, 2, 0, 0))) == (0, 2, 0, 0)


def test_whoever_has_no_coins_does_not_roll() -> None:
    played = thrown((2, 3), coins=(1, 0, 0, 2))
    assert (coins(played), played.mover) == ((1, 0, 0, 2), 3)


def test_a_player_without_coins_is_in_again_when_the_neighbour_rolls_a_six() -> None:
    played = thrown((6, 3), coins=(2, 0, 0, 1))
    assert (coins(played), played.mover) == ((1, 1, 0, 1), 1)


def test_the_only_player_with_coins_rolls_again() -> None:
    played = thrown((2, 3), coins=(0, 0, 3, 0), mover=2)
    assert (coins(played), played.mover) == ((0, 0, 3, 0), 2)


def test_the_last_coin_outside_never_enters_the_pot() -> None:
    played = thrown((1, 1), coins=(2, 0, 0, 0))
    assert (coins(played), played.mover, played.node.state) == ((1, 0, 0, 0), 0, (LAST,))  # type: ignore[union-attr]


def test_a_six_is_carried_out_when_a_one_has_left_the_last_coin() -> None:
    played = thrown((1, 6), coins=(2, 0, 0, 0))
    assert (coins(played), played.mover, played.node.state) == ((0, 1, 0, 0), 1, (LAST,))  # type: ignore[union-attr]


def test_the_holder_of_the_last_coin_is_next_whoever_rolled() -> None:
    played = thrown((1, 2), coins=(1, 0, 1, 0))
    assert (coins(played), played.mover) == ((0, 0, 1, 0), 2)


def test_three_throws_without_a_six_win() -> None:
    played = thrown(SAFE, coins=(0, 0, 1, 0), mover=2)
    assert winner(played) == 2


def test_after_a_six_the_next_player_tries_with_the_last_coin() -> None:
    played = thrown(SIX, SIX, coins=(0, 0, 1, 0), mover=2)
    assert (coins(played), played.mover, played.over) == ((1, 0, 0, 0), 0, False)
    assert winner(thrown(SIX, SIX, SAFE, coins=(0, 0, 1, 0), mover=2)) == 0


def test_three_throws_are_safe_as_often_as_three_throws_of_two_dice() -> None:
    one = Fraction(sum(6 not in dice for dice in product(range(1, 7), repeat=2)), 36)
    word = AcesInThePot().turn(LAST)
    assert isinstance(word, Chance)
    ways = {after.result: weight for weight, after in word.outcomes if isinstance(after, End)}
    assert Fraction(ways["wins"], 6**6) == one**3
    assert sum(ways.values()) == 6**6


def test_an_ordinary_throw_is_one_of_six_results() -> None:
    word = AcesInThePot().turn(SEVERAL)
    assert isinstance(word, Chance)
    assert len(word.outcomes) == 6


def test_three_throws_are_not_made_while_several_coins_are_outside() -> None:
    with pytest.raises(ModelError, match="does not throw 6 dice here"):
        thrown(SAFE)


@pytest.mark.parametrize(("players", "boards"), [(4, 330), (10, 20_030_010)])
def test_only_boards_with_a_coin_for_the_mover_are_counted(players: int, boards: int) -> None:
    assert AcesInThePot(players).boards().size == boards


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"coins": (2, 2, 2, 3)}, "the game holds 8 coins, got 9"),
        ({"coins": (0, 0, 0, 0)}, "the last coin never goes into the pot, so a seat has a coin, got none"),
        ({"coins": (0, 2, 0, 3)}, r"mover is a seat that has a coin \(1, 3\), got 0"),
    ],
)
def test_a_board_that_cannot_be_is_refused(state: dict[str, object], said: str) -> None:
    with pytest.raises(StateError, match=said):
        AcesInThePot(4).locate(**state)  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [3, 11])
def test_four_to_ten_play(players: int) -> None:
    with pytest.raises(ParameterError, match="players is from 4 to 10"):
        AcesInThePot(players)
