"""The package of scripts that makes faults goes on working."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_damages_are_made_and_counted_and_do_no_harm() -> None:
    run = [sys.executable, "-m", "scripts.faults", "damages", "--times", "3"]
    said = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert said.stdout.split()[:5] == ["damages", "tried", "3", "wrong", "0"], said.stdout + said.stderr
    assert said.returncode == 0
