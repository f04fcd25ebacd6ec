"""In what order a quiz asks, what the rule of most points now counts, and the score of who answers.

What is said at the terminal is in ``transcripts/quiz.txt``.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from rollwise.games.registry import game
from rollwise.parsing.validate import parse_game
from rollwise.questions.quiz.command import run_quiz
from rollwise.questions.quiz.compute import make_quiz, quiz
from rollwise.questions.quiz.data import QuizPosition
from rollwise.solver.model.game import TurnGame
from tests.questions.test_quiz import PIG, every_small, small

Play = Callable[[TurnGame], str]


def kind(position: QuizPosition) -> tuple[frozenset[str], Any]:
    return frozenset(move.partition(" ")[0] for move in position.choices), position.state.get("rolls_left")


@every_small
def test_of_one_kind_what_rules_get_wrong_comes_first_then_what_is_nearly_a_tie(name: str) -> None:
    every = small(name)
    for sort in {kind(position) for position in every}:
        require_hardest_first([position for position in every if kind(position) == sort])


def is_plain(position: QuizPosition) -> bool:
    """Does everybody see what to do?"""
    advice = position.advice
    trial = "boxes" in advice.parameters  # cannot be said
    return position.second_loss > 0.1 * parse_game(advice.game, {} if trial else advice.parameters).scale


def require_hardest_first(found: list[QuizPosition]) -> None:
    plain = [is_plain(position) for position in found]
    assert plain == sorted(plain)
    for some in ([each for each in found if not is_plain(each)], [each for each in found if is_plain(each)]):
        ease = [(-len(each.wrong), -sum(rule.loss for rule in each.wrong)) for each in some]
        assert ease == sorted(ease)
        ties = [each.second_loss / abs(each.moves[0].value) for each in some if not each.wrong]
        assert ties == sorted(ties)
    for position in found:
        assert [rule.loss for rule in position.wrong] == sorted((rule.loss for rule in position.wrong), reverse=True)


def test_no_two_of_one_kind_follow_each_other_while_there_are_others(play: Play) -> None:
    found = quiz(play(game("yahtzee", {"boxes": "ones,chance"})), seed=1, n=1000, look=100, least=0.1)  # type: ignore[arg-type]
    kinds = [kind(position) for position in found]
    assert len(set(kinds)) > 2
    for place, (one, after) in enumerate(itertools.pairwise(kinds)):
        as_hard = {kind(each) for each in found[place:] if is_plain(each) == is_plain(found[place + 1])}
        assert one != after or as_hard == {one}


def test_an_obvious_move_is_asked_last_whatever_simple_rules_lose() -> None:
    found = quiz("pig", params={"target": 40}, seed=1, n=1000, look=200)
    plain = [position for position in found if is_plain(position)]
    assert found[-len(plain) :] == plain
    assert plain[0].wrong
    assert plain[0].wrong[0].loss > max(rule.loss for position in found[: -len(plain)] for rule in position.wrong)


def test_where_a_rule_of_thumb_is_nearly_best_what_it_gets_wrong_comes_first() -> None:
    first, second = quiz("shut-the-box", seed=1, n=2, look=800)
    assert (first.wrong[0].rule, first.best) == ("highest-first", ["shut 2 4"])
    assert second.choices == ["one die", "two dice"]  # another kind, and nearly a tie
    assert second.second_loss < 0.06 * second.moves[0].value


def test_a_rule_of_most_points_counts_more_at_once_than_the_best_move(play: Play) -> None:
    found = quiz(play(game("yahtzee", {"boxes": "ones,chance"})), seed=1, n=1000, look=60, least=0)  # type: ignore[arg-type]
    counted = [rule for position in found for rule in position.wrong if rule.rule == "most points now"]
    assert counted
    for rule in counted:
        assert rule.points is not None
        assert rule.best_points is not None
        assert rule.points > rule.best_points


# --- answers ----------------------------------------------------------------------------------------------------------


def test_json_has_the_positions_asks_nothing_and_is_the_same_in_another_process(said: Callable[..., str]) -> None:
    words = "quiz pig -p target=30 --seed 7 --look 200 -n 4 --json"
    told = said(words)
    command = [sys.executable, "-m", "rollwise", *words.split()]
    environment = {**os.environ, "PYTHONHASHSEED": "2"}
    assert subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout == told
    plain = json.loads(told)
    assert plain == json.loads(json.dumps(make_quiz("pig", PIG, seed=7, look=200, n=4).plain()))
    first = plain["positions"][0]
    assert {"state", "value", "best", "moves", "choices", "second_loss", "wrong", "ask"} <= first.keys()
    wrong = [rule for each in quiz("pig", params=PIG, seed=7, look=200, n=99) for rule in each.plain()["wrong"]]
    assert set(wrong[0]) == {"rule", "help", "move", "loss"}
    said(f"{first['ask'].removeprefix('rollwise ')} --json")


def test_the_order_of_the_moves_gives_nothing_away() -> None:
    assert {position.choices.index(position.best[0]) for position in quiz("shut-the-box", seed=7, look=150)} > {0}


def test_a_score_of_nothing_is_nothing() -> None:
    found = make_quiz("pig", PIG, seed=7, look=200, n=2)
    score = run_quiz(found, "Pig", lambda: None, lambda lines: None)
    assert (score.right, score.mean_loss, score.worst, score.shown, score.questions) == (0, 0.0, None, 0, 2)


def test_a_score_counts_what_was_right_and_what_was_lost() -> None:
    found = make_quiz("shut-the-box", seed=7, look=200, n=6)
    chosen = [position.moves[place % len(position.moves)].move for place, position in enumerate(found.positions)]
    waiting = iter(chosen)
    score = run_quiz(found, "Shut the Box", lambda: next(waiting), lambda lines: None)
    losses = [position.move(move).loss for position, move in zip(found.positions, chosen, strict=True)]
    assert score.right == sum(not loss for loss in losses) < 6
    assert score.mean_loss == pytest.approx(sum(losses) / 6)
    assert score.worst is not None
    assert (score.worst.loss, score.worst.number) == (max(losses), 1 + losses.index(max(losses)))
