"""What follows a keep at once: the best move of the question that stands there."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from rollwise import Advice, BadInput, ask, outcomes
from rollwise.questions.ask.data import MoveAdvice, Then
from rollwise.questions.ask.text import advice_lines, verdict
from rollwise.solver.model.solution import FollowUpValue
from rollwise.text.html import render_html
from rollwise.web.answers import answer_of
from tests.games.helping import thorough

TEN: dict[str, Any] = {"goal": 500}
ZILCH: dict[str, Any] = {"goal": 500, "opening": 350, "players": 1}
POINTS: dict[str, Any] = {"players": 1, "objective": "points"}
QUESTIONS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("ten-thousand", TEN, {"mine": 300, "theirs": 350, "roll": (1, 1, 1, 2, 3, 5)}),
    ("ten-thousand", TEN, {"mine": 400, "theirs": 250, "turn": 400, "roll": (1, 5)}),  # past the goal
    ("ten-thousand", {**TEN, "players": 1}, {"roll": (1, 2, 3, 4, 6, 6)}),
    ("zilch", ZILCH, {"roll": (1, 2, 2, 3, 4, 5)}),
    ("zilch", ZILCH, {"roll": (1, 2, 3, 4, 5, 6)}),  # a straight must be thrown on
    ("zilch", ZILCH, {"mine": 400, "turn": 200, "dice": 4, "roll": (1, 5, 5, 2)}),
]
LARGE = [
    ("ten-thousand", POINTS, {"turn": 300, "roll": (1, 5, 5)}),
    ("zilch", POINTS, {"mine": 750, "turn": 250, "roll": (1, 5, 5)}),
]


def kept(move: str) -> int:
    """How many dice a move keeps."""
    return len(re.findall(r"\b\d\b", move.split(" for ")[0])) if move.startswith("keep") else 6


def following(game: str, params: dict[str, Any], asked: dict[str, Any], move: MoveAdvice) -> Advice | None:
    """The answer of the question to which a keep leads; None where a trio must be said that the move does not name."""
    left = len(asked["roll"]) - kept(move.move)
    points = re.search(r"for (\d+)", move.move)
    if points is None or re.search(r"([2-6]) \1 \1", move.move):
        return None
    fields = {name: value for name, value in asked.items() if name not in ("roll", "dice")}
    return ask(game, params=params, **{**fields, "turn": asked.get("turn", 0) + int(points[1]), "dice": left or 6})


@pytest.mark.parametrize(("game", "params", "asked"), [*QUESTIONS, *thorough(*LARGE)], ids=str)
def test_then_is_the_best_move_of_the_question_that_follows(
    game: str, params: dict[str, Any], asked: dict[str, Any]
) -> None:
    advice = ask(game, params=params, **asked)
    moves = advice.moves
    n_followed = 0
    for move in moves:
        assert move.then is not None
        told = move.plain()["then"]
        assert (told["move"], told["value"]) == (told["moves"][0]["move"], told["moves"][0]["value"])
        assert move.then.value == pytest.approx(move.value, abs=1e-9)
        after = following(game, params, asked, move)
        if after is not None:
            assert move.then.move == after.best[0]
            for step, further in zip(told["moves"], after.moves, strict=True):
                assert list(step) == ["move", "value", "lower", "upper", "loss"]
                assert step == pytest.approx({name: getattr(further, name) for name in step}, abs=1e-9)
            n_followed += 1
    assert n_followed > 0
    straight = [move.then for move in moves if move.move == "score straight"]
    assert [then and then.move for then in straight] == ["roll"] * (asked["roll"] == (1, 2, 3, 4, 5, 6))


LONE: dict[str, Any] = {"turn": 300, "roll": (1, 2)}


def test_where_one_keep_is_left_the_choice_after_it_is_told() -> None:
    advice = ask("zilch", params=ZILCH, state=LONE)
    (move,) = advice.moves
    assert move.then is not None
    rolled, stop = move.then.moves
    assert verdict(advice) == (
        f"You can only keep 1 for 100. Then roll the other one: expected turns to go {rolled.value:.2f} against "
        f"{stop.value:.2f} for stopping; low is good."
    )
    assert "\n".join(advice_lines(advice, "Zilch")).count(f"stop {stop.value:.2f}") == 1
    assert f"(or stop {stop.value:.2f})" in render_html(answer_of(advice, "", str).blocks)
    steps = (FollowUpValue("stop", 2.0, 2.0, 2.0, 0.0), FollowUpValue("roll", 2.0, 2.0, 2.0, 0.0))
    alike = replace(advice, moves=[replace(move, then=Then.of(steps))])  # both are told
    assert verdict(alike).startswith("You can only keep 1 for 100. Then stop or roll the other one: equally good")
    assert " stop or roll " in "\n".join(advice_lines(alike, "Zilch"))
    assert "then stop or roll the other one</span>" in render_html(answer_of(alike, "", str).blocks)


def test_where_several_keeps_are_left_the_best_one_tells_of_both_choices_after_it() -> None:
    advice = ask("zilch", params=ZILCH, turn=300, roll=(1, 2, 5))
    best, second = advice.moves[:2]
    assert best.then is not None
    other, said = best.then.moves[1], verdict(advice)
    assert f"({other.value:.2f} for " in said
    assert f") against {second.value:.2f} for keeping " in said
    told = "\n".join(advice_lines(advice, "Zilch"))
    for move in advice.moves:
        for step in (move.then.moves if move.then else ())[1:]:
            assert f"{step.move} {step.value:.2f}" in told
    assert max(map(len, told.splitlines())) <= 80


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ({"turn": 200, "dice": 4}, "you need 350 to stop, and have 200"),
        ({"mine": 400, "turn": 200, "dice": 4}, "you need 500 to stop, and have 200"),
        ({"roll": (1, 2, 2, 3, 4, 6)}, "you need 350 to stop, and have 100"),
        ({"turn": 1500, "dice": 6, "must_roll": True}, "after a special throw all six dice have to be thrown"),
        ({"mine": 400}, ""),
    ],
)
def test_the_only_move_says_why_there_is_no_other(state: dict[str, Any], why: str) -> None:
    advice = ask("zilch", params=ZILCH, state=state)
    assert advice.why_only == why == advice.plain().get("why_only", "")
    assert (f": {why}; expected turns" if why else "can only roll; expected") in verdict(advice)
    if "roll" not in state:
        with pytest.raises(BadInput, match=f"'bank' is no move here{': ' if why else ''}{why}; the moves are: roll"):
            outcomes("zilch", state=state, move="bank", params=ZILCH)


def test_a_last_turn_must_pass_the_other_score() -> None:
    duel = {"goal": 500, "opening": 350}
    only = ask("zilch", params=duel, mine=350, theirs=500, turn=200, dice=4).why_only
    assert only == "you need 500 to stop, and have 200"


def test_moves_that_a_throw_or_the_end_follows_have_no_then() -> None:
    for game, params, asked in (
        ("ten-thousand", TEN, {"turn": 300, "dice": 3}),
        ("shut-the-box", {}, {"roll": (5, 3)}),
        ("pig", {"target": 10}, {"turn": 4}),
    ):
        for move in ask(game, params=params, state=asked).moves:
            assert move.then is None
            assert "then" not in move.plain()
