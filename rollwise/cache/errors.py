"""What can go wrong with the cache: each message is one line with the place, the reason and what to do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOWHERE = Path(os.devnull) / "rollwise"  # the cache where the user has no folder: below a device nothing can be
NO_FOLDER = "nothing can be kept: this user has no home folder, and HOME names none; ROLLWISE_CACHE chooses a folder"
LONGEST = 200  # characters of what an entry says of itself, as an error shows it


def shown(text: str, longest: int = LONGEST) -> str:
    r"""Text from outside as people may see it: short, and what a terminal would obey is escaped.

    >>> shown("a\x1b[2Jb", 9), shown("pig" * 9, 9)
    ('a\\x1b[2Jb', 'pigpigpig ...')
    """
    if text.isprintable() and len(text) <= longest:
        return text
    line = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text[:longest])
    return line if len(text) <= longest else line + " ..."


class StoreError(Exception):
    """The cache cannot be used here: disk full, read-only, not a cache key."""


class DamagedEntry(StoreError):
    """An entry is not what was written; ``key`` says which one, ``reason`` what is wrong with it."""

    def __init__(self, key: str, reason: str) -> None:
        reason = shown(reason)
        super().__init__(key, reason)  # both, so that the error survives a trip between processes
        self.key = key
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"cache entry {self.key} is damaged: {self.reason}; "
            f"it will be solved again, or remove it with 'rollwise cache clear {self.key}'"
        )


class EntryBusy(StoreError):
    """Another process, or thread, holds the lock of this key, and the time to wait for it is over."""


class MissingSource(StoreError):
    """A module to fingerprint has no source file."""


for _error in (StoreError, DamagedEntry, EntryBusy, MissingSource):
    _error.__module__ = "rollwise"  # where users import them from; a traceback names it


@contextmanager
def explained(action: str, path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an ``OSError`` inside the block into a ``StoreError`` that says what was tried, where, and why it failed."""
    try:
        yield
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split())
        if Path(path).is_relative_to(NOWHERE):
            raise StoreError(NO_FOLDER) from error
        raise StoreError(f"cannot {action} {path}: {reason}; ROLLWISE_CACHE chooses another folder") from error
