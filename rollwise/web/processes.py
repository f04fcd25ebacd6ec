"""Processes of the server for long work (``rollwise.web.child``): their environment, how they start, obey and end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import rollwise
from rollwise.solver.model.limits import WORKERS_VARIABLE, count_processors, n_workers
from rollwise.web import limits

CHILD = [sys.executable, "-P", "-m", "rollwise.web.child"]  # -P: no file beside the user takes the place of a module
POOLS = (WORKERS_VARIABLE, "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def child_environment() -> dict[str, str]:
    """Environment of a child process: this very ``rollwise``, and one thread fewer than processors, if not set."""
    path = [str(Path(rollwise.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    n_threads = n_workers() if os.environ.get(WORKERS_VARIABLE) else max(1, count_processors() - 1)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), **dict.fromkeys(POOLS, str(n_threads))}


async def start_process(command: Sequence[str], errors: IO[bytes] | int | None) -> Process:
    """Start a process in its own session, so that Ctrl-C reaches the server alone; the end of its input ends it."""
    pipes: Any = {"stdin": PIPE, "stdout": PIPE, "stderr": errors, "limit": limits.MAX_LINE_BYTES}
    return await asyncio.create_subprocess_exec(*command, **pipes, env=child_environment(), start_new_session=True)


def order_line(kind: str, **order: Any) -> bytes:
    """An order for a process."""
    return json.dumps({"kind": kind, **order}).encode() + b"\n"


async def run_order(child: Process, order: bytes, on_line: Callable[[dict[str, Any]], object] = bool) -> dict[str, Any]:
    """Give a process an order; ``on_line`` takes each line of JSON that comes of it. Returns the last one."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(order)
    line: dict[str, Any] = {}
    async for text in child.stdout:
        with suppress(ValueError):
            line = json.loads(text)
        on_line(line)
        if is_outcome(line):
            break
    return line


def is_outcome(line: dict[str, Any]) -> bool:
    """True for the last line of an order: that it is done, or an error."""
    return "done" in line or "message" in line


async def end_process(child: Process) -> None:
    """Kill a process, if it has not ended, and all that it has started."""
    with suppress(AttributeError, OSError):  # none is left
        os.killpg(child.pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        child.kill()
    await child.wait()
