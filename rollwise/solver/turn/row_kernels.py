"""The compiled backup of boards in rows (``solver.model.rows``): lanes are needed points, ends are shifted rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kernel_cache import compiled
from rollwise.solver.turn.kernels import LANES, WHOLE_ROW, Operations, run


@compiled(inside=True)
def take(values: Any, begin: int, last: int, first: int, rows: Any, to: int) -> None:
    """Copy LANES numbers of the row at ``begin``, from place ``first`` on, its first and last numbers repeated."""
    if first >= 0 and first + LANES - 1 <= last:
        for lane in range(LANES):
            rows[to + lane] = values[begin + first + lane]
    else:
        for lane in range(LANES):
            rows[to + lane] = values[begin + min(max(first + lane, 0), last)]


@compiled()
def sweep_rows(
    operations: Any, begins: Any, lasts: Any, shifts: Any, own: Any, lengths: Any, values: Any, first: int, end: int
) -> None:
    """Back up rows ``first`` to ``end - 1``, which begin at ``own`` in ``values`` and have these lengths.

    ``begins``, ``lasts`` and ``shifts``, shape (rows, ends): the start of the row to which each end leads, its last
    place, and the number of places by which the needed points there are lower than here.
    """
    operations = Operations(*operations)
    rows = np.zeros(operations.n_rows * LANES)
    root = operations.ops[operations.ops.shape[0] - 1, 1] * LANES
    for row in range(first, end):
        for block in range(0, lengths[row], LANES):
            for e in range(begins.shape[1]):
                take(values, begins[row, e], lasts[row, e], block - shifts[row, e], rows, e * LANES)
            run(operations, rows, WHOLE_ROW, None)
            for lane in range(min(LANES, lengths[row] - block)):
                values[own[row] + block + lane] = rows[root + lane]
