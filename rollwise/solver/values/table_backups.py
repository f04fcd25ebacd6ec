"""Bellman backup of a table, many boards at once: a NumPy version and a compiled one, which a test compares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import Boards, TurnGame
from rollwise.solver.turn.graph import CHANCE, TurnGraph
from rollwise.solver.turn.mixed_decisions import MixedDecisions
from rollwise.solver.turn.transition_reader import Compiled, TransitionReader
from rollwise.solver.turn.transitions import ends_of
from rollwise.solver.turn.vectors import (
    MixedStrategy,
    Vectors,
    edges_taken,
    rotated_to_mover,
    table_backup,
    table_replies,
)

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
MAX_RUN_BOARDS = 1 << 16  # backed up together; the next run reads their new values (Gauss-Seidel order)
MAX_BLOCK_NUMBERS = 1 << 21  # in the nodes of one block of boards
NO_EDGES = np.empty((0, 0), dtype=np.int16)  # where the edges that decisions take are not needed


class TablePolicy(Protocol):
    """A table's policy as a backup reads it: shares by board, how near a tie is, how ties break, mixed decisions."""

    values: Vectors
    tie: float
    ties: int
    decisions: MixedDecisions
    bits: int


class SolveState(TablePolicy, Protocol):
    """State of a table's solve, as its parts see it."""

    game: TurnGame
    graph: TurnGraph
    seats: int
    space: Boards
    reader: TransitionReader
    expected_turns: Vectors
    rounding: float
    methods: set[str]
    mixed: MixedStrategy

    def sweep(self, groups: list[Group]) -> None:
        """One backup of every board, in Gauss-Seidel order."""

    def respond(self, groups: list[Group], responses: Vectors) -> Iterator[tuple[Vectors, Vectors, Ints]]:
        """Shares and response values of all boards after one backup, a run of boards at a time."""


@dataclass(frozen=True)
class Group:
    """Boards of one root, by falling ``order``; ``codes``: int32, shape (ends, boards).

    ``later_radius``: the largest radius of the boards of later levels that they lead to.
    """

    backup: NumpyTableBackup
    boards: Ints
    order: Ints
    codes: Codes
    later_radius: float

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """Ranges of columns that are backed up together: of one order, MAX_RUN_BOARDS at most."""
        changes = np.flatnonzero(np.diff(self.order, prepend=self.order[0] - 1, append=self.order[-1] - 1))
        return [
            (begin, min(last, begin + MAX_RUN_BOARDS))
            for first, last in pairwise(changes.tolist())
            for begin in range(first, last, MAX_RUN_BOARDS)
        ]


def sweep_order(groups: list[Group]) -> list[tuple[Group, int, int]]:
    """The runs of all groups in Gauss-Seidel order: boards of a lower order read those of a higher one."""
    runs = [(group, begin, end) for group in groups for begin, end in group.runs]
    return sorted(runs, key=lambda run: -run[0].order[run[1]])


class NumpyTableBackup:
    """The backup of one root in NumPy; ``leaves`` are the graph's leaves that it reads."""

    def __init__(self, graph: TurnGraph, root: int) -> None:
        self.graph, self.root = graph, root
        self.leaves = np.flatnonzero(graph.reachable(root)[: graph.n_leaves])
        self.of_leaf = ends_of(graph, self.leaves).of_leaf
        self.look_up: Compiled | None = None
        is_reached, inner = graph.reachable(root), graph.made + graph.n_leaves
        self.inner_nodes = inner[is_reached[inner]].astype(np.int32)  # of the turn, children first
        self.decided = self.inner_nodes[graph.kind[self.inner_nodes - graph.n_leaves] != CHANCE]

    def evaluate(self, policy: TablePolicy, group: Group, begin: int, end: int, out: Vectors) -> None:
        """Shares of the columns from ``begin`` to ``end`` under the policy that ``policy.values`` imply."""
        for some in self.blocks(begin, end, out.shape[1]):
            nodes = self._nodes(policy, group, some)
            out[some.start - begin : some.stop - begin] = nodes[self.root]

    def respond(
        self, policy: TablePolicy, group: Group, best: Vectors, begin: int, end: int, out: Vectors, out_best: Vectors
    ) -> None:
        """Shares as ``evaluate``, and values of each seat's best response, from ``best``, those of the successors."""
        for some in self.blocks(begin, end, out.shape[1]):
            nodes, leaves = self._nodes(policy, group, some), self._leaves(best, group.codes[:, some], policy.bits)
            draws = [draw for _, draw in policy.decisions.on(group.boards[some])]
            response_nodes = table_replies(self.graph, leaves, nodes, policy.tie, draws, policy.ties)
            part = slice(some.start - begin, some.stop - begin)
            out[part], out_best[part] = nodes[self.root], response_nodes[self.root]

    def edges_taken(self, policy: TablePolicy, group: Group) -> NDArray[np.int16]:
        """The edge that each node of ``decided`` takes where it is not mixed, shape (nodes, boards)."""
        taken = np.empty((len(self.decided), len(group.boards)), dtype=np.int16)
        for some in self.blocks(0, len(group.boards), policy.values.shape[1]):
            nodes = self._nodes(policy, group, some)
            for row, node in enumerate(self.decided.tolist()):
                below = [child for child, _ in self.graph.children(node)]
                taken[row, some] = edges_taken(nodes[below], np.zeros(1, dtype=np.int64), policy.tie, policy.ties)[0]
        return taken

    def blocks(self, begin: int, end: int, seats: int) -> Iterator[slice]:
        """Blocks of columns."""
        width = max(1, MAX_BLOCK_NUMBERS // (self.graph.n_nodes * seats))
        for low in range(begin, end, width):
            yield slice(low, min(end, low + width))

    def _nodes(self, policy: TablePolicy, group: Group, some: slice) -> Vectors:
        leaves = self._leaves(policy.values, group.codes[:, some], policy.bits)
        draws = policy.decisions.on(group.boards[some])
        nodes = table_backup(self.graph, leaves, policy.tie, [draw for _, draw in draws], policy.ties)
        for lot, draw in draws:
            edges = [child for child, _ in self.graph.children(draw.node)]
            policy.decisions.edge_values[policy.decisions.at[lot] : policy.decisions.at[lot + 1]] = nodes[
                edges, draw.lane, 0
            ]
        return nodes

    def _leaves(self, rows: Vectors, codes: Codes, bits: int) -> Vectors:
        """Values of the leaves from the mover's side, read from ``rows`` by board and ending."""
        leaves = np.zeros((self.graph.n_leaves, codes.shape[1], rows.shape[1]))
        leaves[self.leaves] = rotated_to_mover(rows, codes, bits)[self.of_leaf]
        return leaves


class CompiledTableBackup(NumpyTableBackup):
    """The same, compiled (``solver.turn.table_kernels``)."""

    def __init__(self, graph: TurnGraph, root: int) -> None:
        from rollwise.solver.turn import kernels, table_kernels

        super().__init__(graph, root)
        self.kernels = table_kernels
        self.look_up = kernels.look_up
        program = kernels.compile_program(graph, root, "max")
        self.operations = tuple(program.operations)
        self.node_of = np.full(len(program.operations.ops), -1, dtype=np.int32)  # leaves are written before the nodes
        self.node_of[len(self.node_of) - len(self.inner_nodes) :] = self.inner_nodes

    def evaluate(self, policy: TablePolicy, group: Group, begin: int, end: int, out: Vectors) -> None:
        """See ``NumpyTableBackup``."""
        self._sweep(policy, group, begin, end, NO_EDGES, out)

    def edges_taken(self, policy: TablePolicy, group: Group) -> NDArray[np.int16]:
        """See ``NumpyTableBackup``."""
        count = len(group.boards)
        edges = np.empty((len(self.decided), count), dtype=np.int16)
        self._sweep(policy, group, 0, count, edges, np.empty((count, policy.values.shape[1])))
        return edges

    def _sweep(
        self, policy: TablePolicy, group: Group, begin: int, end: int, edges: NDArray[np.int16], out: Vectors
    ) -> None:
        decisions = tuple(policy.decisions.arrays(self.node_of))
        arguments = (policy.bits, policy.values, None, policy.tie, policy.ties, group.boards, decisions)
        self.kernels.sweep(self.operations, group.codes, *arguments, edges, out, None, begin, end)

    def respond(
        self, policy: TablePolicy, group: Group, best: Vectors, begin: int, end: int, out: Vectors, out_best: Vectors
    ) -> None:
        """See ``NumpyTableBackup``."""
        decisions = tuple(policy.decisions.arrays(self.node_of))
        arguments = (policy.bits, policy.values, best, policy.tie, policy.ties, group.boards, decisions)
        self.kernels.sweep(self.operations, group.codes, *arguments, NO_EDGES, out, out_best, begin, end)


def make_table_backup(graph: TurnGraph, root: int, compiled: bool) -> NumpyTableBackup:
    """The backup of one root node."""
    return (CompiledTableBackup if compiled else NumpyTableBackup)(graph, root)
