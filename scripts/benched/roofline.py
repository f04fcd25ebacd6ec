"""How fast turns are backed up, and what the caches could deliver: python -m scripts.benched.roofline [GAME ...].

The figures of docs/performance.md; one thread, processor time, the least of some runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from rollwise.games.registry import game
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.backups import make_backup
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.kernels import LANES, MAX, WHOLE_ROW, NextValues, Operations, gather, run

RUNS, OPERATIONS, READ, BOARDS, VALUES = 7, 4000, 6, 4096, 2_000_000
ROWS = (64, 256, 1303, 4000, 20_000)


@njit(nogil=True)
def repeat(operations: Any, times: int) -> None:
    """The operations so many times over, on rows that lie in memory as those of a solve do."""
    rows = np.ones(operations.n_rows * LANES)
    for _ in range(times):
        run(operations, rows, WHOLE_ROW, None)


@njit(nogil=True)
def gather_all(codes: Any, extra: Any, extra_of: Any, worth: Any, rows: Any) -> None:
    """Every end of all boards."""
    for block in range(0, codes.shape[1], LANES):
        for e in range(codes.shape[0]):
            gather(codes[e], extra, extra_of[e], worth, rows, e * LANES, block, codes.shape[1] - 1, LANES)


def least(work: Callable[[], None]) -> float:
    """Seconds of processor of the quickest run, after one that compiles."""
    work()
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return min(seconds)


def a_board(operations: Operations) -> float:
    """Seconds of one board's operations."""
    times = max(1, 500_000 // len(operations.args))
    return least(lambda: repeat(operations, times)) / times / LANES


def main() -> None:
    """Caches first, then turns."""
    draw = np.random.default_rng(0)
    for n_rows in ROWS:
        listed = np.array([(MAX, i % n_rows, READ * i, READ) for i in range(OPERATIONS)])
        read = draw.integers(0, n_rows, OPERATIONS * READ).astype(np.uint32)
        speed = len(read) / a_board(Operations(listed, read, np.ones(1), np.ones(1), n_rows)) / 1e9
        print(f"{n_rows * LANES * 8 / 1024:5.0f} KB of rows  {speed:4.1f} thousand million edges a second")
    for name in sys.argv[1:] or ("sixzee", "yahtzee", "ten-thousand", "zilch"):
        made = game(name, {})
        assert isinstance(made, TurnGame)
        graph = compile_turn(made)
        program = make_backup(graph, int(graph.roots[0]), made.sense, True, made.boards().size).program
        n_ends = len(program.ends.first)
        codes = 2 * (draw.integers(0, VALUES - BOARDS, n_ends)[:, None] + np.arange(BOARDS)[None, :]).astype(np.int32)
        values, rows = draw.random(VALUES), np.zeros(n_ends * LANES)
        ends = codes, np.zeros((0, BOARDS)), np.full(n_ends, -1), NextValues(values, values, 0.0, -1.0), rows
        seconds = a_board(program.operations)
        gathered = least(lambda ends=ends: gather_all(*ends)) / BOARDS  # type: ignore[misc]
        print(
            f"{name}: {program.n_edges} edges, {program.operations.n_rows * LANES * 8 / 1024:.0f} KB of rows, "
            f"{seconds * 1e9:.0f} ns a board, {program.n_edges / seconds / 1e9:.1f}; "
            f"{n_ends} ends, {gathered * 1e9:.0f} ns"
        )


if __name__ == "__main__":
    main()
