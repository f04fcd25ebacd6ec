"""Errors of the cache: each message is one line with the place, the reason and a remedy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOWHERE = Path(os.devnull) / "rollwise"  # cache of a user without a folder: below a device nothing can be written
NO_FOLDER = "nothing can be kept: this user has no home folder, and HOME names none; ROLLWISE_CACHE chooses a folder"
MAX_SHOWN_CHARS = 200  # of a text from an entry, in an error


def printable(text: str, max_chars: int = MAX_SHOWN_CHARS) -> str:
    r"""Text from outside, safe to print: cut to ``max_chars``, control characters escaped.

    >>> printable("a\x1b[2Jb", 9), printable("pig" * 9, 9)
    ('a\\x1b[2Jb', 'pigpigpig ...')
    """
    if text.isprintable() and len(text) <= max_chars:
        return text
    escaped = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text[:max_chars])
    return escaped if len(text) <= max_chars else escaped + " ..."


class StoreError(Exception):
    """The cache cannot be used here: disk full, read-only, not a cache key."""


class DamagedEntry(StoreError):
    """The entry ``key`` is not as it was written; ``reason`` names the damage."""

    def __init__(self, key: str, reason: str) -> None:
        reason = printable(reason)
        super().__init__(key, reason)  # both, so that the error survives a trip between processes
        self.key = key
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"cache entry {self.key} is damaged: {self.reason}; "
            f"it will be solved again, or remove it with 'rollwise cache clear {self.key}'"
        )


class EntryBusy(StoreError):
    """Another process or thread holds the lock of this key, and the timeout is over."""


class MissingSource(StoreError):
    """A module to fingerprint has no source file."""


for _error in (StoreError, DamagedEntry, EntryBusy, MissingSource):
    _error.__module__ = "rollwise"  # where users import them from; a traceback names it


@contextmanager
def explaining_os_errors(action: str, path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an ``OSError`` inside the block into a ``StoreError`` with action, path and reason."""
    try:
        yield
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split())
        if Path(path).is_relative_to(NOWHERE):
            raise StoreError(NO_FOLDER) from error
        raise StoreError(f"cannot {action} {path}: {reason}; ROLLWISE_CACHE chooses another folder") from error
