"""Jobs of a server, for tests: small solves, one that takes a minute, and the processes that they begin."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rollwise.parsing.validate import parse_game
from rollwise.solver.model.game import TurnGame
from rollwise.web.jobs import Job, Jobs

SMALL = {"target": 5}
PATIENCE = 30.0  # seconds
DONE = "print('{\"done\": true}')"
SLEEPS = "import time; time.sleep(60)"
SLOW = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
with open(sys.argv[1], "w") as file:
    file.write(str(os.getpid()))
try:
    print('{"share": 0.25}', flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("heard", file=open(sys.argv[1] + ".kept", "a"))
    sys.exit(1)
"""
IN_PROC = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")


def fake(program: str, *words: object) -> list[str]:
    """The command of a process that stands for one of rollwise."""
    return [sys.executable, "-IS", "-c", program, *map(str, words)]


def pig(target: int) -> TurnGame:
    return parse_game("pig", {"target": target})


async def begun(jobs: Jobs, target: int) -> Job:
    """A solve that is begun, and has news of its process where that says some."""
    return await jobs.start(pig(target))


async def until(job: Job, is_so: Callable[[], object]) -> None:
    """Wait for it, from one news of a job to the next."""
    async with asyncio.timeout(PATIENCE):
        while not is_so():
            await job.wait(PATIENCE)


async def ended(job: Job) -> str:
    """The state of a job when its process has ended."""
    assert job.task is not None
    async with asyncio.timeout(PATIENCE):
        await asyncio.wait({job.task})
    return job.state


def is_alive(process: int) -> bool:
    """Does it still run?"""
    try:
        told = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return told.rpartition(")")[2].split()[0] != "Z"
