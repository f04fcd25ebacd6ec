"""Finish by its rules: the sheet's example round, what each roll costs and brings, what a question may say."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rollwise.games.claims.replay import ReplayPosition, replay
from rollwise.games.finish.rules import NEW, Finish, outcome
from rollwise.solver.markov_chains.layout import lay_out
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import ModelError, ParameterError, StateError
from rollwise.solver.turn.graph import compile_turn

A, B, C, D = range(4)
WHOLE_ROW = (1, 2, 3, 4, 5, 6)
NO_ONE = (2, 3, 4, 5, 6, 6)
EXAMPLE = [
    ((1, 2, 3, 6, 6, 1), 3, (10, 10, 10, 10), B),
    ((4, 1, 3), 4, (10, 10, 10, 10), C),
    ((6, 2), 4, (10, 10, 8, 10), D),
    ((5, 5), 5, (10, 10, 8, 10), A),
    ((6,), NEW, (13, 9, 7, 9), B),
]  # throw, the row after it, chips by seat, who rolls next


def rolled(*dice: Faces, **state: object) -> ReplayPosition:
    """Four players roll these, one after another."""
    return replay(Finish(4), state, [(faces, None) for faces in dice], outcome)


def chips(played: ReplayPosition) -> tuple[int, ...]:
    """By seat."""
    held = dict(zip(played.seats, played.board["chips"], strict=True))
    return tuple(held[seat] for seat in range(4))


def winner(played: ReplayPosition) -> int | None:
    """The seat that has won, None while the game goes on."""
    return played.shares.index(Fraction(1)) if played.over else None


def test_everybody_starts_with_ten_chips() -> None:
    assert Finish(4).locate().board == {"row": NEW, "chips": (10, 10, 10, 10)}


@pytest.mark.parametrize("count", range(1, len(EXAMPLE) + 1))
def test_the_example_round_goes_as_the_sheet_says(count: int) -> None:
    played = rolled(*(dice for dice, *_ in EXAMPLE[:count]))
    _, row, held, mover = EXAMPLE[count - 1]
    assert (played.board["row"], chips(played), played.mover) == (row, held, mover)


def test_the_next_player_rolls_only_the_dice_that_are_left() -> None:
    with pytest.raises(ModelError, match="does not throw 4 dice here"):
        rolled((1, 2, 3, 6, 6, 1), (4, 1, 3, 3))


def test_as_many_dice_as_fit_are_placed() -> None:
    assert outcome((3, 4, 5, 5), 2) == 5


def test_dice_that_do_not_continue_the_row_are_not_placed() -> None:
    assert outcome((4, 5, 6, 6), 2) == "pays"


@pytest.mark.parametrize("placed", range(1, 6))
def test_whoever_places_nothing_pays_for_each_empty_space(placed: int) -> None:
    miss = tuple(1 for _ in range(6 - placed))
    played = rolled(miss, placed=placed, chips=(9, 9, 9, 9))
    assert (chips(played), played.board["row"], played.mover) == ((9 - (6 - placed), 9, 9, 9), placed, 1)


def test_an_opener_who_places_nothing_pays_for_all_six_and_passes_six_dice() -> None:
    played = rolled(NO_ONE)
    assert (chips(played), played.board["row"], played.mover) == ((4, 10, 10, 10), 0, 1)


def test_too_few_chips_are_paid_as_far_as_they_go_and_put_the_player_out() -> None:
    played = rolled((1, 1, 1), placed=3, chips=(2, 9, 9, 9))
    assert (chips(played), played.board["row"], played.mover, played.over) == ((0, 9, 9, 9), 3, 1, False)


def test_the_last_chip_paid_puts_the_player_out() -> None:
    played = rolled((1, 1, 1), (4, 1, 1), placed=3, chips=(3, 9, 9, 9))
    assert (chips(played), played.mover) == ((0, 9, 9, 9), 2)


def test_the_dice_pass_over_those_who_are_out() -> None:
    played = rolled((5, 5), placed=4, chips=(9, None, None, 9))
    assert (chips(played), played.mover) == ((9, 0, 0, 9), 3)


def test_the_finisher_gets_one_chip_from_everybody_who_is_in() -> None:
    played = rolled((6,), placed=5, chips=(9, None, 4, 9))
    assert (chips(played), played.board["row"], played.mover) == ((11, 0, 3, 8), NEW, 2)


def test_whoever_gives_the_last_chip_to_the_finisher_is_out_and_does_not_open() -> None:
    played = rolled((6,), placed=5, chips=(9, 1, 4, 9))
    assert (chips(played), played.mover) == ((12, 0, 3, 8), 2)


def test_the_last_one_in_wins_by_finishing() -> None:
    played = rolled((6,), placed=5, chips=(None, 1, 4, 1), mover=2)
    assert winner(played) == 2


def test_the_last_one_in_wins_when_the_other_pays_all() -> None:
    played = rolled((1,), placed=5, chips=(None, 1, 4, None), mover=1)
    assert winner(played) == 2


def test_an_opener_who_rolls_the_whole_row_wins_at_once() -> None:
    played = rolled(WHOLE_ROW, mover=2)
    assert winner(played) == 2


def test_the_whole_row_wins_in_a_later_round_too() -> None:
    assert winner(rolled(*(dice for dice, *_ in EXAMPLE), WHOLE_ROW)) == 1


def test_after_an_opener_who_placed_nothing_the_whole_row_only_finishes() -> None:
    played = rolled(NO_ONE, WHOLE_ROW)
    assert (chips(played), played.board["row"], played.over) == ((3, 13, 9, 9), NEW, False)


def test_when_all_have_placed_nothing_the_opener_has_had_the_first_roll() -> None:
    played = rolled(NO_ONE, NO_ONE, NO_ONE, NO_ONE, WHOLE_ROW)
    assert (chips(played), played.board["row"], played.over) == ((7, 3, 3, 3), NEW, False)


@pytest.mark.parametrize(("players", "held"), [(3, 1), (3, 3), (3, 10), (4, 2), (4, 4), (5, 1), (5, 2)])
def test_the_pot_always_has_what_must_have_been_paid(players: int, held: int) -> None:
    game = Finish(players, held)
    start = game.boards().index_of(**game.first_board())
    reached = lay_out(game, compile_turn(game), start).boards
    assert game.possible(game.boards().columns(reached)).all()


def test_a_question_may_tell_that_the_opener_has_rolled_in_vain() -> None:
    assert Finish(4).locate(chips=(4, 10, 10, 10), opened=1, mover=1).state == (0,)
    assert Finish(4).locate(chips=(4, 10, 10, 10), mover=1).state == (NEW,)
    assert Finish(4).locate(chips=(4, 10, 10, 10), placed=2, mover=1).state == (2,)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"chips": (10, 10, 11, 10)}, "the game holds 40 chips, got 41"),
        ({"chips": (None, 12, None, None), "mover": 1}, "the game is over, seat 1 is the last one in and won"),
        ({"chips": (None, None, None, None)}, "the last one in wins with chips in hand, got no chips at all"),
        ({"chips": (None, 12, None, 3)}, r"mover is a seat that is still in \(1, 3\), got 0"),
        ({"placed": 3, "opened": 0}, "with placed=3 the opener of the round has rolled, got opened=0"),
        ({"opened": 1}, "at least 6 have been paid to the pot, which holds the other 0 of 40"),
        (
            {"chips": (10, 10, 10, 9), "opened": 1},
            "at least 6 have been paid to the pot, which holds the other 1 of 40",
        ),
        ({"chips": (12, 10, 9, 8)}, "at least 5 have been paid to the pot, which holds the other 1 of 40"),
    ],
)
def test_a_board_that_cannot_be_is_refused(state: dict[str, object], said: str) -> None:
    with pytest.raises(StateError, match=said):
        Finish(4).locate(**state)  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [2, 6])
def test_three_to_five_play(players: int) -> None:
    with pytest.raises(ParameterError, match=f"players.*, got {players}"):
        Finish(players)
