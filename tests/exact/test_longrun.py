"""Sums over chains and long-run means: against linear algebra, and against what two coins do."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from rollwise.solver.chains.longrun import between_visits, totals

HALF, ONE = Fraction(1, 2), Fraction(1)


def random_chain(seed: int, size: int, ends: bool) -> dict[int, dict[int, Fraction]]:
    """States 0..size-1 in random order, each with up to four next ones; it ends from everywhere, or never."""
    draw = Random(seed)
    steps: dict[int, dict[int, Fraction]] = {}
    for state in draw.sample(range(size), size):
        weights = {target: draw.randint(1, 9) for target in draw.sample(range(size), 4)}
        whole = sum(weights.values()) + (draw.randint(1, 5) if ends else 0)
        steps[state] = {target: Fraction(weight, whole) for target, weight in weights.items()}
    return steps


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("seed", range(5))
def test_sums_satisfy_their_equations_exactly(seed: int, sign: int) -> None:
    steps = random_chain(seed, 12, ends=True)
    gains = {state: [Fraction(state), Fraction(1, 1 + state)] for state in steps}
    sums = totals(steps, gains, sign)
    for state, following in steps.items():
        for part in range(2):
            ahead = sum(chance * sums[target][part] for target, chance in following.items())
            assert sums[state][part] == gains[state][part] + sign * ahead


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_states_changes_nothing(seed: int) -> None:
    steps = random_chain(seed, 9, ends=True)
    gains = {state: [Fraction(state)] for state in steps}
    assert totals(steps, gains) == totals({state: steps[state] for state in sorted(steps)}, gains)


@pytest.mark.parametrize("seed", range(5))
def test_long_run_means_are_those_of_the_stationary_distribution(seed: int) -> None:
    steps = random_chain(seed, 10, ends=False)
    gains = {state: [Fraction(state), ONE] for state in steps}
    matrix = np.zeros((10, 10))
    for state, following in steps.items():
        for target, chance in following.items():
            matrix[state, target] = float(chance)
    often = np.linalg.matrix_power(matrix, 1 << 12)[0]
    reached = [state for state in range(10) if often[state] > 1e-9]
    for state in reached:
        gained, visits = between_visits(steps, gains, state)
        assert float(gained / visits) == pytest.approx(often @ np.arange(10), abs=1e-12)
        assert float(1 / visits) == pytest.approx(often[state], abs=1e-12)


def test_a_state_of_its_own_is_visited_every_step() -> None:
    assert between_visits({"on": {"on": ONE}}, {"on": [Fraction(3)]}, "on") == [3]


def test_every_second_visit_counts_negatively() -> None:
    """Two states in turn, left with a chance of one half at each step: 1 - 2/2 + 1/4 - 2/8 + ..."""
    steps = {"a": {"b": HALF}, "b": {"a": HALF}}
    gains = {"a": [ONE], "b": [Fraction(2)]}
    assert totals(steps, gains, sign=-1) == {"a": [0], "b": [2]}
    assert totals(steps, gains) == {"a": [Fraction(8, 3)], "b": [Fraction(10, 3)]}
