"""Randomised decisions of a mixed strategy, as arrays for a table's backup.

Every backup records the value of each edge of such a decision to its mover, from which the solver computes chances that
make the mover indifferent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.vectors import Draw, MixedStrategy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class MixedDecisionArrays(NamedTuple):
    """Randomised decisions for the kernels: those of a board are from ``first[board]`` to ``first[board + 1]``, in the
    order of completion of nodes; decision i is at ``node[i]``, its edges have ``chances`` and ``edge_values`` from
    ``at[i]`` on. ``node_of``: the node that each operation of a program writes.
    """

    first: NDArray[np.int32]
    node: NDArray[np.int32]
    at: NDArray[np.int32]
    chances: Floats
    edge_values: Floats
    node_of: NDArray[np.int32]


class MixedDecisions:
    """All of one solve: ``board``, ``node``, int64, one a decision; the rest as in ``MixedDecisionArrays``."""

    def __init__(self, strategy: MixedStrategy, graph: TurnGraph, size: int) -> None:
        self.graph = graph
        completion_rank = np.zeros(graph.n_nodes, dtype=np.int64)
        completion_rank[graph.made + graph.n_leaves] = np.arange(len(graph.made))
        board, node, edge = strategy.rows[:, :3].astype(np.int64).T
        number = board * graph.n_nodes + completion_rank[node]
        order, decision_of = np.unique(number, return_inverse=True)
        self.board = order // graph.n_nodes
        self.node = (graph.made[order % graph.n_nodes] + graph.n_leaves).astype(np.int32)
        of_node = self.node - graph.n_leaves
        self.at = np.concatenate([[0], np.cumsum(graph.start[of_node + 1] - graph.start[of_node])]).astype(np.int32)
        self.chances = np.zeros(self.at[-1])
        self.chances[self.at[decision_of] + edge] = strategy.rows[:, 3]
        self.edge_values = np.zeros(self.at[-1])
        self.first = np.searchsorted(self.board, np.arange(size + 1 if len(order) else 1)).astype(np.int32)

    def __len__(self) -> int:
        return len(self.board)

    @property
    def strategy(self) -> MixedStrategy:
        """The mixed strategy as rows, edges in order; edges of chance 0 have none."""
        edge = np.arange(len(self.chances)) - np.repeat(self.at[:-1], np.diff(self.at))
        board, node = (np.repeat(each, np.diff(self.at)) for each in (self.board, self.node))
        return MixedStrategy(np.stack([board, node, edge, self.chances], axis=-1)[self.chances > 0])

    def arrays(self, node_of: NDArray[np.int32]) -> MixedDecisionArrays:
        """Arrays for a program whose operations write these nodes."""
        return MixedDecisionArrays(self.first, self.node, self.at, self.chances, self.edge_values, node_of)

    def on(self, boards: Ints) -> list[tuple[int, Draw]]:
        """The randomised decisions on these boards, by number, one lane a board."""
        if not len(self):
            return []
        begin, count = self.first[boards], self.first[boards + 1] - self.first[boards]
        return [
            (decision, self._draw(decision, lane))
            for lane in np.flatnonzero(count).tolist()
            for decision in range(int(begin[lane]), int(begin[lane] + count[lane]))
        ]

    def _draw(self, decision: int, lane: int) -> Draw:
        chances = self.chances[self.at[decision] : self.at[decision + 1]].tolist()
        return Draw(int(self.node[decision]), lane, {edge: chance for edge, chance in enumerate(chances) if chance > 0})
