"""A backup of many boards at once, in two makes that a test compares: compiled, and NumPy.

The NumPy one needs no compiler to start, so small games are answered with it; the compiled one is for everything else.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.memory import keep_newest
from rollwise.solver.turn.algebra import back_up, gathered
from rollwise.solver.turn.arrays import backup
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.look_ups import Codes
from rollwise.solver.turn.perspective import leaf_values, read
from rollwise.solver.turn.transition_reader import Compiled
from rollwise.solver.turn.transitions import Transitions
from rollwise.solver.turn.vectors import table_backup

MOST_KNOWN = 4096  # patterns of ends of which it is kept whether turns can stay there
FEW_THROWN = 4  # ends of a turn that are looked at before all of them
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Carried = tuple[Floats, float]  # a number a board, and what to multiply it by where the other side moves next
Both = tuple[Floats, Floats]  # where values go, and what was carried


class Backup(Protocol):
    """One root's backup; ``leaves`` are the graph's leaves that it reads, in the order of the rows of ``moves``.

    ``look_up`` reads the tables of all results at once, where that is compiled too. ``by_board``: does the backup
    itself depend on the board? Then ``in_columns(boards)`` is that of these boards, numbered from 0. ``thrown``: some
    rows of ``leaves`` that dice alone can come to, before anybody chooses.
    """

    by_board: bool
    leaves: Ints
    thrown: Ints
    look_up: Compiled | None

    def values(
        self, moves: Transitions, same: Floats, other: Floats, total: float, boards: Ints, out: Floats, some: slice
    ) -> int:
        """Into ``out`` from the values of the next boards, as the mover (``same``) and the other side see them.

        Returns how many of the values read are nan, those of boards that are not solved.
        """

    def carry(
        self, moves: Transitions, values: Floats, total: float, carried: Carried, boards: Ints, out: Both, some: slice
    ) -> None:
        """Values, and beside them the mean of what is carried, under the first best moves: both into ``out``."""

    def stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        """1 where the players together can make sure that the next board is one where ``inside`` is 1."""

    def certain(self, moves: Transitions, same: Floats, other: Floats, boards: Ints, out: Floats, worst: bool) -> None:
        """Chances of the mover if dice always fall for the worst (else for the best), from those of the next boards."""


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
        self.thrown = thrown(graph, root, self.leaves)
        self.operations = tuple(self.program.operations)
        ops = self.program.operations.ops
        chance = (ops[:, :1] == kernels.EVEN) | (ops[:, :1] == kernels.MEAN)
        sure = np.where(chance, kernels.MIN, kernels.MAX)  # of a leaf that earns something: what its end has
        self.sure = (np.hstack([sure, ops[:, 1:]]), *self.operations[1:])
        self.possible = (np.hstack([np.full_like(sure, kernels.MAX), ops[:, 1:]]), *self.operations[1:])

    @property
    def n_edges(self) -> int:
        """Edge operations of one backup of one board."""
        return self.program.n_edges

    def values(
        self, moves: Transitions, same: Floats, other: Floats, total: float, boards: Ints, out: Floats, some: slice
    ) -> int:
        """See ``Backup``."""
        worth = same, other, float(total), -1.0
        width, reached = self._width(some.stop - some.start), self._reached(moves)
        lanes = some.start, some.stop
        unknown: int = self.kernels.sweep(self.operations, reached, worth, None, width, boards, out, None, *lanes)
        return unknown

    def _reached(self, moves: Transitions) -> tuple[Codes, Floats, Ints]:
        """What the kernels read of where turns lead; raises ModelError if that is not of this program's leaves."""
        if len(moves.ends) != len(self.program.ends.first):
            raise ModelError(f"{len(moves.ends)} ends for a turn of {len(self.program.ends.first)}")
        return moves.ends, moves.extra, moves.extra_of

    def carry(
        self, moves: Transitions, values: Floats, total: float, carried: Carried, boards: Ints, out: Both, some: slice
    ) -> None:
        """See ``Backup``."""
        worth = values, values, float(total), -1.0
        width, reached = self._width(2 * (some.stop - some.start)), self._reached(moves)
        lanes = some.start, some.stop
        self.kernels.sweep(self.operations, reached, worth, carried, width, boards, *out, *lanes)

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
        self._without_chance(self.sure, moves, (inside, inside, 0.0, 1.0), boards, out)

    def certain(self, moves: Transitions, same: Floats, other: Floats, boards: Ints, out: Floats, worst: bool) -> None:
        """See ``Backup``."""
        self._without_chance(self.sure if worst else self.possible, moves, (same, other, 1.0, -1.0), boards, out)

    def _without_chance(self, operations: Any, moves: Transitions, worth: Any, boards: Ints, out: Floats) -> None:
        ends, _, _ = self._reached(moves)
        reached = ends, np.zeros((0, len(boards))), np.full(len(ends), -1)
        self.kernels.sweep(
            operations, reached, worth, None, self._width(len(boards)), boards, out, None, 0, len(boards)
        )


class PlainBackup:
    """``Backup`` by NumPy, slow and obvious."""

    by_board = False

    def __init__(self, graph: TurnGraph, root: int, sense: str) -> None:
        self.graph = graph
        self.root = root
        self.sense = sense
        self.look_up = None
        self.leaves = np.flatnonzero(graph.reachable(root)[: graph.n_leaves])
        self.thrown = thrown(graph, root, self.leaves)
        self.n_edges = graph.n_edges

    def values(
        self, moves: Transitions, same: Floats, other: Floats, total: float, boards: Ints, out: Floats, some: slice
    ) -> int:
        """See ``Backup``."""
        leaves = self._leaves(moves, same, other, total, some)
        out[boards[some]] = backup(self.graph, leaves, self.sense)[self.root]
        return int(np.isnan(leaves).sum())

    def _leaves(self, moves: Transitions, same: Floats, other: Floats, total: float, some: slice) -> Floats:
        leaves = np.zeros((self.graph.n_leaves, some.stop - some.start))
        leaves[self.leaves] = leaf_values(moves.codes[:, some], same, other, total)
        rewards = moves.rewards
        if len(rewards):
            leaves[self.leaves] += rewards[:, some]
        return leaves

    def carry(
        self, moves: Transitions, values: Floats, total: float, carried: Carried, boards: Ints, out: Both, some: slice
    ) -> None:
        """See ``Backup``: the best of (value, what is carried) by the value alone, which is how a table chooses."""
        (duals, dual_sign), sign = carried, 1.0 if self.sense == "max" else -1.0
        leaves = np.zeros((self.graph.n_leaves, some.stop - some.start, 2))
        leaves[..., 0] = sign * self._leaves(moves, values, values, total, some)
        following, passes = read(moves.codes[:, some])
        leaves[self.leaves, :, 1] = duals[following] * np.where(passes, dual_sign, 1.0)
        value, dual = table_backup(self.graph, leaves, 0.0)[self.root].T
        out[0][boards[some]], out[1][boards[some]] = sign * value, dual

    def stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        """See ``Backup``."""
        leaves = np.zeros((self.graph.n_leaves, len(boards)))
        leaves[self.leaves] = inside[read(moves.codes)[0]]
        out[boards] = back_up(self.graph, leaves, gathered(np.minimum), gathered(np.maximum))[self.root]

    def certain(self, moves: Transitions, same: Floats, other: Floats, boards: Ints, out: Floats, worst: bool) -> None:
        """See ``Backup``."""
        leaves = np.zeros((self.graph.n_leaves, len(boards)))
        leaves[self.leaves] = leaf_values(moves.codes, same, other, 1.0)
        falls = gathered(np.minimum if worst else np.maximum)
        out[boards] = back_up(self.graph, leaves, falls, gathered(np.maximum))[self.root]


def thrown(graph: TurnGraph, root: int, leaves: Ints) -> Ints:
    """See ``Backup.thrown``."""
    return np.searchsorted(leaves, graph.thrown(root)[:FEW_THROWN])


def make_backup(graph: TurnGraph, root: int, sense: str, compiled: bool, backups: int = 0) -> Any:
    """The backup of one root node, done about so often on all boards together."""
    return CompiledBackup(graph, root, sense, backups) if compiled else PlainBackup(graph, root, sense)
