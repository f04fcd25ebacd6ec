"""Numbers by board and seat that are swept: until they lie still, or until they bound how long play can last.

``sweep`` backs up all of ``boards`` once and writes what comes out into ``rows``, which what comes later reads. Numbers
that lie still are a guess like any other: how much one more backup would move them is looked at afterwards.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.boards.mixing import Guide
from rollwise.solver.game.errors import NotConverged

Rows = NDArray[np.float64]
Ints = NDArray[np.int64]
Sweep = Callable[[], None]
MOST_SWEEPS = 20_000
MOST_WAITING = 3_000
ENOUGH = 0.5  # how much a sweep may still lengthen the game


def until_still(rows: Rows, boards: Ints, sweep: Sweep, what: str) -> None:
    """Sweep until nothing moves but the last bits; raises NotConverged that says ``what`` still moves."""
    guide = Guide(0.0)
    for _ in range(MOST_SWEEPS):
        before = rows[boards]
        sweep()
        ahead = guide.next(before.ravel(), rows[boards].ravel(), 1.0)
        if ahead is None:
            return
        rows[boards] = ahead.reshape(before.shape)
    raise NotConverged(f"{what} still move by {guide.change:.2g}", guide.change)


def until_bounded(waits: Rows, boards: Ints, sweep: Sweep, endless: str) -> None:
    """Make ``waits`` no less than 1 and what a backup makes of them, where ``sweep`` writes just that.

    Sweeps from 1 on never lower them, so what one more sweep adds bounds what they lack: if that is ``more`` at most,
    then waits / (1 - more) will do. Raises NotConverged with the words ``endless`` where it stays too much.
    """
    waits[boards] = 1.0
    for _ in range(MOST_WAITING):
        before = waits[boards]
        sweep()
        more = float(np.max(waits[boards] - before))
        if more <= ENOUGH:
            waits[boards] = before * ((1 + 1e-9) / (1 - max(more, 0.0)))
            return
    raise NotConverged(endless, np.inf)
