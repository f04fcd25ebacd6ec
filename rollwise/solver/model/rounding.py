"""Outward rounding of interval bounds: lower bounds down, upper bounds up, so that they contain the exact value."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter
from typing import overload

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@overload
def down(number: float) -> float: ...
@overload
def down(number: Floats) -> Floats: ...
def down(number: float | Floats) -> float | Floats:
    """The next float below: where the number was rounded once, its exact value is not below that."""
    return np.nextafter(number, -inf) if isinstance(number, np.ndarray) else nextafter(number, -inf)


@overload
def up(number: float) -> float: ...
@overload
def up(number: Floats) -> Floats: ...
def up(number: float | Floats) -> float | Floats:
    """The next float above."""
    return np.nextafter(number, inf) if isinstance(number, np.ndarray) else nextafter(number, inf)


def round_up(numbers: Floats) -> NDArray[np.float32]:
    """The next float32 above, for a radius."""
    return np.nextafter(numbers.astype(np.float32), np.float32(inf))


def below(number: Fraction) -> float:
    """The nearest float that is not above."""
    near = float(number)
    return near if near <= number else down(near)


def above(number: Fraction) -> float:
    """The nearest float that is not below."""
    near = float(number)
    return near if near >= number else up(near)


def float_interval(number: Fraction) -> tuple[float, float, float]:
    """The nearest float of a fraction, with its bounds."""
    return float(number), below(number), above(number)


def outward_interval(value: float, radius: float) -> tuple[float, float, float]:
    """A value with its bounds, rounded outward."""
    return value, down(value - radius), up(value + radius)
