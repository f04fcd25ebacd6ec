"""Slam by its rules: the sheet's example, what a throw does, what a question may say."""

from __future__ import annotations

from typing import Any

import pytest

from rollwise.games.slam.rules import GOAL, Slam
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Position
from tests.games.helping import played, plays_out, quantities, rules, settles, thorough

TWO, THREE = Slam(), Slam(3)


@rules(
    "score, play, then",
    {
        "the example's first throw": (0, "315", {"state": (1,), "score": 0}),
        "its second": (0, "315, 236", {"state": (2,), "score": 0}),
        "its third ends the turn": (0, "315, 236, 144", {"score": 2, "points": 1}),
        "fourteen points and a small slam end the turn": (14, "336", {"score": 14, "points": 1, "over": False}),
        "points made before a void throw stay": (9, "315, 315, 336", {"score": 11, "points": 1}),
        "exactly fifteen points are out": (14, "315", {"over": True}),
        "also by a small slam": (10, "336", {"over": True}),
        **{f"a grand slam is out at {score}": (score, "333", {"over": True}) for score in (0, 7, 14)},
    },
)
def test_a_turn_goes_as_the_sheet_says(score: int, play: str, then: dict[str, Any]) -> None:
    plays_out(TWO, {"scores": (score, 0)}, play, then)


def test_every_turn_counts_one_and_the_goal_ends_the_game() -> None:
    found = [settles(TWO, score, score=7) for score in range(7, GOAL + 1)]
    assert [after["over"] for after in found] == [False] * 8 + [True]
    assert {after["worth"] for after in found} == {1}
    with pytest.raises(ModelError, match="is over before 3 1 5"):
        played(TWO, {"scores": (10, 0)}, "336, 315")


# --- questions -------------------------------------------------------------------------------------------------------


def test_a_position_is_the_score_of_the_mover_and_who_is_out_changes_nothing() -> None:
    assert TWO.locate() == Position({"score": 0}, (0,), mover=0)
    assert THREE.locate(scores=(4, 15, 11), mover=2) == Position({"score": 11}, (11,), mover=2)
    scores = THREE.fields()[0]
    assert scores.parse("-,4,2") == scores.parse("15,4,2") == (None, 4, 2)
    assert quantities(THREE, scores=(None, 4, 2), mover=1) == quantities(THREE, scores=(15, 4, 2), mover=1)
    three, two = quantities(THREE, scores=(9, 15, 4), mover=2), quantities(TWO, scores=(9, 4), mover=1)
    lose = three["lose"]
    assert [lose.value[1], lose.lower[1], lose.upper[1]] == [0, 0, 0]
    assert [lose.value[0], lose.value[2]] == two["lose"].value
    assert all(three[name] == two[name] for name in three if name != "lose")


# --- odds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, *thorough(8)])
def test_whoever_moves_first_loses_least_at_the_start(players: int) -> None:
    told = quantities(Slam(players))["lose"]
    assert all(told.upper[seat] < told.lower[seat + 1] for seat in range(players - 1))


@pytest.mark.parametrize("score", [0, 14])
def test_turns_alone_are_those_of_the_mover(score: int) -> None:
    alone = [
        quantities(TWO, scores=scores, mover=mover)["turns_alone"]
        for scores, mover in (((score, 0), 0), ((score, 3), 0), ((3, score), 1))
    ]
    assert alone[0] == alone[1] == alone[2]


def test_with_fourteen_points_every_turn_ends_the_same_way() -> None:
    """One slam or a grand slam is out, 76 of 216 throws, and any other throw ends the turn."""
    told = quantities(TWO, scores=(14, 0))
    assert told["turns_alone"].exact == told["rolls_alone"].exact == "54/19"
    distribution = told["turns_alone_distribution"]
    assert distribution.value["1"] == pytest.approx(19 / 54, abs=1e-15)
    assert distribution.value["3"] == pytest.approx(19 / 54 * (35 / 54) ** 2, abs=1e-15)
    assert distribution.tail["upper"] <= 1e-12


def test_the_facts_of_a_question() -> None:
    told = quantities(THREE)
    alone = ["turns_alone", "turns_alone_distribution", "rolls_alone"]
    assert list(told) == ["lose", "length", "length_distribution", *alone]
    assert [told[name].unit for name in ("lose", "length", "rolls_alone")] == ["probability", "turns", "rolls"]
    assert min(map(int, told["length_distribution"].value)) == 2  # two grand slams at once
