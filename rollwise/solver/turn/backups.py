"""Bellman backups of many boards at once, in two implementations that a test compares: compiled, and NumPy.

NumPy needs no compilation, so it serves small games; the compiled backup serves all others.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.limits import evict_oldest
from rollwise.solver.turn.algebra import back_up, reduction
from rollwise.solver.turn.arrays import backup
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.look_ups import Codes
from rollwise.solver.turn.perspective import leaf_values, unpack_codes
from rollwise.solver.turn.transition_reader import Compiled
from rollwise.solver.turn.transitions import Transitions
from rollwise.solver.turn.vectors import table_backup

MAX_STAY_PATTERNS = 4096  # patterns of ends in the memo of ``CompiledBackup.stays``
MAX_THROWN_ENDS = 4  # in ``Backup.thrown``
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Carried = tuple[Floats, float]  # a number a board, and its factor where the other side moves next
Both = tuple[Floats, Floats]  # outputs of the values, and of the carried numbers


class Backup(Protocol):
    """One root's backup; ``leaves`` are the graph's leaves that it reads, in the order of the rows of ``moves``.

    ``look_up`` reads the tables of all results at once, where that is compiled too. ``by_board``: True where the backup
    itself depends on the board; then ``in_columns(boards)`` is that of these boards, numbered from 0. ``thrown``: some
    rows of ``leaves`` that dice alone can reach, before any choice.
    """

    by_board: bool
    leaves: Ints
    thrown: Ints
    look_up: Compiled | None

    def values(
        self, moves: Transitions, same: Floats, other: Floats, total: float, boards: Ints, out: Floats, some: slice
    ) -> int:
        """Back up the values of the next boards, seen by the mover (``same``) and the other side, into ``out``.

        Returns the number of nans among the values read, those of unsolved boards.
        """

    def carry(
        self, moves: Transitions, values: Floats, total: float, carried: Carried, boards: Ints, out: Both, some: slice
    ) -> None:
        """Back up values, and the mean of the carried numbers under the first best moves, both into ``out``."""

    def stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        """1 where the players together can force the next board to be one where ``inside`` is 1."""

    def certain(self, moves: Transitions, same: Floats, other: Floats, boards: Ints, out: Floats, worst: bool) -> None:
        """Chances of the mover if dice always fall worst (else best), from those of the next boards."""


class CompiledBackup:
    """``Backup`` by ``solver.turn.kernels``."""

    by_board = False

    def __init__(self, graph: TurnGraph, root: int, sense: str, backups: int = 0) -> None:
        from rollwise.solver.turn import kernels

        self.kernels = kernels
        self.look_up = kernels.look_up
        self.program = kernels.compile_program(graph, root, sense, backups=backups)
        self.is_long = self.program.n_edges >= kernels.MIN_EDGES_NARROW
        self.stay_memo: dict[bytes, float] = {}  # result of ``stays`` by the pattern of ends inside
        self.leaves = self.program.leaves
        self.thrown = thrown(graph, root, self.leaves)
        self.operations = tuple(self.program.operations)
        ops = self.program.operations.ops
        chance = (ops[:, :1] == kernels.EVEN) | (ops[:, :1] == kernels.MEAN)
        sure = np.where(chance, kernels.MIN, kernels.MAX)  # a leaf with a reward takes its end's value
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
        next_values = same, other, float(total), -1.0
        width, turn_ends = self._width(some.stop - some.start), self._turn_ends(moves)
        lanes = some.start, some.stop
        n_nan: int = self.kernels.sweep(self.operations, turn_ends, next_values, None, width, boards, out, None, *lanes)
        return n_nan

    def _turn_ends(self, moves: Transitions) -> tuple[Codes, Floats, Ints]:
        """Arrays of the transitions for the kernels; raises ModelError unless they are of this program's leaves."""
        if len(moves.ends) != len(self.program.ends.first):
            raise ModelError(f"{len(moves.ends)} ends for a turn of {len(self.program.ends.first)}")
        return moves.ends, moves.extra, moves.extra_of

    def carry(
        self, moves: Transitions, values: Floats, total: float, carried: Carried, boards: Ints, out: Both, some: slice
    ) -> None:
        """See ``Backup``."""
        next_values = values, values, float(total), -1.0
        width, turn_ends = self._width(2 * (some.stop - some.start)), self._turn_ends(moves)
        lanes = some.start, some.stop
        self.kernels.sweep(self.operations, turn_ends, next_values, carried, width, boards, *out, *lanes)

    def _width(self, lanes: int) -> tuple[int, ...]:
        """The width of a row that these lanes need."""
        is_narrow = lanes <= self.kernels.FEW_LANES and self.n_edges >= self.kernels.MIN_EDGES_NARROW
        return self.kernels.NARROW_ROW if is_narrow else self.kernels.WHOLE_ROW

    def stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        """See ``Backup``; a long turn is backed up once for all boards with the same pattern of ends inside."""
        if not self.is_long:
            self._stays(moves, inside, boards, out)
            return
        leads = np.empty(moves.ends.shape[::-1], dtype=np.int8)
        for end, codes in enumerate(moves.ends):
            leads[:, end] = np.sign(inside[codes >> 1])
        names = [row.tobytes() for row in leads]
        column_of = {name: column for column, name in enumerate(names)}
        memo = dict(self.stay_memo)  # other threads add and remove
        stay = {name: memo[name] for name in column_of.keys() & memo.keys()}
        new = np.array([column for name, column in column_of.items() if name not in stay], dtype=np.int64)
        if len(new):
            self._stays(moves.of(new), inside, boards[new], out)
            stay |= {names[column]: out[boards[column]] for column in new.tolist()}
            self.stay_memo |= stay
        out[boards] = [stay[name] for name in names]
        evict_oldest(self.stay_memo, MAX_STAY_PATTERNS)

    def _stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        self._without_chance(self.sure, moves, (inside, inside, 0.0, 1.0), boards, out)

    def certain(self, moves: Transitions, same: Floats, other: Floats, boards: Ints, out: Floats, worst: bool) -> None:
        """See ``Backup``."""
        self._without_chance(self.sure if worst else self.possible, moves, (same, other, 1.0, -1.0), boards, out)

    def _without_chance(self, operations: Any, moves: Transitions, next_values: Any, boards: Ints, out: Floats) -> None:
        ends, _, _ = self._turn_ends(moves)
        turn_ends = ends, np.zeros((0, len(boards))), np.full(len(ends), -1)
        self.kernels.sweep(
            operations, turn_ends, next_values, None, self._width(len(boards)), boards, out, None, 0, len(boards)
        )


class PlainBackup:
    """``Backup`` by NumPy, slow and simple."""

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
        """See ``Backup``: the first best (value, carried number) by value alone, as in a backup of a table."""
        (duals, dual_sign), sign = carried, 1.0 if self.sense == "max" else -1.0
        leaves = np.zeros((self.graph.n_leaves, some.stop - some.start, 2))
        leaves[..., 0] = sign * self._leaves(moves, values, values, total, some)
        following, passes = unpack_codes(moves.codes[:, some])
        leaves[self.leaves, :, 1] = duals[following] * np.where(passes, dual_sign, 1.0)
        value, dual = table_backup(self.graph, leaves, 0.0)[self.root].T
        out[0][boards[some]], out[1][boards[some]] = sign * value, dual

    def stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        """See ``Backup``."""
        leaves = np.zeros((self.graph.n_leaves, len(boards)))
        leaves[self.leaves] = inside[unpack_codes(moves.codes)[0]]
        out[boards] = back_up(self.graph, leaves, reduction(np.minimum), reduction(np.maximum))[self.root]

    def certain(self, moves: Transitions, same: Floats, other: Floats, boards: Ints, out: Floats, worst: bool) -> None:
        """See ``Backup``."""
        leaves = np.zeros((self.graph.n_leaves, len(boards)))
        leaves[self.leaves] = leaf_values(moves.codes, same, other, 1.0)
        falls = reduction(np.minimum if worst else np.maximum)
        out[boards] = back_up(self.graph, leaves, falls, reduction(np.maximum))[self.root]


def thrown(graph: TurnGraph, root: int, leaves: Ints) -> Ints:
    """See ``Backup.thrown``."""
    return np.searchsorted(leaves, graph.thrown(root)[:MAX_THROWN_ENDS])


def make_backup(graph: TurnGraph, root: int, sense: str, compiled: bool, backups: int = 0) -> Any:
    """The backup of one root node; ``backups`` is the estimated number of its uses on all boards together."""
    return CompiledBackup(graph, root, sense, backups) if compiled else PlainBackup(graph, root, sense)
