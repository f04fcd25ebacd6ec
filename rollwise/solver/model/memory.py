"""What is kept for further questions, and forgotten again; and how much address space there is."""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

Key = TypeVar("Key")
Kept = TypeVar("Kept")


def keep_newest(kept: dict[Key, Kept], most: int) -> None:
    """Forget what came first until ``most`` are left. Other threads may add and forget at the same time.

    >>> kept = {1: "a", 2: "b", 3: "c"}
    >>> keep_newest(kept, 2)
    >>> kept
    {2: 'b', 3: 'c'}
    """
    while len(kept) > most:
        for oldest in list(kept)[:1]:
            kept.pop(oldest, None)


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
