"""Processes that the server starts: what they say, where they find ``rollwise``, and whom they let go first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise import progress, stored
from rollwise.cache.errors import StoreError
from rollwise.solver.turn import compiling
from rollwise.web import modest, solving

Said = pytest.CaptureFixture[str]


def lines(capsys: Said) -> list[Any]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_shares_are_told_now_and_then(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    shares, now = solving.Shares(), 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for share, seconds in ((0.1, 0.0), (0.2, 0.1), (0.3, 0.3), (0.3, 1.0), (0.2, 1.0), (0.4, 1.0)):
        now += seconds
        shares(share)
    assert lines(capsys) == [{"share": 0.1}, {"share": 0.3}, {"share": 0.4}]


def test_what_is_compiled_and_done_is_told_and_what_is_not_kept_is_no_solve(
    capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "LISTENERS", [])
    monkeypatch.setattr(progress, "HEARING", [])

    def solve(game: Any, *how: Any, **named: Any) -> None:
        for heard in compiling.LISTENERS:
            heard(True)
        for told in progress.HEARING:
            told(0.5)

    monkeypatch.setattr(stored, "stored", solve)
    monkeypatch.setattr(stored, "is_kept", lambda game: False)
    with pytest.raises(StoreError, match="cannot be kept"):
        solving.solve("pig", {"target": 5}, 1)
    assert lines(capsys) == [{"compiling": True}, {"share": 0.5}]


def test_that_nobody_reads_is_no_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = (tmp_path / "gone").open("w")
    gone.close()
    monkeypatch.setattr(sys, "stdout", gone)
    modest.tell(share=0.5)


def test_the_very_rollwise_of_the_server_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    here, other = modest.environment()["PYTHONPATH"].split(os.pathsep)
    assert (Path(here) / "rollwise" / "__init__.py").samefile(rollwise.__file__)
    assert other == "/elsewhere"


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="only Linux says who goes first")
def test_where_memory_runs_out_a_solve_goes_first() -> None:
    asked = "from rollwise.web.modest import be_modest\nbe_modest()\nprint(open('/proc/self/oom_score_adj').read())"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == modest.FIRST_TO_GO


def test_no_file_beside_the_user_takes_the_place_of_a_module(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')")
    done = subprocess.run([*modest.PYTHON, "-c", "import json"], cwd=tmp_path, check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
