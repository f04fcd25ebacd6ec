"""Atomic folders: written aside and renamed into place, moved aside and deleted.

A folder cannot be renamed over a full one, so replacing an entry takes two renames, and between them there is none.
The old one is then called ``.old-...``: a reader that finds no entry looks for that name and waits. Leftovers of a
killed process begin with ``.tmp-`` or ``.old-`` and its process id, are never taken for an entry, and go with the next
write of any process (``Store.remove_leftovers``).
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
    ARRAY_NAME_PATTERN,
    BLOCK,
    CHECKSUM_DIGITS,
    FORMAT,
    MANIFEST,
    MAX_MANIFEST_BYTES,
    AnyArray,
    ArrayFile,
    Entry,
    Json,
    block_checksum,
    canonical_json,
    checksum_manifest,
    open_entry,
)
from rollwise.cache.errors import DamagedEntry
from rollwise.cache.files import DAY_S, NotRegular, open_regular, sync

NEW, OLD = "tmp", "old"
LEFTOVER_PATTERN = re.compile(rf"\.(?P<purpose>{NEW}|{OLD})-(?P<pid>\d+)-[0-9a-f]+-(?P<name>.+)")
PIECE_BYTES = 16 << 20  # bytes written at once: far quicker than by single blocks
TARGET_EXISTS_ERRNOS = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}  # of a rename onto a folder that exists
RETRY_PAUSES_S = (0.0, 0.0, *[0.002 * 1.3**n for n in range(12)])  # between reads of a folder on the move, 0.15 in all


def write_folder(
    folder: Path,
    key: str,
    kind: str,
    arrays: Mapping[str, AnyArray],
    manifest: Mapping[str, Json],
    earlier_files: Mapping[str, ArrayFile] | None = None,
    rows: int | None = None,
) -> Entry:
    """Write arrays and manifest as ``folder``, all or nothing, replacing an older one; returns the entry as written.

    ``rows``: number of first rows of each array to write. ``earlier_files``: files, by name, with first rows of these
    arrays: they are linked, and those rows are not written again.
    Raises ``OSError`` when that fails (the older entry is still there), ``TypeError`` or ``ValueError`` before
    anything is written for arrays or a manifest that cannot be stored.
    """
    plain = {name: _as_storable(name, array) for name, array in arrays.items()}
    content = json.loads(canonical_json(manifest))
    document: dict[str, Any] = {"format": FORMAT, "kind": kind, "key": key, "manifest": content}
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary_path(folder, NEW)
    try:
        temporary.mkdir()
        document["arrays"] = {
            name: _write_array(temporary / f"{name}.npy", array, rows, (earlier_files or {}).get(name))
            for name, array in plain.items()
        }
        document["checksum"] = checksum_manifest(document)
        text = json.dumps(document, indent=1, allow_nan=False).encode()
        if len(text) > MAX_MANIFEST_BYTES:
            raise OSError(errno.EFBIG, f"its {MANIFEST} would be larger than {MAX_MANIFEST_BYTES} bytes")
        _write_file(temporary / MANIFEST, [text])
        with contextlib.suppress(OSError):  # not every file system can sync a folder
            sync(temporary)
        entry = open_entry(text, temporary, key, kind, map_files=True)  # later the folder may be another process's
        _move_into_place(temporary, folder)
    except BaseException:  # Ctrl-C as well
        with contextlib.suppress(OSError):
            delete(temporary)
        raise
    with contextlib.suppress(OSError):  # a rename lost in a power cut costs a solve, never a wrong answer
        sync(folder.parent)
    for name, file in entry.files.items():
        file.path = f"{folder}/{name}.npy"
    return entry


def read_folder(folder: Path, key: str, kind: str, map_files: bool = True) -> Entry | None:
    """Entry in ``folder``, None if there is none; raises ``DamagedEntry``.

    A missing or damaged entry is believed only if no temporary folder beside it came or went meanwhile: a process that
    replaces the entry renames one.
    """
    result: Entry | DamagedEntry | None = None
    names: list[str] | None = None  # most reads succeed at once, and need no list
    for pause in RETRY_PAUSES_S:
        if pause:
            time.sleep(pause)
        result = _read_once(folder, key, kind, map_files)
        if isinstance(result, Entry):
            return result
        names_before, names = names, list_names(folder.parent)
        if names_before == names and folder.name not in names_being_replaced(folder.parent, names):
            break
    if isinstance(result, DamagedEntry):
        raise result
    return None


def discard(folder: Path) -> int:
    """Remove a folder in one step, so that no reader sees half of it; the bytes freed, 0 if there was none."""
    aside = _temporary_path(folder, NEW)
    try:
        os.rename(folder, aside)
    except FileNotFoundError:
        return 0
    return delete(aside)


def delete(path: Path) -> int:
    """Delete a file or a folder; the bytes freed."""
    import shutil  # slow to import, and a question does not delete

    freed = measure_bytes(path)
    if path.is_dir() and not path.is_symlink():
        while path.exists():
            with contextlib.suppress(FileNotFoundError):  # another process deletes it as well
                shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    return freed


def measure_bytes(path: os.PathLike[str]) -> int:
    """Bytes of a file or of the files of a folder; a file that vanishes meanwhile counts 0."""
    with contextlib.suppress(OSError):
        stat_result = os.lstat(path)
        if not stat.S_ISDIR(stat_result.st_mode):
            return stat_result.st_size
        return sum(map(measure_bytes, os.scandir(path)))
    return 0


def list_names(folder: Path) -> list[str]:
    """Sorted names in a folder, none if there is no such folder."""
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def list_leftovers(folder: Path) -> list[tuple[Path, str]]:
    """Temporary folders in ``folder``, each with the name of its entry."""
    matches = [match for name in list_names(folder) if (match := LEFTOVER_PATTERN.fullmatch(name))]
    return [(folder / match[0], match["name"]) for match in matches]


def names_being_replaced(folder: Path, names: Iterable[str]) -> set[str]:
    """Names of entries that living processes replace now in ``folder``, which lists ``names``, perhaps without them."""
    matches = [match for name in names if (match := LEFTOVER_PATTERN.fullmatch(name)) and match["purpose"] == OLD]
    return {match["name"] for match in matches if not _is_abandoned(folder / match[0], int(match["pid"]))}


def is_older_than_a_day(path: Path) -> bool:
    """True where the path was written more than a day ago."""
    return time.time() - path.stat().st_mtime > DAY_S


def _is_abandoned(path: Path, pid: int) -> bool:
    """True where the writer seems dead: a guess, since a process id means nothing elsewhere. An error costs a wait."""
    try:
        if is_older_than_a_day(path):
            return True
        if os.name == "posix":  # elsewhere os.kill(pid, 0) may kill
            os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # gone meanwhile, or a process of another user
        return False
    return False


def _temporary_path(folder: Path, purpose: str) -> Path:
    """New name beside ``folder``."""
    return folder.parent / f".{purpose}-{os.getpid()}-{os.urandom(6).hex()}-{folder.name}"


def _read_once(folder: Path, key: str, kind: str, map_files: bool) -> Entry | DamagedEntry | None:
    """Result of one read; None or a damage may be wrong while the folder is being replaced."""
    path = folder / MANIFEST
    try:
        with open_regular(path) as file:
            result: Entry | DamagedEntry
            try:
                result = open_entry(file.read(MAX_MANIFEST_BYTES + 1), folder, key, kind, map_files)
            except DamagedEntry as damaged:
                result = damaged
            # The manifest is open, so its inode is not reused: the same inode under that name means that the array
            # files were this entry's own.
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return result
            return DamagedEntry(key, "it is replaced again and again")
    except FileNotFoundError:
        return DamagedEntry(key, f"{MANIFEST} is missing") if os.path.lexists(folder) else None
    except NotRegular:
        return DamagedEntry(key, f"{MANIFEST} is no regular file")
    except NotADirectoryError:
        if os.path.lexists(folder):
            return DamagedEntry(key, "it is not a folder with a manifest file")
        raise


def _move_into_place(temporary: Path, folder: Path) -> None:
    for _ in range(1000):  # another process may write an entry between the two renames
        try:
            os.rename(temporary, folder)
            return
        except OSError as error:
            if error.errno not in TARGET_EXISTS_ERRNOS:
                raise
        if _swap(temporary, folder):
            return
    raise OSError(errno.EBUSY, "other processes keep writing it")


def _swap(temporary: Path, folder: Path) -> bool:
    """Move the old folder aside and the new one in; False if another process did so in between."""
    old = _temporary_path(folder, OLD)
    try:
        os.rename(folder, old)
    except FileNotFoundError:
        return False
    try:
        os.rename(temporary, folder)
    except BaseException as error:
        try:
            os.rename(old, folder)  # back again
        except OSError:
            if not os.path.lexists(folder):
                raise  # the old one stays aside rather than being lost
            with contextlib.suppress(OSError):
                delete(old)  # another process's new one is there
        if isinstance(error, OSError) and error.errno in TARGET_EXISTS_ERRNOS:
            return False
        raise
    with contextlib.suppress(OSError):  # the new entry stands; a leftover is no reason to fail
        delete(old)
    return True


def _as_storable(name: str, array: AnyArray) -> AnyArray:
    """Array in C order. Raises for one that a manifest cannot describe."""
    if not ARRAY_NAME_PATTERN.fullmatch(name):
        raise ValueError(f"array names are made of a-z, 0-9, '_', '.' and '-', got {name!r}")
    stored: AnyArray = np.asarray(array, order="C")
    kind = stored.dtype
    if kind.hasobject or kind.itemsize == 0 or kind.names or kind.subdtype or np.dtype(kind.str) != kind:
        raise TypeError(f"array {name!r} must hold plain numbers, got dtype {kind}")
    return stored


def _write_array(
    path: Path, array: AnyArray, rows: int | None = None, earlier: ArrayFile | None = None
) -> dict[str, Any]:
    """Write a ``.npy`` file, or its first ``rows``, without those that ``earlier`` has; its record for the manifest.

    Another thread computes the checksums meanwhile.
    """
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    head = header.getvalue()
    raw: memoryview = array.reshape(-1).view(np.uint8).data
    size = len(head) + (len(raw) if rows is None else math.prod(array.shape[1:]) * rows * array.itemsize)
    n_done, checksums = 0, ""
    if earlier is not None and _is_linked(earlier, path, array, size):
        n_done = earlier.size
        checksums = earlier.checksums[: CHECKSUM_DIGITS * (n_done // BLOCK)]

    def bytes_of(start: int, end: int) -> bytes | memoryview:
        """Piece of the file; the header shares the first block with the first rows."""
        rest = raw[max(start - len(head), 0) : max(min(end, size) - len(head), 0)]
        return rest if start >= len(head) else head[start:end] + bytes(rest)

    def checksum() -> str:
        """Checksums of all blocks as one string: thousands of short ones are slow to parse."""
        return checksums + "".join(
            block_checksum(bytes_of(start, start + BLOCK)) for start in range(n_done // BLOCK * BLOCK, size, BLOCK)
        )

    starts = range(n_done // PIECE_BYTES * PIECE_BYTES, size, PIECE_BYTES)
    pieces = (bytes_of(max(start, n_done), start + PIECE_BYTES) for start in starts)
    if size - n_done < PIECE_BYTES:
        _write_file(path, pieces, n_done)
        blocks = checksum()
    else:
        from concurrent.futures import ThreadPoolExecutor  # a question writes nothing

        with ThreadPoolExecutor(1) as executor:
            checksum_job = executor.submit(checksum)
            _write_file(path, pieces, n_done)
            blocks = checksum_job.result()
    record = {"dtype": array.dtype.str, "shape": list(array.shape), "size": size, "blocks": blocks}
    return record if rows is None else {**record, "rows": rows}


def _is_linked(earlier: ArrayFile, path: Path, array: AnyArray, size: int) -> bool:
    """Link a file with the first rows of an array to ``path``; False where that file does not fit."""
    if earlier.rows is None or (earlier.dtype, earlier.planned) != (array.dtype, array.shape) or earlier.size > size:
        return False
    try:
        os.link(earlier.path, path)
    except OSError:  # gone, or a file system without links
        return False
    return True


def _write_file(path: Path, pieces: Iterable[bytes | memoryview], start: int = 0) -> None:
    """Write a new file, or an existing one from the byte ``start`` on."""
    with open(path, "r+b" if start else "xb") as file:
        file.seek(start)
        for piece in pieces:
            file.write(piece)
    sync(path)
