"""Index of the summaries of entries, a hint that makes lists of thousands quick; only lists trust it.

A checksum, and as JSON by key the state of the entry's files on disk and its summary. A damaged index is ignored, and
so is a row of another state: the entry is read instead. ``source_digests`` keeps such an index of source files.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rollwise.cache.entry import CHECKSUM_DIGITS, FIELD_ERRORS, MANIFEST, block_checksum
from rollwise.cache.files import open_regular, write_whole

INDEX = "index"
INDEX_PATTERN = re.compile(r"\.?(index|sources-\d+\.\d+-\d+)(\.tmp-[0-9a-f]+)?")  # a dot: one that is being written
MAX_INDEX_BYTES = 64 << 20  # that are read
IndexRow = tuple[list[int], Any]  # a state and a summary


def entry_state(folder: str) -> list[int]:
    """State of an entry on disk: inodes, times and size of its folder and manifest; empty where they cannot be read."""
    try:
        above, file = os.lstat(folder), os.lstat(f"{folder}/{MANIFEST}")
    except OSError:
        return []
    return [above.st_ino, above.st_mtime_ns, file.st_ino, file.st_mtime_ns, file.st_ctime_ns, file.st_size]


def read_index(root: Path, name: str = INDEX) -> dict[str, IndexRow]:
    """Rows of the index ``name`` below ``root``, by key; empty where there is none or it is damaged."""
    with contextlib.suppress(OSError, *FIELD_ERRORS), open_regular(root / name) as file:
        text = file.read(MAX_INDEX_BYTES)
        if text[:CHECKSUM_DIGITS].decode() == block_checksum(name.encode() + text[CHECKSUM_DIGITS:]):
            return {key: (state, fields) for key, (state, fields) in json.loads(text[CHECKSUM_DIGITS:]).items()}
    return {}


def write_index(root: Path, index: Mapping[str, IndexRow], name: str = INDEX) -> None:
    """Write the index ``name``; where that fails the old one stays."""
    text = json.dumps(index).encode()
    with contextlib.suppress(OSError):
        write_whole(root / name, block_checksum(name.encode() + text).encode() + text)
