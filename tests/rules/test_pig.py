"""Pig, by its rules."""

from __future__ import annotations

import numpy as np

from rollwise.games.pig import Pig
from rollwise.solver.game.model import OTHER, Chance, Choice, Columns, End, Go

ONE = np.array([1])


def board(mine: int, theirs: int) -> Columns:
    return Columns({"mine": mine * ONE, "theirs": theirs * ONE})


def test_a_one_ends_the_turn_with_nothing_and_other_faces_add_up() -> None:
    choice = Pig().turn(10)
    assert isinstance(choice, Choice)
    rolled = dict(choice.moves)["roll"]
    assert isinstance(rolled, Chance)
    (_, one), *others = rolled.outcomes
    assert isinstance(one, End)
    assert one.result == 0
    assert [after.state for _, after in others if isinstance(after, Go)] == [(12,), (13,), (14,), (15,), (16,)]


def test_one_must_roll_before_one_may_hold() -> None:
    first, later = Pig().turn(0), Pig().turn(2)
    assert isinstance(first, Choice)
    assert isinstance(later, Choice)
    assert [name for name, _ in first.moves] == ["roll"]
    assert [name for name, _ in later.moves] == ["hold", "roll"]


def test_holding_banks_the_total_and_passes_the_die() -> None:
    said = Pig().settle(board(20, 35), 14)
    assert said.next is not None
    assert (said.next["mine"][0], said.next["theirs"][0], said.mover) == (35, 34, OTHER)
    assert not said.won[0]


def test_the_target_wins_at_once() -> None:
    assert Pig().settle(board(90, 99), 10).won[0]
    assert not Pig().settle(board(90, 99), 9).won[0]
