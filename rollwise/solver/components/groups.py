"""Boards whose turns start in the same root node: one transition table and one backup for all of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.transitions import Transitions

Ints = NDArray[np.int64]


def split_by_root(game: TurnGame, boards: Ints, max_boards: int = sys.maxsize) -> Iterator[tuple[int, Ints]]:
    """(root, places of the boards whose turns start there), at most ``max_boards`` at once."""
    roots = np.broadcast_to(np.asarray(game.root(game.boards().columns(boards)), dtype=np.int64), len(boards))
    for root in np.unique(roots).tolist():
        places = np.flatnonzero(roots == root)
        for begin in range(0, len(places), max_boards):
            yield root, places[begin : begin + max_boards]


@dataclass(frozen=True)
class RootGroup:
    """Boards (indices) of one root, their transitions, a column each, and one of ``solver.turn.backups``."""

    boards: Ints
    moves: Transitions
    backup: Any

    def of(self, columns: Ints) -> RootGroup:
        """The subset at these columns."""
        if len(columns) == len(self.boards) and (columns == np.arange(len(columns))).all():
            return self
        return RootGroup(self.boards[columns], self.moves.of(columns), self.backup)
