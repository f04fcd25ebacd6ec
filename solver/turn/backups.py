"""A backup of many boards at once, in two makes that a test compares: compiled, and NumPy.

The NumPy one needs no compiler to start, so small games are answered with it; the compiled one is for everything else.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.errors import ModelError
from rollwise.solver.game.memory import keep_newest
from rollwise.solver.turn.arrays import backup
from rollwise.solver.turn.graph import CHANCE, TurnGraph
from rollwise.solver.turn.look_ups import Codes
from rollwise.solver.turn.perspective import leaf_values
from rollwise.solver.turn.settled import Compiled
from rollwise.solver.turn.transitions import Transitions

MOST_KNOWN = 4096  # patterns of ends of which it is kept whether turns can stay there
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Backup(Protocol):
    """One root's backup; ``leaves`` are the graph's leaves that it reads, in the order of the rows of ``moves``.

    ``look_up`` reads the tables of all results at once, where that is compiled too. ``by_board``: does the backup
    itself depend on the board? Then ``in_columns(boards)`` is that of these boards, numbered from 0.
    """

    by_board: bool
    leaves: Ints
    look_up: Compiled | None

    def values(
        self,
        moves: Transitions,
        same: Floats,
        other: Floats,
        total: float,
        boards: Ints,
        out: Floats,
        begin: int,
        end: int,
    ) -> int:
        """``out[boards]`` from the values of the next boards, as the mover (``same``) and the other side see them.

        Returns how many of the values read are nan, those of boards that are not solved.
        """

    def carry(
        self,
        moves: Transitions,
        values: Floats,
        total: float,
        duals: Floats,
        dual_sign: float,
        boards: Ints,
        out: Floats,
        out_dual: Floats,
        begin: int,
        end: int,
    ) -> None:
        """Values, and the mean of ``duals`` (times ``dual_sign`` for the other side) under the first best moves."""

    def stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        """1 where the players together can make sure that the next board is one where ``inside`` is 1."""


class CompiledBackup:
    """``Backup`` by ``solver.turn.kernels``."""

    by_board = False

    def __init__(self, graph: TurnGraph, root: int, sense: str, backups: int = 0) -> None:
        from rollwise.solver.turn import kernels

        self.kernels = kernels
        self.look_up = kernels.look_up
        self.program = kernels.compile_program(graph, root, sense, backups=backups)
        self.is_long = self.program.n_edges >= kernels.MANY_EDGES
        self.known: dict[bytes, float] = {}  # by which ends lead inside: do turns stay there?
        self.leaves = self.program.leaves
        self.operations = tuple(self.program.operations)
        ops = self.program.operations.ops
        chance = (ops[:, :1] == kernels.EVEN) | (ops[:, :1] == kernels.MEAN)
        sure = np.where(chance, kernels.MIN, kernels.MAX)  # of a leaf that earns something: what its end has
        self.sure = (np.hstack([sure, ops[:, 1:]]), *self.operations[1:])

    @property
    def n_edges(self) -> int:
        """Edge operations of one backup of one board."""
        return self.program.n_edges

    def values(
        self,
        moves: Transitions,
        same: Floats,
        other: Floats,
        total: float,
        boards: Ints,
        out: Floats,
        begin: int,
        end: int,
    ) -> int:
        """See ``Backup``."""
        worth = same, other, float(total), -1.0
        width, reached = self._width(end - begin), self._reached(moves)
        unknown: int = self.kernels.sweep(self.operations, reached, worth, None, width, boards, out, None, begin, end)
        return unknown

    def _reached(self, moves: Transitions) -> tuple[Codes, Floats, Ints]:
        """What the kernels read of where turns lead; raises ModelError if that is not of this program's leaves."""
        if len(moves.ends) != len(self.program.ends.first):
            raise ModelError(f"{len(moves.ends)} ends for a turn of {len(self.program.ends.first)}")
        return moves.ends, moves.extra, moves.extra_of

    def carry(
        self,
        moves: Transitions,
        values: Floats,
        total: float,
        duals: Floats,
        dual_sign: float,
        boards: Ints,
        out: Floats,
        out_dual: Floats,
        begin: int,
        end: int,
    ) -> None:
        """See ``Backup``."""
        worth = values, values, float(total), -1.0
        carried = duals, float(dual_sign)
        width, reached = self._width(2 * (end - begin)), self._reached(moves)
        self.kernels.sweep(self.operations, reached, worth, carried, width, boards, out, out_dual, begin, end)

    def _width(self, lanes: int) -> tuple[int, ...]:
        """How much of a row so many lanes need."""
        few = lanes <= self.kernels.FEW and self.n_edges >= self.kernels.MANY_EDGES
        return self.kernels.FEW_WIDE if few else self.kernels.WHOLE

    def stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        """See ``Backup``; long turns are looked at once for all boards that the same ends keep inside."""
        if not self.is_long:
            self._stays(moves, inside, boards, out)
            return
        leads = np.empty(moves.ends.shape[::-1], dtype=np.int8)
        for end, codes in enumerate(moves.ends):
            leads[:, end] = np.sign(inside[codes >> 1])
        names = [row.tobytes() for row in leads]
        column_of = {name: column for column, name in enumerate(names)}
        known = dict(self.known)  # other threads add and forget
        stay = {name: known[name] for name in column_of.keys() & known.keys()}
        new = np.array([column for name, column in column_of.items() if name not in stay], dtype=np.int64)
        if len(new):
            self._stays(moves.of(new), inside, boards[new], out)
            stay |= {names[column]: out[boards[column]] for column in new.tolist()}
            self.known |= stay
        out[boards] = [stay[name] for name in names]
        keep_newest(self.known, MOST_KNOWN)

    def _stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        ends, _, _ = self._reached(moves)
        reached = ends, np.zeros((0, len(boards))), np.full(len(ends), -1)
        worth, width = (inside, inside, 0.0, 1.0), self._width(len(boards))
        self.kernels.sweep(self.sure, reached, worth, None, width, boards, out, None, 0, len(boards))


class PlainBackup:
    """``Backup`` by NumPy, slow and obvious."""

    by_board = False

    def __init__(self, graph: TurnGraph, root: int, sense: str) -> None:
        self.graph = graph
        self.root = root
        self.sense = sense
        self.look_up = None
        self.leaves = np.flatnonzero(graph.reachable(root)[: graph.n_leaves])
        self.n_edges = graph.n_edges

    def values(
        self,
        moves: Transitions,
        same: Floats,
        other: Floats,
        total: float,
        boards: Ints,
        out: Floats,
        begin: int,
        end: int,
    ) -> int:
        """See ``Backup``."""
        leaves = self._leaves(moves, same, other, total, begin, end)
        out[boards[begin:end]] = self._backup(leaves)[self.root]
        return int(np.isnan(leaves).sum())

    def _leaves(self, moves: Transitions, same: Floats, other: Floats, total: float, begin: int, end: int) -> Floats:
        leaves = np.zeros((self.graph.n_leaves, end - begin))
        leaves[self.leaves] = leaf_values(moves.codes[:, begin:end], same, other, total)
        rewards = moves.rewards
        if len(rewards):
            leaves[self.leaves] += rewards[:, begin:end]
        return leaves

    def _backup(self, leaves: Floats) -> Floats:
        return backup(self.graph, leaves, self.sense)

    def carry(
        self,
        moves: Transitions,
        values: Floats,
        total: float,
        duals: Floats,
        dual_sign: float,
        boards: Ints,
        out: Floats,
        out_dual: Floats,
        begin: int,
        end: int,
    ) -> None:
        """See ``Backup``."""
        graph = self.graph
        codes = moves.codes[:, begin:end]
        nodes = self._backup(self._leaves(moves, values, values, total, begin, end))
        second = np.zeros_like(nodes)
        second[self.leaves] = duals[codes >> 1] * np.where(codes & 1, dual_sign, 1.0)
        for node in range(graph.n_leaves, graph.n_nodes):
            children, weights = map(np.array, zip(*graph.children(node), strict=True))
            if graph.kind[node - graph.n_leaves] == CHANCE:
                second[node] = weights @ second[children] / weights.sum()
            else:
                first_best = np.argmax(nodes[children] == nodes[node], axis=0)
                second[node] = second[children[first_best], np.arange(end - begin)]
        out[boards[begin:end]] = nodes[self.root]
        out_dual[boards[begin:end]] = second[self.root]

    def stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        """See ``Backup``."""
        graph = self.graph
        nodes = np.zeros((graph.n_nodes, len(boards)))
        nodes[self.leaves] = inside[moves.codes >> 1]
        for node in range(graph.n_leaves, graph.n_nodes):
            children = [child for child, _ in graph.children(node)]
            sure = np.min if graph.kind[node - graph.n_leaves] == CHANCE else np.max
            nodes[node] = sure(nodes[children], axis=0)
        out[boards] = nodes[self.root]


def make_backup(graph: TurnGraph, root: int, sense: str, compiled: bool, backups: int = 0) -> Any:
    """The backup of one root node, done about so often on all boards together."""
    return CompiledBackup(graph, root, sense, backups) if compiled else PlainBackup(graph, root, sense)
