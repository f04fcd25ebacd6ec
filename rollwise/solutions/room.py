"""How much memory and disk there is: of memory no more than control groups, and ``ulimit -v``, leave this process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rollwise.solver.model.memory import free_addresses

GROUPS = (  # by version: where groups stand, the file of the limit, that of what is used, what of it can be given back
    ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes that this process may still take; None where nothing tells. ``root``: where ``proc`` and ``sys`` stand."""
    known = [*_of_the_machine(root), *_of_groups(root), free_addresses()]
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
