"""Decisions that are drawn by lot, laid side by side as a table's backup reads them.

What each edge of such a decision is worth to who moves there is noted in every backup: so chances can be found that
leave the mover indifferent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.vectors import Draw, MixedStrategy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class LaidLots(NamedTuple):
    """As the kernels read them: those of a board are the lots from ``first[board]`` to ``first[board + 1]``, in the
    order in which nodes are made; lot i is drawn at ``node[i]``, ``chances`` of its edges stand from ``at[i]`` on, and
    ``worths`` beside them. ``node_of``: the node that each operation of a program writes.
    """

    first: NDArray[np.int32]
    node: NDArray[np.int32]
    at: NDArray[np.int32]
    chances: Floats
    worths: Floats
    node_of: NDArray[np.int32]


class Lots:
    """All of one solve: ``board``, ``node``, int64, one a lot; ``at``, ``chances``, ``worths`` as in ``LaidLots``."""

    def __init__(self, mixed: MixedStrategy, graph: TurnGraph, size: int) -> None:
        self.graph = graph
        made = np.zeros(graph.n_nodes, dtype=np.int64)
        made[graph.made + graph.n_leaves] = np.arange(len(graph.made))
        board, node, edge = mixed.rows[:, :3].astype(np.int64).T
        number = board * graph.n_nodes + made[node]
        order, lot_of = np.unique(number, return_inverse=True)
        self.board = order // graph.n_nodes
        self.node = (graph.made[order % graph.n_nodes] + graph.n_leaves).astype(np.int32)
        of_node = self.node - graph.n_leaves
        self.at = np.concatenate([[0], np.cumsum(graph.start[of_node + 1] - graph.start[of_node])]).astype(np.int32)
        self.chances = np.zeros(self.at[-1])
        self.chances[self.at[lot_of] + edge] = mixed.rows[:, 3]
        self.worths = np.zeros(self.at[-1])
        self.first = np.searchsorted(self.board, np.arange(size + 1 if len(order) else 1)).astype(np.int32)

    def __len__(self) -> int:
        return len(self.board)

    @property
    def mixed(self) -> MixedStrategy:
        """As rows, those of one lot in the order of its edges; edges that are never taken have none."""
        edge = np.arange(len(self.chances)) - np.repeat(self.at[:-1], np.diff(self.at))
        board, node = (np.repeat(each, np.diff(self.at)) for each in (self.board, self.node))
        return MixedStrategy(np.stack([board, node, edge, self.chances], axis=-1)[self.chances > 0])

    def laid(self, node_of: NDArray[np.int32]) -> LaidLots:
        """For a program whose operations write these nodes."""
        return LaidLots(self.first, self.node, self.at, self.chances, self.worths, node_of)

    def on(self, boards: Ints) -> list[tuple[int, Draw]]:
        """The lots on these boards, by number, one lane a board."""
        if not len(self):
            return []
        begin, many = self.first[boards], self.first[boards + 1] - self.first[boards]
        return [
            (lot, self._draw(lot, lane))
            for lane in np.flatnonzero(many).tolist()
            for lot in range(int(begin[lane]), int(begin[lane] + many[lane]))
        ]

    def _draw(self, lot: int, lane: int) -> Draw:
        chances = self.chances[self.at[lot] : self.at[lot + 1]].tolist()
        return Draw(int(self.node[lot]), lane, {edge: chance for edge, chance in enumerate(chances) if chance > 0})
