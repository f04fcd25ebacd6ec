"""One backup of a turn graph in NumPy: layer by layer, any number of boards side by side.

Queries and the checker use it; it shares only the graph with ``solver.turn.kernels``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.algebra import back_up, mean, reduction
from rollwise.solver.turn.graph import TurnGraph

Floats = NDArray[np.float64]
UNIT = 2.0**-53  # the relative error of one rounding


def backup(graph: TurnGraph, leaves: Floats, sense: str) -> Floats:
    """Values of every node by one backup.

    ``leaves``: float64, shape (n_leaves, lanes), the value of ending a turn in each leaf, -inf (for ``min`` +inf)
    where that is illegal. Returns float64, shape (n_nodes, lanes): chance nodes take the weighted mean of their
    children, choices the best of them.
    """
    return back_up(graph, leaves, mean, reduction(np.maximum if sense == "max" else np.minimum))


def count_roundings(laid_out: Any) -> int:
    """Largest number of roundings between a start node and the chance with which a turn reaches a leaf from it.

    ``laid_out`` has the arrays of a ``TurnGraph``. A node's chance is divided and multiplied; arrivals are added up.
    """
    n = laid_out.n_leaves
    arrivals = np.bincount(laid_out.child, minlength=n + len(laid_out.start) - 1)
    before = np.zeros(len(arrivals), dtype=np.int64)
    for _, first, end in laid_out.segments[::-1].tolist():
        low, high = int(laid_out.start[first - n]), int(laid_out.start[end - n])
        count = np.diff(laid_out.start[first - n : end - n + 1])
        here = before[first:end] + arrivals[first:end] + 3
        np.maximum.at(before, laid_out.child[low:high], np.repeat(here, count))
    return int((before + arrivals).max())


def rounding_bound(graph: TurnGraph, leaves: Floats) -> Any:
    """A bound, one a lane, on the rounding error of one backup of these leaves in any summation order.

    Every weighted mean of n numbers is within (n + 3) units of its exact value, relative to the largest number below
    it, and errors of these numbers weigh in the mean as they do: see ``TurnGraph.terms``. Choices round nothing.
    """
    finite = np.where(np.isfinite(leaves), np.abs(leaves), 0.0)
    return finite.max(axis=0, initial=0.0) * (graph.terms * UNIT)
