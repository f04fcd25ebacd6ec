"""Solves of a server, for tests: small ones, and one that takes a minute."""

from __future__ import annotations

import asyncio
from typing import Any

from rollwise.door import the_game
from rollwise.solver.game.model import TurnGame
from rollwise.web.jobs import Job, Jobs

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


def pig(target: int) -> TurnGame:
    return the_game("pig", {"target": target})


def run(waited: Any) -> Any:
    return asyncio.run(waited)


def started(jobs: Jobs, target: int) -> Job:
    job: Job = run(jobs.start(pig(target)))
    return job


async def all_events(jobs: Jobs, job: Job) -> list[tuple[str, Any]]:
    return [event async for event in jobs.events(job.id)]
