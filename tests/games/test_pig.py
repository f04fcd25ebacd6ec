"""Pig, by its rules."""

from __future__ import annotations

from typing import Any

import pytest

from rollwise.games.pig.policies import keep_pace
from rollwise.games.pig.rules import Pig
from rollwise.solver.model.game import End
from tests.games.helping import may, rules, settles


def test_a_one_ends_the_turn_with_nothing_and_other_faces_add_up() -> None:
    rolled: Any = dict(Pig().turn(10).moves)["roll"]  # type: ignore[union-attr]
    (_, one), *others = rolled.outcomes
    assert (type(one), one.result) == (End, 0)
    assert [after.state for _, after in others] == [(12,), (13,), (14,), (15,), (16,)]


@pytest.mark.parametrize(("turn", "moves"), [(0, ["roll"]), (2, ["hold", "roll"])])
def test_one_must_roll_before_one_may_hold(turn: int, moves: list[str]) -> None:
    assert may(Pig(), {"turn": turn}) == moves


@rules(
    "mine, theirs, total, then",
    {
        "holding banks the total and passes the die": (20, 35, 14, {"mine": 35, "theirs": 34, "passed": 1}),
        "the target wins at once": (90, 99, 10, {"over": True, "worth": 1}),
        "one less does not": (90, 99, 9, {"over": False}),
    },
)
def test_a_turn_counts(mine: int, theirs: int, total: int, then: dict[str, Any]) -> None:
    found = settles(Pig(), total, mine=mine, theirs=theirs)
    assert {name: found[name] for name in then} == then


@pytest.mark.parametrize(("mine", "theirs", "least"), [(0, 4, 22), (4, 0, 21), (12, 0, 20), (0, 12, 23), (0, 20, 24)])
def test_an_eighth_of_a_lead_is_rounded_to_the_nearest_and_half_a_point_up(mine: int, theirs: int, least: int) -> None:
    state = {"mine": mine, "theirs": theirs, "target": 100}
    plays = [keep_pace({**state, "turn": turn}, ["hold", "roll"]) for turn in (least - 1, least)]
    assert plays == ["roll", "hold"]
