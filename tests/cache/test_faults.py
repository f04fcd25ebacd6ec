"""Whatever happens to the cache, the answer is right: the fault is made, and then the hope is tested."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import rollwise.solutions.lookup
from rollwise.cache import folders
from rollwise.cache.store import Store, StoreError
from rollwise.games.registry import game
from rollwise.questions.ask.compute import ask
from rollwise.solutions import in_memory
from rollwise.solutions.check import check
from rollwise.solutions.identity import identity
from rollwise.solutions.lookup import load_or_solve, require_stored
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
GAME: dict[str, Any] = {"target": 10}
QUESTION: dict[str, Any] = {"mine": 2, "theirs": 4, "turn": 3}
TRUE = 11137 / 13942  # 0.79880935303, as twenty lines of plain value iteration over (mine, theirs, turn) give it


@pytest.fixture(autouse=True)
def store(own_cache: Store, monkeypatch: Patch) -> Store:
    monkeypatch.setattr(rollwise.solutions.lookup, "_DROPPED_KEYS", set())
    return own_cache


def asks(capsys: Capture, cached: bool, *told: str) -> None:
    """Asks: the answer is right, comes from the cache or not, and a note is made of each of ``told``, no other."""
    advice = ask("pig", params=GAME, **QUESTION)
    assert advice.lower is not None
    assert advice.upper is not None
    assert advice.lower <= TRUE <= advice.upper < advice.lower + 1e-9
    assert advice.facts["cached"] == cached
    notes = capsys.readouterr().err.splitlines()
    assert len(notes) == len(told), notes
    for note, part in zip(notes, told, strict=True):
        assert part in note


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


def failing(code: int) -> Mock:
    return Mock(side_effect=OSError(code, os.strerror(code)))


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
def test_damage_is_noticed_and_mended(name: str, store: Store, capsys: Capture) -> None:
    asks(capsys, False)
    HARMS[name](store.root / key() / name)
    asks(capsys, False, f"rollwise: cache entry {key()} is damaged: {name}")
    asks(capsys, True)
    require_whole(store)


@pytest.mark.parametrize("file", ["values.npy", "turn_child.npy"])
def test_damage_that_cannot_be_mended_is_lived_with(
    file: str, store: Store, capsys: Capture, monkeypatch: Patch
) -> None:
    asks(capsys, False)
    flip(store.root / key() / file)
    monkeypatch.setattr(os, "rename", failing(errno.EROFS))
    monkeypatch.setattr(Path, "mkdir", failing(errno.EROFS))
    asks(capsys, False, "is damaged", "Read-only")
    asks(capsys, False)


NOT_KEPT = "ROLLWISE_CACHE chooses another folder; meanwhile answers stay in memory, for this process alone"


@pytest.mark.parametrize(
    ("of", "name", "code", "told", "left"),
    [
        (folders, "_write_array", errno.ENOSPC, f"No space left on device; {NOT_KEPT}", ["locks"]),
        (folders, "_write_file", errno.EDQUOT, f"Disk quota exceeded; {NOT_KEPT}", ["locks"]),
        (folders, "_move_into_place", errno.EIO, f"Input/output error; {NOT_KEPT}", ["locks"]),
        (Path, "mkdir", errno.EACCES, "Permission denied", []),
    ],
)
def test_a_full_or_barred_disk_costs_the_entry_and_not_the_answer(
    of: Any, name: str, code: int, told: str, left: list[str], store: Store, capsys: Capture, monkeypatch: Patch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(of, name, failing(code))
        for told_again in ([told], []):
            asks(capsys, False, *told_again)
            assert [path.name for path in store.root.glob("*") if path.name != "machine.json"] == left
            full.setattr(rollwise.solutions.lookup, "_solve", Mock(side_effect=AssertionError("it is solved once")))
        with pytest.raises(StoreError, match=os.strerror(code)):
            require_stored(pig())
    monkeypatch.setattr(in_memory, "_RESULTS", {})
    asks(capsys, False)
    require_whole(store)


def test_a_checkpoint_makes_room_for_the_entry(store: Store, capsys: Capture, monkeypatch: Patch) -> None:
    begun, real = store.checkpoint(key()), folders._write_array
    begun.save({"values": np.zeros(3)}, {})
    (place,) = (store.root / "checkpoints").iterdir()

    def write(path: Path, *how: Any) -> Any:
        if place.exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, *how)

    monkeypatch.setattr("rollwise.solutions.lookup._resume", lambda *_: 0.0)
    monkeypatch.setattr(folders, "_write_array", write)
    asks(capsys, False)
    require_whole(store)


@pytest.mark.parametrize("name", ["", "deeper/still"])
def test_a_cache_that_is_a_file_is_done_without(name: str, tmp_path: Path, capsys: Capture, monkeypatch: Patch) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "file" / name))
    asks(capsys, False, f"Not a directory; {NOT_KEPT}")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_user_without_a_home_is_answered_from_memory_and_told_once(
    capsys: Capture, monkeypatch: Patch, run: Callable[..., tuple[int, str, str]]
) -> None:
    monkeypatch.delenv("ROLLWISE_CACHE")
    monkeypatch.setattr("platformdirs.user_cache_path", Mock(side_effect=RuntimeError("could not determine the home")))
    monkeypatch.setattr(in_memory, "_NOTED_ERRORS", set())
    asks(capsys, False, "rollwise: nothing can be kept: this user has no home folder")
    asks(capsys, False)
    for command in ("list", "path", "size", "check"):
        code, out, err = run("cache", command)
        assert (code, out) == (1, "")
        assert err.startswith("error: nothing can be kept: this user has no home folder, and HOME names none; ")


def test_a_cache_that_cannot_be_read_is_done_without_and_one_that_only_can_be_read_answers(
    store: Store, capsys: Capture, monkeypatch: Patch
) -> None:
    asks(capsys, False)
    with monkeypatch.context() as barred:
        barred.setattr("rollwise.cache.store.read_folder", failing(errno.EACCES))
        asks(capsys, False, "Permission denied")
    monkeypatch.setattr(os, "rename", failing(errno.EROFS))
    monkeypatch.setattr(Path, "mkdir", failing(errno.EROFS))
    asks(capsys, True)
    require_whole(store)


Checkpoint = tuple[dict[str, Any], dict[str, Any]]
GOES_ON = "rollwise: going on from where an earlier run was stopped"
DAMAGED = "rollwise: what an earlier run has left is damaged: "


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
    arrays: dict[str, Any], state: dict[str, Any], solved: Checkpoint, store: Store, capsys: Capture
) -> None:
    parts = ({**whole, **other} for whole, other in zip(solved, (arrays, state), strict=True))
    mixed = [{name: of for name, of in part.items() if of is not None} for part in parts]
    store.checkpoint(key()).save(mixed[0], mixed[1])
    asks(capsys, False, "rollwise: what an earlier run has left does not fit this game; starting afresh")
    require_whole(store)


def test_a_checkpoint_of_all_levels_is_taken_whole_and_one_of_garbage_is_told_and_dropped(
    solved: Checkpoint, store: Store, capsys: Capture
) -> None:
    for told in ([GOES_ON], [DAMAGED]):
        store.checkpoint(key()).save(*solved, about={"seconds": 1000.0})
        for file in (store.root / "checkpoints" / key()).iterdir() if told == [DAMAGED] else ():
            file.write_bytes(os.urandom(100))
        asks(capsys, False, *told)
        require_whole(store)
        assert (load_or_solve(pig()).facts["seconds"] > 1000) == (told == [GOES_ON])
        store.clear()


def test_the_entry_is_kept_when_the_checkpoint_cannot_be_removed(capsys: Capture, monkeypatch: Patch) -> None:
    monkeypatch.setattr("rollwise.cache.store.discard", failing(errno.EACCES))
    asks(capsys, False)
    asks(capsys, True)
