"""How many threads a solve may use: the one place where that is asked."""

from __future__ import annotations

import os
from functools import cache

from rollwise.solver.game.errors import BadInput

SETTING = "ROLLWISE_WORKERS"
USUAL = 2  # what plans of time and memory are reckoned with


def n_workers() -> int:
    """As many threads as the user has set, else two, or one where this process may use one processor alone.

    Raises BadInput for a setting that is no whole number from 1.
    """
    setting = os.environ.get(SETTING, "")
    if not setting:
        return min(USUAL, processors())
    if not (setting.isascii() and setting.isdigit() and int(setting)):
        raise BadInput(f"{SETTING} is a whole number from 1, got {setting!r}")
    return int(setting)


@cache
def processors() -> int:
    """How many this process may use: the machine's, or fewer by its affinity or the limits of its container."""
    from joblib import cpu_count

    return int(cpu_count())
