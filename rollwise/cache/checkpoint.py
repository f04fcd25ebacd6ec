"""What a long solve keeps of itself until it is done."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rollwise.cache.entry import AnyArray, ArrayFile, Json, unchecked
from rollwise.cache.errors import DamagedEntry, explained
from rollwise.cache.folders import discard, read_folder, write_folder

ABOUT = "about"  # the name under which a manifest tells what is solved, beside the state of the solve


class Checkpoint:
    """The state of an unfinished solve: the same files as an entry, in another folder, and never taken for one."""

    def __init__(self, key: str, folder: Path, tidy: Callable[[], None] = lambda: None) -> None:
        self.key = key
        self._folder = folder
        self._tidy = tidy  # after each write
        self.written: Mapping[str, ArrayFile] = {}  # files of the state that was saved or loaded last

    def save(
        self,
        arrays: Mapping[str, AnyArray],
        manifest: Mapping[str, Json],
        rows: int | None = None,
        about: Mapping[str, Json] | None = None,
    ) -> None:
        """Store the state in place of the one before, under the lock of its key; errors as for ``Store.write``.

        ``rows``: only so many of each array, which stay as they are: those of the state before are not written again.
        ``about``: what is solved, and how much of it is done, for lists.
        """
        told = {**manifest, ABOUT: about} if about else manifest
        with explained("write", self._folder):
            entry = write_folder(self._folder, self.key, "checkpoint", arrays, told, self.written, rows)
        self.written = entry.files
        self._tidy()

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
        return arrays, {name: entry.manifest[name] for name in entry.manifest if name != ABOUT}

    def about(self) -> dict[str, Any]:
        """What ``save`` was told of it, to be looked at; empty where there is nothing to be read."""
        found = (unchecked(self._folder) or {}).get(ABOUT)
        return found if isinstance(found, dict) else {}

    def done(self) -> float | None:
        """How much of the solve it has, from 0 to 1, if ``save`` was told."""
        done = self.about().get("done")
        return done if isinstance(done, int | float) and type(done) is not bool and 0 <= done <= 1 else None

    def seconds(self) -> float:
        """Seconds that the solve has worked, if they were saved with it, else 0."""
        told = self.about().get("seconds")
        return told if isinstance(told, int | float) and 0 <= told < math.inf else 0.0

    def discard(self) -> None:
        """Remove the state, if there is one. Raises ``StoreError`` when that fails."""
        self.written = {}
        with explained("remove", self._folder):
            discard(self._folder)
