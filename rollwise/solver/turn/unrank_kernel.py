"""The kernel that turns indices of boards into their rows (numba, it releases the GIL).

``solver.model.spaces`` says the same in NumPy, and each chain compares the two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kept_kernels import compiled


@compiled(inside=True)
def quotient(number: Any, divisor: Any) -> Any:
    """number // divisor, for a number from 0 to 2**50 and a divisor of at least 1: quicker than by whole numbers."""
    return np.int64((number + 0.5) / divisor)


@compiled()
def unrank(unranking: Any, boards: Any, rows: Any) -> None:
    """The numbers of boards by index, into ``rows``: int32, shape (rows, boards or more); see ``Unranking``."""
    parts, table = unranking.parts, unranking.table
    left = np.empty(len(boards), dtype=np.int64)
    rank = np.empty(len(boards), dtype=np.int64)
    for i in range(len(boards)):
        left[i] = boards[i]
    for p in range(len(parts) - 1, -1, -1):
        size = parts[p, 0]
        for i in range(len(left)):
            above = quotient(left[i], size)
            rank[i] = left[i] - above * size
            left[i] = above
        if parts[p, 2] < 0:
            split(parts[p], table, rank, rows)
        else:
            grouped(parts[p], table, rank, rows)


@compiled()
def grouped(part: Any, table: Any, rank: Any, rows: Any) -> None:
    """A part in groups. Boards that follow each other are mostly of one group, so that of the board before is tried."""
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
    """A number that is split: place by place what is left after it. That of the board before is tried first."""
    row, places, length, start = part[1], part[3], part[4], part[5]
    room = table[start + length]
    kept = np.zeros(places, dtype=np.int64)
    for i in range(len(rank)):
        left, inside = room, rank[i]
        for k in range(places):
            ways = start + length + 1 + k * (room + 1)
            behind = table[ways + left] - inside
            after = kept[k]
            if not (table[ways + after] >= behind and (after == 0 or table[ways + after - 1] < behind)):
                low, after = -1, left
                while after - low > 1:
                    middle = (low + after) // 2
                    if table[ways + middle] >= behind:
                        after = middle
                    else:
                        low = middle
                kept[k] = after
            inside -= table[ways + left] - table[ways + after]
            rows[row + k, i] = left - after + table[start + k]
            left = after
        if places < length:
            rows[row + places, i] = left + table[start + places]
