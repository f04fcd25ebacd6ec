"""What a killed export left is named by ``cache list``, and removed by the next export, wherever that goes."""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from rollwise.cache.store import Store
from rollwise.policy_tables.export import export
from rollwise.policy_tables.files import note_export, unfinished_exports, write_lock
from rollwise.policy_tables.table_writer import TableWriter
from tests.policy_tables.exports import names

Said = Callable[..., str]
pytestmark = pytest.mark.usefixtures("own_cache")


def killed(path: Path) -> None:
    """A process that writes this table is killed."""
    process = os.fork()
    if not process:
        with (
            write_lock(path, wait=False),
            note_export(path),
            TableWriter(path, "csv", pa.schema([pa.field("mine", pa.int64())])),
        ):
            signal.raise_signal(signal.SIGKILL)
    os.waitpid(process, 0)


def test_what_a_killed_export_left_is_named_and_goes_with_the_next_one(tmp_path: Path, said: Said) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for folder in (there, here):
        folder.mkdir()
    killed(there / "a.csv")
    assert len(names(there)) == 2
    for _ in range(2):  # to look removes nothing
        said("cache list", "Unfinished exports", f"{there}/a.csv")
        (row,) = (row for row in json.loads(said("cache list --json")) if row.get("holds") == "unfinished export")
        assert row["path"] == f"{there}/a.csv"
    export("pig", here / "b.csv", params={"target": 3})
    assert names(there) == []
    assert "not finished" not in said("cache list")
    assert list((Store().root / "exports").iterdir()) == []


def test_cache_clear_removes_it_too_and_the_folder_of_one_for_standard_output(said: Said) -> None:
    scratch = Path(tempfile.mkdtemp(prefix="rollwise-"))
    killed(scratch / "table.csv")
    said("cache clear pig", "bytes freed")
    assert not scratch.exists()
    assert unfinished_exports() == []


def test_a_note_that_names_no_file_is_forgotten(said: Said) -> None:
    folder = Store().root / "exports"
    folder.mkdir(parents=True)
    notes: list[object] = ["a\0/b", "/a\0/b", "/\ud800", "a/b", 7, [], None]
    for said_there in notes:
        (folder / "x.json").write_text(json.dumps(said_there))
        (folder / "x.lock").touch()
        said("cache list")
        said("cache clear pig", "bytes freed")
        assert list(folder.iterdir()) == [], said_there


def test_what_somebody_is_writing_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    killed(path)
    with write_lock(path, wait=True), note_export(path):
        aside = tmp_path / ".a.csv.tmp-1234"
        aside.touch()
        assert unfinished_exports() == []
        export("pig", tmp_path / "b.csv", params={"target": 3})
        assert aside.exists()


def test_a_cache_that_cannot_be_written_stops_no_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLWISE_CACHE", "/dev/null/none")
    with note_export(tmp_path / "a.csv"):
        assert unfinished_exports() == []
