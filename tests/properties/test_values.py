"""What must hold of values whatever the game: on random positions, and between neighbours where the rules imply it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.door import check_board, the_game
from rollwise.solver.game.errors import StateError
from rollwise.stored import stored
from tests.sizes import SIZES

ASKED = 25
TURNS: list[dict[str, int]] = [{}, {"turn": 0, "dice": 6}, {"turn": 450, "dice": 1}, {"turn": 450, "dice": 2}]
POSITIONS: list[tuple[str, dict[str, Any], float, Callable[[Random], dict[str, Any]]]] = [
    ("pig", {"target": 20}, 1, lambda draw: {**scores(draw, 19), "turn": draw.randint(2, 19)}),
    (
        "piggy-six",
        {"target": 10},
        1,
        lambda draw: {**scores(draw, 9), "turn": draw.randint(2, 20), "seat": draw.randint(0, 1)},
    ),
    ("shut-the-box", {}, 45, lambda draw: {"roll": draw.choice([(1, 2), (3, 3), (4, 6), (2, 5), (6, 1), (5, 6)])}),
    ("ten-thousand", {"goal": 500}, 1, lambda draw: {**scores(draw, 9, 50), **draw.choice(TURNS)}),
]


def scores(draw: Random, most: int, step: int = 1) -> dict[str, int]:
    """Of both players."""
    return {name: step * draw.randint(0, most) for name in ("mine", "theirs")}


@pytest.mark.parametrize(("game", "params", "most", "drawn"), POSITIONS, ids=[name for name, *_ in POSITIONS])
def test_answers_lie_between_nothing_and_the_most_and_are_in_order(
    game: str, params: dict[str, Any], most: float, drawn: Callable[[Random], dict[str, Any]]
) -> None:
    draw = Random(game)
    for _ in range(ASKED):
        advice = rollwise.ask(game, params, state=drawn(draw))
        moves = advice.moves or []
        assert 0 <= (advice.lower or 0.0) <= (advice.value or 0.0) <= (advice.upper or 0.0) <= most
        assert advice.best == [move.move for move in moves][: len(advice.best or [])]
        assert all(move.lower <= move.value <= move.upper for move in moves)
        assert all(move.loss == 0 or move.move not in (advice.best or []) for move in moves)
        assert [move.loss for move in moves] == sorted(abs(move.loss) for move in moves)


@pytest.mark.parametrize(
    ("name", "parameters", "signs"),
    [
        ("pig", {"target": 30}, (1, -1)),
        ("ten-thousand", {"goal": 700}, (1, -1)),
        ("ten-thousand", {"players": 1, "goal": 1000}, (-1,)),  # a longer way takes more turns
    ],
)
def test_more_points_never_hurt_where_the_first_across_wins(
    name: str, parameters: Mapping[str, Any], signs: tuple[int, ...]
) -> None:
    found = stored(the_game(name, parameters))
    shape = [len(each) for each in found.game.boards().ranges.values()]
    values = found.opened.read(np.arange(int(np.prod(shape))))[0].reshape(shape)
    for axis, sign in enumerate(signs):
        assert (sign * np.diff(values, axis=axis) >= -1e-10).all()


def test_the_shares_of_a_table_are_one_together() -> None:
    advice = rollwise.ask("shut-the-box", {"players": 4}, roll=[5, 3])
    for shares in (advice.shares, *(move.shares for move in advice.moves or [])):
        assert sum(shares or []) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("name", "parameters"), [("mexico", {"lives": 1}), ("shut-the-box", {"players": 2})])
def test_shares_are_in_python_and_json_and_at_the_terminal_alike(name: str, parameters: dict[str, Any]) -> None:
    told = rollwise.solve(name, parameters, exact=True)
    plain = told.plain_solution()
    for key in ("shares", "shares_lower", "shares_upper", "shares_exact"):
        assert plain[key] == getattr(told, key)
        assert len(plain[key]) == 2
    assert plain["shares_exact"][0] == told.exact
    assert plain["shares"][told.mover] == told.value
    assert sum(plain["shares"]) == 1


def test_a_distribution_sums_to_one_within_its_tail() -> None:
    score = rollwise.ask("drop-dead", turn=14, dice=3).quantities["score_distribution"]
    assert score.tail is not None
    assert 1 - score.tail["upper"] - 1e-12 <= sum(score.value.values()) <= 1 + 1e-12
    assert min(map(int, score.value)) == 14


def test_a_board_that_no_game_comes_to_is_refused_at_the_door() -> None:
    refused = set()
    for size in SIZES:
        space = size.game.boards()
        some = np.arange(min(space.size, 1 << 16))
        can_be = np.broadcast_to(size.game.possible(space.columns(some)), len(some))
        for index in np.flatnonzero(can_be)[:1].tolist():
            assert check_board(size.game, space.board(index)) == index
        for index in np.flatnonzero(~can_be)[:1].tolist():
            with pytest.raises(StateError, match=f"no game of {size.name} can come to "):
                check_board(size.game, space.board(index))
            refused.add(size.name)
    assert len(refused) > 5
    with pytest.raises(StateError, match="no game of pig can come to mine=-1 theirs=0"):
        check_board(the_game("pig", {"target": 10}), {"mine": -1, "theirs": 0})
