"""Piggy Six, by its rules and our readings of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from icepool import d6

from rollwise.games.piggy_six.robots import PiggySixAgainstRobots
from rollwise.games.piggy_six.rules import CHASE, NOTHING, ZERO, PiggySix, throw_effect
from rollwise.solver.model.dice import grouped
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from tests.games.helping import made, may, rules, settles

DUEL, ONCE, AFRESH = PiggySix(), PiggySix(max_dice=3), PiggySix(max_dice=3, choose="roll")


@pytest.mark.parametrize(
    ("faces", "what"), [("25", 7), ("55", 10), ("16", NOTHING), ("66", ZERO), ("111", 3), ("266", ZERO), ("666", ZERO)]
)
def test_what_a_throw_does(faces: str, what: object) -> None:
    assert throw_effect(tuple(map(int, faces))) == what


@pytest.mark.parametrize("dice", [1, 2, 3])
def test_the_odds_of_a_throw_are_those_of_independent_dice(dice: int) -> None:
    ways = dict(grouped(dice, throw_effect))
    sixes = (d6 == 6) @ 1 if dice == 1 else dice @ (d6 == 6)
    assert Fraction(ways.get(ZERO, 0), 6**dice) == Fraction(sixes.probability(">=", 2))
    assert Fraction(ways[NOTHING], 6**dice) == Fraction(sixes.probability("==", 1))
    assert sum(ways.values()) == 6**dice


@rules(
    "result, mine, theirs, seat, then",
    {
        "one six keeps the score": (NOTHING, 40, 55, 0, {"mine": 55, "theirs": 40, "seat": 1, "passed": 1}),
        "two sixes take the whole score": (ZERO, 40, 55, 1, {"mine": 55, "theirs": 0, "seat": 0}),
        "the round is finished": (20, 85, 90, 0, {"over": False, "mine": 90, "theirs": 105, "seat": 1}),
        "by the second": (20, 85, 90, 1, {"over": True, "worth": 1}),
        "the last turn loses with less": (14, 90, 105, 1, {"over": True, "worth": 0}),
        "equal points share": (15, 90, 105, 1, {"over": True, "worth": Fraction(1, 2)}),
        "more win": (16, 90, 105, 1, {"over": True, "worth": 1}),
    },
)
def test_a_turn_counts(result: Any, mine: int, theirs: int, seat: int, then: dict[str, Any]) -> None:
    found = settles(DUEL, result, mine=mine, theirs=theirs, seat=seat)
    assert {name: found[name] for name in then} == then


@rules(
    "game, question, moves",
    {
        "the leader may roll on past the target": (PiggySix(target=20), {"turn": 25}, ["hold", "roll"]),
        "with three dice their number is chosen": (ONCE, {}, ["roll 1", "roll 2", "roll 3"]),
        "once a turn": (ONCE, {"turn": 4, "dice": 1}, ["hold", "roll"]),
        "or afresh": (AFRESH, {"turn": 4}, ["hold", "roll 1", "roll 2", "roll 3"]),
    },
)
def test_a_turn_has_these_moves(game: PiggySix, question: dict[str, int], moves: list[str]) -> None:
    assert may(game, question) == moves


def test_when_the_dice_are_chosen_never_matters() -> None:
    games = [PiggySix(target=10, max_dice=3, choose=when) for when in ("turn", "roll")]
    once, afresh = (BoardSolver(game, compile_turn(game)).solve().values for game in games)
    assert np.nanmax(np.abs(once - afresh)) < 1e-9  # nan: boards that cannot be


def test_boards_past_the_target_and_totals_up_to_a_sure_win() -> None:
    tiny = PiggySix(target=2)
    assert tiny.reachable({"mine": 0, "theirs": 72, "seat": 1}) is None
    assert tiny.reachable({"mine": 1, "theirs": 72, "seat": 1}) is False
    assert tiny.reachable({"mine": 0, "theirs": 2, "seat": 1}) is True
    game = PiggySix(target=20)
    assert game.enough(CHASE) >= game.boards().ranges["theirs"].stop - 1


# --- against robots --------------------------------------------------------------------------------------------------

ONE, TWO = made("piggy-six", robots=(8,)), made("piggy-six", robots=(8, 14))
LAST = {"mover": 2, "mine": 104, "robot1": 104, "robot2": 94}
EARLY = {"mover": 2, "mine": 50, "robot1": 60, "robot2": 70}
FIRST = {"mover": 0, "mine": 90, "robot1": 0}


def test_a_robot_rolls_until_its_total_whatever_the_score() -> None:
    assert ONE.roots()[1] == (0, 8, "robot")
    assert [type(ONE.turn(total, 8, "robot")).__name__ for total in (7, 8)] == ["Chance", "End"]


@rules(
    "game, gained, board, then",
    {
        "two who have most share": (TWO, 0, LAST, {"over": True, "worth": Fraction(1, 2)}),
        "or three": (TWO, 10, LAST, {"over": True, "worth": Fraction(1, 3)}),
        "a robot with more wins": (TWO, 11, LAST, {"over": True, "worth": 0}),
        "below the target it goes on": (TWO, 8, EARLY, {"over": False, **EARLY, "robot2": 78, "mover": 0}),
        "a score that no robot can reach counts as one": (ONE, 60, FIRST, {"mine": 118}),
    },
)
def test_the_game_ends_after_the_last_robot(
    game: PiggySixAgainstRobots, gained: int, board: dict[str, int], then: dict[str, Any]
) -> None:
    found = settles(game, gained, **board)
    assert {name: found[name] for name in then} == then
