"""The kernel that turns indices of boards into their rows (numba, without the GIL).

``solver.model.spaces`` computes the same in NumPy, and each chain compares the two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kernel_cache import compiled


@compiled(inside=True)
def quotient(number: Any, divisor: Any) -> Any:
    """number // divisor, for a number from 0 to 2**50 and a divisor of at least 1: quicker than by whole numbers."""
    return np.int64((number + 0.5) / divisor)


@compiled()
def unrank(unranking: Any, boards: Any, rows: Any) -> None:
    """The numbers of boards by index, into ``rows``: int32, shape (rows, boards or more); see ``Unranking``."""
    parts, table = unranking.parts, unranking.table
    remaining = np.empty(len(boards), dtype=np.int64)
    rank = np.empty(len(boards), dtype=np.int64)
    for i in range(len(boards)):
        remaining[i] = boards[i]
    for p in range(len(parts) - 1, -1, -1):
        size = parts[p, 0]
        for i in range(len(remaining)):
            above = quotient(remaining[i], size)
            rank[i] = remaining[i] - above * size
            remaining[i] = above
        if parts[p, 2] < 0:
            split(parts[p], table, rank, rows)
        else:
            grouped(parts[p], table, rank, rows)


@compiled()
def grouped(part: Any, table: Any, rank: Any, rows: Any) -> None:
    """Unrank a part in groups, first trying the group of the board before, which successive boards mostly share."""
    row, fixed, later, groups, start = part[1], part[2], part[3], part[4], part[5]
    wide = 1 + fixed + 2 * later
    group = 0
    for i in range(len(rank)):
        at = start + group * wide
        if not table[at] <= rank[i] < table[at + wide]:
            if groups == part[0]:
                group = rank[i]
            else:
                group, end = 0, groups
                while end - group > 1:
                    middle = (group + end) // 2
                    if table[start + middle * wide] <= rank[i]:
                        group = middle
                    else:
                        end = middle
            at = start + group * wide
        inside = rank[i] - table[at]
        at += 1
        for k in range(fixed):
            rows[row + k, i] = table[at + k]
        at += fixed
        for k in range(later - 1, 0, -1):
            count = table[at + 2 * k + 1]
            above = quotient(inside, count)
            rows[row + fixed + k, i] = table[at + 2 * k] + inside - above * count
            inside = above
        if later:
            rows[row + fixed, i] = table[at] + inside


@compiled()
def split(part: Any, table: Any, rank: Any, rows: Any) -> None:
    """Unrank a split, place by place the remainder after it, first trying that of the board before."""
    row, places, length, start = part[1], part[3], part[4], part[5]
    room = table[start + length]
    last_after = np.zeros(places, dtype=np.int64)
    for i in range(len(rank)):
        remaining, inside = room, rank[i]
        for k in range(places):
            ways = start + length + 1 + k * (room + 1)
            behind = table[ways + remaining] - inside
            after = last_after[k]
            if not (table[ways + after] >= behind and (after == 0 or table[ways + after - 1] < behind)):
                low, after = -1, remaining
                while after - low > 1:
                    middle = (low + after) // 2
                    if table[ways + middle] >= behind:
                        after = middle
                    else:
                        low = middle
                last_after[k] = after
            inside -= table[ways + remaining] - table[ways + after]
            rows[row + k, i] = remaining - after + table[start + k]
            remaining = after
        if places < length:
            rows[row + places, i] = remaining + table[start + places]
