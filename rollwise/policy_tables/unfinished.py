"""What exports that were killed have left beside files: named by ``cache list``, removed by the next export."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from rollwise.cache import exports
from rollwise.cache.store import default_root
from rollwise.policy_tables.files import alone, left_beside
from rollwise.solver.model.errors import RollwiseError

SCRATCH = "rollwise-"  # how a folder begins in which a table is written for standard output


def noted(path: Path) -> contextlib.AbstractContextManager[None]:
    """Note, as long as it takes, that this table is being written."""
    return exports.noted(default_root(), path)


def unfinished_exports() -> list[tuple[Path, int]]:
    """The tables that were not finished, and how many bytes lie there of each."""
    left = {path: left_beside(path, locks=True) for path in exports.unfinished(default_root())}
    return [(path, sum(map(_size, some))) for path, some in left.items() if some]


def clear_unfinished_exports() -> int:
    """Remove what is left of them; the bytes freed."""
    before = sum(size for _, size in unfinished_exports())
    exports.unfinished(default_root(), _cleared)
    return before - sum(size for _, size in unfinished_exports())


def _cleared(path: Path) -> bool:
    """Is nothing left beside this file, now that it was cleared where nobody writes it?"""
    if left_beside(path, locks=True):
        with contextlib.suppress(RollwiseError), alone(path, wait=False):
            pass
    if path.parent.name.startswith(SCRATCH) and path.parent.parent == Path(tempfile.gettempdir()):
        with contextlib.suppress(OSError):  # it is not empty
            path.parent.rmdir()
    return not left_beside(path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
