"""Solves of a server, for tests: small ones, one that takes a minute, and the processes that they begin."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rollwise.parsing.validate import parse_game
from rollwise.solver.model.game import TurnGame
from rollwise.web.jobs import Jobs, SolveJob

SMALL = {"target": 5}
SLOW = """
import json, os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
print(json.dumps({"share": 0.25}), flush=True)
with open(sys.argv[1] + ".half", "w") as file:
    file.write(str(os.getpid()))
os.rename(sys.argv[1] + ".half", sys.argv[1])
try:
    time.sleep(60)
except KeyboardInterrupt:
    with open(sys.argv[1] + ".kept", "w") as file:
        file.write("kept")
    sys.exit(1)
"""
IN_PROC = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")


def pig(target: int) -> TurnGame:
    return parse_game("pig", {"target": target})


def run(waited: Any) -> Any:
    return asyncio.run(waited)


def started(jobs: Jobs, target: int) -> SolveJob:
    job: SolveJob = run(jobs.start(pig(target)))
    return job


def heard(jobs: Jobs, job: SolveJob) -> list[tuple[str, Any]]:
    """All events of a solve, to its end."""

    async def hear() -> list[tuple[str, Any]]:
        return [event async for event in jobs.events(job.id)]

    found: list[tuple[str, Any]] = run(hear())
    return found


def until(is_so: Callable[[], Any], seconds: float = 30.0) -> None:
    """Wait for it."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)


def is_alive(process: int) -> bool:
    """Does it still run?"""
    try:
        told = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return told.rpartition(")")[2].split()[0] != "Z"
