"""Solved tables on disk: an entry is a folder of ``.npy`` files and a readable manifest.

Entries are written aside and renamed into place, so that there is a whole one or none. A damaged one is noticed and
reported, never served. There are no pickles, and no names of classes.

    store = Store()
    code = fingerprint(["rollwise.games.pig"], ["rollwise.games", "rollwise.solver"])
    key = store.key("pig", {"target": 100, "rules": 1, "code": code})
    with store.lock(key):
        entry = store.read(key) or store.write(key, {"values": values}, {"method": "sweep"})
    entry.checked("values").take(rows)
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rollwise.cache.entry import AnyArray, ArrayFile, CheckedArray, Entry, Json, canonical, unchecked
from rollwise.cache.errors import DamagedEntry, EntryBusy, MissingSource, StoreError, explained
from rollwise.cache.folders import (
    abandoned,
    being_replaced,
    delete,
    discard,
    names_in,
    read_folder,
    size_of,
    write_folder,
)

__all__ = [
    "CheckedArray",
    "Checkpoint",
    "Damaged",
    "DamagedEntry",
    "Entry",
    "EntryBusy",
    "Json",
    "MissingSource",
    "Store",
    "StoreError",
    "default_root",
]

NAME = re.compile(r"[a-z0-9-]+")
# Strict, because keys are typed by hand to be removed, and the root may be a folder that holds other things as well.
KEY = re.compile(r"[a-z0-9-]+-[0-9a-f]{20}")
LENT = "lent"  # the folder of notes, one for each entry that a server wrote: its time is when a server last used it
OPENING = 0.5  # seconds


Stamp = tuple[tuple[str, int, int, int, int], ...]


def _by_game(entry: Entry | Damaged) -> tuple[str, str, str]:
    """Where an entry stands in a list: an order that no hash of source code decides, 10 behind 9."""
    said = "" if isinstance(entry, Damaged) else str(entry.manifest.get("parameters"))
    return entry.key.rpartition("-")[0], re.sub(r"\d+", lambda number: number[0].zfill(9), said), entry.key


def default_root() -> Path:
    """The folder of the cache: ``ROLLWISE_CACHE`` if that is set, else the user's own cache folder.

    Raises StoreError for ``~somebody`` who is not there.
    """
    chosen = os.environ.get("ROLLWISE_CACHE")
    if chosen:
        try:
            return Path(chosen).expanduser()
        except RuntimeError:
            raise StoreError(f"ROLLWISE_CACHE is {chosen}, and there is no such user here") from None
    import platformdirs

    return platformdirs.user_cache_path("rollwise")


class Damaged(NamedTuple):
    """An entry that cannot be read: which, why, and its bytes on disk."""

    key: str
    reason: str
    size: int


class Store:
    """The entries, locks and checkpoints below one folder, which is made when the first of them is written."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = default_root() if root is None else Path(root)

    def key(self, name: str, identity: Mapping[str, Json]) -> str:
        """``name`` and 20 hex digits that stand for ``identity``: everything that the stored numbers depend on.

        Raises ``StoreError`` for a name that is not made of a-z, 0-9 and '-'; ``TypeError`` or ``ValueError`` for an
        identity that is not plain JSON.
        """
        if not NAME.fullmatch(name):
            raise StoreError(f"a name in the cache is made of a-z, 0-9 and '-', got {name!r}")
        return f"{name}-{hashlib.sha256(canonical(identity)).hexdigest()[:20]}"

    def read(self, key: str) -> Entry | None:
        """The entry, or None when there is none. Its arrays stay readable even if it is replaced or removed meanwhile.

        Reads the manifest and the files' sizes; the arrays are checked when they are used. Raises ``DamagedEntry``, or
        ``StoreError`` when the folder cannot be read.
        """
        folder = self._folder(key)
        with explained("read", folder):
            return read_folder(folder, key, "entry")

    def stamp(self, key: str) -> Stamp:
        """What tells one state of the entry's files from another: by name their times, size and place on disk.

        Empty where there is no entry. Raises ``StoreError`` when the folder cannot be read.
        """
        folder = self._folder(key)
        with explained("read", folder), contextlib.suppress(FileNotFoundError), os.scandir(folder) as files:
            seen = [(file.name, os.stat(file.path)) for file in files]
            return tuple(sorted((name, at.st_mtime_ns, at.st_ctime_ns, at.st_size, at.st_ino) for name, at in seen))
        return ()

    def write(
        self,
        key: str,
        arrays: Mapping[str, AnyArray],
        manifest: Mapping[str, Json],
        begun: Checkpoint | None = None,
    ) -> Entry:
        """Store an entry, in place of one of that key; the entry as written, whatever others do to it afterwards.

        ``arrays`` hold plain numbers; ``manifest`` is plain JSON. Rows that ``begun`` was saved with are not written
        again, of arrays of one name. Raises ``StoreError`` when it cannot be written: an
        older entry is then still there, and nothing else. Raises ``TypeError`` or ``ValueError``, before anything is
        written, for arrays or a manifest that are not plain.
        """
        folder = self._folder(key)
        with explained("write", folder):
            return write_folder(folder, key, "entry", arrays, manifest, begun.written if begun else None)

    @contextlib.contextmanager
    def lock(self, key: str, timeout: float = -1) -> Iterator[None]:
        """One process, and one thread, at a time works on this key; waits ``timeout`` seconds, for ever if negative.

        Raises ``EntryBusy`` when the time is over, ``StoreError`` when the folder of locks cannot be written. Not
        to be nested for one key.
        """
        import filelock

        path = self._folder(key, "locks").with_suffix(".lock")
        with explained("lock", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            held = filelock.FileLock(path)
            try:
                held.acquire(timeout=timeout)
            except filelock.Timeout as error:  # an OSError too
                raise EntryBusy(f"another process is working on {key}; its lock is {path}") from error
            except NotImplementedError as error:  # a file system without locks
                raise StoreError(f"cannot lock {path}: {error}; ROLLWISE_CACHE chooses another folder") from error
        try:
            yield
        finally:
            held.release()

    def entries(self) -> list[Entry | Damaged]:
        """All entries, by game and parameters. Arrays are opened when they are used: ``read`` one again to be sure."""
        found: list[Entry | Damaged] = []
        with explained("list", self.root):
            names = names_in(self.root)
            for key in sorted(filter(KEY.fullmatch, being_replaced(self.root, names).union(names))):
                try:
                    entry = read_folder(self.root / key, key, "entry", hold=False)
                except DamagedEntry as error:
                    found.append(Damaged(key, error.reason, size_of(self.root / key)))
                else:
                    found += [entry] if entry else []
        return sorted(found, key=_by_game)

    def newest(self, name: str, most: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """(key, manifest) of the entries of this name that were written last, the newest first, so many at most.

        For a first look: nothing is checked, no array is touched, and what cannot be read is passed over.
        """
        found: list[tuple[int, str]] = []
        with contextlib.suppress(OSError), os.scandir(self.root) as folders:
            for folder in folders:
                if folder.name.rpartition("-")[0] == name and KEY.fullmatch(folder.name):
                    with contextlib.suppress(OSError):
                        found.append((folder.stat().st_mtime_ns, folder.name))
        for _, key in heapq.nlargest(most, found):
            manifest = unchecked(self.root / key)
            if manifest is not None:
                yield key, manifest

    def all_keys(self) -> list[str]:
        """The keys of all entries and checkpoints, sorted; touches none of them."""
        with explained("list", self.root):
            names = names_in(self.root)
            found = being_replaced(self.root, names).union(names, names_in(self.root / "checkpoints"))
            return sorted(filter(KEY.fullmatch, found))

    def remove(self, key: str) -> int:
        """Remove the entry and the checkpoint of this key; the bytes freed, 0 if there are none."""
        folder = self._folder(key)
        with explained("remove", folder):
            return discard(folder) + discard(self._folder(key, "checkpoints"))

    def clear(self) -> int:
        """Remove all entries, checkpoints, locks that nobody holds, and what dead processes left; the bytes freed.

        Whatever else is in the folder stays, and so do empty folders, where another process may be about to write.
        """
        freed = 0
        with explained("clear", self.root):
            for folder in (self.root, self.root / "checkpoints"):
                freed += sum(discard(folder / key) for key in filter(KEY.fullmatch, names_in(folder)))
                freed += sum(delete(path) for path in abandoned(folder))
            for name in names_in(self.root / "locks"):
                if name.endswith(".lock") and KEY.fullmatch(name.removesuffix(".lock")):
                    self._remove_lock(name.removesuffix(".lock"))
        return freed

    def lend(self, key: str) -> None:
        """Note, under its lock, that what will stand here may be removed by ``keep``; not what others have begun."""
        note = self._folder(key, LENT)
        with explained("write", note):
            if note.exists() or not self._folder(key, "checkpoints").exists():
                note.parent.mkdir(parents=True, exist_ok=True)
                note.touch()

    def use(self, key: str) -> None:
        """Of what is lent, this goes last; where it is not lent, or nothing can be written, nothing happens."""
        with contextlib.suppress(OSError):
            os.utime(self._folder(key, LENT))

    @contextlib.contextmanager
    def opening(self, key: str) -> Iterator[None]:
        """Use an entry, and hold its lock where nobody else does for long: until all its files are open."""
        self.use(key)
        with contextlib.ExitStack() as held:
            with contextlib.suppress(StoreError):  # somebody solves it again, or nobody can write here
                held.enter_context(self.lock(key, timeout=OPENING))
            yield

    def own(self, key: str) -> None:
        """Whatever stands here, or will, is lent no more."""
        with contextlib.suppress(OSError):
            os.unlink(self._folder(key, LENT))

    def keep(self, most: int, spare: str = "") -> None:
        """Remove what is lent, least recently used first, until at most so many bytes of it are left.

        ``spare`` stays, and so does what somebody works on or opens, which holds its lock, or has just used. What a
        killed process left of an entry counts and goes with it. Its note goes last, so that a crash forgets nothing.
        """
        found = []
        if spare:
            self.use(spare)
        with explained("clear", self.root):
            for key in filter(KEY.fullmatch, names_in(self.root / LENT)):
                with contextlib.suppress(FileNotFoundError):
                    found.append(
                        (self._folder(key, LENT).stat().st_mtime_ns, key, sum(map(size_of, self._all_of(key))))
                    )
            left = sum(size for _, _, size in found)
            for used, key, size in sorted(found):
                if key == spare or (size and left <= most):
                    continue
                with contextlib.suppress(EntryBusy, FileNotFoundError), self.lock(key, timeout=0):
                    if self._folder(key, LENT).stat().st_mtime_ns == used:
                        self.remove(key)
                        for path in self._all_of(key):
                            delete(path)
                        self.own(key)
                        left -= size
                self._remove_lock(key)

    def _all_of(self, key: str) -> list[Path]:
        """Where an entry and its checkpoint stand, and where they are written: by nobody but who has the lock."""
        folders = (self.root, self.root / "checkpoints")
        return [path for folder in folders for path in (folder / key, *folder.glob(f".*-{key}"))]

    def checkpoint(self, key: str) -> Checkpoint:
        """Where a long solve of this key keeps what it has so far; touches no disk."""
        return Checkpoint(key, self._folder(key, "checkpoints"))

    def _folder(self, key: str, *parts: str) -> Path:
        if not KEY.fullmatch(key):
            raise StoreError(f"{key!r} is no cache key; 'rollwise cache list' shows them")
        return self.root.joinpath(*parts, key)

    def _remove_lock(self, key: str) -> None:
        # Unlinked while it is held: a process that had just opened it notices and opens the new one.
        with contextlib.suppress(EntryBusy, FileNotFoundError), self.lock(key, timeout=0):
            self._folder(key, "locks").with_suffix(".lock").unlink()


class Checkpoint:
    """The state of an unfinished solve: the same files as an entry, in another folder, and never taken for one."""

    def __init__(self, key: str, folder: Path) -> None:
        self.key = key
        self._folder = folder
        self.written: Mapping[str, ArrayFile] = {}  # files of the state that was saved or loaded last

    def save(self, arrays: Mapping[str, AnyArray], manifest: Mapping[str, Json], rows: int | None = None) -> None:
        """Store the state in place of the one before; errors as for ``Store.write``.

        ``rows``: only so many of each array, which stay as they are: those of the state before are not written again.
        """
        with explained("write", self._folder):
            entry = write_folder(self._folder, self.key, "checkpoint", arrays, manifest, self.written, rows)
        self.written = entry.files

    def load(self, most: float = math.inf) -> tuple[dict[str, AnyArray], dict[str, Any]] | None:
        """The arrays (in memory, writable) and the manifest, checked whole; None where there is none to read.

        A cache that cannot be read says so when it is asked for the entry. Raises ``DamagedEntry`` for what is not as
        it was saved, and for more than so many bytes.
        """
        try:
            entry = read_folder(self._folder, self.key, "checkpoint")
            if entry is None:
                return None
            if entry.size > most:
                raise DamagedEntry(self.key, f"it has {entry.size} bytes, which no solve of this game takes")
            arrays = {name: np.array(entry.array(name)) for name in entry.names}
        except OSError:
            return None
        self.written = entry.files
        return arrays, entry.manifest

    def discard(self) -> None:
        """Remove the state, if there is one. Raises ``StoreError`` when that fails."""
        self.written = {}
        with explained("remove", self._folder):
            discard(self._folder)
