"""Ten Thousand, by its rules (number 15 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.registry import game
from rollwise.games.ten_thousand import TenThousand, TenThousandPoints, TenThousandTurns, keeps, scoring, worth
from rollwise.solver.game.dice import grouped
from rollwise.solver.game.errors import ParameterError, StateError
from rollwise.solver.game.model import OTHER, Choice, Columns, End

ONE = np.array([1])


def offered(roll: tuple[int, ...]) -> dict[str, int]:
    return {name: points for name, _, points in keeps(scoring(tuple(sorted(roll))))}


def test_single_ones_and_fives_score_and_no_other_single_die() -> None:
    assert offered((1, 5, 2)) == {"keep 1 5 for 150": 150, "keep 1 for 100": 100, "keep 5 for 50": 50}
    assert offered((2, 6, 6, 3, 4, 4)) == {}


@pytest.mark.parametrize(("face", "points"), [(1, 1000), (2, 200), (3, 300), (4, 400), (5, 500), (6, 600)])
def test_three_equal_dice_of_one_roll(face: int, points: int) -> None:
    assert worth(face, 3) == points


def test_two_threes_of_a_kind_in_one_roll_both_count() -> None:
    assert offered((1, 1, 1, 1, 1, 1))["keep 1 1 1 1 1 1 for 2000"] == 2000
    assert offered((2, 2, 2, 4, 4, 4))["keep 2 2 2 4 4 4 for 600"] == 600


def test_fewer_scoring_dice_than_rolled_may_be_kept() -> None:
    assert offered((5, 5, 5, 2, 3, 3)) == {"keep 5 5 5 for 500": 500, "keep 5 5 for 100": 100, "keep 5 for 50": 50}


def test_a_fourth_equal_die_counts_only_as_a_single() -> None:
    assert offered((4, 4, 4, 4, 2, 3)) == {"keep 4 4 4 for 400": 400}
    assert offered((1, 1, 1, 1, 2, 3))["keep 1 1 1 1 for 1100"] == 1100


@pytest.mark.parametrize("dice", [1, 2, 3, 4])
def test_scoring_throws_are_counted_right(dice: int) -> None:
    plain = sum(not scoring(tuple(sorted(roll))) for roll in product(range(1, 7), repeat=dice))
    assert dict(grouped(dice, scoring))[()] == plain


def test_all_six_dice_used_may_be_rolled_again() -> None:
    word = TenThousand().turn(1000, 3, (1, 1, 5))
    assert isinstance(word, Choice)
    moves = dict(word.moves)
    assert moves["keep 1 1 5 for 250"].state == (1250, 6)  # type: ignore[union-attr]
    assert moves["keep 5 for 50"].state == (1050, 2)  # type: ignore[union-attr]


def test_one_may_stop_at_any_time_with_points_but_must_roll_first() -> None:
    assert [name for name, _ in TenThousand().turn(50, 5).moves] == ["stop", "roll"]  # type: ignore[union-attr]
    assert [name for name, _ in TenThousand().turn(0, 6).moves] == ["roll"]  # type: ignore[union-attr]


def test_the_first_to_bank_the_goal_wins_at_once() -> None:
    board = Columns({"mine": 199 * ONE, "theirs": 10 * ONE})
    said = TenThousand().settle(board, 50)
    assert said.won.all()
    said = TenThousand().settle(board, 0)
    assert not said.won.any()
    assert said.next is not None
    assert (said.next["mine"][0], said.next["theirs"][0], said.mover) == (10, 199, OTHER)


def test_a_roll_without_a_score_loses_the_turn() -> None:
    roll = dict(TenThousand().turn(300, 3).moves)["roll"]  # type: ignore[union-attr]
    ends = [(weight, after.result) for weight, after in roll.outcomes if isinstance(after, End)]
    assert ends == [(60, 0)]  # 60 of 216 throws of three dice


def test_alone_it_is_the_number_of_turns_or_the_points_of_one() -> None:
    assert isinstance(game("ten-thousand", {"players": 1}), TenThousandTurns)
    points = game("ten-thousand", {"players": 1, "objective": "points"})
    assert isinstance(points, TenThousandPoints)
    with pytest.raises(ParameterError, match="players=2 has objective win"):
        game("ten-thousand", {"objective": "points"})
    with pytest.raises(ParameterError, match="turns or points"):
        game("ten-thousand", {"players": 1, "objective": "win"})


def test_past_the_cut_of_a_single_turn_throwing_on_never_pays() -> None:
    made = TenThousandPoints(players=1, objective="points")
    for dice in range(1, 7):
        throws: list[tuple[Any, int]] = list(grouped(dice, scoring))
        ways = sum(n for _, n in throws)
        after = sum(
            Fraction(n, ways) * (made.enough() + max(points for *_, points in keeps(seen)))
            for seen, n in throws
            if seen
        )
        assert after <= made.enough()


def test_a_single_turn_far_up_is_worth_what_one_more_throw_says() -> None:
    """By hand at the cut: from 10,000 with six dice, 5 throws in 162 lose all and the others add to what is kept."""
    made = TenThousandPoints(players=1, objective="points")
    throws: list[tuple[Any, int]] = list(grouped(6, scoring))
    after = sum(n * (10_000 + max(points for *_, points in keeps(seen))) for seen, n in throws if seen)
    advice = rollwise.ask("ten-thousand", {"players": 1, "objective": "points"}, turn=10_000, dice=6)
    assert made.enough() == 10_050
    roll = next(move for move in advice.moves or [] if move.move == "roll")
    assert roll.value >= after / 6**6 - 1e-6
    assert advice.best == ["roll"]
    keeping = rollwise.ask("ten-thousand", {"players": 1, "objective": "points"}, turn=9950, roll=[1, 1, 1, 6, 6, 6])
    assert keeping.best == ["keep 1 1 1 6 6 6 for 1600"]


def test_a_question_says_what_is_missing_or_wrong() -> None:
    with pytest.raises(StateError, match="how many dice are left"):
        TenThousand().locate(turn=300)
    with pytest.raises(StateError, match="scores nothing"):
        TenThousand().locate(roll=(2, 3))
    with pytest.raises(StateError, match="leave dice out"):
        TenThousand().locate(roll=(1, 5), dice=3)
    position = TenThousand().locate(mine=8400, theirs=6300, turn=300, roll=(1, 5, 5))
    assert (position.board, position.state) == ({"mine": 168, "theirs": 126}, (300, 3, (1, 5, 5)))
