"""Scratch files of killed exports: listed by ``cache list``, removed by the next export."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from rollwise.cache import exports
from rollwise.cache.files import list_asides
from rollwise.cache.store import default_root
from rollwise.policy_tables.files import write_lock
from rollwise.solver.model.errors import RollwiseError

SCRATCH = "rollwise-"  # prefix of folders for tables written to standard output


def note_export(path: Path) -> contextlib.AbstractContextManager[None]:
    """Note in the cache, inside the block, that this table is being written."""
    return exports.noting_export(default_root(), path)


def unfinished_exports() -> list[tuple[Path, int]]:
    """(path, bytes of scratch files) of the unfinished tables."""
    scratch = {path: list_asides(path, locks=True) for path in exports.list_unfinished_exports(default_root())}
    return [(path, sum(map(_size, some))) for path, some in scratch.items() if some]


def clear_unfinished_exports() -> int:
    """Remove the scratch files of unfinished tables; returns the bytes freed."""
    n_bytes = sum(size for _, size in unfinished_exports())
    exports.list_unfinished_exports(default_root(), _clear_export)
    return n_bytes - sum(size for _, size in unfinished_exports())


def _clear_export(path: Path) -> bool:
    """Remove the scratch files of this file unless it is being written; True if none remain."""
    if list_asides(path, locks=True):
        with contextlib.suppress(RollwiseError), write_lock(path, wait=False):
            pass
    if path.parent.name.startswith(SCRATCH) and path.parent.parent == Path(tempfile.gettempdir()):
        with contextlib.suppress(OSError):  # it is not empty
            path.parent.rmdir()
    return not list_asides(path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
