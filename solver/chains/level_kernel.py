"""The kernel that puts many boards in the order of their places (numba, it releases the GIL).

``solver.chains.layout.by_level`` is the slow twin that a test compares it with.
"""

from __future__ import annotations

from typing import Any

from rollwise.solver.turn.kept_kernels import compiled


@compiled()
def in_order(boards: Any, level_of: Any, last: int, starts: Any, ordered: Any) -> None:
    """Boards by level from the ``last`` one on, within a level the last board first, into ``ordered``.

    ``starts``: int64, zeros, one more than levels from the first to the last; it gets the place where each level
    starts, the last level first, and the number of boards. Levels without boards start where the next one does.
    """
    n = len(starts) - 1
    for b in range(len(boards)):
        starts[last - level_of[b] + 1] += 1
    for k in range(n):
        starts[k + 1] += starts[k]
    for b in range(len(boards) - 1, -1, -1):
        k = last - level_of[b]
        ordered[starts[k]] = boards[b]
        starts[k] += 1
    for k in range(n, 0, -1):
        starts[k] = starts[k - 1]
    starts[0] = 0
