"""How much memory and disk there is, and what is said where memory does not do.

Of memory there is no more than the control groups of this process, and its limit of address space, leave of it.
"""

from __future__ import annotations

import errno
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rollwise.answers.sizes import BYTES, in_thousands
from rollwise.solver.game.errors import TooLarge
from rollwise.solver.game.memory import address_limit, free_addresses

GROUPS = (  # by version: where groups stand, the file of the limit, that of what is used, what of it can be given back
    ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
# Bytes of address space that libraries take, loaded and used: with less some of them end the process by themselves.
LIBRARIES = {"numpy": 150_000_000, "scipy": 150_000_000, "numba": 400_000_000, "pyarrow": 350_000_000}
SIGNS = ("failed to map segment", "cannot allocate memory", "libllvmlite")  # that a library found no memory to load
NO_THREAD = "can't start new thread"


class LoadGuard:
    """A finder of modules that finds none, and stops those of LIBRARIES for which there is too little space."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Raise TooLarge."""
        if name in LIBRARIES:
            require_addresses(LIBRARIES[name], f"loading {name}")


def require_addresses(needed: int, what: str) -> None:
    """Raise TooLarge where the limit of address space leaves fewer bytes than ``what`` takes."""
    free = free_addresses()
    if free is not None and needed > free:
        takes, left = in_thousands(needed, BYTES), in_thousands(free, BYTES)
        raise TooLarge(f"not enough memory: {what} takes about {takes}, and ulimit -v leaves {left}")


@contextmanager
def within_memory() -> Iterator[None]:
    """Raise TooLarge, in one line, where memory does not do: before a library is loaded, or as soon as it runs out."""
    guards = [] if address_limit() is None else [LoadGuard()]
    sys.meta_path[:0] = guards
    try:
        yield
    except (MemoryError, ImportError, OSError, RuntimeError) as error:
        shortage = _shortage(error)
        if shortage is None:
            raise
        raise shortage from error
    finally:
        for guard in guards:
            sys.meta_path.remove(guard)


def _shortage(error: Exception) -> TooLarge | None:
    """An error in words, if memory, or threads, have run out; else None."""
    limit, free = address_limit(), free_memory() or 0
    there = (
        f"{in_thousands(free, BYTES)} are free" if limit is None else f"ulimit -v allows {in_thousands(limit, BYTES)}"
    )
    if NO_THREAD in str(error):
        return TooLarge(
            f"not enough memory, or threads: another thread cannot be started; {there}", hint="ROLLWISE_WORKERS=1"
        )
    is_short = isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
    if not is_short and not any(sign in str(error).lower() for sign in SIGNS):
        return None
    wanted = " ".join(str(error).split()) or "more was wanted than there is"
    return TooLarge(f"not enough memory: {wanted}; {there}")


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes that this process may still take; None where nothing tells. ``root``: where ``proc`` and ``sys`` stand."""
    known = [*_of_the_machine(root), *_of_groups(root), free_addresses(root)]
    return max(0, min(found)) if (found := [each for each in known if each is not None]) else None


def free_disk(folder: Path) -> int | None:
    """Bytes that may still be written below a folder, be it there yet or not; None where nothing tells."""
    with suppress(OSError):
        return shutil.disk_usage(next(place for place in (folder, *folder.absolute().parents) if place.exists())).free
    return None


def _of_the_machine(root: Path) -> Iterator[int]:
    with suppress(OSError, ValueError, KeyError):
        yield 1024 * _numbers(root / "proc/meminfo")["MemAvailable:"]


def _of_groups(root: Path) -> Iterator[int]:
    """What each group leaves, this process's and those around it; a container may see no more than the outermost."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        number, _, rest = line.partition(":")
        sorts, _, name = rest.partition(":")
        if number != "0" and "memory" not in sorts.split(","):
            continue
        top, limit, used, back = GROUPS[0 if number == "0" else 1]
        here = Path(name.strip("/"))
        for group in dict.fromkeys([here, *here.parents, Path()]):
            with suppress(OSError, ValueError):  # ValueError: without a limit, "max"
                most, now = (int((root / top / group / file).read_text()) for file in (limit, used))
                yield most - now + _given_back(root / top / group, back)


def _given_back(group: Path, name: str) -> int:
    with suppress(OSError, ValueError, KeyError):
        return _numbers(group / "memory.stat")[name]
    return 0


def _numbers(file: Path) -> dict[str, int]:
    """The numbers of a file that has a name and a number a line."""
    return {name: int(number) for name, number, *_ in map(str.split, file.read_text().splitlines())}
