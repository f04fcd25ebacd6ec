"""Chances of a duel, or alone, that are exactly 0 or 1, told by the graph: their radius is 0.

As play ends, who can see to it that it leads to boards alone from which they win for sure wins for sure, whatever the
dice and the other side do; and the other side then has no chance. Boards that may be so are thought to be, until moves
or dice lead from one to what is not (``are_sure``); what is left is sure. A table's shares of 0 are told likewise
(``solver.values.table``).
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


def has_sure(game: TurnGame) -> bool:
    """Are values chances of games that end, and nothing else?"""
    return game.measure == "win" and game.sense == "max" and not game.endless and not game.uncertain


def mark_almost_sure(arrays: BoardArrays, groups: list[RootGroup]) -> None:
    """Make values of these boards exactly 0 or 1 that are so; they are certified with all that they lead to."""
    waiting: list[tuple[float, Floats, RootGroup]] = []
    for group in groups:
        for sure, nearest, bound in ((0.0, arrays.lower, arrays.upper), (1.0, arrays.upper, arrays.lower)):
            near = np.flatnonzero(nearest[group.boards] == sure)
            if len(near):  # what is led to first, so that few rounds are enough
                boards = group.boards[near]
                some = group.of(near[np.lexsort((-arrays.order_of[boards], -arrays.level_of[boards]))])
                waiting.append((sure, bound, some))
                bound[boards] = sure
    if not waiting:
        return
    starts = np.cumsum([0] + [len(some.boards) for *_, some in waiting])
    before = _Before(arrays, [some for *_, some in waiting], starts)
    held, asked = np.ones(starts[-1], dtype=bool), np.arange(starts[-1])
    while len(asked):
        dropped = []
        for (sure, bound, some), start, columns in zip(
            waiting, starts[:-1].tolist(), np.split(asked, np.searchsorted(asked, starts[1:-1])), strict=True
        ):
            if len(columns):
                held[columns] = are_sure(arrays, some.of(columns - start), sure, bound)
                dropped.append(some.boards[columns[~held[columns]] - start])
        asked = before.of(np.concatenate(dropped))
        asked = asked[held[asked]]
    for (sure, _, some), start in zip(waiting, starts[:-1].tolist(), strict=True):
        boards = some.boards[held[start : start + len(some.boards)]]
        arrays.value[boards], arrays.radius[boards] = sure, 0.0
        arrays.bound(some.boards)


def are_sure(arrays: BoardArrays, group: RootGroup, sure: float, out: Floats) -> NDArray[np.bool_]:
    """Does play lead from these boards to nothing but ``sure``, the chance 0 or 1, by the bounds of what follows?

    For a 1 the mover has a choice, for a 0 it has none that helps. ``out`` is what it is where it is so.
    """
    same, other = (arrays.lower, arrays.upper) if sure else (arrays.upper, arrays.lower)
    thrown = group.moves.ends[group.moves.of_leaf[group.backup.thrown]]
    found: NDArray[np.bool_] = (leaf_values(thrown, same, other, 1.0) == sure).all(axis=0)
    out[group.boards[~found]] = 0.5
    if found.any():
        some = group.of(np.flatnonzero(found))
        some.backup.certain(some.moves, same, other, some.boards, out, bool(sure))
        found[found] = out[some.boards] == sure
    return found


class _Before:
    """Which places, those of all boards of some groups one after the other, lead to a board."""

    def __init__(self, arrays: BoardArrays, groups: list[RootGroup], starts: Ints) -> None:
        marks = arrays.marks
        for group in groups:
            marks[group.boards] = 1.0
        ahead, places = [], []
        for group, start in zip(groups, starts[:-1].tolist(), strict=True):
            for following in group.moves.ends >> 1:
                inside = np.flatnonzero(marks[following] > 0)
                ahead.append(following[inside])
                places.append(start + inside)
        for group in groups:
            marks[group.boards] = 0.0
        together = np.concatenate(ahead)
        order = np.argsort(together, kind="stable")
        self.ahead, self.places = together[order], np.concatenate(places)[order]

    def of(self, boards: Ints) -> Ints:
        """The places that lead to these boards, each once, ascending."""
        low = np.searchsorted(self.ahead, boards)
        count = np.searchsorted(self.ahead, boards, "right") - low
        edges = np.repeat(low - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
        return np.unique(self.places[edges])
