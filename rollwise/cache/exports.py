"""Notes of running exports, each under a lock that its writer holds, so that files of a killed export are found.

A process id would not do: containers that share the folder number their processes each for itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

from rollwise.cache.entry import BLOCK, FIELD_ERRORS
from rollwise.cache.files import open_regular

FOLDER = "exports"
NOTE_SUFFIX, LOCK_SUFFIX = ".json", ".lock"


@contextlib.contextmanager
def noting_export(root: Path, target: Path) -> Iterator[None]:
    """Keep a note that this file is being written while the block runs; none where the cache cannot be written."""
    import filelock

    note = root / FOLDER / f"{secrets.token_hex(10)}{NOTE_SUFFIX}"
    with contextlib.ExitStack() as locks:
        with contextlib.suppress(OSError, NotImplementedError):
            note.parent.mkdir(parents=True, exist_ok=True)
            locks.enter_context(filelock.FileLock(note.with_suffix(LOCK_SUFFIX)))
            locks.callback(_remove_note, note)
            note.write_text(json.dumps(str(target)))
        yield


def list_unfinished_exports(root: Path, is_cleared: Callable[[Path], bool] = lambda path: False) -> list[Path]:
    """Files that a dead process was writing, except those that another process writes now.

    Where ``is_cleared`` returns True for a file, its note is removed.
    """
    try:
        locks = sorted((root / FOLDER).glob(f"*{LOCK_SUFFIX}"))
    except OSError:  # a cache that is not ours to look into
        locks = []
    if not locks:
        return []
    import filelock

    ended: list[Path] = []
    in_progress: set[Path] = set()
    for lock in locks:
        note = lock.with_suffix(NOTE_SUFFIX)
        with contextlib.suppress(OSError, NotImplementedError):
            try:
                with filelock.FileLock(lock, timeout=0):
                    target = _read_target(note)
                    if target is None or is_cleared(target):
                        _remove_note(note)
                    else:
                        ended.append(target)
            except filelock.Timeout:
                target = _read_target(note)
                in_progress |= {target} if target else set()
    return [target for target in dict.fromkeys(ended) if target not in in_progress]


def _read_target(note: Path) -> Path | None:
    """File that a note names; None where it names none."""
    try:
        with open_regular(note) as file:
            text = json.loads(file.read(BLOCK))
            is_path = os.path.isabs(text) and b"\0" not in os.fsencode(text)
    except (OSError, *FIELD_ERRORS):
        return None
    return Path(text) if is_path else None


def _remove_note(note: Path) -> None:
    """Remove a note and its lock, which this process holds: a process that has just opened the lock notices."""
    for path in (note, note.with_suffix(LOCK_SUFFIX)):
        with contextlib.suppress(OSError):
            path.unlink()
