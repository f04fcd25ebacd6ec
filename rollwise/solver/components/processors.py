"""Number of threads that a solve may use."""

from __future__ import annotations

import os
from functools import cache

from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.memory import free_addresses

WORKERS_VARIABLE = "ROLLWISE_WORKERS"
MIN_ADDRESS_BYTES = 1 << 30  # of address space; below, one thread works alone, since each reserves a part of it
DEFAULT_WORKERS = 2  # the cost model assumes as many


def n_workers() -> int:
    """The user's setting, else DEFAULT_WORKERS; 1 with one processor or less address space than MIN_ADDRESS_BYTES.

    Raises BadInput for a setting that is no whole number from 1.
    """
    setting = os.environ.get(WORKERS_VARIABLE, "")
    if not setting:
        free_bytes = free_addresses()
        return min(DEFAULT_WORKERS, count_processors()) if free_bytes is None or free_bytes >= MIN_ADDRESS_BYTES else 1
    if not (setting.isascii() and setting.isdigit() and int(setting)):
        raise BadInput(f"{WORKERS_VARIABLE} is a whole number from 1, got {setting!r}")
    return int(setting)


@cache
def count_processors() -> int:
    """Processors of this process: the machine's, or fewer by affinity or the limits of its container."""
    from joblib import cpu_count

    return int(cpu_count())
