"""Rounding outwards never passes the truth, and never goes further than one float."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rollwise.solver.game.rounding import above, below, down, round_up, up

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
