"""The compiled backup: a turn graph as a short program over rows of lanes (numba, releases the GIL).

A *program* is one root's part of a turn graph: its leaves are the first rows of a buffer, every node writes one row,
and a row is used again once its last reader is done, so that the buffer stays in the second-level cache. A *lane* is
a board. ``solver.arrays.backup`` is the slow twin that a test compares it with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solver.graph import CHANCE, PREFER, TurnGraph
from solver.lanes import add, fallback, larger, load, pick, pick_longer, smaller, store, times

LANES = 32  # boards side by side: 256 bytes a row
HALF = LANES // 2  # boards side by side where each carries a second number
FEW = 4  # so few boards fill only the first lanes of a row
EVEN, MEAN, MAX, MIN, FIRST = 0, 1, 2, 3, 4

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Program:
    """One root's backup.

    ``leaves``: the graph's leaf of each of the first rows. ``ops`` rows are (kind, row written, first argument,
    number of arguments); ``args`` are rows read, ``weights`` go with them (chance only), ``scale`` is one over the
    sum of an operation's weights. The last operation writes the root. ``n_rows`` counts leaf rows and scratch rows.
    """

    leaves: NDArray[np.int64]
    ops: NDArray[np.int64]
    args: NDArray[np.uint32]
    weights: Floats
    scale: Floats
    n_rows: int

    @property
    def n_edges(self) -> int:
        """Edge operations of one backup of one board."""
        return len(self.args)


def compile_program(graph: TurnGraph, root: int, sense: str) -> Program:
    """The program of one root node of a turn graph."""
    if root < graph.n_leaves:
        one = np.array([[EVEN, 1, 0, 1]], dtype=np.int64)
        return Program(np.array([root]), one, np.zeros(1, np.uint32), np.ones(1), np.ones(1), 2)
    needed = graph.reachable(root)
    nodes = [int(i) + graph.n_leaves for i in graph.made if needed[int(i) + graph.n_leaves]]
    leaves = np.flatnonzero(needed[: graph.n_leaves])
    row = {int(leaf): place for place, leaf in enumerate(leaves)}
    edges_of = {node: list(graph.children(node)) for node in nodes}
    last_read = {child: node for node, edges in edges_of.items() for child, _ in edges}
    ops: list[tuple[int, int, int, int]] = []
    args: list[int] = []
    weights: list[float] = []
    scale: list[float] = []
    free: list[int] = []
    n_rows = len(leaves)
    for node, edges in edges_of.items():
        if free:
            row[node] = free.pop()
        else:
            row[node] = n_rows
            n_rows += 1
        ops.append((_kind(graph, node, edges, sense), row[node], len(args), len(edges)))
        args += [row[child] for child, _ in edges]
        weights += [float(weight) for _, weight in edges]
        scale.append(1.0 / max(1, int(graph.total[node - graph.n_leaves])))
        free += [row[child] for child, _ in edges if child >= graph.n_leaves and last_read[child] == node]
    return Program(
        leaves,
        np.array(ops, dtype=np.int64),
        np.array(args, dtype=np.uint32),
        np.array(weights),
        _even_scale(ops, weights, scale),
        n_rows,
    )


def _kind(graph: TurnGraph, node: int, edges: list[tuple[int, int]], sense: str) -> int:
    if graph.kind[node - graph.n_leaves] == PREFER:
        return FIRST
    if graph.kind[node - graph.n_leaves] != CHANCE:
        return MAX if sense == "max" else MIN
    return EVEN if len({weight for _, weight in edges}) == 1 else MEAN


def _even_scale(ops: list[tuple[int, int, int, int]], weights: list[float], scale: list[float]) -> Floats:
    """An even chance adds plain rows: its scale is one over their number."""
    return np.array([1.0 / n if kind == EVEN else by for (kind, _, _, n), by in zip(ops, scale, strict=True)])


@njit(nogil=True, cache=True, inline="always")
def _run(ops: Any, args: Any, weights: Any, scale: Any, rows: Any, width: int) -> None:
    """Fill the first ``width`` (a literal) lanes of the scratch rows of ``rows``, LANES numbers a row, in order."""
    for o in range(ops.shape[0]):
        kind = ops[o, 0]
        first = ops[o, 2]
        end = first + ops[o, 3]
        row = load(rows, np.uint64(args[first]) * np.uint64(LANES), width)
        if kind == MAX:
            for k in range(first + 1, end):
                row = larger(row, load(rows, np.uint64(args[k]) * np.uint64(LANES), width))
        elif kind == MEAN:
            row = times(row, weights[first])
            for k in range(first + 1, end):
                row = add(row, times(load(rows, np.uint64(args[k]) * np.uint64(LANES), width), weights[k]))
            row = times(row, scale[o])
        elif kind == EVEN:
            for k in range(first + 1, end):
                row = add(row, load(rows, np.uint64(args[k]) * np.uint64(LANES), width))
            row = times(row, scale[o])
        elif kind == FIRST:
            for k in range(first + 1, end):
                row = fallback(row, row, load(rows, np.uint64(args[k]) * np.uint64(LANES), width))
        else:
            for k in range(first + 1, end):
                row = smaller(row, load(rows, np.uint64(args[k]) * np.uint64(LANES), width))
        store(rows, np.uint64(ops[o, 1]) * np.uint64(LANES), row)


@njit(nogil=True, cache=True, inline="always")
def _run_dual(ops: Any, args: Any, weights: Any, scale: Any, rows: Any, tie: float, width: int) -> None:
    """The same for half as many boards: the first half of a row holds values, the second a number carried along.

    Chance takes the mean of both; a choice carries the second number of the first best move, or, where ``tie`` is not
    negative, the largest second number of the moves within ``tie`` of the best.
    """
    for o in range(ops.shape[0]):
        kind = ops[o, 0]
        first = ops[o, 2]
        end = first + ops[o, 3]
        place = np.uint64(args[first]) * np.uint64(LANES)
        row = load(rows, place, width)
        dual = load(rows, place + np.uint64(HALF), width)
        if kind in (MEAN, EVEN):
            row = times(row, weights[first])
            dual = times(dual, weights[first])
            for k in range(first + 1, end):
                place = np.uint64(args[k]) * np.uint64(LANES)
                row = add(row, times(load(rows, place, width), weights[k]))
                dual = add(dual, times(load(rows, place + np.uint64(HALF), width), weights[k]))
            row = times(row, scale[o] if kind == MEAN else scale[o] / weights[first])
            dual = times(dual, scale[o] if kind == MEAN else scale[o] / weights[first])
        elif kind == MAX:
            for k in range(first + 1, end):
                place = np.uint64(args[k]) * np.uint64(LANES)
                new = load(rows, place, width)
                other = load(rows, place + np.uint64(HALF), width)
                dual = pick(row, new, dual, other) if tie < 0.0 else pick_longer(row, new, dual, other, tie)
                row = larger(new, row)
        elif kind == FIRST:
            for k in range(first + 1, end):
                place = np.uint64(args[k]) * np.uint64(LANES)
                dual = fallback(row, dual, load(rows, place + np.uint64(HALF), width))
                row = fallback(row, row, load(rows, place, width))
        else:
            for k in range(first + 1, end):
                place = np.uint64(args[k]) * np.uint64(LANES)
                new = load(rows, place, width)
                other = load(rows, place + np.uint64(HALF), width)
                if tie < 0.0:
                    dual = pick(new, row, dual, other)
                else:
                    dual = pick_longer(times(row, -1.0), times(new, -1.0), dual, other, tie)
                row = smaller(new, row)
        place = np.uint64(ops[o, 1]) * np.uint64(LANES)
        store(rows, place, row)
        store(rows, place + np.uint64(HALF), dual)


@njit(nogil=True, cache=True)
def sweep(
    ops: Any,
    args: Any,
    weights: Any,
    scale: Any,
    n_rows: int,
    codes: Any,
    rewards: Any,
    same: Any,
    other: Any,
    total: float,
    sign: float,
    boards: Any,
    out: Any,
    begin: int,
    end: int,
) -> None:
    """Back up the boards of ``codes`` (leaves x boards) from column ``begin`` to ``end``, in order: ``out[boards]``.

    A code is twice the next board, plus one where the other player moves there: then the leaf is worth
    ``total + sign * other[next]``, else ``same[next]``. ``rewards`` (leaves x boards, or no rows) are added. ``out``
    may be ``same`` itself: later blocks then read what earlier ones wrote.
    """
    rows = np.zeros(n_rows * LANES)
    root = ops[ops.shape[0] - 1, 1] * LANES
    few = end - begin <= FEW
    for block in range(begin, end, LANES):
        for leaf in range(codes.shape[0]):
            for lane in range(FEW if few else LANES):
                j = min(block + lane, end - 1)
                code = codes[leaf, j]
                x = total + sign * other[code >> 1] if code & 1 else same[code >> 1]
                if rewards.shape[0]:
                    x += rewards[leaf, j]
                rows[leaf * LANES + lane] = x
        if few:
            _run(ops, args, weights, scale, rows, FEW)
        else:
            _run(ops, args, weights, scale, rows, LANES)
        for lane in range(min(LANES, end - block)):
            out[boards[block + lane]] = rows[root + lane]


@njit(nogil=True, cache=True)
def sweep_dual(
    ops: Any,
    args: Any,
    weights: Any,
    scale: Any,
    n_rows: int,
    codes: Any,
    rewards: Any,
    values: Any,
    total: float,
    duals: Any,
    dual_sign: float,
    boards: Any,
    out: Any,
    out_dual: Any,
    begin: int,
    end: int,
    tie: float,
) -> None:
    """As ``sweep``, with a second number: leaves carry ``duals[next]``, times ``dual_sign`` where the other moves."""
    rows = np.zeros(n_rows * LANES)
    root = ops[ops.shape[0] - 1, 1] * LANES
    few = end - begin <= FEW
    for block in range(begin, end, HALF):
        for leaf in range(codes.shape[0]):
            for lane in range(FEW if few else HALF):
                j = min(block + lane, end - 1)
                code = codes[leaf, j]
                x = total - values[code >> 1] if code & 1 else values[code >> 1]
                if rewards.shape[0]:
                    x += rewards[leaf, j]
                rows[leaf * LANES + lane] = x
                rows[leaf * LANES + HALF + lane] = (dual_sign if code & 1 else 1.0) * duals[code >> 1]
        if few:
            _run_dual(ops, args, weights, scale, rows, tie, FEW)
        else:
            _run_dual(ops, args, weights, scale, rows, tie, HALF)
        for lane in range(min(HALF, end - block)):
            out[boards[block + lane]] = rows[root + lane]
            out_dual[boards[block + lane]] = rows[root + HALF + lane]
