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


Asks = Callable[..., None]


@pytest.fixture
def asks(capsys: pytest.CaptureFixture[str]) -> Asks:
    """Asks: the answer is right, comes from the cache or not, and a note is made of each of ``told``, no other."""

    def asks(cached: bool, *told: str) -> None:
        advice = ask("pig", GAME, **QUESTION)
        assert advice.lower is not None
        assert advice.upper is not None
        assert advice.lower <= TRUE <= advice.upper < advice.lower + 1e-9
        assert advice.facts["cached"] == cached
        notes = capsys.readouterr().err.splitlines()
        assert len(notes) == len(told), notes
        for note, part in zip(notes, told, strict=True):
            assert part in note

    return asks


def pig() -> TurnGame:
    made = game("pig", GAME)
    assert isinstance(made, TurnGame)
    return made


def key() -> str:
    return Store().key("pig", identity(pig()))


def require_whole(store: Store) -> None:
    """The entry is there, proved, and alone: nothing half written lies about, and nothing begun."""
    assert [checked.verdict for checked in check(store)] == ["proved"]
    assert leftovers(store) == []
    assert list((store.root / "checkpoints").glob("*")) == []


def leftovers(store: Store) -> list[Path]:
    return [path for path in store.root.rglob(".*") if store.root.is_dir()]


def failing(code: int) -> Callable[..., Any]:
    def fails(*_: Any, **__: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return fails


def test_a_question_is_solved_once_and_then_answered_from_the_cache(store: Store, asks: Asks) -> None:
    assert ask("pig", GAME, exact=True, **QUESTION).exact == "11137/13942"
    asks(True)
    require_whole(store)


# --- damage -----------------------------------------------------------------------------------------------------------


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-9] ^= 64
    file.write_bytes(content)


def make_a_file(folder: Path) -> None:
    folder.rename(folder.with_name("aside"))
    folder.write_text("no folder")


HARMS: dict[str, Callable[[Path], object]] = {
    "values.npy": flip,
    "radius.npy": lambda file: os.truncate(file, file.stat().st_size - 1),
    "turn_child.npy": flip,
    "turn_weight.npy": Path.unlink,
    "manifest.json": lambda file: file.write_text('{"format": 1}'),
    "": make_a_file,
}


@pytest.mark.parametrize("name", HARMS, ids=lambda name: name or "a file for the folder")
def test_damage_is_noticed_and_mended(name: str, store: Store, asks: Asks) -> None:
    asks(False)
    HARMS[name](store.root / key() / name)
    asks(False, f"rollwise: cache entry {key()} is damaged: {name}")
    asks(True)
    require_whole(store)


@pytest.mark.parametrize("file", ["values.npy", "turn_child.npy"])
def test_damage_that_cannot_be_mended_is_lived_with(
    file: str, store: Store, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks(False)
    flip(store.root / key() / file)
    monkeypatch.setattr(os, "rename", failing(errno.EROFS))
    monkeypatch.setattr(Path, "mkdir", failing(errno.EROFS))
    asks(False, "is damaged", "Read-only")
    asks(False, "Read-only")


# --- no room, no rights ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "code"),
    [("_write_array", errno.ENOSPC), ("_write_file", errno.EDQUOT), ("_move_into_place", errno.EIO)],
)
def test_a_full_disk_costs_the_entry_and_not_the_answer(
    at: str, code: int, store: Store, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(folders, at, failing(code))
        for _ in range(2):
            asks(False, f"{os.strerror(code)}; ROLLWISE_CACHE chooses another folder; the answer is not kept")
            assert [path.name for path in store.root.iterdir()] == ["locks"]
    asks(False)
    require_whole(store)


def test_a_disk_that_fills_up_in_the_middle_leaves_nothing(
    store: Store, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, written = folders._write_array, []

    def write(path: Path, array: Any) -> Any:
        written.append(path)
        if len(written) > 3:
            path.write_bytes(b"\x93NUMPY")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, array)

    monkeypatch.setattr(folders, "_write_array", write)
    asks(False, "No space left")
    assert [path.name for path in store.root.iterdir()] == ["locks"]


@pytest.mark.parametrize("name", ["", "deeper/still"])
def test_a_cache_that_is_a_file_is_done_without(
    name: str, tmp_path: Path, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "file" / name))
    asks(False, "solving without the cache")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_cache_that_cannot_be_written_is_done_without(
    store: Store, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "mkdir", failing(errno.EACCES))
    asks(False, "Permission denied")
    assert not store.root.exists()


def test_a_cache_that_cannot_be_read_is_done_without(store: Store, asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    asks(False)
    with monkeypatch.context() as barred:
        barred.setattr("rollwise.cache.store.read_folder", failing(errno.EACCES))
        asks(False, "Permission denied")
    asks(True)
    require_whole(store)


def test_a_cache_that_can_only_be_read_still_answers(asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    asks(False)
    monkeypatch.setattr(os, "rename", failing(errno.EROFS))
    monkeypatch.setattr(Path, "mkdir", failing(errno.EROFS))
    asks(True)


def test_the_fingerprint_parts_old_answers_from_new(store: Store, asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    asks(False)
    now = rollwise.stored.identity
    monkeypatch.setattr(rollwise.stored, "identity", lambda game: {**now(game), "fingerprint": "0" * 32})
    assert not stored(pig(), quiet=True).cached
    assert len(store.entries()) == 2


# --- what an earlier run has left -------------------------------------------------------------------------------------

Checkpoint = tuple[dict[str, Any], dict[str, Any]]
GOES_ON = "rollwise: going on from where an earlier run was stopped"


@pytest.fixture(scope="module")
def solved() -> Checkpoint:
    """A checkpoint of all levels."""
    solver = BoardSolver(pig(), compile_turn(pig()))
    solver.solve()
    return solver.checkpoint()


@pytest.mark.parametrize(
    ("arrays", "state"),
    [({"waits": None}, {}), ({"value": np.zeros(7)}, {}), ({}, {"level": "3"}), ({}, {"slack": None})],
)
def test_a_checkpoint_that_does_not_fit_is_dropped(
    arrays: dict[str, Any], state: dict[str, Any], solved: Checkpoint, store: Store, asks: Asks
) -> None:
    parts = ({**whole, **other} for whole, other in zip(solved, (arrays, state), strict=True))
    mixed = [{name: of for name, of in part.items() if of is not None} for part in parts]
    store.checkpoint(key()).save(mixed[0], mixed[1])
    asks(False, "rollwise: what an earlier run has left does not fit this game; starting afresh")
    require_whole(store)


def test_a_checkpoint_of_garbage_is_passed_over(solved: Checkpoint, store: Store, asks: Asks) -> None:
    store.checkpoint(key()).save(*solved)
    for file in (store.root / "checkpoints" / key()).iterdir():
        file.write_bytes(os.urandom(100))
    asks(False)
    require_whole(store)


def test_a_checkpoint_of_all_levels_is_taken_whole(solved: Checkpoint, store: Store, asks: Asks) -> None:
    store.checkpoint(key()).save(*solved)
    asks(False, GOES_ON)
    require_whole(store)


def test_the_entry_is_kept_when_the_checkpoint_cannot_be_removed(asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.cache.store.discard", failing(errno.EACCES))
    asks(False)
    asks(True)


# --- two at once, and sudden ends ------------------------------------------------------------------------------------

HEAD = """
import errno, json, os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # it hears Ctrl-C even where the tests do not hear it
import rollwise, rollwise.stored
from rollwise.cache import folders
from rollwise.solver.boards import component, sweep
from rollwise.solver.order import saving
"""
ASK = f"advice = rollwise.ask('pig', {GAME}, **{QUESTION})\nprint(json.dumps([advice.value, advice.facts['cached']]))"


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
real = rollwise.stored._write
def keep(*arguments):
    time.sleep(1.0)
    real(*arguments)
rollwise.stored._write = keep
"""
    processes = [start(slowly + ASK, store) for _ in range(2)]
    ends = [process.communicate(timeout=PATIENCE) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ends
    answers = [json.loads(out) for out, _ in ends]
    assert [value for value, _ in answers] == pytest.approx([TRUE, TRUE], abs=1e-9)
    assert sorted(cached for _, cached in answers) == [False, True]
    assert sum("another process is solving" in said for _, said in ends) <= 1
    require_whole(store)


# Each child asks with a cache of its own, and kills itself at one place.
KILLED = ["before anything is written", "in the middle of an array", "just before the rename"]
KILLING = f"""
def kill(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)
def write_half(path, array):
    path.write_bytes(b'half')
    kill()
places = [(rollwise.stored, '_write', kill), (folders, '_write_array', write_half), (folders, '_move_into_place', kill)]
for when, (module, name, instead) in zip({KILLED}, places):
    if not os.fork():
        os.environ['ROLLWISE_CACHE'] += '/' + when
        setattr(module, name, instead)
        {ASK.replace(chr(10), "; ")}
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == -signal.SIGKILL
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the caches of those who were killed."""
    folder = tmp_path_factory.mktemp("killed")
    process = start(KILLING, Store(folder))
    assert (process.communicate(timeout=PATIENCE), process.returncode) == (("", ""), 0)
    return folder


@pytest.mark.parametrize("when", KILLED)
def test_a_killed_solve_leaves_nothing_that_could_be_taken_for_a_result(
    when: str, killed: Path, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLWISE_CACHE", str(killed / when))
    store = Store()
    assert (store.entries(), store.read(key())) == ([], None)
    asks(False)
    assert [checked.verdict for checked in check(store)] == ["proved"]
    asks(True)
    assert all(path.name.startswith(".tmp-") for path in leftovers(store) if path.parent == store.root)
    store.clear()
    assert not leftovers(store)


# --- stopped and taken up again ---------------------------------------------------------------------------------------

LONG: dict[str, Any] = {"target": 100}  # five thousand boards a step, three steps: a checkpoint after each
OFTEN = f"""
saving.EVERY = -1.0
saved = sweep.BoardSolver.maybe_save
def save(self):
    saved(self)
    print('there', flush=True)
    time.sleep(600)
sweep.BoardSolver.maybe_save = save
rollwise.solve('pig', {LONG})
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_a_stopped_solve_is_taken_up_where_it_was(
    number: int, store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = stopped(start(OFTEN, store), number)
    assert ("the same command goes on from there" in said) == (number == signal.SIGINT)
    assert store.entries() == []
    taken_up: list[int] = []

    def resume(self: BoardSolver, *begun: Any) -> None:
        back(self, *begun)
        taken_up.append(int((self.level_of >= (self.done_level or 0)).sum()))

    back = BoardSolver.resume
    monkeypatch.setattr(BoardSolver, "resume", resume)
    again = solve("pig", LONG)
    assert GOES_ON in capsys.readouterr().err
    assert taken_up[0] > 1000
    assert not again.facts["cached"]
    require_whole(store)
    store.clear()
    fresh = solve("pig", LONG)
    assert fresh.value == pytest.approx(again.value, abs=1e-12)
    assert again.lower is not None
    assert again.upper is not None
    assert again.lower <= fresh.value <= again.upper


def test_workers_in_step_hear_ctrl_c(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    """A component of many boards, swept by two compiled workers: all of them stop, and the sweeps so far are kept."""
    script = """
saving.EVERY = -1.0
sweep.PLAIN_WORK = 0
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
rollwise.solve('piggy-six', {'target': 40})
"""
    process, began = start(script, store), time.monotonic()
    while not list((store.root / "checkpoints").glob("piggy-six-*")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    assert "stopped; what is done is kept" in said
    assert store.entries() == []
    assert solve("piggy-six", {"target": 40}).facts["cached"] is False
    assert GOES_ON in capsys.readouterr().err
    assert [checked.verdict for checked in check(store)] == ["proved"]


def test_ctrl_c_waits_for_a_worker_that_is_saving(store: Store, asks: Asks) -> None:
    """Cut off between its two renames, that worker would leave no checkpoint under its name."""
    script = """
saving.EVERY = -1.0
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
sweep.BoardSolver.solve = solve
"""
    assert "stopped; what is done is kept" in stopped(start(script + ASK, store))
    assert store.checkpoint(key()).load() is not None
    asks(False, GOES_ON)


def test_what_could_not_be_kept_is_not_said_to_be(store: Store) -> None:
    script = """
def full(*arguments):
    raise OSError(errno.ENOSPC, 'No space left on device')
folders._write_file = full
def solve(self, progress, save):
    print('there', flush=True)
    time.sleep(600)
sweep.BoardSolver.solve = solve
"""
    said = stopped(start(script + ASK, store))
    assert "No space left" in said
    assert "is kept" not in said
