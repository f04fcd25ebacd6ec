"""What ``bench`` holds Pig against: a solver of this one game, written by hand, and nothing but its loops.

Value iteration, pair by pair: two boards that differ only in whose turn it is lead to each other, and to none of a
lower sum of scores. ``python scripts/pig_baseline.py`` prints CPU seconds without compiling, and P(first player wins).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numba import njit

TARGET = 100
CLOSE = 1e-9  # a pair is left when no value of it moves by as much; nothing is proved of what is left over


@njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def turn(values: Any, target: int, mine: int, theirs: int) -> float:
    """One pass over the turn of a board, from its highest total down: how far any value has moved."""
    moved = 0.0
    bust = 1.0 - values[theirs, mine, 0]
    for total in range(target - mine - 1, -1, -1):
        roll = bust
        for face in range(2, 7):
            roll += 1.0 if mine + total + face >= target else values[mine, theirs, total + face]
        value = roll / 6.0
        if total > 0:
            value = max(value, 1.0 - values[theirs, mine + total, 0])
        moved = max(moved, abs(value - values[mine, theirs, total]))
        values[mine, theirs, total] = value
    return moved


@njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def solve(target: int, close: float) -> Any:
    """P(the player to move wins) by mine, theirs, total: float64, shape (target, target, target)."""
    values = np.zeros((target, target, target))
    for scores in range(2 * target - 2, -1, -1):
        for low in range(max(0, scores - target + 1), scores // 2 + 1):
            high = scores - low
            moved = close
            while moved >= close:
                moved = turn(values, target, low, high)
                if low != high:
                    moved = max(moved, turn(values, target, high, low))
    return values


if __name__ == "__main__":
    solve(5, CLOSE)
    began = time.process_time()
    found = solve(TARGET, CLOSE)
    print(f"{time.process_time() - began:.3f} s  {found[0, 0, 0]:.12f}")
