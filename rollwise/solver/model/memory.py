"""Eviction from caches in memory, and the limit of address space."""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


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
