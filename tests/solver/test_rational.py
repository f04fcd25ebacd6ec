"""Exact linear systems: against sympy's matrices, by hand, and in their order; sums and long-run means over chains.

And rounding outwards, which never passes the truth, and never goes further than one float.
"""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from itertools import pairwise
from math import inf, nextafter
from random import Random

import networkx as nx
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, strategies as st
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from rollwise.solver.components.strongly_connected import components_in_order
from rollwise.solver.exact import equations as module
from rollwise.solver.exact.equations import Rational, fraction, rational, solve
from rollwise.solver.markov_chains.longrun import between_visits, expected_sums
from rollwise.solver.model.rounding import above, below, down, round_up, up

Weights = dict[int, dict[int, Rational]]
Columns = dict[int, list[Rational]]


def random_system(seed: int, size: int, fan: int, columns: int, signed: bool = False) -> tuple[Weights, Columns]:
    """Rows 0..size-1 in random order, up to ``fan`` weights in each; one or more of the rest of 1 leads to the end."""
    draw = Random(seed)
    weights: Weights = {}
    for row in draw.sample(range(size), size):
        ways = {target: draw.randint(1, 9) for target in draw.sample(range(size), min(size, draw.randint(0, fan)))}
        whole = sum(ways.values()) + draw.randint(1, 5)
        side = {target: -1 if signed and draw.random() < 0.5 else 1 for target in ways}
        weights[row] = {target: fmpq(side[target] * way, whole) for target, way in ways.items()}
    return weights, {row: [fmpq(draw.randint(-9, 9), row + 1) for _ in range(columns)] for row in weights}


def by_sympy(weights: Weights, constants: dict[int, list[Rational]]) -> dict[int, list[Rational]]:
    """The same from one dense matrix."""
    size, columns = len(weights), len(constants[0])
    left = [[QQ(int(i == j)) - weights[i].get(j, QQ(0)) for j in range(size)] for i in range(size)]
    right = [list(constants[i]) for i in range(size)]
    found = DomainMatrix(left, (size, size), QQ).lu_solve(DomainMatrix(right, (size, columns), QQ)).to_list()
    return dict(enumerate(found))


@pytest.mark.parametrize("few", [0, module.MAX_DENSE_UNKNOWNS])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize(("size", "fan"), [(1, 1), (2, 2), (7, 2), (12, 3), (12, 12), (40, 2), (40, 5)])
@pytest.mark.parametrize("seed", range(2))
def test_values_are_those_of_one_dense_matrix(
    seed: int, size: int, fan: int, signed: bool, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_DENSE_UNKNOWNS", few)
    weights, constants = random_system(seed, size, fan, columns=1 + seed % 3, signed=signed)
    before = deepcopy((weights, constants))
    assert solve(weights, constants) == by_sympy(weights, constants)
    assert (weights, constants) == before


@pytest.mark.parametrize("fill", [-(10**9), 0, 10**9])
def test_how_many_unknowns_are_taken_out_before_the_matrix_changes_nothing(
    fill: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights, constants = random_system(5, 30, 4, columns=2, signed=True)
    expected = by_sympy(weights, constants)
    monkeypatch.setattr(module, "MAX_MARKOWITZ_COUNT", fill)
    assert solve(weights, constants) == expected


def test_a_purse_of_a_thousand_points_fills_in_no_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gambler's ruin: a fair coin from k of n points wins with the chance k / n after k (n - k) throws."""
    n, half = 1000, fmpq(1, 2)
    weights = {k: {k - 1: half, k + 1: half} for k in range(1, n)}
    weights[1], weights[n - 1] = {2: half}, {n - 2: half}
    constants = {k: [half if k == n - 1 else fmpq(0), fmpq(1)] for k in weights}
    monkeypatch.setattr(module, "_solve_dense", None)
    for k, (wins, throws) in solve(weights, constants).items():
        assert (wins, throws) == (fmpq(k, n), k * (n - k))


def test_a_long_way_without_rings_is_no_deep_recursion() -> None:
    n = 5000
    weights = {k: {k + 1: fmpq(1)} if k < n else {} for k in range(n + 1)}
    assert solve(weights, {k: [fmpq(1)] for k in weights})[0] == [n + 1]


@pytest.mark.parametrize(
    "weights",
    [{0: {0: fmpq(1)}}, {0: {1: fmpq(1)}, 1: {0: fmpq(1)}}, {k: {j: fmpq(1, 4) for j in range(4)} for k in range(4)}],
)
def test_what_never_ends_has_no_value(weights: Weights) -> None:
    with pytest.raises(ZeroDivisionError):
        solve(weights, {row: [fmpq(1)] for row in weights})


@pytest.mark.parametrize("seed", range(8))
def test_groups_are_the_components_and_come_after_those_they_lead_to(seed: int) -> None:
    weights, _ = random_system(seed, 25, 2, columns=1)
    groups = list(components_in_order(weights))
    graph: nx.DiGraph[int] = nx.DiGraph((row, target) for row, of_row in weights.items() for target in of_row)
    graph.add_nodes_from(weights)
    assert {frozenset(group) for group in groups} == set(map(frozenset, nx.strongly_connected_components(graph)))
    rank = {row: number for number, group in enumerate(groups) for row in group}
    assert all(rank[target] <= rank[row] for row, of_row in weights.items() for target in of_row)


def test_fractions_go_over_to_flint_and_back() -> None:
    numbers = [Fraction(0), Fraction(-7, 3), Fraction(10**40, 3**50)]
    assert [fraction(rational(number)) for number in numbers] == numbers
    assert all(rational(low) < rational(high) for low, high in pairwise(sorted(numbers)))


# --- chains: sums, and means in the long run ------------------------------------------------------------------------

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
@pytest.mark.parametrize("seed", range(3))
def test_sums_satisfy_their_equations_exactly(seed: int, sign: int) -> None:
    steps = random_chain(seed, 12, ends=True)
    gains = {state: [Fraction(state), Fraction(1, 1 + state)] for state in steps}
    sums = expected_sums(steps, gains, sign)
    assert expected_sums({state: steps[state] for state in sorted(steps)}, gains, sign) == sums  # in whatever order
    for state, following in steps.items():
        for part in range(2):
            ahead = sum(chance * sums[target][part] for target, chance in following.items())
            assert sums[state][part] == gains[state][part] + sign * ahead


@pytest.mark.parametrize("seed", range(3))
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
    assert expected_sums(steps, gains, sign=-1) == {"a": [0], "b": [2]}
    assert expected_sums(steps, gains) == {"a": [Fraction(8, 3)], "b": [Fraction(10, 3)]}


# --- rounding --------------------------------------------------------------------------------------------------------

FLOATS = st.floats(-1e300, 1e300)


@given(FLOATS)
def test_down_and_up_are_the_neighbours_of_a_float(number: float) -> None:
    assert down(number) < number < up(number)
    assert up(down(number)) == number == down(up(number))
    assert type(down(number)) is type(up(number)) is float


@given(st.lists(FLOATS, min_size=1))
def test_arrays_are_rounded_as_their_numbers_are(numbers: list[float]) -> None:
    column = np.array(numbers)
    assert down(column).tolist() == [down(number) for number in numbers]
    assert up(column).tolist() == [up(number) for number in numbers]


@given(FLOATS, FLOATS)
def test_a_rounded_sum_lies_between_its_neighbours(one: float, other: float) -> None:
    assert down(one + other) <= Fraction(one) + Fraction(other) <= up(one + other)


@given(st.fractions())
def test_below_and_above_are_the_nearest_floats_that_pass_nothing(number: Fraction) -> None:
    assert below(number) <= number <= above(number)
    assert above(number) in (below(number), nextafter(below(number), inf))


@given(FLOATS)
def test_a_fraction_that_is_a_float_is_not_moved(number: float) -> None:
    assert below(Fraction(number)) == number == above(Fraction(number))


@given(st.lists(st.floats(0, 1e30), min_size=1))
def test_a_radius_is_never_rounded_down(numbers: list[float]) -> None:
    radius = round_up(np.array(numbers))
    assert radius.dtype == np.float32
    assert (radius.astype(np.float64) >= numbers).all()


def test_a_radius_grows_by_two_float32_at_most() -> None:
    numbers = np.linspace(1.0, 2.0, 1001)
    assert (round_up(numbers) - numbers <= 2 * np.finfo(np.float32).eps).all()
