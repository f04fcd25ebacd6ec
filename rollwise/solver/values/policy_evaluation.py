"""The backup of turns that are played by a rule: nothing is chosen, so a turn is a list of chances of its ends.

It stands beside the compiled and the plain backup (``solver.turn.backups``) and keeps their protocol.
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
from rollwise.solver.turn.perspective import leaf_values, read
from rollwise.solver.turn.played import EndsOfTurn
from rollwise.solver.turn.transitions import Transitions, ends_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
AT_ONCE = 1 << 22  # ends that are looked at together


@dataclass(frozen=True)
class EndsBySituation:
    """How turns end, situation by situation: see ``solver.turn.played.EndsOfTurn``.

    Situation ``s`` has the slots ``slots[s]`` to ``slots[s + 1]`` with these ``chances``, slot ``i`` the leaves from
    ``begin[i]`` to ``begin[i + 1]`` of ``leaves``.
    """

    slots: Ints
    chances: Floats
    begin: Ints
    leaves: Ints

    @classmethod
    def of(cls, rows: Sequence[EndsOfTurn]) -> EndsBySituation:
        """Rows one after the other."""
        slots = np.cumsum([0] + [len(row.chances) for row in rows])
        counts = [np.diff(row.begin) for row in rows]
        begin = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
        chances, leaves = (np.concatenate([getattr(row, name) for row in rows]) for name in ("chances", "leaves"))
        return cls(slots.astype(np.int64), chances, begin.astype(np.int64), leaves)

    def then(self, more: EndsBySituation) -> EndsBySituation:
        """These rows, and others behind them."""
        return EndsBySituation(
            np.append(self.slots, more.slots[1:] + self.slots[-1]),
            np.append(self.chances, more.chances),
            np.append(self.begin, more.begin[1:] + self.begin[-1]),
            np.append(self.leaves, more.leaves),
        )


class RuledBackup:
    """``Backup`` of one root for somebody who follows a rule; ``situation``: of each place, the place of its row.

    Of a slot with several leaves the best is taken; places by number, as ``solver.policy.policy_game.RuleGame`` has them.
    """

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

    def in_columns(self, boards: Ints) -> RuledBackup:
        """See ``Backup``."""
        found = copy(self)
        found.situation = self.situation[boards]
        return found

    def values(
        self, moves: Transitions, same: Floats, other: Floats, total: float, boards: Ints, out: Floats, some: slice
    ) -> int:
        """See ``Backup``."""
        unknown = 0
        for part in self.parts(boards, some):
            worth = self._worth(part, moves, same, other, total)
            unknown += int(np.isnan(worth).sum())
            best = self.better.reduceat(worth, part.begin)
            out[part.boards] = np.add.reduceat(part.chances * best, part.first)
        return unknown

    def carry(
        self, moves: Transitions, values: Floats, total: float, carried: Carried, boards: Ints, out: Both, some: slice
    ) -> None:
        """See ``Backup``."""
        found, (duals, dual_sign) = [], carried
        for part in self.parts(boards, some):
            worth = self._worth(part, moves, values, values, total)
            following, passes = read(self._codes(part, moves))
            second = duals[following] * np.where(passes, dual_sign, 1.0)
            best = self.better.reduceat(worth, part.begin)
            if len(best) < len(worth):
                last = len(worth)
                places = np.where(worth == np.repeat(best, part.counts), np.arange(last), last)
                second = second[np.minimum.reduceat(places, part.begin)]
            found.append((part, best, second))
        for part, *both in found:  # what is written may be read above
            for numbers, row in zip(out, both, strict=True):
                numbers[part.boards] = np.add.reduceat(part.chances * row, part.first)

    def stays(self, moves: Transitions, inside: Floats, boards: Ints, out: Floats) -> None:
        """See ``Backup``."""
        for part in self.parts(boards, slice(0, len(boards))):
            sure = np.maximum.reduceat(inside[read(self._codes(part, moves))[0]], part.begin)
            out[part.boards] = np.minimum.reduceat(sure, part.first)

    def certain(self, moves: Transitions, same: Floats, other: Floats, boards: Ints, out: Floats, worst: bool) -> None:
        """See ``Backup``."""
        for part in self.parts(boards, slice(0, len(boards))):
            best = self.better.reduceat(self._worth(part, moves, same, other, 1.0), part.begin)
            out[part.boards] = (np.minimum if worst else np.maximum).reduceat(best, part.first)

    def parts(self, boards: Ints, some: slice) -> Iterator[Situations]:
        """The turns of some of these boards, not too many at once."""
        width = max(1, AT_ONCE // max(1, self.n_edges))
        for low in range(some.start, some.stop, width):
            yield self._part(boards, low, min(some.stop, low + width))

    def _part(self, boards: Ints, begin: int, end: int) -> Situations:
        rows, here = self.rows, boards[begin:end]
        situation = self.situation[here]
        n_slots = rows.slots[situation + 1] - rows.slots[situation]
        first = np.cumsum(n_slots) - n_slots
        slots = np.repeat(rows.slots[situation] - first, n_slots) + np.arange(int(n_slots.sum()))
        counts = rows.begin[slots + 1] - rows.begin[slots]
        start = np.cumsum(counts) - counts
        leaves = rows.leaves[np.repeat(rows.begin[slots] - start, counts) + np.arange(int(counts.sum()))]
        lanes = np.repeat(np.repeat(np.arange(begin, end), n_slots), counts)
        return Situations(here, first, rows.chances[slots], start, counts, self.row_of[leaves], lanes)

    def _codes(self, some: Situations, moves: Transitions) -> NDArray[np.int32]:
        codes: NDArray[np.int32] = moves.ends[self.ends.of_leaf[some.rows], some.lanes]
        return codes

    def _worth(self, some: Situations, moves: Transitions, same: Floats, other: Floats, total: float) -> Floats:
        worth = leaf_values(self._codes(some, moves), same, other, total)
        if self.ends.own.any():
            worth = worth + self.ends.own[some.rows]
        if len(moves.extra):
            row = moves.extra_of[self.ends.of_leaf[some.rows]]
            worth = worth + np.where(row >= 0, moves.extra[row, some.lanes], 0.0)
        return worth


@dataclass(frozen=True)
class Situations:
    """Some boards, their slots one after the other (``first``: each board's first), and these slots' leaves.

    ``begin`` and ``counts``: of each slot its first leaf and how many it has; ``rows``: of each leaf its place among
    those of the root; ``lanes``: of each leaf its board's column.
    """

    boards: Ints
    first: Ints
    chances: Floats
    begin: Ints
    counts: Ints
    rows: Ints
    lanes: Ints
