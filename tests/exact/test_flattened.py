"""The one-level form is the meaning, the two-level form the speed: for every game, at a small size, they agree.

Another game is one more line of SMALL.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from games.registry import game
from solver.exact import ExactValues, solve_exact, solve_states
from solver.flatten import flatten
from solver.graph import TurnGraph, compile_turn
from solver.model import TurnGame
from solver.sweep import BoardSolver

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("pig", {"target": 3}),
    ("pig", {"target": 4}),
    ("pig", {"target": 5}),
    ("pig", {"target": 6}),
    ("ten-thousand", {"goal": 500}),
    ("ten-thousand", {"goal": 500, "players": 1}),
    ("piggy-six", {"target": 6}),
    ("shut-the-box", {}),
    ("drop-dead", {}),
]
NAMES = [" ".join([name, *(f"{key}={value}" for key, value in parameters.items())]) for name, parameters in SMALL]
every_game = pytest.mark.parametrize("number", range(len(SMALL)), ids=NAMES)


@cache
def small(number: int) -> tuple[TurnGame, TurnGraph, ExactValues]:
    found = game(*SMALL[number])
    assert isinstance(found, TurnGame)
    graph = compile_turn(found)
    return found, graph, solve_exact(found, graph)


@every_game
def test_flattened_exact_equals_the_exact_boards(number: int) -> None:
    of, _, exact = small(number)
    flat = flatten(of)
    states = solve_states(flat)
    space = of.boards()
    seen = 0
    for index, value in exact.values.items():
        start = flat.turn_start(0, tuple(space.board(index)[name] for name in space.names))
        if start in states:
            assert states[start] == value, space.board(index)
            seen += 1
    assert seen > 0
    assert states[flat.first()] == exact[space.index_of(**of.start())]


@every_game
@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
def test_certified_intervals_hold_the_exact_values(number: int, compiled: bool) -> None:
    of, graph, exact = small(number)
    solved = BoardSolver(of, graph, compiled=compiled).solve()
    assert np.nanmax(solved.radius) < 1e-9 * max(1.0, float(np.nanmax(np.abs(solved.values))))
    for index, value in exact.values.items():
        error = abs(Fraction(float(solved.values[index])) - value)
        assert error <= Fraction(float(solved.radius[index])), of.boards().board(index)


@every_game
def test_float_values_only_show_where_to_start(number: int) -> None:
    of, graph, exact = small(number)
    solved = BoardSolver(of, graph, compiled=False).solve()
    assert solve_exact(of, graph, solved.values).values == exact.values
