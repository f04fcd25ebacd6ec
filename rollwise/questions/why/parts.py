"""Parts that add up to their total, exactly as floats and as printed digits."""

from __future__ import annotations

import math
from collections.abc import Sequence

SUM_BITS = 52  # of a sum; a float has one more


def parts_with_exact_sum(parts: Sequence[float], total: float) -> tuple[list[float], float]:
    """Parts and their total as multiples of one power of 2, so that adding in any order gives the total.

    They change by at most the rounding of the largest sum; the largest part takes the remainder.

    >>> parts, total = parts_with_exact_sum([0.1, 0.2, -0.05], 0.25)
    >>> sum(parts) == sum(reversed(parts)) == total
    True
    """
    largest = math.fsum(map(abs, [*parts, total]))
    if not parts or largest == 0:
        return list(parts), total
    step = 2.0 ** (math.frexp(largest)[1] - SUM_BITS)
    rounded, target = [round(part / step) for part in parts], round(total / step)
    place = max(range(len(parts)), key=lambda i: abs(parts[i]))
    rounded[place] += target - sum(rounded)
    return [number * step for number in rounded], target * step


def rounded_parts(parts: Sequence[float], total: int, step: float) -> list[int]:
    """Parts as whole numbers of steps that add up to ``total`` steps, each next to the part: the largest remainders up.

    >>> rounded_parts([0.335, 0.335, 0.33], 100, 0.01), rounded_parts([0.126, -0.051], 8, 0.01)
    ([34, 33, 33], [13, -5])
    """
    if not parts:
        return []
    exact = [part / step for part in parts]
    rounded = [math.floor(number) for number in exact]
    missing, n = total - sum(rounded), len(parts)
    by_rest = sorted(range(n), key=lambda i: rounded[i] - exact[i])
    for place in range(n):  # more than one step each only where the total is not that of the parts
        rounded[by_rest[place]] += missing // n + (place < missing % n)
    return rounded
