"""Boards whose turns start in the same root: they are settled, backed up and asked together."""

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


def by_root(game: TurnGame, boards: Ints, most: int = sys.maxsize) -> Iterator[tuple[int, Ints]]:
    """(root, places of those of these boards whose turns start there), not more than so many at once."""
    roots = np.broadcast_to(np.asarray(game.root(game.boards().columns(boards)), dtype=np.int64), len(boards))
    for root in np.unique(roots).tolist():
        places = np.flatnonzero(roots == root)
        for begin in range(0, len(places), most):
            yield root, places[begin : begin + most]


@dataclass(frozen=True)
class RootGroup:
    """Boards whose turns start in the same root, where their results lead (one column a board), and that turn's backup.

    ``boards`` are indices; ``backup`` is one of ``solver.turn.backups``.
    """

    boards: Ints
    moves: Transitions
    backup: Any

    def of(self, columns: Ints) -> RootGroup:
        """Some of these boards."""
        if len(columns) == len(self.boards) and (columns == np.arange(len(columns))).all():
            return self
        return RootGroup(self.boards[columns], self.moves.of(columns), self.backup)
