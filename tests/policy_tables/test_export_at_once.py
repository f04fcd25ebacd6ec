"""Two exports of one file at once, and what one has begun: the file is whole, and nothing stays beside it.

What processes do that are killed, or that share the work, is in ``test_export_processes.py``.
"""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Any

import filelock
import pyarrow as pa
import pytest

from rollwise.cache.files import list_asides
from rollwise.policy_tables.export import Exported, export
from rollwise.policy_tables.files import write_lock
from rollwise.policy_tables.table_writer import TableWriter
from rollwise.solver.model.errors import BadInput, RollwiseError
from tests.policy_tables.exports import names

SCHEMA = pa.schema([pa.field("mine", pa.int64())])
DESCRIBED = ["pig.csv", "pig.csv.meta.json"]


def made(path: Path, file_format: str = "csv", **state: Any) -> Exported:
    return export("pig", path, params={"target": 7}, format=file_format, **state)


def without_locks(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """No file beside an export can be locked; those of the cache can."""
    acquire = filelock.FileLock.acquire

    def refuse(self: Any, *args: Any, **more: Any) -> Any:
        if Path(self.lock_file).name.startswith("."):
            raise error
        return acquire(self, *args, **more)

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)


def test_who_is_stopped_while_waiting_leaves_nothing_and_disturbs_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pig.csv"
    acquire = filelock.FileLock.acquire

    def stopped(self: Any, timeout: float = -1, **more: Any) -> Any:
        if timeout == -1:
            raise KeyboardInterrupt
        return acquire(self, timeout=timeout, **more)

    with write_lock(path, wait=False), TableWriter(path, "csv", SCHEMA) as first:
        before = names(tmp_path)
        monkeypatch.setattr(filelock.FileLock, "acquire", stopped)
        with pytest.raises(KeyboardInterrupt):
            made(path)
        assert names(tmp_path) == before
        first.finish({})
    assert names(tmp_path) == DESCRIBED


def test_a_file_is_written_by_one_at_a_time_and_what_the_dead_left_goes(tmp_path: Path) -> None:
    path = tmp_path / "level-000.parquet"
    left = tmp_path / ".level-000.parquet.tmp-0123456789abcdef"
    left.touch()
    with write_lock(path, wait=False) as mine:
        assert mine
        assert not left.exists()
        with write_lock(path, wait=False) as theirs:
            assert not theirs
    assert not names(tmp_path)


def test_a_name_of_any_signs_is_cleared_and_no_other_that_looks_alike(tmp_path: Path) -> None:
    path = tmp_path / "a[1]*.csv"
    gone = [f".{path.name}.tmp-{token}" for token in ("0a1b2c3d4e5f6789", "4711")]
    others = [".a1.csv.tmp-12", f".{path.name}.tmp-12.tmp-34", f"{path.name}.tmp-12", f".{path.name}.tmp-mine"]
    for one in (*gone, *others):
        (tmp_path / one).touch()
    made(path)
    assert names(tmp_path) == sorted([path.name, f"{path.name}.meta.json", *others])


def test_a_name_that_is_taken_is_nobody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda n: "00")
    without_locks(monkeypatch, NotImplementedError())
    path, taken = tmp_path / "pig.csv", tmp_path / ".pig.csv.tmp-00"
    taken.write_text("what another is writing")
    with pytest.raises(RollwiseError, match=r"pig.csv was not written: File exists"), TableWriter(path, "csv", SCHEMA):
        pass
    with pytest.raises(BadInput, match="File exists"):
        made(path)
    assert taken.read_text() == "what another is writing"


@pytest.mark.parametrize("error", [NotImplementedError(), OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))])
def test_a_file_system_without_locks_keeps_what_may_be_of_the_living_for_a_day(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_locks(monkeypatch, error)
    for token, age in (("01", 25), ("02", 23)):
        left = tmp_path / f".pig.csv.tmp-{token}"
        left.touch()
        os.utime(left, (time.time() - age * 3600,) * 2)
    made(tmp_path / "pig.csv")
    assert names(tmp_path) == [".pig.csv.tmp-02", *DESCRIBED]


def test_a_lock_that_cannot_be_had_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_locks(monkeypatch, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    with pytest.raises(RollwiseError, match=r"pig.csv was not written: Permission denied$"):
        made(tmp_path / "pig.csv")
    assert not names(tmp_path)


def test_a_lock_can_be_waited_for_by_other_users_and_a_table_is_as_open_as_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = made(tmp_path / "pig.csv").path
        with write_lock(path, wait=False):
            (lock,) = list_asides(path, locks=True)
            assert lock.stat().st_mode & 0o777 == 0o666
    finally:
        os.umask(before)
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in names(tmp_path)} == {0o640}
