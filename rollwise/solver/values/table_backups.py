"""A table's backup of many boards at once, in two makes that a test compares: compiled, and NumPy."""

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
from rollwise.solver.turn.mixed_decisions import Lots
from rollwise.solver.turn.transition_reader import Compiled, TransitionReader
from rollwise.solver.turn.transitions import ends_of
from rollwise.solver.turn.vectors import (
    MixedStrategy,
    Vectors,
    edges_taken,
    seen_from_mover,
    table_backup,
    table_replies,
)

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
AT_ONCE = 1 << 16  # boards that are backed up together: what they come to is read by the next ones
NUMBERS = 1 << 21  # that the nodes of one block of boards may fill
NOT_NOTED = np.empty((0, 0), dtype=np.int16)  # in place of the edges that choices take


class Lent(Protocol):
    """What a backup reads of a solve: shares by board, how near a tie is, which move then, and what is drawn by lot."""

    values: Vectors
    tie: float
    ties: int
    lots: Lots
    bits: int


class SolveState(Lent, Protocol):
    """A solve of a table, as those see it that have a part in it."""

    game: TurnGame
    graph: TurnGraph
    seats: int
    space: Boards
    settler: TransitionReader
    waits: Vectors
    rounding: float
    methods: set[str]
    mixed: MixedStrategy

    def sweep(self, groups: list[Group]) -> None:
        """One backup of every board in its turn."""

    def both(self, groups: list[Group], replies: Vectors) -> Iterator[tuple[Vectors, Vectors, Ints]]:
        """Shares and replies of all boards after one backup, some boards at a time."""


@dataclass(frozen=True)
class Group:
    """Boards whose turns start in the same root, by falling ``order``; ``codes``: int32, shape (ends, boards).

    ``off``: no board of a later level that they lead to has a larger radius.
    """

    backup: PlainTable
    boards: Ints
    order: Ints
    codes: Codes
    off: float

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """Columns that are backed up together: of one order, and not too many."""
        changes = np.flatnonzero(np.diff(self.order, prepend=self.order[0] - 1, append=self.order[-1] - 1))
        return [
            (begin, min(last, begin + AT_ONCE))
            for first, last in pairwise(changes.tolist())
            for begin in range(first, last, AT_ONCE)
        ]


def in_order(groups: list[Group]) -> list[tuple[Group, int, int]]:
    """The runs of all groups in the order of a sweep: boards of a higher order are read by those of a lower one."""
    runs = [(group, begin, end) for group in groups for begin, end in group.runs]
    return sorted(runs, key=lambda run: -run[0].order[run[1]])


class PlainTable:
    """One root's backup, by NumPy; ``leaves`` are the graph's leaves that it reads."""

    def __init__(self, graph: TurnGraph, root: int) -> None:
        self.graph, self.root = graph, root
        self.leaves = np.flatnonzero(graph.reachable(root)[: graph.n_leaves])
        self.of_leaf = ends_of(graph, self.leaves).of_leaf
        self.look_up: Compiled | None = None
        needed, inner = graph.reachable(root), graph.made + graph.n_leaves
        self.made = inner[needed[inner]].astype(np.int32)  # the nodes of a turn, children first
        self.decided = self.made[graph.kind[self.made - graph.n_leaves] != CHANCE]

    def own(self, lent: Lent, group: Group, begin: int, end: int, out: Vectors) -> None:
        """Shares of the columns from ``begin`` to ``end`` under the policy that ``lent.values`` say."""
        for some in self.blocks(begin, end, out.shape[1]):
            nodes = self._nodes(lent, group, some)
            out[some.start - begin : some.stop - begin] = nodes[self.root]

    def both(
        self, lent: Lent, group: Group, replies: Vectors, begin: int, end: int, out: Vectors, out_replies: Vectors
    ) -> None:
        """The same, and what each seat gets that alone plays its best, from ``replies`` on the boards that follow."""
        for some in self.blocks(begin, end, out.shape[1]):
            nodes, leaves = self._nodes(lent, group, some), self._leaves(replies, group.codes[:, some], lent.bits)
            draws = [draw for _, draw in lent.lots.on(group.boards[some])]
            answers = table_replies(self.graph, leaves, nodes, lent.tie, draws, lent.ties)
            part = slice(some.start - begin, some.stop - begin)
            out[part], out_replies[part] = nodes[self.root], answers[self.root]

    def taken(self, lent: Lent, group: Group) -> NDArray[np.int16]:
        """The edge that each node of ``decided`` takes where it is not drawn by lot, shape (nodes, boards)."""
        found = np.empty((len(self.decided), len(group.boards)), dtype=np.int16)
        for some in self.blocks(0, len(group.boards), lent.values.shape[1]):
            nodes = self._nodes(lent, group, some)
            for row, node in enumerate(self.decided.tolist()):
                below = [child for child, _ in self.graph.children(node)]
                found[row, some] = edges_taken(nodes[below], np.zeros(1, dtype=np.int64), lent.tie, lent.ties)[0]
        return found

    def blocks(self, begin: int, end: int, seats: int) -> Iterator[slice]:
        """Some columns at a time."""
        lanes = max(1, NUMBERS // (self.graph.n_nodes * seats))
        for low in range(begin, end, lanes):
            yield slice(low, min(end, low + lanes))

    def _nodes(self, lent: Lent, group: Group, some: slice) -> Vectors:
        leaves = self._leaves(lent.values, group.codes[:, some], lent.bits)
        lots = lent.lots.on(group.boards[some])
        nodes = table_backup(self.graph, leaves, lent.tie, [draw for _, draw in lots], lent.ties)
        for lot, draw in lots:
            below = [child for child, _ in self.graph.children(draw.node)]
            lent.lots.worths[lent.lots.at[lot] : lent.lots.at[lot + 1]] = nodes[below, draw.lane, 0]
        return nodes

    def _leaves(self, rows: Vectors, codes: Codes, bits: int) -> Vectors:
        """What each leaf is worth, seen from the mover, from ``rows`` by board and ending."""
        leaves = np.zeros((self.graph.n_leaves, codes.shape[1], rows.shape[1]))
        leaves[self.leaves] = seen_from_mover(rows, codes, bits)[self.of_leaf]
        return leaves


class CompiledTable(PlainTable):
    """The same by ``solver.turn.table_kernels``."""

    def __init__(self, graph: TurnGraph, root: int) -> None:
        from rollwise.solver.turn import kernels, table_kernels

        super().__init__(graph, root)
        self.kernels = table_kernels
        self.look_up = kernels.look_up
        program = kernels.compile_program(graph, root, "max")
        self.operations = tuple(program.operations)
        self.node_of = np.full(len(program.operations.ops), -1, dtype=np.int32)  # leaves are written before the nodes
        self.node_of[len(self.node_of) - len(self.made) :] = self.made

    def own(self, lent: Lent, group: Group, begin: int, end: int, out: Vectors) -> None:
        """See ``PlainTable``."""
        self._sweep(lent, group, begin, end, NOT_NOTED, out)

    def taken(self, lent: Lent, group: Group) -> NDArray[np.int16]:
        """See ``PlainTable``."""
        count = len(group.boards)
        found = np.empty((len(self.decided), count), dtype=np.int16)
        self._sweep(lent, group, 0, count, found, np.empty((count, lent.values.shape[1])))
        return found

    def _sweep(self, lent: Lent, group: Group, begin: int, end: int, taken: NDArray[np.int16], out: Vectors) -> None:
        lots = tuple(lent.lots.laid(self.node_of))
        read = (lent.bits, lent.values, None, lent.tie, lent.ties, group.boards, lots)
        self.kernels.sweep(self.operations, group.codes, *read, taken, out, None, begin, end)

    def both(
        self, lent: Lent, group: Group, replies: Vectors, begin: int, end: int, out: Vectors, out_replies: Vectors
    ) -> None:
        """See ``PlainTable``."""
        lots = tuple(lent.lots.laid(self.node_of))
        read = (lent.bits, lent.values, replies, lent.tie, lent.ties, group.boards, lots)
        self.kernels.sweep(self.operations, group.codes, *read, NOT_NOTED, out, out_replies, begin, end)


def make_table_backup(graph: TurnGraph, root: int, compiled: bool) -> PlainTable:
    """The backup of one root node."""
    return (CompiledTable if compiled else PlainTable)(graph, root)
