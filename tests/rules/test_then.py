"""What follows a keep at once: the best move of the question that stands there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rollwise import Advice, ask
from rollwise.answer import MoveAdvice
from rollwise.cache.store import Store

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
    return ask(game, params, **{**fields, "turn": asked.get("turn", 0) + int(points[1]), "dice": left or 6})


@pytest.mark.parametrize(("game", "params", "asked"), QUESTIONS, ids=[f"{g} {q}" for g, _, q in QUESTIONS])
def test_then_is_the_best_move_of_the_question_that_follows(
    game: str, params: dict[str, Any], asked: dict[str, Any]
) -> None:
    advice = ask(game, params, **asked)
    moves = advice.moves or []
    n_followed = 0
    for move in moves:
        assert move.then is not None
        assert move.plain()["then"] == {"move": move.then.move, "value": move.then.value}
        assert move.then.value == pytest.approx(move.value, abs=1e-9)
        after = following(game, params, asked, move)
        if after is not None:
            assert after.best is not None
            assert move.then.move == after.best[0]
            n_followed += 1
    assert n_followed > 0


def test_a_straight_is_thrown_on(own_cache: Store) -> None:
    for _ in range(2):  # solved, and from the cache
        moves = {move.move: move for move in ask("zilch", ZILCH, roll=(1, 2, 3, 4, 5, 6)).moves or []}
        then = moves["score straight"].then
        assert then is not None
        assert then.move == "roll"


def test_moves_that_a_throw_or_the_end_follows_have_no_then() -> None:
    for game, params, asked in (
        ("ten-thousand", TEN, {"turn": 300, "dice": 3}),
        ("shut-the-box", {}, {"roll": (5, 3)}),
        ("pig", {"target": 10}, {"turn": 4}),
    ):
        for move in ask(game, params, state=asked).moves or []:
            assert move.then is None
            assert "then" not in move.plain()
