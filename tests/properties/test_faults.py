"""Whatever happens to the cache, the answer is right: the fault is made, and then the hope is tested."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rollwise.stored
from rollwise.asking import ask
from rollwise.cache import folders
from rollwise.cache.store import Store
from rollwise.check import check
from rollwise.games.registry import game
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.model import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solving import solve
from rollwise.stored import identity, stored

HERE = str(Path(folders.__file__).parents[2])
GAME: dict[str, Any] = {"target": 10}
QUESTION: dict[str, Any] = {"mine": 2, "theirs": 4, "turn": 3}
TRUE = 11137 / 13942  # 0.79880935303, as twenty lines of plain value iteration over (mine, theirs, turn) give it
PATIENCE = 60.0  # seconds that a process may take on a machine with other work


@pytest.fixture(autouse=True)
def store(own_cache: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(rollwise.stored, "_FORGOTTEN", set())
    return own_cache


def pig() -> TurnGame:
    made = game("pig", GAME)
    assert isinstance(made, TurnGame)
    return made


def key() -> str:
    return Store().key("pig", identity(pig()))


def right() -> bool:
    """Asks; True if it was answered from the cache. Fails if the answer is wrong."""
    advice = ask("pig", GAME, **QUESTION)
    assert advice.lower is not None
    assert advice.upper is not None
    assert advice.lower <= TRUE <= advice.upper
    assert advice.upper - advice.lower < 1e-9
    return bool(advice.facts["cached"])


def whole(store: Store) -> bool:
    """The entry is there, proved, and alone: nothing half written lies about."""
    return [checked.verdict for checked in check(store)] == ["proved"] and not leftovers(store)


def leftovers(store: Store) -> list[Path]:
    return [path for path in store.root.rglob(".*") if store.root.is_dir()]


def notes(capsys: pytest.CaptureFixture[str]) -> list[str]:
    found = capsys.readouterr()
    assert not found.out
    return found.err.splitlines()


def start(script: str, store: Store, *, hooks: str = "") -> subprocess.Popen[str]:
    """A Python process that runs ``script`` after ``hooks``; it hears Ctrl-C even where the tests do not hear it."""
    head = (
        "import json, sys, time, os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import rollwise, rollwise.stored\nfrom rollwise.solver.boards import sweep\n"
        "from rollwise.solver.order import saving\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", f"{head}{hooks}\n{script}"],
        env={**os.environ, "PYTHONPATH": HERE, "ROLLWISE_CACHE": str(store.root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(true: Callable[[], object], process: subprocess.Popen[str]) -> None:
    began = time.monotonic()
    while not true():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.01)


# --- nothing is wrong ----------------------------------------------------------------------------------------------


def test_a_question_is_solved_once_and_then_answered_from_the_cache(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask("pig", GAME, exact=True, **QUESTION).exact == "11137/13942"
    assert right()
    assert not notes(capsys)
    assert whole(store)


# --- damage -----------------------------------------------------------------------------------------------------------


def truncate(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 1)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-9] ^= 64
    file.write_bytes(content)


def flip_all(file: Path) -> None:
    file.write_bytes(bytes(byte ^ 255 for byte in file.read_bytes()))


ARRAYS = ["values.npy", "radius.npy", "turn_child.npy"]


@pytest.mark.parametrize("harm", [truncate, empty, flip, flip_all, Path.unlink])
@pytest.mark.parametrize("file", [*ARRAYS, "manifest.json"])
def test_damage_is_noticed_and_mended(
    file: str, harm: Callable[[Path], None], store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    right()
    harm(store.root / key() / file)
    assert not right()  # solved again
    (said,) = notes(capsys)
    assert said.startswith(f"rollwise: cache entry {key()} is damaged: {file}")
    assert right()
    assert not notes(capsys)
    assert whole(store)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', "null", "\x00\xff"])
def test_a_broken_manifest_is_noticed_and_mended(text: str, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    right()
    (store.root / key() / "manifest.json").write_text(text, encoding="latin-1")
    assert not right()
    assert len(notes(capsys)) == 1
    assert right()
    assert whole(store)


def test_an_entry_that_is_a_file_is_noticed_and_mended(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.root.mkdir()
    (store.root / key()).write_text("no folder")
    assert not right()
    assert len(notes(capsys)) == 1
    assert right()
    assert whole(store)


@pytest.mark.parametrize("file", ARRAYS)
def test_damage_that_cannot_be_mended_is_lived_with(
    file: str, store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right()
    flip_all(store.root / key() / file)
    monkeypatch.setattr(os, "rename", failing(errno.EROFS))
    monkeypatch.setattr(Path, "mkdir", failing(errno.EROFS))
    for _ in range(2):
        assert not right()
        assert any("Read-only" in line for line in notes(capsys))


# --- no room, no rights ---------------------------------------------------------------------------------------------


def failing(code: int) -> Callable[..., Any]:
    def fails(*_: Any, **__: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return fails


@pytest.mark.parametrize("at", ["_write_array", "_write_file", "_move_into_place"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_costs_the_entry_and_not_the_answer(
    at: str, code: int, store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(folders, at, failing(code))
        for _ in range(2):
            assert not right()
            (said,) = notes(capsys)
            assert os.strerror(code) in said
            assert "not kept" in said
            assert (store.entries(), leftovers(store)) == ([], [])
    right()
    assert whole(store)


def test_a_disk_that_fills_up_in_the_middle_leaves_nothing(
    store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, written = folders._write_array, 0

    def write(path: Path, array: Any) -> Any:
        nonlocal written
        written += 1
        if written > 3:
            path.write_bytes(b"\x93NUMPY")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, array)

    monkeypatch.setattr(folders, "_write_array", write)
    assert not right()
    assert len(notes(capsys)) == 1
    assert [path.name for path in store.root.iterdir()] == ["locks"]


@pytest.mark.parametrize("name", ["", "deeper/still"])
def test_a_cache_that_is_a_file_is_done_without(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "file" / name))
    assert not right()
    assert any("solving without the cache" in line for line in notes(capsys))
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_cache_that_cannot_be_written_is_done_without(
    code: int, store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "mkdir", failing(code))
    assert not right()
    (said,) = notes(capsys)
    assert os.strerror(code) in said
    assert not store.root.exists()


def test_a_cache_that_cannot_be_read_is_done_without(
    store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right()
    with monkeypatch.context() as barred:
        barred.setattr("rollwise.cache.store.read_folder", failing(errno.EACCES))
        assert not right()
        assert any("Permission denied" in line for line in notes(capsys))
    assert right()
    assert whole(store)


def test_a_cache_that_can_only_be_read_still_answers(
    store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right()
    monkeypatch.setattr(os, "rename", failing(errno.EROFS))
    monkeypatch.setattr(Path, "mkdir", failing(errno.EROFS))
    assert right()
    assert not notes(capsys)


# --- two at once, and sudden ends ------------------------------------------------------------------------------------

ASK = f"advice = rollwise.ask('pig', {GAME}, **{QUESTION})\nprint(json.dumps([advice.value, advice.facts['cached']]))"
SLOW = """
real = rollwise.stored._write
def keep(*arguments):
    time.sleep(1.0)
    real(*arguments)
rollwise.stored._write = keep
"""


def test_two_at_once_solve_once(store: Store) -> None:
    processes = [start(ASK, store, hooks=SLOW) for _ in range(2)]
    ends = [process.communicate(timeout=PATIENCE) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ends
    answers = [json.loads(out) for out, _ in ends]
    assert [value for value, _ in answers] == pytest.approx([TRUE, TRUE], abs=1e-9)
    assert sorted(cached for _, cached in answers) == [False, True]
    assert sum("another process is solving" in said for _, said in ends) <= 1
    assert whole(store)


KILLED = {
    "before anything is written": (
        "rollwise.stored._write = lambda *arguments: print('there', flush=True) or time.sleep(600)"
    ),
    "in the middle of an array": """
from rollwise.cache import folders
def write(path, array):
    path.write_bytes(b'half')
    print('there', flush=True)
    time.sleep(600)
folders._write_array = write
""",
    "just before the rename": (
        "from rollwise.cache import folders\n"
        "folders._move_into_place = lambda *paths: print('there', flush=True) or time.sleep(600)"
    ),
}


@pytest.mark.parametrize("when", KILLED)
def test_a_killed_solve_leaves_nothing_that_could_be_taken_for_a_result(
    when: str, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    process = start(ASK, store, hooks=KILLED[when])
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGKILL
    assert (store.entries(), store.read(key())) == ([], None)
    assert not right()
    assert not notes(capsys)
    assert [checked.verdict for checked in check(store)] == ["proved"]
    assert right()
    left = leftovers(store)
    assert all(path.name.startswith(".tmp-") for path in left if path.parent == store.root)
    store.clear()
    assert not leftovers(store)


# --- stopped and taken up again ---------------------------------------------------------------------------------------

LONG: dict[str, Any] = {"target": 100}  # five thousand boards a step, three steps: a checkpoint after each
SOLVE = f"s = rollwise.solve('pig', {LONG})\nprint(json.dumps([s.value, s.lower, s.upper, s.facts['cached']]))"
OFTEN = """
saving.EVERY = -1.0
saved = sweep.BoardSolver.maybe_save
def save(self):
    saved(self)
    print('saved', self.done_level, flush=True)
    time.sleep(1.5)
sweep.BoardSolver.maybe_save = save
"""
LEVELS = """
back = sweep.BoardSolver.resume
def resume(self, *begun):
    back(self, *begun)
    done = int((self.level_of >= self.done_level).sum()) if self.done_level is not None else 0
    print('resumed', done, file=sys.stderr, flush=True)
sweep.BoardSolver.resume = resume
"""


def interrupted(store: Store, number: int, hooks: str = OFTEN) -> str:
    """Stop a solve by ``number`` after its first checkpoint; what it said."""
    process = start(SOLVE, store, hooks=hooks)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("saved")
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    return said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_a_stopped_solve_is_taken_up_where_it_was(number: int, store: Store) -> None:
    said = interrupted(store, number)
    assert ("the same command goes on from there" in said) == (number == signal.SIGINT)
    assert store.entries() == []
    assert list((store.root / "checkpoints").glob("pig-*"))
    process = start(SOLVE, store, hooks=LEVELS)
    out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "going on from where an earlier run was stopped" in said
    assert int(said.split("resumed ")[1].split()[0]) > 1000
    value, lower, upper, cached = json.loads(out)
    assert not cached
    assert whole_again(store)
    store.clear()
    fresh = solve("pig", LONG)
    assert fresh.value is not None
    assert lower <= fresh.value <= upper
    assert value == pytest.approx(fresh.value, abs=1e-12)


def whole_again(store: Store) -> bool:
    """Every bound of the entry is proved, and the checkpoint is gone."""
    return [checked.verdict for checked in check(store)] == ["proved"] and not list(
        (store.root / "checkpoints").iterdir()
    )


def test_workers_in_step_hear_ctrl_c(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    """A component of many boards, swept by two compiled workers: all of them stop, and the sweeps so far are kept."""
    script = "s = rollwise.solve('piggy-six', {'target': 40})"
    hooks = """
saving.EVERY = -1.0
sweep.PLAIN_WORK = 0
import rollwise.solver.boards.component as component
started = sweep.BoardSolver.__init__
def start(self, *arguments, **named):
    started(self, *arguments, **named)
    self.workers = 2
sweep.BoardSolver.__init__ = start
before = component.LargeComponent._value_pass
def value_pass(self, *arguments):
    time.sleep(0.002)
    before(self, *arguments)
component.LargeComponent._value_pass = value_pass
"""
    process = start(script, store, hooks=hooks)
    wait_for(lambda: list((store.root / "checkpoints").glob("piggy-six-*")), process)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    assert "stopped; what is done is kept" in said
    assert store.entries() == []
    assert solve("piggy-six", {"target": 40}).facts["cached"] is False
    assert any("going on from where" in line for line in notes(capsys))
    assert [checked.verdict for checked in check(store)] == ["proved"]


def test_ctrl_c_waits_for_a_worker_that_is_saving(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    """Cut off between its two renames, that worker would leave no checkpoint under its name."""
    hooks = """
import threading
from rollwise.cache import folders
saving.EVERY = -1.0
renamed = folders.os.rename
def rename(source, target):
    renamed(source, target)
    if '.old-' in str(target) and threading.current_thread() is not threading.main_thread():
        print('between', flush=True)
        time.sleep(0.7)
folders.os.rename = rename
solved = sweep.BoardSolver.solve
def solve(self, progress, save):
    def worker():
        while True:
            save()
    threading.Thread(target=worker, daemon=True).start()
    time.sleep(600)
sweep.BoardSolver.solve = solve
"""
    process = start(ASK, store, hooks=hooks)
    assert process.stdout is not None
    assert process.stdout.readline() == "between\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    assert "stopped; what is done is kept" in said
    assert store.checkpoint(key()).load() is not None
    assert not right()
    assert notes(capsys) == ["rollwise: going on from where an earlier run was stopped"]


def test_what_could_not_be_kept_is_not_said_to_be(store: Store) -> None:
    hooks = """
import errno
from rollwise.cache import folders
def full(*arguments):
    raise OSError(errno.ENOSPC, 'No space left on device')
folders._write_file = full
def solve(self, progress, save):
    print('there', flush=True)
    time.sleep(600)
sweep.BoardSolver.solve = solve
"""
    process = start(ASK, store, hooks=hooks)
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    assert "No space left" in said
    assert "is kept" not in said


def good_checkpoint() -> tuple[dict[str, Any], dict[str, Any]]:
    made = pig()
    solver = BoardSolver(made, compile_turn(made))
    solver.solve()
    return solver.checkpoint()


BAD: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "no arrays": ({"value": None, "radius": None, "waits": None}, {}),
    "one array too few": ({"waits": None}, {}),
    "shorter arrays": ({"value": np.zeros(7)}, {}),
    "another shape": ({"radius": np.zeros((100, 1), dtype=np.float32)}, {}),
    "another kind": ({"value": np.zeros(100, dtype=np.int64)}, {}),
    "not solved where it says so": ({"value": np.full(100, np.nan)}, {}),
    "no radius": ({"radius": np.full(100, -1, dtype=np.float32)}, {}),
    "endless waits": ({"waits": np.full(100, np.inf)}, {}),
    "level of text": ({}, {"level": "3"}),
    "level below all": ({}, {"level": -1}),
    "slack of text": ({}, {"slack": "0"}),
    "negative scale": ({}, {"scale": -1.0}),
    "methods of numbers": ({}, {"methods": [3]}),
    "methods of none": ({}, {"methods": None}),
}


@pytest.mark.parametrize("what", BAD)
def test_a_checkpoint_that_does_not_fit_is_dropped(what: str, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    arrays, state = good_checkpoint()
    other_arrays, other_state = BAD[what]
    mixed = {name: array for name, array in {**arrays, **other_arrays}.items() if array is not None}
    store.checkpoint(key()).save(mixed, {**state, **other_state})
    assert not right()
    assert notes(capsys) == ["rollwise: what an earlier run has left does not fit this game; starting afresh"]
    assert store.checkpoint(key()).load() is None
    assert whole_but_for_folders(store)


def whole_but_for_folders(store: Store) -> bool:
    return [checked.verdict for checked in check(store)] == ["proved"]


def test_a_checkpoint_that_lacks_a_number_is_dropped(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    arrays, state = good_checkpoint()
    store.checkpoint(key()).save(arrays, {name: value for name, value in state.items() if name != "slack"})
    assert not right()
    assert len(notes(capsys)) == 1


def test_a_checkpoint_of_garbage_is_passed_over(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    arrays, state = good_checkpoint()
    store.checkpoint(key()).save(arrays, state)
    for file in (store.root / "checkpoints" / key()).iterdir():
        file.write_bytes(os.urandom(100))
    assert not right()
    assert not notes(capsys)
    assert whole_but_for_folders(store)


def test_a_checkpoint_of_all_levels_is_taken_whole(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.checkpoint(key()).save(*good_checkpoint())
    assert not right()
    assert notes(capsys) == ["rollwise: going on from where an earlier run was stopped"]
    assert whole_but_for_folders(store)


def test_the_entry_is_kept_when_the_checkpoint_cannot_be_removed(
    store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.cache.store.discard", failing(errno.EACCES))
    assert not right()
    assert not notes(capsys)
    assert right()


def test_the_fingerprint_parts_old_answers_from_new(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    right()
    now = rollwise.stored.identity
    monkeypatch.setattr(rollwise.stored, "identity", lambda game: {**now(game), "fingerprint": "0" * 32})
    assert not stored(pig(), quiet=True).cached
    assert len(store.entries()) == 2
