"""Checkpoints of long solves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rollwise.cache.entry import AnyArray, ArrayFile, Json, read_unchecked
from rollwise.cache.errors import DamagedEntry, explaining_os_errors
from rollwise.cache.folders import discard, read_folder, write_folder

ABOUT_FIELD = "about"  # field of the manifest with the identity of the game, beside the state of the solve


class Checkpoint:
    """The state of an unfinished solve: the same files as an entry, in another folder, and never taken for one."""

    def __init__(self, key: str, folder: Path, after_write: Callable[[], None] = lambda: None) -> None:
        self.key = key
        self._folder = folder
        self._tidy = after_write  # after each write
        self.written: Mapping[str, ArrayFile] = {}  # files of the state saved or loaded last

    def save(
        self,
        arrays: Mapping[str, AnyArray],
        manifest: Mapping[str, Json],
        rows: int | None = None,
        about: Mapping[str, Json] | None = None,
    ) -> None:
        """Store the state in place of the one before, under the lock of its key; errors as for ``Store.write``.

        ``rows``: number of first rows of each array, which are final: those of the state before are not written again.
        ``about``: identity of the game and share that is done, for lists.
        """
        document = {**manifest, ABOUT_FIELD: about} if about else manifest
        with explaining_os_errors("write", self._folder):
            entry = write_folder(self._folder, self.key, "checkpoint", arrays, document, self.written, rows)
        self.written = entry.files
        self._tidy()

    def load(self, max_bytes: float = math.inf) -> tuple[dict[str, AnyArray], dict[str, Any]] | None:
        """Arrays (in memory, writable) and manifest, checked whole; None where there is none to read.

        An unreadable cache gives None: reading the entry raises for it. Raises ``DamagedEntry`` for a state that is not
        as it was saved, or has more than ``max_bytes``.
        """
        try:
            entry = read_folder(self._folder, self.key, "checkpoint")
            if entry is None:
                return None
            if entry.size > max_bytes:
                raise DamagedEntry(self.key, f"it has {entry.size} bytes, which no solve of this game takes")
            arrays = {name: np.array(entry.array(name)) for name in entry.names}
        except OSError:
            return None
        self.written = entry.files
        return arrays, {name: entry.manifest[name] for name in entry.manifest if name != ABOUT_FIELD}

    def about(self) -> dict[str, Any]:
        """``about`` as saved, unchecked; empty where there is nothing to read."""
        fields = (read_unchecked(self._folder) or {}).get(ABOUT_FIELD)
        return fields if isinstance(fields, dict) else {}

    def done(self) -> float | None:
        """Share of the solve that is done, from 0 to 1; None where it was not saved."""
        done = self.about().get("done")
        return done if isinstance(done, int | float) and type(done) is not bool and 0 <= done <= 1 else None

    def seconds(self) -> float:
        """Seconds of work so far; 0 where they were not saved."""
        value = self.about().get("seconds")
        return value if isinstance(value, int | float) and 0 <= value < math.inf else 0.0

    def discard(self) -> None:
        """Remove the state, if there is one. Raises ``StoreError`` when that fails."""
        self.written = {}
        with explaining_os_errors("remove", self._folder):
            discard(self._folder)
