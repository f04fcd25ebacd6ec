"""The one-level form is the meaning, the two-level form the speed: for every game, at a small size, they agree.

Another game is one more line of ``tests/sizes.py``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from rollwise.solver.exact.optimal import ExactValues, solve_exact
from rollwise.solver.values.board_solver import BoardSolver, BoardValues
from tests.reference.explicit import solve_states
from tests.reference.flatten import flatten
from tests.sizes import EXACT, SIZES, Size, cases

every_game = cases(EXACT)
NEAR = {  # where the whole game is long, boards near its end to flatten it from
    "piggy-six target=4": {"theirs": 30, "seat": 1},
    "piggy-six target=2 max_dice=3 choose=roll": {"theirs": 30, "seat": 1},
    "ten-thousand goal=500": {"mine": 8, "theirs": 8},
}
LONG = {
    "421 players=2 chips=1 pot=0",
    "cameroon boxes=full house objective=win",
    "cameroon boxes=sixes",
    "piggy-six target=2 max_dice=3",
    "six-by-6 players=2 limit=1 posting=free",
}
assert LONG | NEAR.keys() <= {str(size) for size in SIZES}, "a size has another name now"
FLATTENED = [
    pytest.param(size, marks=[pytest.mark.slow] if str(size) in LONG else [], id=str(size))
    for size in SIZES
    if size.why_not(EXACT) is None
]


@cache
def exactly(name: str) -> ExactValues:
    """Exact values of all boards of a size."""
    size = next(size for size in SIZES if str(size) == name)
    return solve_exact(size.game, size.graph)


@cache
def certified(name: str, compiled: bool) -> BoardValues:
    """Values with bounds."""
    size = next(size for size in SIZES if str(size) == name)
    return BoardSolver(size.game, size.graph, compiled=compiled).solve()


@pytest.mark.parametrize("size", FLATTENED)
def test_flattened_exact_equals_the_exact_boards(size: Size) -> None:
    of, exact = size.game, exactly(str(size))
    flat = flatten(of)
    board = {**of.first_board(), **size.start, **NEAR.get(str(size), {})}
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
    solved = certified(str(size), compiled)
    assert np.nanmax(solved.radius) < 1e-9 * max(1.0, float(np.nanmax(np.abs(solved.values))))
    for index, value in exactly(str(size)).values.items():
        error = abs(Fraction(float(solved.values[index])) - value)
        assert error <= Fraction(float(solved.radius[index])), size.game.boards().board(index)


@every_game
@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
def test_chances_that_are_0_or_1_are_kept_exactly_so_and_no_others(size: Size, compiled: bool) -> None:
    solved, is_chance = certified(str(size), compiled), size.game.measure == "win"
    for index, value in exactly(str(size)).values.items():
        is_sure = is_chance and value in (0, 1)
        assert (solved.radius[index] == 0) == is_sure, size.game.boards().board(index)
        assert not is_sure or solved.values[index] == value


@every_game
def test_float_values_only_show_where_to_start(size: Size) -> None:
    solved = certified(str(size), compiled=False)
    assert solve_exact(size.game, size.graph, solved.values).values == exactly(str(size)).values
