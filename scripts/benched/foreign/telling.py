"""What a program of this folder prints: one line of JSON, with the peer's version and the memory of its process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

ENOUGH = 10.0  # seconds: what took longer is not run again


def best(solve: Callable[[], Any], runs: int) -> tuple[Any, dict[str, float]]:
    """What came of it, and the least seconds, of wall and of processor, of so many runs."""
    begin = time.perf_counter()
    took: list[tuple[float, float]] = []
    while not took or (len(took) < runs and time.perf_counter() - begin < ENOUGH):
        wall, cpu = time.perf_counter(), time.process_time()
        found = solve()
        took.append((time.perf_counter() - wall, time.process_time() - cpu))
    walls, cpus = zip(*took, strict=True)
    return found, {"seconds": min(walls), "cpu": min(cpus)}


def tell(peer: str, **told: Any) -> None:
    """Print it, with the most memory that this process held."""
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(json.dumps({"version": version(peer), "memory_mb": int(peak.split()[1]) // 1024, **told}))
