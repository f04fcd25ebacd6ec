"""Store of solved tables on disk: an entry is a folder of ``.npy`` files and a readable manifest.

Entries are written aside and renamed into place, so that there is a whole one or none. A damaged one is detected and
reported, never served. There are no pickles, and no names of classes.

    store = Store()
    code = fingerprint(["rollwise.games.pig.rules"], ["rollwise.games", "rollwise.solver"])
    key = store.key("pig", {"target": 100, "rules": 1, "code": code})
    with store.lock(key):
        entry = store.read(key) or store.write(key, {"values": values}, {"method": "sweep"})
    entry.array_file("values").take(rows)
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rollwise.cache.checkpoint import Checkpoint
from rollwise.cache.entry import AnyArray, Entry, Json, canonical_json, read_unchecked
from rollwise.cache.errors import DamagedEntry, EntryBusy, MissingSource, StoreError, explaining_os_errors
from rollwise.cache.files import is_in_use
from rollwise.cache.folders import (
    delete,
    discard,
    is_older_than_a_day,
    list_leftovers,
    list_names,
    measure_bytes,
    names_being_replaced,
    read_folder,
    write_folder,
)
from rollwise.cache.index import INDEX_PATTERN
from rollwise.cache.locks import HOLDER_SUFFIX, KEY_PATTERN, Locks
from rollwise.cache.settings import default_root, read_limit

__all__ = [
    "Checkpoint",
    "DamagedEntry",
    "DamagedItem",
    "Entry",
    "EntryBusy",
    "Json",
    "MissingSource",
    "Store",
    "StoreError",
    "default_root",
]

NAME_PATTERN = re.compile(r"[a-z0-9-]+")
EVICTABLE = "lent"  # folder of notes, one by entry that a server wrote; its time is the last use by a server
SUBSTORES = ("turns", "forecasts", "fractions")  # within the cache
OPENING_TIMEOUT_S = 0.5  # seconds
Stamp = tuple[tuple[str, int, int, int, int], ...]


def _delete_if_allowed(path: Path) -> int:
    """Delete a leftover of a killed process, unless it is another user's; the bytes freed."""
    with contextlib.suppress(OSError):
        return delete(path)
    return 0


class DamagedItem(NamedTuple):
    """Entry that cannot be read: key, reason, and bytes on disk."""

    key: str
    reason: str
    size: int


class Store(Locks):
    """Entries, locks and checkpoints below one folder, which the first write creates."""

    def __init__(self, root: Path | None = None, parent: Store | None = None) -> None:
        super().__init__(default_root() if root is None else Path(root))
        self.limit: int | None = read_limit() if parent is None else parent.limit
        self._parent = parent or self

    def substore(self, name: str) -> Store:
        """Store within this one, one of ``SUBSTORES``; it counts for the limit of this one."""
        return Store(self.root / name, self)

    def key(self, name: str, identity: Mapping[str, Json]) -> str:
        """``name`` and 20 hex digits of the hash of ``identity``: everything that the stored numbers depend on.

        Raises ``StoreError`` for a name that is not made of a-z, 0-9 and '-'; ``TypeError`` or ``ValueError`` for an
        identity that is not plain JSON.
        """
        if not NAME_PATTERN.fullmatch(name):
            raise StoreError(f"a name in the cache is made of a-z, 0-9 and '-', got {name!r}")
        return f"{name}-{hashlib.sha256(canonical_json(identity)).hexdigest()[:20]}"

    def read(self, key: str) -> Entry | None:
        """Entry, or None when there is none. Its arrays stay readable even if it is replaced or removed meanwhile.

        Reads the manifest and the files' sizes; the arrays are checked when they are used. Raises ``DamagedEntry``, or
        ``StoreError`` when the folder cannot be read.
        """
        folder = self._folder_of(key)
        with explaining_os_errors("read", folder):
            return read_folder(folder, key, "entry")

    def stamp(self, key: str) -> Stamp:
        """State of the entry's files: by name their times, size and inode.

        Empty where there is no entry. Raises ``StoreError`` when the folder cannot be read.
        """
        folder = self._folder_of(key)
        with explaining_os_errors("read", folder), contextlib.suppress(FileNotFoundError), os.scandir(folder) as files:
            stats = [(file.name, os.stat(file.path)) for file in files]
            return tuple(sorted((name, at.st_mtime_ns, at.st_ctime_ns, at.st_size, at.st_ino) for name, at in stats))
        return ()

    def write(
        self,
        key: str,
        arrays: Mapping[str, AnyArray],
        manifest: Mapping[str, Json],
        checkpoint: Checkpoint | None = None,
    ) -> Entry:
        """Store an entry, in place of one of that key; returns it as written, whatever other processes do afterwards.

        Call it under the lock of the key: without, the write of another process removes the unfinished folder.
        Leftovers of killed processes go first, and entries beyond the limit last. ``arrays`` hold plain numbers;
        ``manifest`` is plain JSON. Rows in the ``checkpoint``, of the same arrays, are not written again. Raises
        ``StoreError`` when the entry cannot be written: an older one is then still there, and nothing else. Raises
        ``TypeError`` or ``ValueError``, before anything is written, for arrays or a manifest that are not plain.
        """
        folder = self._folder_of(key)
        with explaining_os_errors("write", folder):
            self.remove_leftovers(key)
            entry = write_folder(folder, key, "entry", arrays, manifest, checkpoint.written if checkpoint else None)
        self._enforce_limit(key)
        return entry

    def inspect(self, key: str) -> Entry | DamagedItem | None:
        """Entry, or its damage; its arrays are opened when they are used. Raises ``StoreError``."""
        folder = self._folder_of(key)
        with explaining_os_errors("read", folder):
            try:
                return read_folder(folder, key, "entry", map_files=False)
            except DamagedEntry as error:
                return DamagedItem(key, error.reason, measure_bytes(folder))

    def keys(self) -> list[str]:
        """Keys of entries, sorted; reads none of them."""
        with explaining_os_errors("list", self.root):
            names = list_names(self.root)
            return sorted(filter(KEY_PATTERN.fullmatch, names_being_replaced(self.root, names).union(names)))

    def checkpoint_keys(self) -> list[str]:
        """Keys of checkpoints, sorted."""
        with explaining_os_errors("list", self.root):
            return sorted(filter(KEY_PATTERN.fullmatch, list_names(self.root / "checkpoints")))

    def newest(self, name: str, max_entries: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """(key, manifest) of the newest entries of this name, the newest first.

        Nothing is checked, no array is opened, and unreadable entries are skipped.
        """
        times_and_keys: list[tuple[int, str]] = []
        with contextlib.suppress(OSError), os.scandir(self.root) as folders:
            for folder in folders:
                if folder.name.rpartition("-")[0] == name and KEY_PATTERN.fullmatch(folder.name):
                    with contextlib.suppress(OSError):
                        times_and_keys.append((folder.stat().st_mtime_ns, folder.name))
        for _, key in heapq.nlargest(max_entries, times_and_keys):
            manifest = read_unchecked(self.root / key)
            if manifest is not None:
                yield key, manifest

    def all_keys(self) -> list[str]:
        """Keys of all entries and checkpoints, sorted; reads none of them."""
        return sorted({*self.keys(), *self.checkpoint_keys()})

    def remove(self, key: str) -> int:
        """Remove the entry and the checkpoint of this key; the bytes freed, 0 if there are none."""
        folder = self._folder_of(key)
        with explaining_os_errors("remove", folder):
            return discard(folder) + discard(self._folder_of(key, "checkpoints"))

    def clear(self) -> int:
        """Remove all entries, checkpoints, free locks, and leftovers of killed processes; the bytes freed.

        Other files in the folder stay, and so do empty folders, where another process may be about to write.
        """
        with explaining_os_errors("clear", self.root):
            freed = self.remove_leftovers()
            for folder in (self.root, self.root / "checkpoints"):
                freed += sum(discard(folder / key) for key in filter(KEY_PATTERN.fullmatch, list_names(folder)))
                freed += sum(delete(path) for path, _ in list_leftovers(folder) if is_older_than_a_day(path))
            locked = {name.rpartition(".")[0] for name in list_names(self.root / "locks")}
            for key in filter(KEY_PATTERN.fullmatch, locked):
                self.remove_lock(key)
            freed += sum(delete(self.root / name) for name in filter(INDEX_PATTERN.fullmatch, list_names(self.root)))
        return freed

    def mark_evictable(self, key: str) -> None:
        """Let ``evict`` remove the coming entry of this key; call it under the lock. A user's checkpoint stays."""
        note = self._folder_of(key, EVICTABLE)
        with explaining_os_errors("write", note):
            if note.exists() or not self._folder_of(key, "checkpoints").exists():
                note.parent.mkdir(parents=True, exist_ok=True)
                note.touch()

    def touch(self, key: str) -> None:
        """Mark as used now, so that it is evicted last; does nothing where the cache cannot be written."""
        for path in self._places(key):
            with contextlib.suppress(OSError):
                os.utime(path)
                return

    @contextlib.contextmanager
    def opening(self, key: str) -> Iterator[None]:
        """Touch an entry, and hold its lock inside the block, while its files are opened, if it is free soon."""
        self.touch(key)
        with contextlib.ExitStack() as locks:
            with contextlib.suppress(StoreError):  # another process solves it again, or the folder is read-only
                locks.enter_context(self.lock(key, timeout=OPENING_TIMEOUT_S))
            yield

    def mark_permanent(self, key: str) -> None:
        """Keep the entry of this key from eviction from now on, and touch it."""
        with contextlib.suppress(OSError):
            os.unlink(self._folder_of(key, EVICTABLE))
        self.touch(key)

    def evict(
        self,
        max_bytes: int,
        spared: str = "",
        *,
        everything: bool = False,
        close: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Remove evictable entries, least recently used first, until at most ``max_bytes`` of them are left.

        ``everything``: all of the store and its substores is evictable. ``spared`` stays, and so does an entry that is
        locked, open or just used; ``close`` closes one that is open here and not needed. Leftovers of an entry count
        and go with it. Its note goes last, so that a crash forgets nothing.
        """
        if spared:
            self.touch(spared)
        with explaining_os_errors("clear", self.root):
            stores = [self, *map(self.substore, SUBSTORES)] if everything else [self]
            evictable = [(*row, store) for store in stores for row in store._list_evictable(everything)]
            bytes_left = sum(size for _, _, size, _ in evictable)
            for last_used, key, size, store in sorted(evictable, key=lambda row: row[:2]):
                if key == spared or (size and bytes_left <= max_bytes):
                    continue
                bytes_left -= store._evict_entry(key, last_used, size, close)

    def _list_evictable(self, everything: bool) -> list[tuple[int, str, int]]:
        """Evictable entries: (last use in nanoseconds, key, bytes on disk)."""
        rows, paths = [], self.leftovers()
        keys = {*list_names(self.root / EVICTABLE), *([*self.all_keys(), *paths] if everything else ())}
        for key in filter(KEY_PATTERN.fullmatch, keys):
            size = sum(map(measure_bytes, [*self._places(key), *paths.get(key, ())]))
            rows.append((self.last_used_ns(key), key, size))
        return rows

    def _evict_entry(self, key: str, last_used: int, size: int, close: Callable[[str], None]) -> int:
        """Remove an evictable entry unless it is in use; the bytes freed."""
        freed = 0
        with contextlib.suppress(StoreError, OSError), self.lock(key, timeout=0):  # another user's stays
            if is_in_use(self._folder_of(key)):
                close(key)
            if self.last_used_ns(key) == last_used and not is_in_use(self._folder_of(key)):
                self.remove(key)
                for path in self.leftovers().get(key, ()):
                    delete(path)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._folder_of(key, EVICTABLE))
                freed = size
        self.remove_lock(key)
        return freed

    def _enforce_limit(self, spared: str) -> None:
        if self.limit is not None:
            with contextlib.suppress(StoreError):  # the new entry is written all the same
                self._parent.evict(self.limit, spared, everything=True)

    def leftovers(self) -> dict[str, list[Path]]:
        """Temporary folders by key: being written or removed now, or left by a killed process."""
        leftovers_by_key: dict[str, list[Path]] = {}
        for folder in (self.root, self.root / "checkpoints"):
            for path, key in list_leftovers(folder):
                if KEY_PATTERN.fullmatch(key):
                    leftovers_by_key.setdefault(key, []).append(path)
        return leftovers_by_key

    def remove_leftovers(self, own_key: str = "") -> int:
        """Remove leftovers of killed processes, each under the lock of its key, which a writer holds; the bytes freed.

        Checkpoints of solved games go too. ``own_key``: the key that the caller is about to write, under its lock.
        """
        freed, temporary = 0, self.leftovers()
        locks = list_names(self.root / "locks")
        keys_with_note = {name.removesuffix(HOLDER_SUFFIX) for name in locks if name.endswith(HOLDER_SUFFIX)}
        solved = {key for key in self.checkpoint_keys() if (self.root / key).exists()}
        for key in filter(KEY_PATTERN.fullmatch, {*temporary, *keys_with_note, *solved}):
            paths = temporary.get(key, [])
            if key == own_key:
                freed += sum(map(_delete_if_allowed, paths)) if self.is_locked_here(key) else 0
                continue
            with contextlib.suppress(StoreError), self.lock(key, timeout=0):
                freed += sum(map(_delete_if_allowed, paths))
                if key in solved and isinstance(self.inspect(key), Entry):
                    freed += _delete_if_allowed(self._folder_of(key, "checkpoints"))
            self.remove_lock(key)
        return freed

    def _places(self, key: str) -> list[Path]:
        """Note of an entry that is evictable, which is empty; its folder; that of its checkpoint."""
        return [self._folder_of(key, *parts) for parts in ((EVICTABLE,), (), ("checkpoints",))]

    def last_used_ns(self, key: str) -> int:
        """Time of the last use in nanoseconds: of its note where it is evictable, else of its folder; 0 without."""
        for path in self._places(key):
            with contextlib.suppress(OSError):
                return path.stat().st_mtime_ns
        return 0

    def checkpoint(self, key: str) -> Checkpoint:
        """Checkpoint of a long solve of this key; reads and writes nothing yet."""
        return Checkpoint(key, self._folder_of(key, "checkpoints"), partial(self._enforce_limit, key))
