"""Boards at a table where the best moves chase each other: a stationary mix of moves, or the best that was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.boards.table_backups import Group
from rollwise.solver.game.errors import NotConverged
from rollwise.solver.turn.vectors import Mixed

if TYPE_CHECKING:
    from rollwise.solver.boards.table import TableSolve

Ints = NDArray[np.int64]


def settle_chase(solve: TableSolve, groups: list[Group], boards: Ints) -> Mixed:
    """Not yet."""
    raise NotConverged(f"the moves of {solve.game} chase each other", np.inf)
