"""What this machine can do of our kernel's work: python -m scripts.benched.floor, for scripts/bench.py.

Maxima of six random rows each, on two threads, in 10^9 edge operations a second.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit

from rollwise.solver.turn.kernels import LANES, MAX, WHOLE_ROW, Operations, run

ROWS = {"rows that fit the first-level cache": 64, "rows of a turn of Sixzee, second level": 1240}
OPERATIONS, READ, SECONDS = 4000, 6, 2.0
WORKERS = 2


@njit(nogil=True)
def repeat(operations: Any, rows: Any, times: int) -> None:
    """The operations so many times over."""
    for _ in range(times):
        run(operations, rows, WHOLE_ROW, None)


def speed(n_rows: int) -> float:
    """Edge operations a second of all threads."""
    draw = np.random.default_rng(0)
    listed = np.array([(MAX, i % n_rows, READ * i, READ) for i in range(OPERATIONS)])
    read = draw.integers(0, n_rows, OPERATIONS * READ).astype(np.uint32)
    operations = Operations(listed, read, np.ones(1), np.ones(1), n_rows)

    def work(_: int) -> float:
        rows = draw.random(n_rows * LANES)
        repeat(operations, rows, 1)
        times, began = 0, time.perf_counter()
        while time.perf_counter() - began < SECONDS:
            repeat(operations, rows, 50)
            times += 50
        return times * len(read) * LANES / (time.perf_counter() - began)

    with ThreadPoolExecutor(WORKERS) as pool:
        return sum(pool.map(work, range(WORKERS)))


if __name__ == "__main__":
    print(json.dumps({name: speed(n_rows) / 1e9 for name, n_rows in ROWS.items()}))
