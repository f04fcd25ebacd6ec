"""Free memory and disk of this process, within the limits of control groups and ``ulimit -v``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rollwise.solver.model.memory import free_addresses

CONTROL_GROUPS = (  # by version: folder of the groups, file of the limit, file of the use, reclaimable part of the use
    ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes that this process may still take; None where unknown. ``root``: folder of ``proc`` and ``sys``."""
    limits = [*_machine_memory(root), *_group_memory(root), free_addresses()]
    return max(0, min(byte_limits)) if (byte_limits := [limit for limit in limits if limit is not None]) else None


def free_disk(folder: Path) -> int | None:
    """Bytes that may still be written below a folder, which need not exist; None where unknown."""
    with suppress(OSError):
        existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        return shutil.disk_usage(existing).free
    return None


def _machine_memory(root: Path) -> Iterator[int]:
    with suppress(OSError, ValueError, KeyError):
        yield 1024 * _read_numbers(root / "proc/meminfo")["MemAvailable:"]


def _group_memory(root: Path) -> Iterator[int]:
    """Free bytes of the process's group and of each one around it; a container may see only the outermost."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, name = rest.partition(":")
        if number != "0" and "memory" not in controllers.split(","):
            continue
        top_folder, limit, used, reclaimable = CONTROL_GROUPS[0 if number == "0" else 1]
        own_group = Path(name.strip("/"))
        for group in dict.fromkeys([own_group, *own_group.parents, Path()]):
            with suppress(OSError, ValueError):  # ValueError: without a limit, "max"
                folder = root / top_folder / group
                limit_bytes, used_bytes = (int((folder / file).read_text()) for file in (limit, used))
                yield limit_bytes - used_bytes + _reclaimable_bytes(folder, reclaimable)


def _reclaimable_bytes(group: Path, name: str) -> int:
    with suppress(OSError, ValueError, KeyError):
        return _read_numbers(group / "memory.stat")[name]
    return 0


def _read_numbers(file: Path) -> dict[str, int]:
    """Numbers by name of a file with a name and a number a line."""
    return {name: int(number) for name, number, *_ in map(str.split, file.read_text().splitlines())}
