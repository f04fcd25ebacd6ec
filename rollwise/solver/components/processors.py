"""How many threads a solve may use: the one place where that is asked."""

from __future__ import annotations

import os
from functools import cache

from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.memory import free_addresses

SETTING = "ROLLWISE_WORKERS"
LITTLE = 1 << 30  # bytes of address space with which one thread has to do: each takes a part for itself alone
USUAL = 2  # what plans of time and memory are reckoned with


def n_workers() -> int:
    """As many threads as the user has set, else two, or one for one processor or LITTLE address space.

    Raises BadInput for a setting that is no whole number from 1.
    """
    setting = os.environ.get(SETTING, "")
    if not setting:
        free = free_addresses()
        return min(USUAL, processors()) if free is None or free >= LITTLE else 1
    if not (setting.isascii() and setting.isdigit() and int(setting)):
        raise BadInput(f"{SETTING} is a whole number from 1, got {setting!r}")
    return int(setting)


@cache
def processors() -> int:
    """How many this process may use: the machine's, or fewer by its affinity or the limits of its container."""
    from joblib import cpu_count

    return int(cpu_count())
