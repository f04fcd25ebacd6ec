"""What all tests share: one cache and one folder of compiled kernels for the whole run, and caches of one's own.

A run has a cache folder of its own, new and the same for all its workers, so that a game is solved once however many
tests ask about it, and no answer of an earlier run is believed. Kernels are those of the user's folder, so a second run
compiles none. A test that says what happens while the cache
is empty, or what lies in it, asks for ``own_cache``.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import typer.main

import rollwise
from rollwise.cache.store import Store
from rollwise.cli import main
from rollwise.parsing import validate
from rollwise.solutions.notes import write_to_terminal
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.kernel_cache import kernels_root
from tests.budget import Budget

KERNELS = "ROLLWISE_KERNELS"  # where compiled kernels are kept; whoever starts the tests may choose another folder


def pytest_configure(config: pytest.Config) -> None:
    """The folders of the run; workers are started later, and find them in their environment."""
    config.pluginmanager.register(Budget(), "budget")
    write_to_terminal()  # so that tests hear, of functions too, what a command would say
    if hasattr(config, "workerinput"):
        return
    folder = Path(tempfile.mkdtemp(prefix="rollwise-tests-"))
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ.setdefault(KERNELS, str(kernels_of_the_user() or folder / "kernels"))
    os.environ["ROLLWISE_CACHE"] = str(folder / "solved")


def kernels_of_the_user() -> Path | None:
    """Where kernels are kept outside tests: none is served but to the very sources that it was compiled from."""
    try:
        return kernels_root()
    except RuntimeError:  # a user without a folder
        return None


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """An empty cache for this test alone."""
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "own cache"))
    return Store()


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[[TurnGame], str]:
    """Makes ask, export and the others take this game whatever they are told: its trial parameters cannot be said."""

    for public in rollwise.__all__:  # each loads its module, in which the game is then taken
        getattr(rollwise, public)

    def take(game: TurnGame) -> str:
        for module in [module for name, module in sys.modules.items() if name.startswith("rollwise.")]:
            if module is not validate and getattr(module, "parse_game", None) is not None:
                monkeypatch.setattr(module, "parse_game", lambda name, params=None: game)
        return game.name

    return take


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command line with these words: (exit code, stdout, stderr)."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["rollwise", *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return int(stopped.value.code or 0), said.out, said.err

    return run


@pytest.fixture
def said(run: Callable[..., tuple[int, str, str]]) -> Callable[..., str]:
    """Run a command, and look for what it says: ``said("ask pig turn=20", "best: hold", "loses", code=0)``.

    The parts must come in this order, on stdout and then stderr; all that was said is returned.
    """

    def said(command: str, *parts: str, code: int = 0) -> str:
        found, told, complaint = run(*shlex.split(command))
        whole = told + complaint
        assert found == code, f"{command}: exit code {found}\n{whole}"
        place = 0
        for part in parts:
            place = whole.find(part, place)
            assert place >= 0, f"{command}: no '{part}' in\n{whole}"
            place += len(part)
        return whole

    return said


@pytest.fixture(scope="session", autouse=True)
def _one_tree_of_commands() -> Iterator[None]:
    """Most of what a short command costs is to make it; a process of a user makes it once, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        yield
