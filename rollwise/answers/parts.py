"""A difference in parts that add up to it: exactly in the data, and in the digits that are printed."""

from __future__ import annotations

import math
from collections.abc import Sequence

DIGITS = 52  # of a sum; so many fit into a float with one to spare


def adding_up(parts: Sequence[float], total: float) -> tuple[list[float], float]:
    """Parts and their total as multiples of one power of 2, so that any order of adding up gives just the total.

    They move by the rounding of the largest sum at most; what they lack of the total goes to the largest part.

    >>> parts, total = adding_up([0.1, 0.2, -0.05], 0.25)
    >>> sum(parts) == sum(reversed(parts)) == total
    True
    """
    largest = math.fsum(map(abs, [*parts, total]))
    if not parts or largest == 0:
        return list(parts), total
    step = 2.0 ** (math.frexp(largest)[1] - DIGITS)
    whole, target = [round(part / step) for part in parts], round(total / step)
    place = max(range(len(parts)), key=lambda i: abs(parts[i]))
    whole[place] += target - sum(whole)
    return [number * step for number in whole], target * step


def in_steps(parts: Sequence[float], total: int, step: float) -> list[int]:
    """Parts as whole numbers of steps that add up to ``total`` steps, each next to the part: the largest remainders up.

    >>> in_steps([0.335, 0.335, 0.33], 100, 0.01), in_steps([0.126, -0.051], 8, 0.01)
    ([34, 33, 33], [13, -5])
    """
    if not parts:
        return []
    exact = [part / step for part in parts]
    whole = [math.floor(number) for number in exact]
    missing, n = total - sum(whole), len(parts)
    by_rest = sorted(range(n), key=lambda i: whole[i] - exact[i])
    for place in range(n):  # more than one step each only where the total is not that of the parts
        whole[by_rest[place]] += missing // n + (place < missing % n)
    return whole
