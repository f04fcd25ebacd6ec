"""Drop Dead by its rules: the sheet's example, what a throw does, what a question may say."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import rollwise
from rollwise.games.drop_dead.rules import DICE, DropDead, RaceOdds, outcome_of
from rollwise.solver.markov_chains.chain import Distribution
from rollwise.solver.markov_chains.independent import shares_of_highest
from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.game import Position
from rollwise.solver.turn.graph import compile_turn
from tests.games.helping import follows, played, rules


def odds(players: int = 2, **state: object) -> RaceOdds:
    game = DropDead(players)
    return game.odds(compile_turn(game), **state)  # type: ignore[arg-type]


@rules(
    "play, points, dice",
    {
        "the example's first throw": ("26643", 0, 4),
        "its second": ("26643, 3146", 14, 4),
        "its third": ("26643, 3146, 5563", 14, 2),
        "its fourth": ("26643, 3146, 5563, 24", 14, 1),
        "its fifth": ("26643, 3146, 5563, 24, 3", 17, 1),
        "its sixth": ("26643, 3146, 5563, 24, 3, 4", 21, 1),
        "its seventh ends it": ("26643, 3146, 5563, 24, 3, 4, 2", 21, None),
    },
)
def test_the_example_turn_goes_as_the_sheet_says(play: str, points: int, dice: int | None) -> None:
    now = follows(DropDead(), {}, play)
    assert (now["points"], None if now["over"] else now["dice"]) == (points, dice)


def test_all_dice_that_are_left_are_thrown_and_none_after_the_end() -> None:
    for question, play, told in (
        ({"dice": 1}, "5, 3", "is over before 3"),
        ({}, "1346", "does not throw 4 dice here, got 1 3 4 6"),
    ):
        with pytest.raises(ModelError, match=told):
            played(DropDead(), question, play)


@pytest.mark.parametrize(
    ("faces", "result"), [((1, 1, 1, 1, 1), (0, 5)), ((2, 2, 5, 5, 2), (5, 0)), ((6,), (0, 6)), ((5, 6), (1, 0))]
)
def test_a_throw_scores_only_without_twos_and_fives(faces: tuple[int, ...], result: tuple[int, int]) -> None:
    assert outcome_of(faces) == result


def test_a_question_without_fields_is_the_start_and_points_so_far_are_part_of_the_position() -> None:
    assert DropDead().locate() == Position({"dice": 5}, (5,), points=0, mover=0)
    position = DropDead(3).locate(scores=(12, 0, 0), mover=1, turn=14, dice=2)
    assert position == Position({"dice": 2}, (2,), points=14, mover=1)
    told = rollwise.ask("drop-dead", state={"scores": [0, 0], "mover": 1})
    assert rollwise.ask("drop-dead", state={"mover": 1}).quantities == told.quantities


def test_exactly_the_points_that_can_be_are_accepted() -> None:
    """Every total up to 30, against a walk over all throws of five and of fewer dice."""
    can: set[tuple[int, int]] = set()
    ahead = [(DICE, 0)]
    while ahead:
        dice, turn = ahead.pop()
        if (dice, turn) not in can and dice and turn <= 30:
            can.add((dice, turn))
            results = {outcome_of(faces) for faces in product(range(1, 7), repeat=dice)}
            ahead += [(dice - dropped, turn + points) for dropped, points in results]
    for dice, turn in product(range(1, DICE + 1), range(31)):
        if (dice, turn) in can:
            assert DropDead().locate(dice=dice, turn=turn).points == turn
        else:
            with pytest.raises(StateError):
                DropDead().locate(dice=dice, turn=turn)


def test_settling_columns_is_settling_boards_one_by_one() -> None:
    game = DropDead()
    said = game.transition(game.boards().columns(np.arange(5)), (3, 0))
    assert said.legal.tolist() == [False, False, True, True, True]
    assert said.over.tolist() == [False, False, True, False, False]


# --- length --------------------------------------------------------------------------------------------------------


def test_the_last_die_by_hand() -> None:
    """It is thrown until it shows a 2 or a 5: after n rolls with chance 1/3 (2/3) ** (n - 1)."""
    found = odds(2, scores=(10, 0), mover=1, turn=7, dice=1)
    assert found.length == 3
    for rolls in range(1, 20):
        chance = Fraction(2 ** (rolls - 1), 3**rolls)
        assert found.lengths.certain[rolls] <= chance <= found.lengths.certain[rolls] + found.lengths.open


def test_every_player_to_come_throws_five_dice() -> None:
    alone = odds(2, scores=(10, 0), mover=1).length
    assert odds(3).length == 3 * alone
    assert odds(4, mover=1, scores=(3, 0, 0, 0), turn=7, dice=1).length == 3 + 2 * alone
    assert min(number for number, chance in odds(3).lengths.certain.items() if chance) == 3


@pytest.mark.parametrize("players", [2, 5])
def test_lengths_have_their_mean_and_leave_little_open(players: int) -> None:
    found = odds(players)
    assert 0 < found.lengths.open < Fraction(1, 10**11)
    mean = sum(number * chance for number, chance in found.lengths.certain.items())
    assert mean < found.length < mean + Fraction(1, 10**8)


# --- shares of the win ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3])
def test_at_the_start_all_seats_are_equal(players: int) -> None:
    for lower, upper in odds(players).win:
        assert lower <= Fraction(1, players) <= upper < lower + Fraction(1, 10**11)


def test_shares_and_what_is_past_the_cut_make_a_whole_and_a_score_past_every_cut_has_bounds() -> None:
    found = odds(4, scores=(20, 20, 0, 0), mover=2, turn=12, dice=2)
    beyond = found.win[0][1] - found.win[0][0]
    assert sum(lower for lower, _ in found.win) + beyond == 1
    (lower, upper), *_ = odds(2, scores=(9999, 0), mover=1).win
    assert 1 - Fraction(1, 10**11) < lower < upper <= 1
    assert odds(2, turn=10, dice=1).mean_score == 17  # with the points so far


def test_who_is_beaten_for_certain_has_nothing_and_the_last_seat_needs_more_than_the_best() -> None:
    nothing, whole = Fraction(0), Fraction(1)
    assert odds(scores=(30, 0), mover=1, turn=31, dice=1).win == ((nothing, nothing), (whole, whole))
    assert odds(scores=(30, 0), mover=1, turn=29, dice=1).win[0][1] < 1
    low, high = odds(scores=(30, 0), mover=1, turn=30, dice=1).win[0]  # a point more, and it is not shared
    assert 0 < low < high < 1
    # One die left, behind by 3: a 2 or 5 loses, 1 and 1-1 need more, 3 ties unless followed by more ...
    found = odds(2, scores=(10, 0), mover=1, turn=7, dice=1)
    falls_short = found.score.chance(7) + found.score.chance(8) + found.score.chance(9)
    assert found.score.chance(7) == Fraction(1, 3)  # the die dies at once
    assert found.score.chance(8) == Fraction(1, 6) * Fraction(1, 3)
    lower, upper = found.win[0]
    assert lower <= falls_short + found.score.chance(10) / 2 <= upper
    assert found.shared[0] == found.score.chance(10)


def test_shares_agree_with_every_outcome_counted_one_by_one() -> None:
    coin = Distribution(2, (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)), Fraction(0))
    other = Distribution(0, (Fraction(1, 4),) * 4, Fraction(0))
    finished = (3, 1, 3)
    expected = [Fraction(0)] * 6
    together = Fraction(0)
    for a, b, c in product(range(5), repeat=3):
        chance = coin.chance(a) * coin.chance(b) * other.chance(c)
        scores = (*finished, a, b, c)
        winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
        together += chance if len(winners) > 1 else 0
        for seat in winners:
            expected[seat] += chance / len(winners)
    win, shared = shares_of_highest(finished, [coin, coin, other])
    assert [lower for lower, _ in win] == expected == [upper for _, upper in win]
    assert shared == (together, together)
