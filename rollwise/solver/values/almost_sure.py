"""Almost sure wins and losses of duels and solo games: values exactly 0 or 1 by the graph, with radius 0.

Where play ends, the boards from which a side wins almost surely are the greatest set from which it can force play to
stay in the set or to win, whatever the dice and the other side do; the other side's chance there is 0. All boards with
a bound at 0 or 1 are candidates; one is dropped when a move or a throw leads from it to a value that differs
(``are_almost_sure``). ``solver.values.table`` does the same for a table's shares of 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.groups import RootGroup
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.perspective import leaf_values
from rollwise.solver.values.board_arrays import BoardArrays

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def has_certain_values(game: TurnGame) -> bool:
    """True if values are chances of games that end, and nothing else."""
    return game.measure == "win" and game.sense == "max" and not game.endless and not game.uncertain


def mark_almost_sure(arrays: BoardArrays, groups: list[RootGroup]) -> None:
    """Set values of these boards to exactly 0 or 1 where the graph proves it; successors are certified with them."""
    candidates: list[tuple[float, Floats, RootGroup]] = []
    for group in groups:
        for certain, bound_near, bound in ((0.0, arrays.lower, arrays.upper), (1.0, arrays.upper, arrays.lower)):
            near = np.flatnonzero(bound_near[group.boards] == certain)
            if len(near):  # successors first, so that few rounds are enough
                boards = group.boards[near]
                some_group = group.of(near[np.lexsort((-arrays.order_of[boards], -arrays.level_of[boards]))])
                candidates.append((certain, bound, some_group))
                bound[boards] = certain
    if not candidates:
        return
    starts = np.cumsum([0] + [len(some_group.boards) for *_, some_group in candidates])
    predecessors = _Predecessors(arrays, [some_group for *_, some_group in candidates], starts)
    is_candidate, to_check = np.ones(starts[-1], dtype=bool), np.arange(starts[-1])
    while len(to_check):
        dropped = []
        for (certain, bound, some_group), start, columns in zip(
            candidates, starts[:-1].tolist(), np.split(to_check, np.searchsorted(to_check, starts[1:-1])), strict=True
        ):
            if len(columns):
                is_candidate[columns] = are_almost_sure(arrays, some_group.of(columns - start), certain, bound)
                dropped.append(some_group.boards[columns[~is_candidate[columns]] - start])
        to_check = predecessors.of(np.concatenate(dropped))
        to_check = to_check[is_candidate[to_check]]
    for (certain, _, some_group), start in zip(candidates, starts[:-1].tolist(), strict=True):
        boards = some_group.boards[is_candidate[start : start + len(some_group.boards)]]
        arrays.value[boards], arrays.radius[boards] = certain, 0.0
        arrays.bound(some_group.boards)


def are_almost_sure(arrays: BoardArrays, group: RootGroup, certain: float, out: Floats) -> NDArray[np.bool_]:
    """Mask of boards from which play leads only to ``certain``, the chance 0 or 1, by the successors' bounds.

    For 1 the mover needs one such move, for 0 all moves must be so. ``out`` receives ``certain`` there.
    """
    same, other = (arrays.lower, arrays.upper) if certain else (arrays.upper, arrays.lower)
    thrown_codes = group.moves.ends[group.moves.of_leaf[group.backup.thrown]]
    is_certain: NDArray[np.bool_] = (leaf_values(thrown_codes, same, other, 1.0) == certain).all(axis=0)
    out[group.boards[~is_certain]] = 0.5
    if is_certain.any():
        certain_group = group.of(np.flatnonzero(is_certain))
        certain_group.backup.certain(certain_group.moves, same, other, certain_group.boards, out, bool(certain))
        is_certain[is_certain] = out[certain_group.boards] == certain
    return is_certain


class _Predecessors:
    """Predecessors of boards, as places in the concatenated boards of some groups."""

    def __init__(self, arrays: BoardArrays, groups: list[RootGroup], starts: Ints) -> None:
        marks = arrays.marks
        for group in groups:
            marks[group.boards] = 1.0
        targets, sources = [], []
        for group, start in zip(groups, starts[:-1].tolist(), strict=True):
            for successors in group.moves.ends >> 1:
                columns = np.flatnonzero(marks[successors] > 0)
                targets.append(successors[columns])
                sources.append(start + columns)
        for group in groups:
            marks[group.boards] = 0.0
        all_targets = np.concatenate(targets)
        order = np.argsort(all_targets, kind="stable")
        self.targets, self.sources = all_targets[order], np.concatenate(sources)[order]

    def of(self, boards: Ints) -> Ints:
        """Places of the boards that lead to these, each once, ascending."""
        first = np.searchsorted(self.targets, boards)
        count = np.searchsorted(self.targets, boards, "right") - first
        edges = np.repeat(first - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
        return np.unique(self.sources[edges])
