"""Limits of this process: address space, threads, and entries of caches in memory."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from rollwise.solver.model.errors import BadInput

Key = TypeVar("Key")
Value = TypeVar("Value")
WORKERS_VARIABLE = "ROLLWISE_WORKERS"
MIN_ADDRESS_BYTES = 1 << 30  # of address space; below, one thread works alone, since each reserves a part of it
DEFAULT_WORKERS = 2  # the cost model assumes as many


def evict_oldest(memo: dict[Key, Value], max_entries: int) -> None:
    """Remove the oldest entries until ``max_entries`` are left. Other threads may add and remove at the same time.

    >>> memo = {1: "a", 2: "b", 3: "c"}
    >>> evict_oldest(memo, 2)
    >>> memo
    {2: 'b', 3: 'c'}
    """
    while len(memo) > max_entries:
        for oldest in list(memo)[:1]:
            memo.pop(oldest, None)


def address_limit() -> int | None:
    """Bytes of address space that this process may take in all (``ulimit -v``); None without a limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def free_addresses() -> int | None:
    """Bytes that ``address_limit`` leaves; None without a limit."""
    limit = address_limit()
    with suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return limit and max(0, limit - pages * resource.getpagesize())
    return limit


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
