"""Exact values of every game, at a small size: what its turns come to word by word; and certified intervals hold them.

Another game is one more line of ``tests/sizes.py``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from rollwise.solver.exact.optimal import ExactValues, solve_exact
from rollwise.solver.values.board_solver import BoardSolver, BoardValues
from tests.sizes import EXACT, SIZES, Size, cases
from tests.solver.plain import Turns

every_game = cases(EXACT)
MOST, ALL = 24, 10**6  # boards of a size whose turns are played word by word


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


@every_game
@pytest.mark.parametrize("most", [MOST, pytest.param(ALL, marks=pytest.mark.thorough)])
def test_an_exact_value_is_what_a_turn_comes_to_word_by_word(size: Size, most: int) -> None:
    """Play must end, so no other values satisfy these equations."""
    of, exact = size.game, exactly(str(size)).values
    turns = Turns(of, exact, cut=max if of.sense == "max" else min)  # even so the best play does not go there
    for index in list(exact)[:: 1 + len(exact) // most]:
        assert turns.value(tuple(of.boards().board(index).values())) == exact[index], of.boards().board(index)


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
