"""A hint of what a list tells of each entry, so that thousands are listed at once. Nothing but a list believes it.

A checksum, and as JSON by key the state of the entry's files on disk, and what is told of it. An index that is damaged
is passed over, and so is what it has of another state: the entry is read.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rollwise.cache.entry import DIGITS, MANIFEST, UNFIT, block_checksum
from rollwise.cache.files import opened

INDEX = "index"
MOST = 64 << 20  # bytes of it that are read
Known = tuple[list[int], Any]  # a state, and what is told


def state_of(folder: str) -> list[int]:
    """What tells one state of an entry on disk from another: when the folder and the manifest were written, and where.

    Empty where it cannot be told.
    """
    try:
        of, at = os.lstat(folder), os.lstat(f"{folder}/{MANIFEST}")
    except OSError:
        return []
    return [of.st_ino, of.st_mtime_ns, at.st_ino, at.st_mtime_ns, at.st_ctime_ns, at.st_size]


def read_index(root: Path) -> dict[str, Known]:
    """What was told of entries below ``root``, by key; nothing where there is no index."""
    with contextlib.suppress(OSError, *UNFIT), opened(root / INDEX) as file:
        text = file.read(MOST)
        if text[:DIGITS].decode() == block_checksum(text[DIGITS:]):
            return {key: (state, told) for key, (state, told) in json.loads(text[DIGITS:]).items()}
    return {}


def write_index(root: Path, known: Mapping[str, Known]) -> None:
    """Write it anew; where that cannot be done it stays as it was."""
    aside = root / f".{INDEX}"
    with contextlib.suppress(OSError):
        aside.unlink(missing_ok=True)
        with opened(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            text = json.dumps(known).encode()
            file.write(block_checksum(text).encode() + text)
        os.replace(aside, root / INDEX)
