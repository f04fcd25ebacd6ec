"""Two exports of one file at once, and what a killed one leaves: the file is whole, and nothing stays beside it."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import filelock
import pyarrow as pa
import pytest

import rollwise.exporting.files as files_module
import rollwise.exporting.rows as rows_module
from rollwise.exporting.files import TableFile, alone, left_beside
from rollwise.exporting.reading import read_table
from rollwise.exporting.writing import Exported, export
from rollwise.solver.game.errors import BadInput, RollwiseError

ROUNDS = 8
WAITING = "rollwise: another export is writing {}; waiting for it (Ctrl-C to stop)\n"
Asked = tuple[int, dict[str, Any]]  # target of pig, slice
ONE: Asked = (7, {})
OTHER: Asked = (7, {"mine": 4})


@pytest.fixture
def _in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many batches, and a pause after each, so that exports that begin together overlap."""
    write = TableFile.write

    def written(self: TableFile, batch: Any) -> None:
        write(self, batch)
        time.sleep(0.001)

    monkeypatch.setattr(rows_module, "MOVES_A_BATCH", 20)
    monkeypatch.setattr(files_module, "ROW_GROUP", 30)
    monkeypatch.setattr(TableFile, "write", written)


def made(path: Path, asked: Asked, file_format: str) -> Exported:
    return export("pig", path, {"target": asked[0]}, format=file_format, **asked[1])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def content(path: Path) -> tuple[bytes, dict[str, Any] | None]:
    """The table as it lies there, and the description beside it."""
    beside = path.with_name(f"{path.name}.meta.json")
    return path.read_bytes(), json.loads(beside.read_text()) if beside.exists() else None


def in_threads(*tasks: Callable[[], Any]) -> list[Any]:
    """What the tasks return, or raise, begun at once."""
    barrier, results = threading.Barrier(len(tasks)), [None] * len(tasks)

    def run(place: int, task: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            results[place] = task()
        except Exception as error:
            results[place] = error  # type: ignore[call-overload]

    threads = [threading.Thread(target=run, args=(place, task)) for place, task in enumerate(tasks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def schema() -> Any:
    return pa.schema([pa.field("mine", pa.int64())])


def without_locks(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    acquire = filelock.FileLock.acquire

    def refuse(self: Any, *args: Any, **more: Any) -> Any:
        if Path(self.lock_file).name.startswith("."):  # not those of the cache
            raise error
        return acquire(self, *args, **more)

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)


# --- two at once -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_in_small_pieces")
@pytest.mark.parametrize("locked", [True, False], ids=["with locks", "without locks"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((ONE, "parquet"), (ONE, "parquet")),
        ((ONE, "parquet"), (OTHER, "parquet")),
        ((ONE, "csv"), (OTHER, "csv")),
        ((ONE, "jsonl"), (OTHER, "csv")),
        ((ONE, "parquet"), (OTHER, "jsonl")),
    ],
    ids=["the same", "two slices", "two slices as csv", "jsonl and csv", "parquet and jsonl"],
)
def test_two_threads_that_export_one_file_leave_one_whole_file(
    one: tuple[Asked, str],
    other: tuple[Asked, str],
    locked: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    right, sizes = [], []
    for number, wanted in enumerate((one, other)):
        alone_there = made(tmp_path / f"{number}.table", *wanted)
        right.append(content(alone_there.path))
        sizes.append((alone_there.rows, alone_there.bytes))
    capsys.readouterr()
    if not locked:
        without_locks(monkeypatch, NotImplementedError())
    for turn in range(ROUNDS):
        folder = tmp_path / f"round-{turn}"
        folder.mkdir()
        path = folder / "the.table"
        told = in_threads(lambda at=path: made(at, *one), lambda at=path: made(at, *other))  # type: ignore[misc]
        assert [getattr(each, "rows", each) for each in told] == [rows for rows, _ in sizes]
        assert [each.bytes for each in told] == [size for _, size in sizes]
        there = content(path)
        if locked:
            assert there in right
        assert there[0] in [table for table, _ in right]
        beside = ["the.table.meta.json"] if there[1] else []
        assert names(folder) == ["the.table", *beside]
    said = capsys.readouterr().err
    assert said == WAITING.format("the.table") * said.count("\n")
    assert locked or not said


SCRIPT = """
import os, pathlib, signal, sys, time
os.getpid = lambda: 12345
import rollwise.exporting.rows
from rollwise.exporting.files import TableFile
rollwise.exporting.rows.MOVES_A_BATCH = 20
write, replace, counts = TableFile.write, os.replace, {"write": 0, "replace": 0}
def die(): os.killpg(0, signal.SIGKILL)
%s
from rollwise.cli import main
sys.argv = ["rollwise", "export", *sys.argv[1:], "--json"]
main()
"""
TOGETHER = """
def written(self, batch):
    write(self, batch)
    time.sleep(0.01)
TableFile.write = written
pathlib.Path("ready-" + os.urandom(8).hex()).touch()
while len(list(pathlib.Path().glob("ready-*"))) < 2: time.sleep(0.001)
"""
IN_THE_MIDDLE = """
def written(self, batch):
    write(self, batch)
    if self.file_format != "parquet": self.sink.flush()
    counts["write"] += 1
    if counts["write"] == 3: die()
TableFile.write = written
"""
AT_A_RENAME = """
def replaced(old, new):
    counts["replace"] += "pig." in str(new)
    if counts["replace"] == %d: die()
    replace(old, new)
os.replace = replaced
"""


def start(folder: Path, doing: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT % doing, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_two_processes_of_one_number_write_one_after_the_other(suffix: str, tmp_path: Path) -> None:
    path, slices = tmp_path / f"pig.{suffix}", ("mine", "theirs")
    right = [content(made(tmp_path / f"{one}.{suffix}", (9, {one: 4}), suffix).path) for one in slices]
    at_work = tmp_path / "at work"
    at_work.mkdir()
    both = [start(at_work, TOGETHER, "pig", f"{one}=4", "-p", "target=9", "-o", str(path)) for one in slices]
    told = [one.communicate(timeout=60) for one in both]
    assert [one.returncode for one in both] == [0, 0], told
    assert all(error in ("", WAITING.format(path.name)) for _, error in told)
    assert content(path) in right
    assert not [name for name in names(tmp_path) if name.startswith(".")]


def test_who_comes_second_says_so_and_writes_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pig.csv"
    path.write_text("what was there before")
    done: list[Exported] = []
    other = threading.Thread(target=lambda: done.append(made(path, OTHER, "csv")))
    with alone(path, wait=False) as mine:
        assert mine
        other.start()
        said, tries = "", 0
        while not said and tries < 3000 and other.is_alive():
            time.sleep(0.01)
            said, tries = capsys.readouterr().err, tries + 1
        assert said == WAITING.format("pig.csv")
        assert path.read_text() == "what was there before"
        assert not done
    other.join(timeout=60)
    assert done[0].rows == len(list(read_table(path)[0].rows(["mine"]))) > 0
    assert names(tmp_path) == ["pig.csv", "pig.csv.meta.json"]


def test_who_is_stopped_while_waiting_leaves_nothing_and_disturbs_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pig.csv"
    acquire = filelock.FileLock.acquire

    def stopped(self: Any, timeout: float = -1, **more: Any) -> Any:
        if timeout == -1:
            raise KeyboardInterrupt
        return acquire(self, timeout=timeout, **more)

    with alone(path, wait=False), TableFile(path, "csv", schema()) as first:
        before = names(tmp_path)
        monkeypatch.setattr(filelock.FileLock, "acquire", stopped)
        with pytest.raises(KeyboardInterrupt):
            made(path, ONE, "csv")
        assert names(tmp_path) == before
        first.finish({})
    assert names(tmp_path) == ["pig.csv", "pig.csv.meta.json"]


# --- what the dead have left, and the living -------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize(
    ("doing", "n_left"),
    [(IN_THE_MIDDLE, (1, 1)), (AT_A_RENAME % 1, (1, 2)), (AT_A_RENAME % 2, (0, 1))],
    ids=["in the middle", "before it is renamed", "before its description is renamed"],
)
def test_what_a_killed_export_has_left_goes_with_the_next_of_that_file(
    doing: str, n_left: tuple[int, int], suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"pig.{suffix}"
    one = export("pig", path, {"target": 9}, mine=3)
    right = content(path)
    killed = start(tmp_path, doing, "pig", "-p", "target=9", "-o", str(path))
    killed.communicate(timeout=60)
    if suffix == "parquet" and doing == AT_A_RENAME % 2:  # which has its description in it
        assert killed.returncode == 0
    else:
        assert killed.returncode == -signal.SIGKILL
        assert ".lock" in "".join(names(tmp_path))
    left = [name for name in names(tmp_path) if name.startswith(f".pig.{suffix}.tmp-")]
    assert len(left) == n_left[suffix != "parquet"]
    there = content(path)
    assert there == right or there[1] is None  # a description is that of the table
    assert export("pig", path, {"target": 9}, mine=3).rows == one.rows
    assert content(path) == right
    assert names(tmp_path) == [path.name, *([f"{path.name}.meta.json"] if right[1] else [])]


def test_what_a_living_export_has_begun_stays_wherever_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any) -> None:
        raise ProcessLookupError  # the process id of another container

    monkeypatch.setattr(os, "kill", unknown)
    path = tmp_path / "pig.csv"
    with alone(path, wait=False), TableFile(path, "csv", schema()) as first:
        before = names(tmp_path)
        assert len(before) == 2
        made(tmp_path / "other.csv", ONE, "csv")
        with alone(path, wait=False) as is_free:
            assert not is_free
        assert set(before) < set(names(tmp_path))
        first.finish({})
    assert names(tmp_path) == ["other.csv", "other.csv.meta.json", "pig.csv", "pig.csv.meta.json"]


def test_a_name_of_any_signs_is_cleared_and_no_other_that_looks_alike(tmp_path: Path) -> None:
    path = tmp_path / "a[1]*.csv"
    gone = [tmp_path / f".{path.name}.tmp-{token}" for token in ("0a1b2c3d4e5f6789", "4711")]
    others = [
        tmp_path / name
        for name in (".a1.csv.tmp-12", f".{path.name}.tmp-12.tmp-34", f"{path.name}.tmp-12", f".{path.name}.tmp-mine")
    ]
    for one in (*gone, *others):
        one.touch()
    made(path, ONE, "csv")
    assert names(tmp_path) == sorted([path.name, f"{path.name}.meta.json", *(one.name for one in others)])


def test_a_name_that_is_taken_is_nobody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda n: "00")
    without_locks(monkeypatch, NotImplementedError())
    path = tmp_path / "pig.csv"
    taken = tmp_path / ".pig.csv.tmp-00"
    taken.write_text("what another is writing")
    with pytest.raises(RollwiseError, match=r"pig.csv was not written: File exists"), TableFile(path, "csv", schema()):
        pass
    assert taken.read_text() == "what another is writing"
    with pytest.raises(BadInput, match="File exists"):
        made(path, ONE, "csv")
    assert taken.read_text() == "what another is writing"


@pytest.mark.parametrize("error", [NotImplementedError(), OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))])
def test_a_file_system_without_locks_keeps_what_may_be_of_the_living_for_a_day(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_locks(monkeypatch, error)
    path = tmp_path / "pig.csv"
    old, new = (tmp_path / f".pig.csv.tmp-{token}" for token in ("01", "02"))
    for one, age in ((old, 25), (new, 23)):
        one.touch()
        os.utime(one, (time.time() - age * 3600,) * 2)
    made(path, ONE, "csv")
    assert names(tmp_path) == [new.name, "pig.csv", "pig.csv.meta.json"]


def test_a_lock_that_cannot_be_had_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_locks(monkeypatch, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    with pytest.raises(RollwiseError, match=r"pig.csv was not written: Permission denied$"):
        made(tmp_path / "pig.csv", ONE, "csv")
    assert not names(tmp_path)


def test_a_lock_can_be_waited_for_by_other_users_and_a_table_is_as_open_as_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        made(tmp_path / "pig.csv", ONE, "csv")
        with alone(tmp_path / "pig.csv", wait=False):
            (lock,) = left_beside(tmp_path / "pig.csv", locks=True)
            assert lock.stat().st_mode & 0o777 == 0o666
    finally:
        os.umask(before)
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in names(tmp_path)} == {0o640}
