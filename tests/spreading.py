"""What the workers of a cluster do in tests: they tell a file of each solve, and die of some."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rollwise.solutions.transfer import TransferredEntry, solve_for_transfer


def killed_once(file: str, target: int, name: str, parameters: Mapping[str, Any]) -> TransferredEntry:
    """Solve it, and tell so; whoever solves that of this target for the first time dies before it is sent."""
    came = solve_for_transfer(name, parameters)
    with Path(file).open("a") as told:
        told.write(f"{parameters['target']}\n")
    if parameters["target"] == target and Path(file).read_text().split().count(str(target)) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return came


def poison(target: int, name: str, parameters: Mapping[str, Any]) -> TransferredEntry:
    """Whoever solves that of this target dies of it."""
    if parameters["target"] == target:
        os.kill(os.getpid(), signal.SIGKILL)
    return solve_for_transfer(name, parameters)
