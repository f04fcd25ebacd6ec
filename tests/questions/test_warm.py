"""``rollwise warm`` compiles what first answers wait for, keeps the games that are named, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rollwise.cache.store import Store

Run = Callable[..., tuple[int, str, str]]
Said = Callable[..., str]
FIRST = """
import json, sys
from rollwise.solver.turn.kernel_compiles import KERNEL_COMPILES
import rollwise
for game in ("pig", "piggy-six", "yahtzee", "zilch", "thunderstorm"):
    rollwise.ask(game, params={"goal": 3000} if game == "zilch" else {})
print(KERNEL_COMPILES.n_begun)
"""


def settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("ROLLWISE")}


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of all that needs compiling a game that needs none."""
    monkeypatch.setattr("rollwise.questions.warm.SOLVED", (("pig", {"target": 3}),))
    monkeypatch.setattr("rollwise.questions.warm.FORECAST", ())


@pytest.mark.usefixtures("little")
def test_games_that_are_named_are_kept_and_no_others(own_cache: Store, said: Said) -> None:
    before = settings()
    warmed = json.loads(said("warm mexico --json"))
    assert [one["done"] for one in warmed] == ["solve pig", "solve mexico, kept"]
    assert all(one["seconds"] >= 0 and one["kernels"] == 0 for one in warmed)
    (key,) = own_cache.keys()
    assert key.startswith("mexico-")
    assert settings() == before


@pytest.mark.usefixtures("little")
def test_why_something_cannot_be_kept_is_told(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "file" / "cache"))
    code, _, err = run("warm", "mexico")
    assert code == 1
    assert "mexico" in err.splitlines()[-1]
    assert "is solved, but not stored: cannot " in err.splitlines()[-1]
    monkeypatch.setenv("ROLLWISE_KERNELS", str(tmp_path / "file" / "kernels"))
    monkeypatch.setattr("rollwise.questions.warm.solve", None)  # it is told before anything is compiled
    code, _, err = run("warm")
    cause = f"error: machine code cannot be stored in {tmp_path}/file/kernels: Not a directory"
    assert (code, err) == (1, f"{cause}\nhint: ROLLWISE_KERNELS=FOLDER rollwise warm\n")


def test_a_game_that_there_is_not_is_told_before_anything_is_done(run: Run) -> None:
    code, _, err = run("warm", "pigg")
    assert code == 2
    assert "'pigg'" in err


@pytest.mark.slow
def test_first_answers_of_a_warm_machine_compile_nothing(tmp_path: Path) -> None:
    around = {**os.environ, "ROLLWISE_KERNELS": str(tmp_path / "kernels"), "ROLLWISE_CACHE": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-m", "rollwise", "warm"], env=around, check=True, capture_output=True)
    asked = subprocess.run([sys.executable, "-c", FIRST], env=around, check=True, capture_output=True, text=True)
    assert asked.stdout.strip() == "0"
