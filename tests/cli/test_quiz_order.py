"""In what order a quiz asks, and what the rule of most points now counts."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from rollwise.door import the_fields, the_game
from rollwise.games.registry import game
from rollwise.points_now import PointsNow
from rollwise.quizzing import quiz
from rollwise.quizzing.positions import QuizPosition
from rollwise.solver.game.model import TurnGame
from rollwise.solver.turn.query import moves_asked
from tests.cli.test_quiz import SMALL, small

Play = Callable[[TurnGame], str]


def kind(position: QuizPosition) -> tuple[frozenset[str], Any]:
    return frozenset(move.partition(" ")[0] for move in position.choices), position.state.get("rolls_left")


@pytest.mark.parametrize("name", SMALL)
def test_of_one_kind_what_rules_get_wrong_comes_first_then_what_is_nearly_a_tie(name: str) -> None:
    every = small(name)
    for sort in {kind(position) for position in every}:
        require_hardest_first([position for position in every if kind(position) == sort])


def require_hardest_first(found: list[QuizPosition]) -> None:
    ruled = [position.wrong[0].loss for position in found if position.wrong]
    others = [position.second_loss for position in found if not position.wrong]
    assert [bool(position.wrong) for position in found] == [True] * len(ruled) + [False] * len(others)
    assert ruled == sorted(ruled, reverse=True)
    assert others == sorted(others)
    for position in found:
        assert [rule.loss for rule in position.wrong] == sorted((rule.loss for rule in position.wrong), reverse=True)


def test_no_two_of_one_kind_follow_each_other_while_there_are_others(play: Play) -> None:
    found = quiz(play(game("yahtzee", {"boxes": "ones,chance"})), seed=1, n=1000, look=200, least=0.1)  # type: ignore[arg-type]
    kinds = [kind(position) for position in found]
    assert len(set(kinds)) > 2
    for place, (one, after) in enumerate(itertools.pairwise(kinds)):
        assert one != after or set(kinds[place:]) == {one}


def test_a_rule_of_most_points_counts_more_at_once_than_the_best_move(play: Play) -> None:
    found = quiz(play(game("yahtzee", {"boxes": "ones,chance"})), seed=1, n=1000, look=300, least=0)  # type: ignore[arg-type]
    counted = [rule for position in found for rule in position.wrong if rule.rule == "most points now"]
    assert counted
    for rule in counted:
        assert rule.points is not None
        assert rule.points[0] > rule.points[1]


def test_fours_with_the_bonus_count_more_at_once_than_a_yahtzee() -> None:
    made = the_game("yahtzee")
    fields = the_fields(made, {"filled": "fives:20,sixes:24", "roll": "44444", "rolls_left": 0})
    position = made.locate(**fields)
    moves = {move.name: move for move in moves_asked(made, position.state)}
    names = ("score fours", "score yahtzee")
    assert [PointsNow(made).of(fields, position, moves[name]) for name in names] == [20 + 35, 50]
