"""Two solves at once, killed and stopped ones: nothing is lost, and nothing is taken for what it is not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.questions.solve import solve
from rollwise.solutions.check import check
from rollwise.solver.values.board_solver import BoardSolver
from tests.cache.test_faults import GAME, GOES_ON, QUESTION, TRUE, Capture, asks, key, leftovers, require_whole

HERE = str(Path(rollwise.__file__).parents[1])
PATIENCE = 60.0  # seconds that a process may take on a machine with other work
HEAD = """
import errno, json, os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # it hears Ctrl-C even where the tests do not hear it
import rollwise, rollwise.solutions.lookup
from rollwise.cache import folders
from rollwise.solutions.notes import write_to_terminal
from rollwise.solver.values import component, board_solver
from rollwise.solver.components import checkpoints
write_to_terminal()
"""
ASKED = f"advice = rollwise.ask('pig', params={GAME}, **{QUESTION})"
ASK = f"{ASKED}\nprint(json.dumps([advice.value, advice.facts['cached']]))"


@pytest.fixture
def store(own_cache: Store) -> Store:
    return own_cache


def start(script: str, store: Store) -> subprocess.Popen[str]:
    """A Python process that runs this script."""
    around = {**os.environ, "PYTHONPATH": HERE, "ROLLWISE_CACHE": str(store.root)}
    command, pipe = [sys.executable, "-c", HEAD + script], subprocess.PIPE
    return subprocess.Popen(command, env=around, stdout=pipe, stderr=pipe, text=True)


def stopped(process: subprocess.Popen[str], number: int = signal.SIGINT) -> str:
    """What a process says when it gets this signal after its first line."""
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n", process.communicate()
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    return said


def test_two_at_once_solve_once(store: Store) -> None:
    slowly = """
real = rollwise.solutions.lookup._write_entry
rollwise.solutions.lookup._write_entry = lambda *arguments: time.sleep(1.0) or real(*arguments)
"""
    processes = [start(slowly + ASK, store) for _ in range(2)]
    ends = [process.communicate(timeout=PATIENCE) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ends
    answers = sorted((json.loads(out) for out, _ in ends), key=lambda answer: answer[1])
    assert answers == [[pytest.approx(TRUE, abs=1e-9), False], [pytest.approx(TRUE, abs=1e-9), True]]
    assert sum("another process is solving" in said for _, said in ends) <= 1
    require_whole(store)


def test_a_killed_solve_leaves_nothing_that_could_be_taken_for_a_result(store: Store, capsys: Capture) -> None:
    """Of the writes of an entry alone ``test_cache_writing.py`` kills each."""
    kill = "folders._move_into_place = lambda *arguments: os.kill(os.getpid(), signal.SIGKILL)\n"
    process = start(kill + ASK, store)
    assert (process.communicate(timeout=PATIENCE), process.returncode) == (("", ""), -signal.SIGKILL)
    assert (store.keys(), store.read(key())) == ([], None)
    asks(capsys, False)
    assert [checked.verdict for checked in check(store)] == ["proved"]
    asks(capsys, True)
    assert all(path.name.startswith(".tmp-") for path in leftovers(store) if path.parent == store.root)
    store.clear()
    assert not leftovers(store)


LONG: dict[str, Any] = {"target": 40}  # five hundred boards a step: a checkpoint after each
OFTEN = f"""
checkpoints.INTERVAL_S, board_solver.BOARDS_PER_STEP = -1.0, 500
saved = board_solver.BoardSolver.maybe_save
def save(self):
    saved(self)
    print('there', flush=True)
    time.sleep(600)
board_solver.BoardSolver.maybe_save = save
rollwise.solve('pig', params={LONG})
"""


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.thorough)], ids=["Ctrl-C", "kill -9"]
)
def test_a_stopped_solve_is_taken_up_where_it_was(
    number: int, store: Store, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = stopped(start(OFTEN, store), number)
    assert ("the same command goes on from there" in said) == (number == signal.SIGINT)
    assert store.keys() == []
    done: list[int] = []
    back = BoardSolver.resume

    def resume(self: BoardSolver, *begun: Any) -> None:
        back(self, *begun)
        done.append(int((self.level_of >= (self.done_level or 0)).sum()))

    monkeypatch.setattr(BoardSolver, "resume", resume)
    again = solve("pig", params=LONG)
    assert (GOES_ON in capsys.readouterr().err, done[0] >= 500, again.facts["cached"]) == (True, True, False)
    require_whole(store)
    store.clear()
    assert again.value == pytest.approx(solve("pig", params=LONG).value, abs=1e-12)


@pytest.mark.thorough
def test_workers_in_step_hear_ctrl_c(store: Store, capsys: Capture) -> None:
    """A component of many boards, swept by two compiled workers: all of them stop, and the sweeps so far are kept."""
    script = """
checkpoints.INTERVAL_S = -1.0
board_solver.MAX_NUMPY_WORK = 0
started = board_solver.BoardSolver.__init__
def start(self, *arguments, **named):
    started(self, *arguments, **named)
    self.workers = 2
board_solver.BoardSolver.__init__ = start
before = component.LargeComponent._back_up_values
def value_pass(self, *arguments):
    time.sleep(0.002)
    before(self, *arguments)
component.LargeComponent._back_up_values = value_pass
saved = board_solver.BoardSolver.maybe_save
def save(self):
    saved(self)
    print("there", flush=True)
board_solver.BoardSolver.maybe_save = save
rollwise.solve('piggy-six', params={'target': 30})
"""
    assert "stopped; what is done is kept" in stopped(start(script, store))
    assert store.keys() == []
    assert solve("piggy-six", params={"target": 30}).facts["cached"] is False
    assert GOES_ON in capsys.readouterr().err
    assert [checked.verdict for checked in check(store)] == ["proved"]


def test_ctrl_c_waits_for_a_worker_that_is_saving(store: Store, capsys: Capture) -> None:
    """Cut off between its two renames, that worker would leave no checkpoint under its name."""
    script = """
checkpoints.INTERVAL_S = -1.0
renamed = folders.os.rename
def rename(source, target):
    renamed(source, target)
    if '.old-' in str(target) and threading.current_thread() is not threading.main_thread():
        print('there', flush=True)
        time.sleep(0.7)
folders.os.rename = rename
def solve(self, progress, save):
    def worker():
        while True:
            save()
    threading.Thread(target=worker, daemon=True).start()
    time.sleep(600)
board_solver.BoardSolver.solve = solve
"""
    assert "stopped; what is done is kept" in stopped(start(script + ASK, store))
    assert store.checkpoint(key()).load() is not None
    asks(capsys, False, GOES_ON)


def test_what_could_not_be_kept_is_not_said_to_be(store: Store) -> None:
    script = """
def full(*arguments):
    raise OSError(errno.ENOSPC, 'No space left on device')
folders._write_file = full
def solve(self, progress, save):
    print('there', flush=True)
    time.sleep(600)
board_solver.BoardSolver.solve = solve
"""
    said = stopped(start(script + ASK, store))
    assert "No space left" in said
    assert "is kept" not in said
