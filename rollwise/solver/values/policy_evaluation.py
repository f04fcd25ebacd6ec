"""Policy evaluation: the backup of turns under a fixed policy, as chances of a turn's ends.

It stands beside the compiled and the NumPy backup (``solver.turn.backups``) and follows their protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.backups import Both, Carried
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import leaf_values, unpack_codes
from rollwise.solver.turn.policy_turn import EndsOfTurn
from rollwise.solver.turn.transitions import Transitions, ends_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAX_ENDS_PER_BLOCK = 1 << 22  # ends that are looked at together


@dataclass(frozen=True)
class EndsBySituation:
    """Ends of turns, situation by situation: see ``EndsOfTurn`` in ``solver.turn``.

    Situation ``s`` has the slots ``slots[s]`` to ``slots[s + 1]`` with these ``chances``, slot ``i`` the leaves from
    ``begin[i]`` to ``begin[i + 1]`` of ``leaves``.
    """

    slots: Ints
    chances: Floats
    begin: Ints
    leaves: Ints

    @classmethod
    def of(cls, rows: Sequence[EndsOfTurn]) -> EndsBySituation:
        """Concatenate rows."""
        slots = np.cumsum([0] + [len(row.chances) for row in rows])
        counts = [np.diff(row.begin) for row in rows]
        begin = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
        chances, leaves = (np.concatenate([getattr(row, name) for row in rows]) for name in ("chances", "leaves"))
        return cls(slots.astype(np.int64), chances, begin.astype(np.int64), leaves)

    def append(self, added: EndsBySituation) -> EndsBySituation:
        """These rows with others after them."""
        return EndsBySituation(
            np.append(self.slots, added.slots[1:] + self.slots[-1]),
            np.append(self.chances, added.chances),
            np.append(self.begin, added.begin[1:] + self.begin[-1]),
            np.append(self.leaves, added.leaves),
        )


class PolicyBackup:
    """``Backup`` of one root under a policy: of a slot's leaves the best; ``situation``: by board, its row."""

    look_up = None
    by_board = True

    def __init__(self, graph: TurnGraph, root: int, sense: str, rows: EndsBySituation, situation: Any) -> None:
        self.leaves = np.flatnonzero(graph.reachable(root)[: graph.n_leaves])
        self.thrown = self.leaves[:0]
        self.ends = ends_of(graph, self.leaves)
        self.row_of = np.full(graph.n_leaves, -1)
        self.row_of[self.leaves] = np.arange(len(self.leaves))
        self.rows, self.situation = rows, situation
        self.better = np.maximum if sense == "max" else np.minimum
        self.n_edges = len(rows.leaves) // max(1, len(rows.slots) - 1)

    def in_columns(self, boards: Ints) -> PolicyBackup:
        """See ``Backup``."""
        by_column = copy(self)
        by_column.situation = self.situation[boards]
        return by_column

    def values(
        self, moves: Transitions, same: Floats, other: Floats, total: float, boards: Ints, out: Floats, some: slice
    ) -> int:
        """See ``Backup``."""
        n_unknown = 0
        for part in self.parts(boards, some):
            leaf_value = self._leaf_values(part, moves, same, other, total)
            n_unknown += int(np.isnan(leaf_value).sum())
            slot_values = self.better.reduceat(leaf_value, part.begin)
            out[part.boards] = np.add.reduceat(part.chances * slot_values, part.first)
        return n_unknown

    def carry(
        self, moves: Transitions, values: Floats, total: float, carried: Carried, boards: Ints, out: Both, some: slice
    ) -> None:
        """See ``Backup``."""
        results, (duals, dual_sign) = [], carried
        for part in self.parts(boards, some):
            leaf_value = self._leaf_values(part, moves, values, values, total)
            successors, passes = unpack_codes(self._codes(part, moves))
            leaf_duals = duals[successors] * np.where(passes, dual_sign, 1.0)
            slot_values = self.better.reduceat(leaf_value, part.begin)
            if len(slot_values) < len(leaf_value):
                last = len(leaf_value)
                leaf_places = np.where(leaf_value == np.repeat(slot_values, part.counts), np.arange(last), last)
                leaf_duals = leaf_duals[np.minimum.reduceat(leaf_places, part.begin)]
            results.append((part, slot_values, leaf_duals))
        for part, *rows_of_part in results:  # what is written may be read above
            for numbers, row in zip(out, rows_of_part, strict=True):
                numbers[part.boards] = np.add.reduceat(part.chances * row, part.first)

    def stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        """See ``Backup``."""
        for part in self.parts(boards, slice(0, len(boards))):
            stays_inside = np.maximum.reduceat(inside[unpack_codes(self._codes(part, moves))[0]], part.begin)
            out[part.boards] = np.minimum.reduceat(stays_inside, part.first)

    def certain(self, moves: Transitions, same: Floats, other: Floats, boards: Ints, out: Floats, worst: bool) -> None:
        """See ``Backup``."""
        for part in self.parts(boards, slice(0, len(boards))):
            slot_values = self.better.reduceat(self._leaf_values(part, moves, same, other, 1.0), part.begin)
            out[part.boards] = (np.minimum if worst else np.maximum).reduceat(slot_values, part.first)

    def parts(self, boards: Ints, some: slice) -> Iterator[Situations]:
        """The turns of some of these boards, in blocks of limited size."""
        width = max(1, MAX_ENDS_PER_BLOCK // max(1, self.n_edges))
        for low in range(some.start, some.stop, width):
            yield self._part(boards, low, min(some.stop, low + width))

    def _part(self, boards: Ints, begin: int, end: int) -> Situations:
        rows, part_boards = self.rows, boards[begin:end]
        situation = self.situation[part_boards]
        n_slots = rows.slots[situation + 1] - rows.slots[situation]
        first = np.cumsum(n_slots) - n_slots
        slots = np.repeat(rows.slots[situation] - first, n_slots) + np.arange(int(n_slots.sum()))
        counts = rows.begin[slots + 1] - rows.begin[slots]
        start = np.cumsum(counts) - counts
        leaves = rows.leaves[np.repeat(rows.begin[slots] - start, counts) + np.arange(int(counts.sum()))]
        lanes = np.repeat(np.repeat(np.arange(begin, end), n_slots), counts)
        return Situations(part_boards, first, rows.chances[slots], start, counts, self.row_of[leaves], lanes)

    def _codes(self, some: Situations, moves: Transitions) -> NDArray[np.int32]:
        codes: NDArray[np.int32] = moves.ends[self.ends.of_leaf[some.rows], some.lanes]
        return codes

    def _leaf_values(self, some: Situations, moves: Transitions, same: Floats, other: Floats, total: float) -> Floats:
        values = leaf_values(self._codes(some, moves), same, other, total)
        if self.ends.own.any():
            values = values + self.ends.own[some.rows]
        if len(moves.extra):
            row = moves.extra_of[self.ends.of_leaf[some.rows]]
            values = values + np.where(row >= 0, moves.extra[row, some.lanes], 0.0)
        return values


@dataclass(frozen=True)
class Situations:
    """Some boards, their slots one after the other (``first``: each board's first), and these slots' leaves.

    ``begin`` and ``counts``: first leaf and number of leaves of each slot; ``rows``: the place of each leaf among those
    of the root; ``lanes``: the column of each leaf's board.
    """

    boards: Ints
    first: Ints
    chances: Floats
    begin: Ints
    counts: Ints
    rows: Ints
    lanes: Ints
