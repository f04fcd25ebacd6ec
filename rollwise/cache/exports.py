"""Exports under way: of each a note, under a lock that its writer holds, so that what a killed one left is found.

The number of a process would say less: containers that share the folder count them each for itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

from rollwise.cache.entry import BLOCK, UNFIT
from rollwise.cache.files import opened

FOLDER = "exports"
NOTE, LOCK = ".json", ".lock"


@contextlib.contextmanager
def noted(root: Path, target: Path) -> Iterator[None]:
    """Note, as long as it takes, that this file is being written; where nothing can be noted, nothing is."""
    import filelock

    note = root / FOLDER / f"{secrets.token_hex(10)}{NOTE}"
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError, NotImplementedError):
            note.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(filelock.FileLock(note.with_suffix(LOCK)))
            held.callback(_forget, note)
            note.write_text(json.dumps(str(target)))
        yield


def unfinished(root: Path, clear: Callable[[Path], bool] = lambda path: False) -> list[Path]:
    """The files that a process was writing which has ended; those that ``clear`` finds in order are forgotten.

    What another process is writing by now is not among them.
    """
    try:
        locks = sorted((root / FOLDER).glob(f"*{LOCK}"))
    except OSError:  # a cache that is not ours to look into
        locks = []
    if not locks:
        return []
    import filelock

    ended: list[Path] = []
    going_on: set[Path] = set()
    for lock in locks:
        note = lock.with_suffix(NOTE)
        with contextlib.suppress(OSError, NotImplementedError):
            try:
                with filelock.FileLock(lock, timeout=0):
                    target = _target(note)
                    if target is None or clear(target):
                        _forget(note)
                    else:
                        ended.append(target)
            except filelock.Timeout:
                target = _target(note)
                going_on |= {target} if target else set()
    return [target for target in dict.fromkeys(ended) if target not in going_on]


def _target(note: Path) -> Path | None:
    """What a note is of; None where it does not say."""
    try:
        with opened(note) as file:
            said = json.loads(file.read(BLOCK))
            is_path = os.path.isabs(said) and b"\0" not in os.fsencode(said)
    except (OSError, *UNFIT):
        return None
    return Path(said) if is_path else None


def _forget(note: Path) -> None:
    """Remove a note, and its lock, which is held: who has just opened that notices."""
    for path in (note, note.with_suffix(LOCK)):
        with contextlib.suppress(OSError):
            path.unlink()
