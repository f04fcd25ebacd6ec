"""Boards that are backed up together: their turns start in the same root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.transitions import Transitions

Ints = NDArray[np.int64]


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
