"""The one-level form is the meaning, the two-level form the speed: for every game, at a small size, they agree.

Another game is one more line of ``tests/sizes.py``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.exact.exact import ExactValues, solve_exact
from rollwise.solver.reference.explicit import solve_states
from rollwise.solver.reference.flatten import flatten
from tests.sizes import EXACT, SIZES, Size, cases

every_game = cases(EXACT)


@cache
def exactly(name: str) -> ExactValues:
    """Exact values of all boards of a size."""
    size = next(size for size in SIZES if str(size) == name)
    return solve_exact(size.game, size.graph)


@every_game
def test_flattened_exact_equals_the_exact_boards(size: Size) -> None:
    of, exact = size.game, exactly(str(size))
    flat = flatten(of)
    board = {**of.first_board(), **size.start}
    first = flat.turn_start(0, tuple(board.values()))
    states = solve_states(flat, [first])
    assert states[first] == exact[of.boards().index_of(**board)]
    for index, value in exact.values.items():
        for player, seen in ((0, value), (1, of.total - value)):
            start = flat.turn_start(player, tuple(of.boards().board(index).values()))
            assert states.get(start, seen) == seen, of.boards().board(index)


@every_game
@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
def test_certified_intervals_hold_the_exact_values(size: Size, compiled: bool) -> None:
    of, graph, exact = size.game, size.graph, exactly(str(size))
    solved = BoardSolver(of, graph, compiled=compiled).solve()
    assert np.nanmax(solved.radius) < 1e-9 * max(1.0, float(np.nanmax(np.abs(solved.values))))
    for index, value in exact.values.items():
        error = abs(Fraction(float(solved.values[index])) - value)
        assert error <= Fraction(float(solved.radius[index])), of.boards().board(index)


@every_game
def test_float_values_only_show_where_to_start(size: Size) -> None:
    of, graph, exact = size.game, size.graph, exactly(str(size))
    solved = BoardSolver(of, graph, compiled=False).solve()
    assert solve_exact(of, graph, solved.values).values == exact.values
