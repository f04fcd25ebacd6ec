"""Locks of keys, and notes of their holders."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from rollwise.cache.entry import BLOCK, FIELD_ERRORS
from rollwise.cache.errors import EntryBusy, StoreError, explaining_os_errors, printable
from rollwise.cache.files import open_regular

# Strict: users type keys to remove entries, and the root may hold other folders as well.
KEY_PATTERN = re.compile(r"[a-z0-9-]+-[0-9a-f]{20}")
HOLDER_SUFFIX = ".held"  # of the note beside a lock: its holder
_LOCKED_PATHS: set[Path] = set()  # locks of this process


class Locks:
    """Locks below the folder ``root``, which the first lock creates: one process and thread at a time holds a key."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextlib.contextmanager
    def lock(self, key: str, timeout: float = -1, *, has_note: bool = False) -> Iterator[None]:
        """Hold the lock of this key, one process and thread at a time. Waits ``timeout`` seconds, -1 for ever.

        ``has_note``: write a note of the holder for waiting processes (``holder``). Do not nest it for one key. Raises
        ``EntryBusy`` after the timeout, ``StoreError`` when the folder of locks cannot be written.
        """
        import filelock

        path = self._lock_path(key)
        with explaining_os_errors("lock", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            file_lock = filelock.FileLock(path)
            try:
                file_lock.acquire(timeout=timeout)
            except filelock.Timeout as error:  # an OSError too
                other = "thread" if self.is_locked_here(key) else "process"
                raise EntryBusy(f"another {other} is working on {key}; its lock is {path}") from error
            except NotImplementedError as error:  # a file system without locks
                raise StoreError(f"cannot lock {path}: {error}; ROLLWISE_CACHE chooses another folder") from error
        try:
            _LOCKED_PATHS.add(path)
            self._write_holder_note(key, has_note)
            yield
        finally:
            if has_note:
                with contextlib.suppress(OSError):
                    self._lock_path(key, HOLDER_SUFFIX).unlink()
            _LOCKED_PATHS.discard(path)
            file_lock.release()

    def is_unlocked(self, key: str) -> bool:
        """True where no other process or thread holds the lock of this key, as far as the file system shows."""
        try:
            with self.lock(key, timeout=0):
                return True
        except StoreError as error:
            return not isinstance(error, EntryBusy)

    def is_locked_here(self, key: str) -> bool:
        """True where a thread of this process holds the lock of this key."""
        return self._lock_path(key) in _LOCKED_PATHS

    def holder(self, key: str) -> str:
        """Holder of the lock of this key and start of the hold, in words, from its note."""
        try:
            with open_regular(self._lock_path(key, HOLDER_SUFFIX)) as file:
                holder_note = json.loads(file.read(BLOCK))
            since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(int(holder_note["since"])))
            return f"process {int(holder_note['pid'])} on {printable(str(holder_note['host']), 60)}, since {since}"
        except (OSError, *FIELD_ERRORS):
            return "another process"

    def remove_lock(self, key: str) -> None:
        """Remove the lock of this key, unless it is held."""
        # Unlinked under the lock: a process that has just opened the file notices and opens the new one.
        with contextlib.suppress(StoreError, OSError), self.lock(key, timeout=0):  # another user's stays
            self._lock_path(key, HOLDER_SUFFIX).unlink(missing_ok=True)
            self._lock_path(key).unlink()

    def _write_holder_note(self, key: str, has_note: bool) -> None:
        """Replace the note of an earlier holder; write none where ``has_note`` is False."""
        note = {"pid": os.getpid(), "host": socket.gethostname(), "since": int(time.time())}
        with contextlib.suppress(OSError):
            self._lock_path(key, HOLDER_SUFFIX).unlink(missing_ok=True)
            if has_note:
                with open_regular(self._lock_path(key, HOLDER_SUFFIX), os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
                    file.write(json.dumps(note).encode())

    def _folder_of(self, key: str, *parts: str) -> Path:
        if not KEY_PATTERN.fullmatch(key):
            raise StoreError(f"{key!r} is no cache key; 'rollwise cache list' shows them")
        return self.root.joinpath(*parts, key)

    def _lock_path(self, key: str, suffix: str = ".lock") -> Path:
        return self._folder_of(key, "locks").with_suffix(suffix)
