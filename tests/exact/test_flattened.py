"""The one-level form is the meaning, the two-level form the speed: for every game, at a small size, they agree.

Another game is one more line of SMALL.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from rollwise.games.registry import game
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.exact.exact import ExactValues, solve_exact
from rollwise.solver.game.model import TurnGame
from rollwise.solver.reference.explicit import solve_states
from rollwise.solver.reference.flatten import flatten
from rollwise.solver.turn.graph import TurnGraph, compile_turn

# (game, parameters, fields of the board to start from where the whole game would take long)
SMALL: list[tuple[str, dict[str, Any], dict[str, int]]] = [
    ("pig", {"target": 3}, {}),
    ("pig", {"target": 4}, {}),
    ("pig", {"target": 5}, {}),
    ("pig", {"target": 6}, {}),
    ("ten-thousand", {"goal": 500}, {"mine": 5, "theirs": 4}),
    ("ten-thousand", {"goal": 500, "players": 1}, {}),
    ("piggy-six", {"target": 4}, {}),
    ("piggy-six", {"target": 2, "max_dice": 3}, {}),
    ("piggy-six", {"target": 2, "max_dice": 3, "choose": "roll"}, {}),
    ("piggy-six", {"target": 2, "robots": (2,)}, {}),
    ("mexico", {"lives": 1}, {}),
    ("mexico", {"lives": 2, "opener": "rotating"}, {}),
    ("sevens", {"goal": 3, "dice": 2}, {}),
    ("killer", {"boxes": "trebles"}, {}),
    ("killer", {"boxes": "doubles", "must_score": True}, {}),
    ("cameroon", {"boxes": "sixes"}, {"theirs": 63}),
    ("cameroon", {"boxes": "full house", "objective": "win"}, {}),
    ("cameroon", {"boxes": "ones", "objective": "win"}, {"theirs": 63, "difference": -2}),
    ("shut-the-box", {}, {}),
    ("shut-the-box", {"variant": "partial"}, {}),
    ("shut-the-box", {"objective": "clear", "boxes": 7}, {}),
    ("sixzee", {"boxes": "3-2-1,sixzee"}, {}),
    # low and high straight hold points, the sixzee box 60: a joker earns the bonus and the hundred
    (
        "sixzee",
        {"boxes": "low straight,high straight,super straight,sixzee", "bonus_when": "possible"},
        {"straights": 9, "sixzee": 2},
    ),
    ("yahtzee", {"boxes": "ones"}, {}),
    ("yahtzee", {"boxes": "yahtzee", "joker": "free"}, {}),
    ("zilch", {"goal": 500, "opening": 350, "players": 1}, {}),
    ("drop-dead", {}, {}),
    ("six-by-6", {"limit": 2}, {}),
    ("six-by-6", {"limit": 2, "posting": "free"}, {}),
]
NAMES = [" ".join([name, *(f"{key}={value}" for key, value in said.items())]) for name, said, _ in SMALL]
every_game = pytest.mark.parametrize("number", range(len(SMALL)), ids=NAMES)


@cache
def small(number: int) -> tuple[TurnGame, TurnGraph, ExactValues]:
    name, parameters, _ = SMALL[number]
    found = game(name, parameters)
    assert isinstance(found, TurnGame)
    graph = compile_turn(found)
    return found, graph, solve_exact(found, graph)


@every_game
def test_flattened_exact_equals_the_exact_boards(number: int) -> None:
    of, _, exact = small(number)
    flat = flatten(of)
    board = {**of.first_board(), **SMALL[number][2]}
    first = flat.turn_start(0, tuple(board.values()))
    states = solve_states(flat, [first])
    assert states[first] == exact[of.boards().index_of(**board)]
    for index, value in exact.values.items():
        for player, seen in ((0, value), (1, of.total - value)):
            start = flat.turn_start(player, tuple(of.boards().board(index).values()))
            assert states.get(start, seen) == seen, of.boards().board(index)


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
