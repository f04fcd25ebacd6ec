"""Entry of the cache: a manifest, and ``.npy`` files that are checked block by block as they are used.

The manifest holds the checksums of each file's blocks, and a checksum of itself. A question
that needs three rows of a table of 300 MB so reads and checks three blocks of 64 KiB and the manifest.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import mmap
import os
import re
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.cache.errors import DamagedEntry, StoreError
from rollwise.cache.files import NotRegular, lock_shared, open_regular

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
AnyArray: TypeAlias = NDArray[Any]

FORMAT = 1
MANIFEST = "manifest.json"
BLOCK = 64 * 1024  # of an array file under one checksum
CHECKSUM_DIGITS = 16  # hex digits of one block's checksum
ARRAY_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9_.-]*")
DTYPE_PATTERN = re.compile(r"[<>|][a-zA-Z]\d{1,3}")
MAX_COUNT = 1 << 48  # more than any length, or size in bytes
MAX_MANIFEST_BYTES = 16 << 20  # enough for 60 GB of arrays
FIELD_ERRORS = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)  # of wrong data


def canonical_json(value: Json) -> bytes:
    """Canonical bytes of a JSON value, for hashing. Raises ``TypeError`` or ``ValueError`` for anything else."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def block_checksum(block: bytes | memoryview) -> str:
    """``CHECKSUM_DIGITS`` hex digits for one block of an array file."""
    return hashlib.blake2b(block, digest_size=CHECKSUM_DIGITS // 2).hexdigest()


def checksum_manifest(document: Mapping[str, Any]) -> str:
    """Checksum of a manifest, over everything in it but the checksum itself."""
    return hashlib.sha256(canonical_json({name: document[name] for name in document if name != "checksum"})).hexdigest()


def parse_count(value: object) -> int:
    """Whole number of a manifest, below MAX_COUNT. Raises ``ValueError`` for anything else."""
    if type(value) is not int or not 0 <= value < MAX_COUNT:
        raise ValueError("not a count")
    return value


class ArrayFile:
    """Array file of an entry: mapped into memory, with a flag for each block that was checked.

    A checkpoint may have the first ``rows`` of an array of shape ``planned``, None where it has all. Bytes behind them
    do not belong to it: the next checkpoint is written there.
    """

    def __init__(self, key: str, path: str, record: Mapping[str, Any]) -> None:
        self.key = key
        self.path = path
        if not DTYPE_PATTERN.fullmatch(record["dtype"]):
            raise ValueError("not a dtype that we write")
        self.dtype: np.dtype[Any] = np.dtype(record["dtype"])
        self.planned = tuple(map(parse_count, record["shape"]))
        self.rows = None if record.get("rows") is None else parse_count(record["rows"])
        self.shape = self.planned if self.rows is None else (self.rows, *self.planned[1:])
        self.size = parse_count(record["size"])
        self.checksums = record["blocks"]
        self._n_blocks = -(-self.size // BLOCK)
        fits = len(self.checksums) == CHECKSUM_DIGITS * self._n_blocks and len(self.planned) <= 8
        if not fits or self.dtype.hasobject or self.size == 0:
            raise ValueError("this array record was not written by us")
        self._checked = np.zeros(self._n_blocks, dtype=np.bool_)
        self._bytes: mmap.mmap | None = None
        self._array: AnyArray | None = None
        self._offset = 0  # of the first row, once the header was read

    def damaged(self, what: str) -> DamagedEntry:
        """Error to raise for this file; ``what`` is its predicate."""
        return DamagedEntry(self.key, f"{os.path.basename(self.path)} {what}")

    def check_size(self) -> None:
        """Compare the size on disk with the manifest."""
        try:
            stat_result = os.lstat(self.path)
            if not stat.S_ISREG(stat_result.st_mode):
                raise NotRegular
            self._compare_size(stat_result.st_size)
        except OSError as error:
            raise self._unreadable(error) from error

    def map_file(self) -> mmap.mmap:
        """Map the file; from here on it can be read even if the entry is replaced or removed."""
        if self._bytes is None:
            try:
                with open_regular(self.path) as file:
                    lock_shared(file)  # the map keeps the lock
                    self._compare_size(os.fstat(file.fileno()).st_size)
                    self._bytes = mmap.mmap(file.fileno(), self.size, access=mmap.ACCESS_READ)
            except OSError as error:
                raise self._unreadable(error) from error
        return self._bytes

    def array(self) -> AnyArray:
        """Array, read-only; only the block with the header is checked."""
        if self._array is None:
            self.check(np.array([0]))
            self._offset = self._read_header()
            try:
                self._array = np.ndarray(self.shape, self.dtype, buffer=self.map_file(), offset=self._offset)
            except ValueError as error:  # 0 rows of an impossible length
                raise self.damaged("has a shape that no array can have") from error
        return self._array

    def take(self, indices: AnyArray) -> AnyArray:
        """Copy of these rows: shape ``indices.shape + shape[1:]``; negative indices count from the end.

        Only the blocks that hold these rows, and the one with the header, are checked, each once. Raises
        ``IndexError`` outside the array, ``TypeError`` for indices that are no integers, ``DamagedEntry``.
        """
        rows = np.asarray(indices)
        if rows.size and rows.dtype.kind not in "iu":
            raise TypeError(f"indices must be integers, got {rows.dtype}")
        if not self.shape:
            raise IndexError("a single number has no rows to take; use whole()")
        n_rows = self.shape[0]
        if rows.size and not (-n_rows <= int(rows.min()) and int(rows.max()) < n_rows):
            raise IndexError(f"rows {rows.min()}..{rows.max()} asked for, the array has {n_rows}")
        rows = rows.astype(np.intp)
        rows = np.where(rows < 0, rows + n_rows, rows)
        array = self.array()
        self.check_rows(rows.reshape(-1))
        return np.asarray(np.take(array, rows, axis=0))

    def whole(self) -> AnyArray:
        """Whole array, read-only and mapped, every block checked; raises ``DamagedEntry``."""
        array = self.array()
        self.check()
        return array

    def check(self, blocks: NDArray[np.intp] | None = None) -> None:
        """Check these blocks, or all that are unchecked; raises ``DamagedEntry``."""
        mapped = self.map_file()
        if mapped.size() != self.size:  # truncated since: touching the lost pages would kill the process
            self._compare_size(mapped.size())
        view = memoryview(mapped)
        for block in (np.flatnonzero(~self._checked) if blocks is None else blocks).tolist():
            expected = self.checksums[CHECKSUM_DIGITS * block : CHECKSUM_DIGITS * (block + 1)]
            if block_checksum(view[BLOCK * block : BLOCK * (block + 1)]) != expected:
                raise self.damaged(f"fails its checksum in block {block} of {self._n_blocks}")
            self._checked[block] = True

    def check_rows(self, rows: NDArray[np.intp]) -> None:
        """Check the unchecked blocks that hold these rows (none negative)."""
        row_size = self.dtype.itemsize * math.prod(self.shape[1:])
        if row_size == 0:
            return
        first = (self._offset + rows * row_size) // BLOCK
        last = (self._offset + (rows + 1) * row_size - 1) // BLOCK
        # A row may cover many blocks: count how many rows have begun and not yet ended at each block.
        begun = np.bincount(first, minlength=self._n_blocks + 1)
        ended = np.bincount(last + 1, minlength=self._n_blocks + 1)
        touched = np.cumsum(begun - ended)[: self._n_blocks] > 0
        self.check(np.flatnonzero(touched & ~self._checked))

    def check_again(self) -> None:
        """Check the header and every block again."""
        self._checked[:] = False
        self._array = None
        self.array()
        self.check()

    def _read_header(self) -> int:
        """Offset of the first row, once the header agrees with the manifest."""
        start = io.BytesIO(self.map_file()[:BLOCK])
        try:
            version = np.lib.format.read_magic(start)
            reader = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
            shape, is_fortran, dtype = reader(start)
        except Exception as error:  # NumPy takes it for a line of Python
            raise self.damaged("has no .npy header that can be read") from error
        if (shape, is_fortran, dtype) != (self.planned, False, self.dtype):
            raise self.damaged(f"holds {dtype} {shape}, the manifest says {self.dtype} {self.planned}")
        offset = start.tell()
        if offset + self.dtype.itemsize * math.prod(self.shape) != self.size:
            raise self.damaged(f"has {self.size} bytes in the manifest, which are not {self.shape}")
        return offset

    def _compare_size(self, size: int) -> None:
        if size != self.size and (self.rows is None or size < self.size):
            raise self.damaged(f"has {size} bytes, the manifest says {self.size}")

    def _unreadable(self, error: OSError) -> StoreError:
        if isinstance(error, FileNotFoundError):
            return self.damaged("is missing")
        if isinstance(error, NotRegular):
            return self.damaged("is no regular file")
        return StoreError(f"cannot read {self.path}: {error.strerror or error}")


class Entry:
    """Entry of one key: array ``files``, the writer's own ``manifest``, and the ``size`` on disk."""

    def __init__(self, key: str, manifest: dict[str, Any], files: Mapping[str, ArrayFile], size: int) -> None:
        self.key = key
        self.manifest = manifest
        self.size = size
        self.files = files

    @property
    def names(self) -> list[str]:
        """Names of the arrays, sorted."""
        return sorted(self.files)

    def array(self, name: str) -> AnyArray:
        """Array of that name, read-only and mapped, checked whole on first use; raises ``DamagedEntry``."""
        return self.array_file(name).whole()

    def array_file(self, name: str) -> ArrayFile:
        """File of the array of that name, checked as it is used. Raises ``KeyError`` for a name not stored."""
        if name not in self.files:
            raise KeyError(f"entry {self.key} has no array {name!r}, only {', '.join(self.names) or 'none'}")
        return self.files[name]

    def verify(self) -> None:
        """Check every byte of every array, again if need be; raises ``DamagedEntry``."""
        for file in self.files.values():
            file.check_again()


def read_unchecked(folder: Path) -> dict[str, Any] | None:
    """Writer's own manifest, unchecked; None where it cannot be read."""
    try:
        with open_regular(folder / MANIFEST) as file:
            manifest = json.loads(file.read(MAX_MANIFEST_BYTES))["manifest"]
    except (OSError, *FIELD_ERRORS):
        return None
    return manifest if isinstance(manifest, dict) else None


def open_entry(text: bytes, folder: Path, key: str, kind: str, map_files: bool) -> Entry:
    """Entry from the ``text`` of its manifest; ``map_files`` maps its files at once. Raises ``DamagedEntry``."""
    if len(text) > MAX_MANIFEST_BYTES:
        raise DamagedEntry(key, f"{MANIFEST} is larger than {MAX_MANIFEST_BYTES} bytes")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedEntry(key, f"{MANIFEST} is not valid JSON") from error
    if not isinstance(document, dict):
        raise DamagedEntry(key, f"{MANIFEST} is not a JSON object")
    if document.get("format") != FORMAT:
        raise DamagedEntry(key, f"{MANIFEST} has format {document.get('format')!r}, this version knows {FORMAT}")
    try:
        if document["checksum"] != checksum_manifest(document):
            raise DamagedEntry(key, f"{MANIFEST} fails its checksum")
        if (document["kind"], document["key"]) != (kind, key):
            raise DamagedEntry(key, f"{MANIFEST} belongs to {document['kind']} {document['key']}")
        if not all(ARRAY_NAME_PATTERN.fullmatch(name) for name in document["arrays"]):
            raise ValueError("an array name that we do not write")
        files = {name: ArrayFile(key, f"{folder}/{name}.npy", record) for name, record in document["arrays"].items()}
        if not isinstance(manifest := document["manifest"], dict):
            raise ValueError("not what we write")
    except FIELD_ERRORS as error:
        raise DamagedEntry(key, f"{MANIFEST} lacks a field or has a wrong one") from error
    for file in files.values():
        if map_files:
            file.map_file()
        else:
            file.check_size()
    return Entry(key, manifest, files, len(text) + sum(file.size for file in files.values()))
