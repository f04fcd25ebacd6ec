"""The package of scripts that makes faults goes on working, and counts what does harm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from scripts.faults.children import Ended
from scripts.faults.counting import Counts

ROOT = Path(__file__).parents[2]
TRACE = "Traceback (most recent call last):\nKeyError: 1"


def test_damages_are_made_and_counted_and_do_no_harm() -> None:
    run = [sys.executable, "-m", "scripts.faults", "damages", "--times", "3"]
    said = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert said.stdout.split()[:5] == ["damages", "tried", "3", "wrong", "0"], said.stdout + said.stderr
    assert said.returncode == 0


def test_what_does_harm_is_counted_by_sort() -> None:
    counts = Counts("")
    assert counts.judge(Ended(0, "right\n", ""), "", "right\n")
    assert counts.judge(Ended(2, "", "error: what was wanted, what came\nhint: what to do\n"), "")
    for ended in (Ended(0, "wrong\n", ""), Ended(0, "right\n", "\x1b[2J"), Ended(70, "", TRACE), Ended(-11, "", "")):
        assert not counts.judge(ended, "", "right\n")
    assert not counts.judge(Ended(2, "", "error: a\nb"), "")
    assert (counts.wrong, counts.tracebacks, counts.harm) == (3, 2, 5)
    assert "tracebacks: 'KeyError: 1:'" in counts.told
