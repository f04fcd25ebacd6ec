"""What is kept for further questions, and forgotten again."""

from __future__ import annotations

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
