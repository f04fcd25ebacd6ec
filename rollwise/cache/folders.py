"""Folders that come and go whole: written aside and renamed into place, moved aside and deleted.

A folder cannot be renamed over a full one, so replacing an entry takes two renames, and between them there is none.
The old one is then called ``.old-...``: a reader who finds nothing looks for that name and waits. What a killed
process leaves behind begins with ``.tmp-`` or ``.old-`` and its process id, is never taken for an entry, and goes
with the next write of anybody (``Store.sweep``).
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import math
import os
import re
import stat
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rollwise.cache.entry import (
    ARRAY_NAME,
    BLOCK,
    DIGITS,
    FORMAT,
    MANIFEST,
    MOST_TEXT,
    AnyArray,
    ArrayFile,
    Entry,
    Json,
    block_checksum,
    canonical,
    open_entry,
    seal,
)
from rollwise.cache.errors import DamagedEntry
from rollwise.cache.files import NotRegular, opened

FRESH, OLD = "tmp", "old"
LEFTOVER = re.compile(rf"\.(?P<purpose>{FRESH}|{OLD})-(?P<pid>\d+)-[0-9a-f]+-(?P<name>.+)")
PIECE = 16 << 20  # bytes written at once: far quicker than by single blocks
A_DAY = 24 * 3600.0
IN_THE_WAY = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}  # what rename says when the target exists
PAUSES = (0.0, 0.0, *[0.002 * 1.3**n for n in range(12)])  # seconds between looks at a folder on the move, 0.15 in all


def write_folder(
    folder: Path,
    key: str,
    kind: str,
    arrays: Mapping[str, AnyArray],
    manifest: Mapping[str, Json],
    begun: Mapping[str, ArrayFile] | None = None,
    rows: int | None = None,
) -> Entry:
    """Write arrays and manifest as ``folder``, all or nothing, in place of what is there; the entry as written.

    ``rows``: only so many of each array. ``begun`` are files, by name, that have the first rows of arrays that go on:
    they are linked to, and those rows are not written again.

    Raises ``OSError`` when that fails (what was there is there still), ``TypeError`` or ``ValueError`` before
    anything is written for arrays or a manifest that cannot be stored.
    """
    plain = {name: _plain(name, array) for name, array in arrays.items()}
    document: dict[str, Any] = {"format": FORMAT, "kind": kind, "key": key, "manifest": json.loads(canonical(manifest))}
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = _aside(folder, FRESH)
    try:
        fresh.mkdir()
        document["arrays"] = {
            name: _write_array(fresh / f"{name}.npy", array, rows, (begun or {}).get(name))
            for name, array in plain.items()
        }
        document["checksum"] = seal(document)
        text = json.dumps(document, indent=1, allow_nan=False).encode()
        if len(text) > MOST_TEXT:
            raise OSError(errno.EFBIG, f"its {MANIFEST} would be larger than {MOST_TEXT} bytes")
        _write_file(fresh / MANIFEST, [text])
        _sync_folder(fresh)
        entry = open_entry(text, fresh, key, kind, hold=True)  # before the rename: afterwards it may be another's
        _move_into_place(fresh, folder)
    except BaseException:  # Ctrl-C as well
        with contextlib.suppress(OSError):
            delete(fresh)
        raise
    _sync_folder(folder.parent)
    for name, file in entry.files.items():
        file.path = f"{folder}/{name}.npy"
    return entry


def read_folder(folder: Path, key: str, kind: str, hold: bool = True) -> Entry | None:
    """The entry in ``folder``, None if there is none; raises ``DamagedEntry``.

    Bad news is believed when nothing was moved about beside the folder while we looked: whoever replaces it has a
    temporary folder there, which changes its name or goes.
    """
    found: Entry | DamagedEntry | None = None
    beside: list[str] | None = None  # unknown at first: most looks are good, and need no list
    for pause in PAUSES:
        if pause:
            time.sleep(pause)
        found = _look(folder, key, kind, hold)
        if isinstance(found, Entry):
            return found
        before, beside = beside, names_in(folder.parent)
        if before == beside and folder.name not in being_replaced(folder.parent, beside):
            break
    if isinstance(found, DamagedEntry):
        raise found
    return None


def discard(folder: Path) -> int:
    """Remove a folder in one step, so that no reader meets half of it; the bytes freed, 0 if there was none."""
    aside = _aside(folder, FRESH)
    try:
        os.rename(folder, aside)
    except FileNotFoundError:
        return 0
    return delete(aside)


def delete(path: Path) -> int:
    """Delete a file or a folder; the bytes freed."""
    import shutil  # slow to import, and a question does not delete

    freed = size_of(path)
    if path.is_dir() and not path.is_symlink():
        while path.exists():
            with contextlib.suppress(FileNotFoundError):  # somebody else deletes it as well
                shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    return freed


def size_of(path: os.PathLike[str]) -> int:
    """Bytes in a file or in the files of a folder; what vanishes meanwhile counts nothing."""
    with contextlib.suppress(OSError):
        found = os.lstat(path)
        if not stat.S_ISDIR(found.st_mode):
            return found.st_size
        return sum(map(size_of, os.scandir(path)))
    return 0


def names_in(folder: Path) -> list[str]:
    """Sorted names in a folder, none if there is no such folder."""
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def leftovers(folder: Path) -> list[tuple[Path, str]]:
    """Temporary folders in ``folder``, each with the name of what it was to be, or has been."""
    matches = [match for name in names_in(folder) if (match := LEFTOVER.fullmatch(name))]
    return [(folder / match[0], match["name"]) for match in matches]


def being_replaced(folder: Path, names: Iterable[str]) -> set[str]:
    """What living processes are just replacing in ``folder``, which lists ``names``: it may not be among them."""
    matches = [match for name in names if (match := LEFTOVER.fullmatch(name)) and match["purpose"] == OLD]
    return {match["name"] for match in matches if not _is_abandoned(folder / match[0], int(match["pid"]))}


def is_old(path: Path) -> bool:
    """Was this written more than a day ago?"""
    return time.time() - path.stat().st_mtime > A_DAY


def _is_abandoned(path: Path, pid: int) -> bool:
    """For readers, who wait a moment for nothing where this is wrong; a process id means nothing elsewhere."""
    try:
        if is_old(path):
            return True
        if os.name == "posix":  # elsewhere os.kill(pid, 0) may kill
            os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # gone meanwhile, or somebody else's process
        return False
    return False


def _aside(folder: Path, purpose: str) -> Path:
    """A fresh name beside ``folder``."""
    return folder.parent / f".{purpose}-{os.getpid()}-{os.urandom(6).hex()}-{folder.name}"


def _look(folder: Path, key: str, kind: str, hold: bool) -> Entry | DamagedEntry | None:
    """What one look finds; None or a damage may be wrong while the folder is being replaced."""
    path = folder / MANIFEST
    try:
        with opened(path) as file:
            found: Entry | DamagedEntry
            try:
                found = open_entry(file.read(MOST_TEXT + 1), folder, key, kind, hold)
            except DamagedEntry as damaged:
                found = damaged
            # Still the same manifest under that name (it is open, so its number is not used again)? Then the array
            # files were this entry's own.
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return found
            return DamagedEntry(key, "it is replaced again and again")
    except FileNotFoundError:
        return DamagedEntry(key, f"{MANIFEST} is missing") if os.path.lexists(folder) else None
    except NotRegular:
        return DamagedEntry(key, f"{MANIFEST} is no regular file")
    except NotADirectoryError:
        if os.path.lexists(folder):
            return DamagedEntry(key, "it is not a folder with a manifest file")
        raise


def _move_into_place(fresh: Path, folder: Path) -> None:
    for _ in range(1000):  # another process may put its own there between the two renames
        try:
            os.rename(fresh, folder)
            return
        except OSError as error:
            if error.errno not in IN_THE_WAY:
                raise
        if _swap(fresh, folder):
            return
    raise OSError(errno.EBUSY, "other processes keep writing it")


def _swap(fresh: Path, folder: Path) -> bool:
    """Move the old folder aside and the fresh one in; False if somebody else did so in between."""
    old = _aside(folder, OLD)
    try:
        os.rename(folder, old)
    except FileNotFoundError:
        return False
    try:
        os.rename(fresh, folder)
    except BaseException as error:
        try:
            os.rename(old, folder)  # back again
        except OSError:
            if not os.path.lexists(folder):
                raise  # the old one stays aside rather than being lost
            with contextlib.suppress(OSError):
                delete(old)  # somebody else's new one is there
        if isinstance(error, OSError) and error.errno in IN_THE_WAY:
            return False
        raise
    with contextlib.suppress(OSError):  # the new entry stands; a leftover is no reason to fail
        delete(old)
    return True


def _plain(name: str, array: AnyArray) -> AnyArray:
    """The array in C order, if a manifest can describe it."""
    if not ARRAY_NAME.fullmatch(name):
        raise ValueError(f"array names are made of a-z, 0-9, '_', '.' and '-', got {name!r}")
    plain: AnyArray = np.asarray(array, order="C")
    kind = plain.dtype
    if kind.hasobject or kind.itemsize == 0 or kind.names or kind.subdtype or np.dtype(kind.str) != kind:
        raise TypeError(f"array {name!r} must hold plain numbers, got dtype {kind}")
    return plain


def _write_array(
    path: Path, array: AnyArray, rows: int | None = None, begun: ArrayFile | None = None
) -> dict[str, Any]:
    """Write a ``.npy`` file, or so many rows of it, or what is not in the file begun; what the manifest keeps about it.

    Checksums are taken by another thread meanwhile.
    """
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    head = header.getvalue()
    raw: memoryview = array.reshape(-1).view(np.uint8).data
    size = len(head) + (len(raw) if rows is None else math.prod(array.shape[1:]) * rows * array.itemsize)
    done, checksums = 0, ""
    if begun is not None and _is_linked(begun, path, array, size):
        done = begun.size
        checksums = begun.checksums[: DIGITS * (done // BLOCK)]

    def bytes_of(start: int, end: int) -> bytes | memoryview:
        """A piece of the file; the header shares the first block with the first rows."""
        rest = raw[max(start - len(head), 0) : max(min(end, size) - len(head), 0)]
        return rest if start >= len(head) else head[start:end] + bytes(rest)

    def checksum() -> str:
        """One string: thousands of short ones are slow to parse."""
        return checksums + "".join(
            block_checksum(bytes_of(start, start + BLOCK)) for start in range(done // BLOCK * BLOCK, size, BLOCK)
        )

    pieces = (bytes_of(max(start, done), start + PIECE) for start in range(done // PIECE * PIECE, size, PIECE))
    if size - done < PIECE:
        _write_file(path, pieces, done)
        blocks = checksum()
    else:
        from concurrent.futures import ThreadPoolExecutor  # a question writes nothing

        with ThreadPoolExecutor(1) as other:
            taken = other.submit(checksum)
            _write_file(path, pieces, done)
            blocks = taken.result()
    record = {"dtype": array.dtype.str, "shape": list(array.shape), "size": size, "blocks": blocks}
    return record if rows is None else {**record, "rows": rows}


def _is_linked(begun: ArrayFile, path: Path, array: AnyArray, size: int) -> bool:
    """Let a file that has the first rows of an array stand at ``path`` too; False where there is none of this array."""
    if begun.rows is None or (begun.dtype, begun.planned) != (array.dtype, array.shape) or begun.size > size:
        return False
    try:
        os.link(begun.path, path)
    except OSError:  # gone, or a file system without links
        return False
    return True


def _write_file(path: Path, pieces: Iterable[bytes | memoryview], start: int = 0) -> None:
    """A new file, or one that stands there from the byte ``start`` on."""
    with open(path, "r+b" if start else "xb") as file:
        file.seek(start)
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    # Not every file system can. A rename lost in a power cut costs a solve, and never a wrong answer.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
