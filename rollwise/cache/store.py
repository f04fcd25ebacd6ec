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
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rollwise.cache.checkpoint import Checkpoint
from rollwise.cache.entry import BLOCK, UNFIT, AnyArray, Entry, Json, canonical, unchecked
from rollwise.cache.errors import DamagedEntry, EntryBusy, MissingSource, StoreError, explained, shown
from rollwise.cache.files import is_held, opened
from rollwise.cache.folders import (
    being_replaced,
    delete,
    discard,
    is_old,
    leftovers,
    names_in,
    read_folder,
    size_of,
    write_folder,
)
from rollwise.cache.index import INDEX, Known, read_index, state_of, write_index
from rollwise.cache.settings import default_root, limit

__all__ = [
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
NOTE = ".held"  # beside a lock: who holds it
LENT = "lent"  # the folder of notes, one for each entry that a server wrote: its time is when a server last used it
PARTS = ("turns", "forecasts", "fractions")  # stores of their own within the cache
OPENING = 0.5  # seconds
NAMELESS = "its manifest does not say which game it is"
_HELD: set[Path] = set()  # locks that this process holds


Told = TypeVar("Told")
Stamp = tuple[tuple[str, int, int, int, int], ...]


def _deleted(path: Path) -> int:
    """The bytes freed of what a killed process left; what is another user's stays."""
    with contextlib.suppress(OSError):
        return delete(path)
    return 0


class Damaged(NamedTuple):
    """An entry that cannot be read: which, why, and its bytes on disk."""

    key: str
    reason: str
    size: int


class Store:
    """The entries, locks and checkpoints below one folder, which is made when the first of them is written."""

    def __init__(self, root: Path | None = None, whole: Store | None = None) -> None:
        self.root = default_root() if root is None else Path(root)
        self.limit: int | None = limit() if whole is None else whole.limit
        self._whole = whole or self

    def part(self, name: str) -> Store:
        """A store of its own within this one, which counts with it: one of ``PARTS``."""
        return Store(self.root / name, self)

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

        To be called under the lock of the key: another's write sweeps away what is written without. What killed
        processes have left goes first, and then whatever the limit leaves no room for.

        ``arrays`` hold plain numbers; ``manifest`` is plain JSON. Rows that ``begun`` was saved with are not written
        again, of arrays of one name. Raises ``StoreError`` when it cannot be written: an
        older entry is then still there, and nothing else. Raises ``TypeError`` or ``ValueError``, before anything is
        written, for arrays or a manifest that are not plain.
        """
        folder = self._folder(key)
        with explained("write", folder):
            self.sweep(key)
            entry = write_folder(folder, key, "entry", arrays, manifest, begun.written if begun else None)
        self._keep_to_limit(key)
        return entry

    @contextlib.contextmanager
    def lock(self, key: str, timeout: float = -1, *, noted: bool = False) -> Iterator[None]:
        """One process, and one thread, at a time works on this key; waits ``timeout`` seconds, for ever if negative.

        ``noted``: it may be held for long, so that others are told who holds it (``holder``).

        Raises ``EntryBusy`` when the time is over, ``StoreError`` when the folder of locks cannot be written. Not
        to be nested for one key.
        """
        import filelock

        path = self._lock_of(key)
        with explained("lock", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            held = filelock.FileLock(path)
            try:
                held.acquire(timeout=timeout)
            except filelock.Timeout as error:  # an OSError too
                other = "thread" if self.is_held_here(key) else "process"
                raise EntryBusy(f"another {other} is working on {key}; its lock is {path}") from error
            except NotImplementedError as error:  # a file system without locks
                raise StoreError(f"cannot lock {path}: {error}; ROLLWISE_CACHE chooses another folder") from error
        try:
            _HELD.add(path)
            self._note_holder(key, noted)
            yield
        finally:
            if noted:
                with contextlib.suppress(OSError):
                    self._lock_of(key, NOTE).unlink()
            _HELD.discard(path)
            held.release()

    def is_free(self, key: str) -> bool:
        """Does nobody else work on this key, as far as can be told?"""
        try:
            with self.lock(key, timeout=0):
                return True
        except StoreError as error:
            return not isinstance(error, EntryBusy)

    def is_held_here(self, key: str) -> bool:
        """True where a thread of this process holds the lock of this key."""
        return self._lock_of(key) in _HELD

    def holder(self, key: str) -> str:
        """Who holds the lock of this key, and since when, in words, as far as they have noted it."""
        try:
            with opened(self._lock_of(key, NOTE)) as file:
                noted = json.loads(file.read(BLOCK))
            since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(int(noted["since"])))
            return f"process {int(noted['pid'])} on {shown(str(noted['host']), 60)}, since {since}"
        except (OSError, *UNFIT):
            return "another process"

    def _note_holder(self, key: str, noted: bool) -> None:
        """In place of the note of one that died; none where this is not ``noted``."""
        note = {"pid": os.getpid(), "host": socket.gethostname(), "since": int(time.time())}
        with contextlib.suppress(OSError):
            self._lock_of(key, NOTE).unlink(missing_ok=True)
            if noted:
                with opened(self._lock_of(key, NOTE), os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
                    file.write(json.dumps(note).encode())

    def look(self, key: str) -> Entry | Damaged | None:
        """The entry, or what is wrong with it; its arrays are opened when they are used. Raises ``StoreError``."""
        folder = self._folder(key)
        with explained("read", folder):
            try:
                return read_folder(folder, key, "entry", hold=False)
            except DamagedEntry as error:
                return Damaged(key, error.reason, size_of(folder))

    def listed(
        self, pick: Callable[[Entry], Mapping[str, Json]], make: Callable[[Mapping[str, Any]], Told]
    ) -> list[tuple[str, Told | Damaged]]:
        """What ``make`` makes, by key, of what ``pick`` picks from each entry, or from what was picked before.

        Both may raise what wrong data makes them raise (UNFIT). For lists alone: entries whose folder and manifest are
        as they were when they were read are not read again.
        """
        found: list[tuple[str, Told | Damaged]] = []
        with explained("list", self.root):
            known, now = read_index(self.root), dict[str, Known]()
            for key in self.keys():
                state = state_of(f"{self.root}/{key}")
                if key in known and state and known[key][0] == state:
                    with contextlib.suppress(*UNFIT):
                        found.append((key, make(known[key][1])))
                        now[key] = known[key]
                        continue
                entry = self.look(key)
                if isinstance(entry, Entry):
                    try:
                        told = pick(entry)
                        found.append((key, make(told)))
                        now[key] = state, told
                    except UNFIT:
                        found.append((key, Damaged(key, NAMELESS, entry.size)))
                else:
                    found += [(key, entry)] if entry else []
        if now != known:
            write_index(self.root, now)
        return found

    def keys(self) -> list[str]:
        """The keys of entries, sorted; touches none of them."""
        with explained("list", self.root):
            names = names_in(self.root)
            return sorted(filter(KEY.fullmatch, being_replaced(self.root, names).union(names)))

    def begun(self) -> list[str]:
        """The keys of checkpoints, sorted."""
        with explained("list", self.root):
            return sorted(filter(KEY.fullmatch, names_in(self.root / "checkpoints")))

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
        return sorted({*self.keys(), *self.begun()})

    def remove(self, key: str) -> int:
        """Remove the entry and the checkpoint of this key; the bytes freed, 0 if there are none."""
        folder = self._folder(key)
        with explained("remove", folder):
            return discard(folder) + discard(self._folder(key, "checkpoints"))

    def clear(self) -> int:
        """Remove all entries, checkpoints, locks that nobody holds, and what killed processes left; the bytes freed.

        Whatever else is in the folder stays, and so do empty folders, where another process may be about to write.
        """
        with explained("clear", self.root):
            freed = self.sweep()
            for folder in (self.root, self.root / "checkpoints"):
                freed += sum(discard(folder / key) for key in filter(KEY.fullmatch, names_in(folder)))
                freed += sum(delete(path) for path, _ in leftovers(folder) if is_old(path))
            for key in filter(KEY.fullmatch, {name.rpartition(".")[0] for name in names_in(self.root / "locks")}):
                self.remove_lock(key)
            freed += sum(delete(self.root / name) for name in (INDEX, f".{INDEX}"))
        return freed

    def lend(self, key: str) -> None:
        """Note, under its lock, that what will stand here may be removed by ``keep``; not what others have begun."""
        note = self._folder(key, LENT)
        with explained("write", note):
            if note.exists() or not self._folder(key, "checkpoints").exists():
                note.parent.mkdir(parents=True, exist_ok=True)
                note.touch()

    def use(self, key: str) -> None:
        """Of what may be removed this goes last; where nothing can be written, nothing happens."""
        for path in (self._folder(key, LENT), *self._places(key)):
            with contextlib.suppress(OSError):
                os.utime(path)
                return

    @contextlib.contextmanager
    def opening(self, key: str) -> Iterator[None]:
        """Use an entry, and hold its lock where nobody else does for long: until all its files are open."""
        self.use(key)
        with contextlib.ExitStack() as held:
            with contextlib.suppress(StoreError):  # somebody solves it again, or nobody can write here
                held.enter_context(self.lock(key, timeout=OPENING))
            yield

    def own(self, key: str) -> None:
        """Whatever stands here, or will, is lent no more; it is used."""
        with contextlib.suppress(OSError):
            os.unlink(self._folder(key, LENT))
        self.use(key)

    def keep(
        self, most: int, spare: str = "", *, everything: bool = False, let_go: Callable[[str], None] = lambda key: None
    ) -> None:
        """Remove what is lent, least recently used first, until at most so many bytes of it are left.

        ``everything``: whatever is in the store and in its parts is lent. ``spare`` stays, and so does what somebody
        works on or opens, which holds its lock, or has open, or has just used; ``let_go`` closes what is open here and
        not needed. What a killed process left of an entry counts and goes with it. Its note goes last, so that a crash
        forgets nothing.
        """
        if spare:
            self.use(spare)
        with explained("clear", self.root):
            stores = [self, *map(self.part, PARTS)] if everything else [self]
            found = [(*one, store) for store in stores for one in store._lent(everything)]
            left = sum(size for _, _, size, _ in found)
            for used, key, size, store in sorted(found, key=lambda one: one[:2]):
                if key == spare or (size and left <= most):
                    continue
                left -= store._give_back(key, used, size, let_go)

    def _lent(self, everything: bool) -> list[tuple[int, str, int]]:
        """What may be removed: when it was used last, its key, and its bytes on disk."""
        found, left = [], self.leftovers()
        keys = {*names_in(self.root / LENT), *(self.all_keys() if everything else ()), *(left if everything else ())}
        for key in filter(KEY.fullmatch, keys):
            size = sum(map(size_of, [*self._places(key), *left.get(key, ())]))
            found.append((self.used(key), key, size))
        return found

    def _give_back(self, key: str, used: int, size: int, let_go: Callable[[str], None]) -> int:
        """Remove what is lent, unless it is in use; the bytes that are free then."""
        freed = 0
        with contextlib.suppress(StoreError, OSError), self.lock(key, timeout=0):  # what is another user's stays
            if is_held(self._folder(key)):
                let_go(key)
            if self.used(key) == used and not is_held(self._folder(key)):
                self.remove(key)
                for path in self.leftovers().get(key, ()):
                    delete(path)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._folder(key, LENT))
                freed = size
        self.remove_lock(key)
        return freed

    def _keep_to_limit(self, spare: str) -> None:
        if self.limit is not None:
            with contextlib.suppress(StoreError):  # what was written stands
                self._whole.keep(self.limit, spare, everything=True)

    def leftovers(self) -> dict[str, list[Path]]:
        """What is being written or removed here, or was when a process was killed, by key."""
        found: dict[str, list[Path]] = {}
        for folder in (self.root, self.root / "checkpoints"):
            for path, key in leftovers(folder):
                if KEY.fullmatch(key):
                    found.setdefault(key, []).append(path)
        return found

    def sweep(self, mine: str = "") -> int:
        """Remove what killed processes have left, of each key under its lock, which whoever writes holds: bytes freed.

        Checkpoints of what is solved too. ``mine``: the key that is about to be written, by who holds its lock.
        """
        freed, left = 0, self.leftovers()
        noted = {name.removesuffix(NOTE) for name in names_in(self.root / "locks") if name.endswith(NOTE)}
        solved = {key for key in self.begun() if (self.root / key).exists()}
        for key in filter(KEY.fullmatch, {*left, *noted, *solved}):
            paths = left.get(key, [])
            if key == mine:
                freed += sum(map(_deleted, paths)) if self._lock_of(key) in _HELD else 0
                continue
            with contextlib.suppress(StoreError), self.lock(key, timeout=0):
                freed += sum(map(_deleted, paths))
                if key in solved and isinstance(self.look(key), Entry):
                    freed += _deleted(self._folder(key, "checkpoints"))
            self.remove_lock(key)
        return freed

    def _places(self, key: str) -> tuple[Path, Path]:
        """Where an entry and its checkpoint stand."""
        return self._folder(key), self._folder(key, "checkpoints")

    def used(self, key: str) -> int:
        """When this was used last, in nanoseconds: the time of its note where it is lent, else of its folder.

        0 where there is none.
        """
        for path in (self._folder(key, LENT), *self._places(key)):
            with contextlib.suppress(OSError):
                return path.stat().st_mtime_ns
        return 0

    def checkpoint(self, key: str) -> Checkpoint:
        """Where a long solve of this key keeps what it has so far; touches no disk."""
        return Checkpoint(key, self._folder(key, "checkpoints"), partial(self._keep_to_limit, key))

    def _folder(self, key: str, *parts: str) -> Path:
        if not KEY.fullmatch(key):
            raise StoreError(f"{key!r} is no cache key; 'rollwise cache list' shows them")
        return self.root.joinpath(*parts, key)

    def remove_lock(self, key: str) -> None:
        """Remove the lock of this key, unless somebody holds it."""
        # Unlinked while it is held: a process that had just opened it notices and opens the new one.
        with contextlib.suppress(StoreError, OSError), self.lock(key, timeout=0):  # another user's stays
            self._lock_of(key, NOTE).unlink(missing_ok=True)
            self._lock_of(key).unlink()

    def _lock_of(self, key: str, suffix: str = ".lock") -> Path:
        return self._folder(key, "locks").with_suffix(suffix)
