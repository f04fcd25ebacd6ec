"""Processes that tests have begun."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

IN_PROC = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")


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
