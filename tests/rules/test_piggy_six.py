"""Piggy Six, by its rules and our readings of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from icepool import d6

from rollwise.games.piggy_six import CHASE, NOTHING, ZERO, PiggySix, PiggySixAgainstRobots, seen
from rollwise.games.registry import game
from rollwise.solver.game.dice import grouped
from rollwise.solver.game.errors import ParameterError, StateError
from rollwise.solver.game.model import OTHER, Choice, Columns, Settled

ONE = np.array([1])


def settle(made: Any, result: Any, **board: int) -> Settled:
    said = made.settle(Columns({name: value * ONE for name, value in board.items()}), result)
    assert isinstance(said, Settled)
    return said


def after(said: Settled) -> dict[str, int]:
    assert said.next is not None
    return {name: int(np.asarray(value).ravel()[0]) for name, value in said.next.items()}


@pytest.mark.parametrize(
    ("faces", "what"),
    [
        ((2, 5), 7),
        ((5, 5), 10),
        ((1, 6), NOTHING),
        ((6, 6), ZERO),
        ((1, 1, 1), 3),
        ((2, 6, 6), ZERO),
        ((6, 6, 6), ZERO),
    ],
)
def test_what_a_throw_does(faces: tuple[int, ...], what: object) -> None:
    assert seen(faces) == what


@pytest.mark.parametrize("dice", [1, 2, 3])
def test_the_odds_of_a_throw_are_those_of_independent_dice(dice: int) -> None:
    ways = dict(grouped(dice, seen))
    sixes = (d6 == 6) @ 1 if dice == 1 else dice @ (d6 == 6)
    total = 6**dice
    assert Fraction(ways.get(ZERO, 0), total) == Fraction(sixes.probability(">=", 2))
    assert Fraction(ways[NOTHING], total) == Fraction(sixes.probability("==", 1))
    assert sum(ways.values()) == total


def test_one_six_loses_the_turn_and_keeps_the_score() -> None:
    said = settle(PiggySix(), NOTHING, mine=40, theirs=55, seat=0)
    assert (after(said), said.mover) == ({"mine": 55, "theirs": 40, "seat": 1}, OTHER)


def test_two_sixes_take_the_whole_score() -> None:
    assert after(settle(PiggySix(), ZERO, mine=40, theirs=55, seat=1)) == {"mine": 55, "theirs": 0, "seat": 0}


def test_the_round_is_finished_so_that_all_have_equally_many_turns() -> None:
    first = settle(PiggySix(), 20, mine=85, theirs=90, seat=0)
    assert not np.any(first.over)
    assert after(first) == {"mine": 90, "theirs": 105, "seat": 1}
    second = settle(PiggySix(), 20, mine=85, theirs=90, seat=1)
    assert second.over.all()
    assert second.won.all()


@pytest.mark.parametrize(("points", "won", "drawn"), [(14, False, False), (15, False, True), (16, True, False)])
def test_most_points_win_the_last_turn_and_equal_points_share(points: int, won: bool, drawn: bool) -> None:
    said = settle(PiggySix(), points, mine=90, theirs=105, seat=1)
    assert (bool(said.over[0]), bool(said.won[0]), bool(said.drawn[0])) == (True, won, drawn)


def test_the_leader_may_roll_on_past_the_target() -> None:
    word = PiggySix(target=20).turn(25, 2)
    assert isinstance(word, Choice)
    assert [name for name, _ in word.moves] == ["hold", "roll"]


def test_in_a_chase_every_total_up_to_a_sure_win_is_followed() -> None:
    made = PiggySix(target=20)
    highest = made.boards().ranges["theirs"].stop - 1
    assert made.enough(CHASE) >= highest


def names(made: PiggySix, *state: Any) -> list[str | None]:
    word = made.turn(*state)
    assert isinstance(word, Choice)
    return [name for name, _ in word.moves]


def test_with_three_dice_their_number_is_chosen_once_a_turn_or_afresh() -> None:
    once, afresh = PiggySix(max_dice=3), PiggySix(max_dice=3, choose="roll")
    assert names(once, *once.roots()[0]) == ["roll 1", "roll 2", "roll 3"]
    assert names(once, 4, 1) == ["hold", "roll"]
    assert names(afresh, 4, 0) == ["hold", "roll 1", "roll 2", "roll 3"]


# --- against robots ------------------------------------------------------------------------------------------------


def robots(*totals: int) -> PiggySixAgainstRobots:
    made = game("piggy-six", {"robots": totals})
    assert isinstance(made, PiggySixAgainstRobots)
    return made


def test_a_robot_rolls_until_its_total_whatever_the_score() -> None:
    made = robots(8)
    state = made.roots()[1]
    assert state == (0, 8, "robot")
    assert type(made.turn(7, 8, "robot")).__name__ == "Chance"
    assert type(made.turn(8, 8, "robot")).__name__ == "End"


def test_the_game_ends_after_the_last_robot_and_a_shared_win_counts_its_part() -> None:
    made = robots(8, 14)
    board = {"mover": 2, "mine": 104, "robot1": 104, "robot2": 94}
    for gained, share in ((0, Fraction(1, 2)), (10, Fraction(1, 3)), (11, Fraction(0))):
        said = settle(made, gained, **board)
        assert said.over.all()
        assert Fraction(int(np.asarray(said.reward).ravel()[0]), said.per) == share
    going_on = settle(made, 8, mover=2, mine=50, robot1=60, robot2=70)
    assert not going_on.over.any()
    assert after(going_on) == {"mine": 50, "robot1": 60, "robot2": 78, "mover": 0}


def test_a_human_score_that_no_robot_can_reach_counts_as_one() -> None:
    made = robots(8)
    assert after(settle(made, 60, mover=0, mine=90, robot1=0))["mine"] == made.furthest() == 118


# --- questions -----------------------------------------------------------------------------------------------------


def test_a_question_says_what_is_missing_or_wrong() -> None:
    with pytest.raises(StateError, match="last turn: seat=1"):
        PiggySix().locate(theirs=104)
    with pytest.raises(StateError, match="how many dice were chosen"):
        PiggySix(max_dice=3).locate(turn=4)
    with pytest.raises(StateError, match="leave it out"):
        PiggySix(max_dice=3).locate(dice=2)
    with pytest.raises(ParameterError, match="one or two totals"):
        game("piggy-six", {"robots": (8, 9, 10)})
    with pytest.raises(ParameterError, match="needs max_dice=3"):
        PiggySix(choose="roll")
