"""One backup of a turn, written once more: shared with nothing that found the values but the graph's format."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.graph import CHANCE, TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TILE = 1 << 16  # numbers gathered at once: they stay in the processor's own cache
UNIT = 2.0**-53  # the relative error of one rounding


class TurnBackup:
    """One backup of all that a turn from one root comes to, any number of lanes side by side.

    Nodes are grouped by layer, kind and number of children, so that a group is a few NumPy calls: the rows of the
    children of some nodes, gathered, and reduced to a mean or to the best.
    """

    def __init__(self, graph: TurnGraph, root: int, sense: str) -> None:
        used = graph.reachable(root)
        self.leaves = np.flatnonzero(used[: graph.n_leaves])
        self.best = np.maximum if sense == "max" else np.minimum
        arity = np.diff(graph.start)
        row = np.full(graph.n_nodes, -1, dtype=np.int64)
        row[self.leaves] = np.arange(len(self.leaves))
        self.n_rows, self.n_edges = len(self.leaves), 0
        self.groups: list[tuple[int, Ints, Floats | None, Floats]] = []
        for kind, first, end in graph.segments.tolist():
            inside = first + np.flatnonzero(used[first:end]) - graph.n_leaves
            for count in np.unique(arity[inside]).tolist():
                nodes = inside[arity[inside] == count]
                edges = graph.start[nodes][:, None] + np.arange(count)
                weights = graph.weight[edges].astype(np.float64) if kind == CHANCE else None
                totals = graph.total[nodes].astype(np.float64)[:, None]
                self.groups.append((self.n_rows, row[graph.child[edges]], weights, totals))
                row[nodes + graph.n_leaves] = self.n_rows + np.arange(len(nodes))
                self.n_rows += len(nodes)
                self.n_edges += edges.size
        self.root = int(row[root])
        self.widest = max((children.shape[1] for _, children, _, _ in self.groups), default=1)

    def room(self, lanes: int) -> tuple[Floats, Floats]:
        """Memory for ``run``."""
        return np.empty((self.n_rows, lanes)), np.empty(max(TILE, self.widest * lanes))

    def run(self, leaves: Floats, rows: Floats, tile: Floats, falls: np.ufunc | None = None) -> Floats:
        """The root's values; ``leaves``: float64, shape (leaves used, lanes). ``falls``: minimum or maximum, where dice
        always fall for the worst or the best.
        """
        lanes = leaves.shape[1]
        rows[: len(leaves)] = leaves
        for first, children, weights, totals in self.groups:
            count = children.shape[1]
            step = max(1, tile.size // (lanes * count))
            for begin in range(0, len(children), step):
                some = slice(begin, min(begin + step, len(children)))
                here = children[some]
                gathered = tile[: here.size * lanes].reshape(*here.shape, lanes)
                np.take(rows, here, axis=0, out=gathered, mode="clip")
                out = rows[first + some.start : first + some.stop]
                if weights is None or falls is not None:
                    (self.best if weights is None or falls is None else falls).reduce(gathered, axis=1, out=out)
                else:
                    np.matmul(weights[some, None, :], gathered, out=out[:, None, :])
                    out /= totals[some]
        found: Floats = rows[self.root]
        return found
