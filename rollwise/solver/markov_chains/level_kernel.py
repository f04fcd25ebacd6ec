"""Compiled loops that sort many boards by level, in the order of their places (numba, GIL released).

``solver.markov_chains.layout.sort_by_level`` is the slow twin that a test compares them with.
"""

from __future__ import annotations

from typing import Any

from rollwise.solver.turn.kernel_cache import compiled


@compiled()
def level_range(level: Any, none: int) -> Any:
    """Number of levels that are not ``none``, and the least and the largest of them, 0 where there are none."""
    count, first, last = 0, 0, 0
    for board in range(len(level)):
        here = level[board]
        if here != none:
            first = min(first, here) if count else here
            last = max(last, here) if count else here
            count += 1
    return count, first, last


@compiled()
def order_places(place: Any, none: int, last: int, starts: Any, ordered: Any) -> None:
    """Sort boards by level, the ``last`` one first, within a level the last board first, into ``ordered``.

    ``place`` has the level of each board, ``none`` where there is no board, and gets its place, or -1. ``starts``:
    int64, zeros, one more than levels from the first to the last; it gets the first place of each level, the last
    level first, and the number of boards. Levels without boards start where the next one does.
    """
    n = len(starts) - 1
    for board in range(len(place)):
        if place[board] != none:
            starts[last - place[board] + 1] += 1
    for k in range(n):
        starts[k + 1] += starts[k]
    for board in range(len(place) - 1, -1, -1):
        if place[board] == none:
            place[board] = -1
        else:
            k = last - place[board]
            ordered[starts[k]] = board
            place[board] = starts[k]
            starts[k] += 1
    for k in range(n, 0, -1):
        starts[k] = starts[k - 1]
    starts[0] = 0
