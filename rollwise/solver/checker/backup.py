"""The checker's own Bellman backup of a turn; it shares only the graph's format with the solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.graph import CHANCE, TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TILE_NUMBERS = 1 << 16  # gathered at once; they fit in the processor's cache
UNIT = 2.0**-53  # the relative error of one rounding


class TurnBackup:
    """Backup of a turn from one root, any number of lanes side by side.

    Nodes are grouped by layer, kind and number of children, so that a group is a few NumPy calls: gather the rows of
    the children, and reduce them to a mean or to the best.
    """

    def __init__(self, graph: TurnGraph, root: int, sense: str) -> None:
        is_used = graph.reachable(root)
        self.leaves = np.flatnonzero(is_used[: graph.n_leaves])
        self.best = np.maximum if sense == "max" else np.minimum
        arity = np.diff(graph.start)
        row = np.full(graph.n_nodes, -1, dtype=np.int64)
        row[self.leaves] = np.arange(len(self.leaves))
        self.n_rows, self.n_edges = len(self.leaves), 0
        self.groups: list[tuple[int, Ints, Floats | None, Floats]] = []
        for kind, first, end in graph.segments.tolist():
            inside = first + np.flatnonzero(is_used[first:end]) - graph.n_leaves
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

    def allocate(self, lanes: int) -> tuple[Floats, Floats]:
        """Memory for ``run``."""
        return np.empty((self.n_rows, lanes)), np.empty(max(TILE_NUMBERS, self.widest * lanes))

    def run(self, leaves: Floats, rows: Floats, tile: Floats, dice: np.ufunc | None = None) -> Floats:
        """The root's values; ``leaves``: float64, shape (leaves used, lanes). ``dice``: np.minimum or np.maximum over
        throws, in place of the mean.
        """
        lanes = leaves.shape[1]
        rows[: len(leaves)] = leaves
        for first, children, weights, totals in self.groups:
            count = children.shape[1]
            step = max(1, tile.size // (lanes * count))
            for begin in range(0, len(children), step):
                block = slice(begin, min(begin + step, len(children)))
                here = children[block]
                gathered = tile[: here.size * lanes].reshape(*here.shape, lanes)
                np.take(rows, here, axis=0, out=gathered, mode="clip")
                out = rows[first + block.start : first + block.stop]
                if weights is None or dice is not None:
                    (self.best if weights is None or dice is None else dice).reduce(gathered, axis=1, out=out)
                else:
                    np.matmul(weights[block, None, :], gathered, out=out[:, None, :])
                    out /= totals[block]
        root_values: Floats = rows[self.root]
        return root_values
