"""What must hold of values whatever the game: on random positions, and between neighbours where the rules imply it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.parsing.validate import check_board, parse_game
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.model.errors import StateError
from tests.sizes import SIZES


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
    found = load_or_solve(parse_game(name, parameters))
    shape = [len(each) for each in found.game.boards().ranges.values()]
    values = found.solution.read(np.arange(int(np.prod(shape))))[0].reshape(shape)
    for axis, sign in enumerate(signs):
        assert (sign * np.diff(values, axis=axis) >= -1e-10).all()


@pytest.mark.parametrize(("name", "parameters"), [("mexico", {"lives": 1}), ("shut-the-box", {"players": 2})])
def test_shares_are_in_python_and_json_and_at_the_terminal_alike(name: str, parameters: dict[str, Any]) -> None:
    told = rollwise.solve(name, params=parameters, exact=True)
    plain = told.plain_solution()
    for key in ("shares", "shares_lower", "shares_upper", "shares_exact"):
        assert plain[key] == getattr(told, key)
        assert len(plain[key]) == 2
    assert plain["shares_exact"][0] == told.exact
    assert plain["shares"][told.mover] == told.value
    assert sum(plain["shares"]) == 1


def test_a_distribution_sums_to_one_within_its_tail() -> None:
    score: Any = rollwise.ask("drop-dead", turn=14, dice=3).quantities["score_distribution"]
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
            with pytest.raises(StateError, match=f"no game of {size.name} can reach "):
                check_board(size.game, space.board(index))
            refused.add(size.name)
    assert len(refused) > 5
    with pytest.raises(StateError, match="no game of pig can reach mine=-1 theirs=0"):
        check_board(parse_game("pig", {"target": 10}), {"mine": -1, "theirs": 0})


def test_a_move_that_wins_whatever_falls_wins_exactly() -> None:
    told = rollwise.ask("pig", params={"target": 20}, mine=10, theirs=12, turn=10)
    assert [(move.move, move.lower, move.upper) for move in told.moves][:1] == [("hold", 1.0, 1.0)]
    assert told.moves[1].lower < told.moves[1].value < 1
