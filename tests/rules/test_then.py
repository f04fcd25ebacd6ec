"""What follows a keep at once: the best move of the question that stands there."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from rollwise import Advice, BadInput, ask, outcomes
from rollwise.cache.store import Store
from rollwise.questions.ask.data import MoveAdvice, Then
from rollwise.questions.ask.text import advice_lines, verdict
from rollwise.solver.kinds.kind import FollowUpValue
from rollwise.text.html import render_html
from rollwise.web.answers import answer_of

TEN: dict[str, Any] = {"goal": 1000}
ZILCH: dict[str, Any] = {"goal": 1000, "players": 1}
QUESTIONS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("ten-thousand", TEN, {"mine": 300, "theirs": 500, "roll": (1, 1, 1, 2, 3, 5)}),
    ("ten-thousand", TEN, {"mine": 900, "theirs": 500, "turn": 400, "roll": (1, 5)}),  # past the goal
    ("ten-thousand", {**TEN, "players": 1}, {"roll": (1, 2, 3, 4, 6, 6)}),
    ("ten-thousand", {"players": 1, "objective": "points"}, {"turn": 300, "roll": (1, 5, 5)}),
    ("zilch", ZILCH, {"roll": (1, 2, 2, 3, 4, 5)}),
    ("zilch", ZILCH, {"roll": (1, 2, 3, 4, 5, 6)}),  # a straight must be thrown on
    ("zilch", ZILCH, {"mine": 800, "turn": 200, "dice": 4, "roll": (1, 5, 5, 2)}),
    ("zilch", {"players": 1, "objective": "points"}, {"mine": 750, "turn": 250, "roll": (1, 5, 5)}),
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


@pytest.mark.parametrize(("game", "params", "asked"), QUESTIONS, ids=[f"{g} {q}" for g, _, q in QUESTIONS])
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


def test_a_straight_is_thrown_on(own_cache: Store) -> None:
    for _ in range(2):  # solved, and from the cache
        moves = {move.move: move for move in ask("zilch", params=ZILCH, roll=(1, 2, 3, 4, 5, 6)).moves or []}
        then = moves["score straight"].then
        assert then is not None
        assert then.move == "roll"


LONE = {"mine": 1000, "turn": 300, "roll": (1, 2)}
POINTS: dict[str, Any] = {"players": 1, "objective": "points"}


def test_where_one_keep_is_left_the_choice_after_it_is_told() -> None:
    advice = ask("zilch", params=POINTS, state=LONE)
    (move,) = advice.moves
    assert move.then is not None
    stop, rolled = move.then.moves
    assert verdict(advice) == (
        f"You can only keep 1 for 100. Then stop: expected points {stop.value:.2f} against {rolled.value:.2f} for "
        "rolling the other one."
    )
    assert "\n".join(advice_lines(advice, "Zilch")).count(f"roll {rolled.value:.2f}") == 1
    assert f"(or roll {rolled.value:.1f})" in render_html(answer_of(advice, "", str).blocks)


def test_where_several_keeps_are_left_the_best_one_tells_of_both_choices_after_it() -> None:
    advice = ask("zilch", params=POINTS, mine=1000, roll=(1, 1, 1, 2, 3, 5))
    best, second = advice.moves[:2]
    assert best.then is not None
    other = best.then.moves[1]
    said = verdict(advice)
    assert f"({other.value:.2f} for " in said
    assert f") against {second.value:.2f} for keeping " in said
    told = "\n".join(advice_lines(advice, "Zilch"))
    for move in advice.moves:
        for step in (move.then.moves if move.then else ())[1:]:
            assert f"{step.move} {step.value:.2f}" in told
    assert max(map(len, told.splitlines())) <= 80


def test_choices_after_a_keep_that_are_equally_good_are_both_told() -> None:
    advice = ask("zilch", params=POINTS, state=LONE)
    steps = (FollowUpValue("stop", 400.0, 400.0, 400.0, 0.0), FollowUpValue("roll", 400.0, 400.0, 400.0, 0.0))
    alike = replace(advice, moves=[replace(move, then=Then(steps)) for move in advice.moves])
    assert verdict(alike).startswith("You can only keep 1 for 100. Then stop or roll the other one: equally good")
    assert " stop or roll " in "\n".join(advice_lines(alike, "Zilch"))
    assert "then stop or roll the other one</span>" in render_html(answer_of(alike, "", str).blocks)


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ({"mine": 0, "turn": 400, "dice": 2}, "you need 750 to stop, and have 400"),
        ({"mine": 1000, "turn": 200, "dice": 4}, "you need 350 to stop, and have 200"),
        ({"mine": 1000, "roll": (1, 2, 2, 3, 4, 6)}, "you need 350 to stop, and have 100"),
        (
            {"mine": 1000, "turn": 1500, "dice": 6, "must_roll": True},
            "after a special throw all six dice have to be thrown",
        ),
        ({"mine": 1000}, ""),
    ],
)
def test_the_only_move_says_why_there_is_no_other(state: dict[str, Any], why: str) -> None:
    advice = ask("zilch", params=POINTS, state=state)
    assert advice.why_only == why == advice.plain().get("why_only", "")
    assert (f": {why}; expected points" if why else "can only roll; expected") in verdict(advice)
    if "roll" not in state:
        with pytest.raises(BadInput, match=f"'bank' is no move here{': ' if why else ''}{why}; the moves are: roll"):
            outcomes("zilch", state=state, move="bank", params=POINTS)


def test_a_last_turn_must_pass_the_other_score() -> None:
    assert (
        ask("zilch", params=TEN, mine=750, theirs=1000, turn=200, dice=4).why_only
        == "you need 500 to stop, and have 200"
    )


def test_moves_that_a_throw_or_the_end_follows_have_no_then() -> None:
    for game, params, asked in (
        ("ten-thousand", TEN, {"turn": 300, "dice": 3}),
        ("shut-the-box", {}, {"roll": (5, 3)}),
        ("pig", {"target": 10}, {"turn": 4}),
    ):
        for move in ask(game, params=params, state=asked).moves:
            assert move.then is None
            assert "then" not in move.plain()
