"""Where an export can be written and where not, which is said before anything is solved."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import rollwise.policy_tables.export as writing_module
from rollwise.parsing.validate import parse_game
from rollwise.policy_tables.export import export
from rollwise.policy_tables.overwrite import write_text
from rollwise.policy_tables.table_reader import read_table
from rollwise.policy_tables.table_writer import TableWriter
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, RollwiseError
from tests.policy_tables.exports import names, no_solution

NOBODY = 65534


@pytest.fixture
def folder_of_root() -> Iterator[Callable[[int], Path]]:
    """A folder of this mode with a file and a link to it; from then on root works as a user without rights."""
    made = Path(tempfile.mkdtemp())

    def prepare(mode: int) -> Path:
        (made / "pig.csv").write_text("what was there before")
        (made / "link.csv").symlink_to("pig.csv")
        made.chmod(mode)
        kind_of(parse_game("pig"))  # loaded by root: the sources may lie where nobody else can read
        np.unique([0])  # which loads more of NumPy
        if os.geteuid() == 0:
            os.seteuid(NOBODY)
        return made

    before = os.geteuid()
    yield prepare
    os.seteuid(before)
    made.chmod(0o755)
    shutil.rmtree(made)


def refused(output: Path | str) -> str:
    """What is said, in one line, before anything is solved."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing_module, "answer_from_solution", no_solution)
        with pytest.raises(BadInput) as error:
            export("pig", output, params={"target": 5})
    return error.value.line()


def test_a_folder_that_cannot_be_written_is_refused(folder_of_root: Callable[[int], Path]) -> None:
    folder = folder_of_root(0o555)
    for output in (folder / "new.csv", folder / "pig.csv", folder / "link.csv"):
        assert refused(output) == f"error: {output} cannot be written: Permission denied"
    for output in (folder, folder / "sheets"):
        assert refused(f"{output}/") == f"error: in {output} nothing can be written: Permission denied"
    assert names(folder) == ["link.csv", "pig.csv"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the files of two users")
def test_a_file_that_only_its_owner_may_replace_is_refused(folder_of_root: Callable[[int], Path]) -> None:
    folder = folder_of_root(0o1777)
    for output in (folder / "pig.csv", folder / "link.csv"):
        assert refused(output).endswith("is another user's, in a folder where only they may replace it")
    with pytest.raises(AssertionError, match="solved for nothing"):
        refused(folder / "new.csv")
    assert names(folder) == ["link.csv", "pig.csv"]


def test_links_that_lead_nowhere_and_names_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "astray.csv").symlink_to("none/all.csv")
    (tmp_path / "farther.csv").symlink_to("none/at/all.csv")
    for output, said in {
        "loop.csv": "loop.csv is no ordinary file, so nothing can be renamed into its place",
        "loop.csv/": "is a file, not a folder",
        "astray.csv": f"there is no folder '{tmp_path}/none'",
        "farther.csv/": f"cannot be made: there is no folder '{tmp_path}/none/at'",
        "\udcff.csv": "cannot be written: 'utf-8' codec can't encode",
        "\udcff/": "nothing can be written: 'utf-8' codec can't encode",
        "a\0.csv": "output is a file, as text or a Path",
    }.items():
        assert said in refused(f"{tmp_path}/{output}")
    assert names(tmp_path) == ["astray.csv", "farther.csv", "loop.csv"]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for folder in (there, here):
        folder.mkdir()
    (there / "old.csv").write_text("what was there before")
    for name in ("old.csv", "new.csv"):
        (here / name).symlink_to(there / name)
        rows = export("pig", here / name, params={"target": 5}, force=True).rows
        assert len(list(read_table(there / name)[0].rows(["mine"]))) == rows
        assert (here / name).is_symlink()
    assert names(there) == ["new.csv", "new.csv.meta.json", "old.csv", "old.csv.meta.json"]
    assert names(here) == ["new.csv", "old.csv"]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_table_is_on_the_disk_before_it_has_its_name(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, int]] = []
    sync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        done.append(("synced", os.fstat(handle).st_ino))
        sync(handle)

    def replaced(old: Path, new: Path) -> None:
        done.append(("named", os.stat(old).st_ino))
        replace(old, new)

    size = export("pig", tmp_path / f"first.{suffix}", params={"target": 5}).bytes  # the solve writes too
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    export("pig", tmp_path / f"pig.{suffix}", params={"target": 5})
    inodes = sorted(path.stat().st_ino for path in tmp_path.glob("pig.*"))
    assert len(inodes) == (1 if suffix == "parquet" else 2)
    assert sorted(done[: len(inodes)]) == [("synced", inode) for inode in inodes]
    assert sorted(done[len(inodes) :]) == [("named", inode) for inode in inodes]
    assert size == (tmp_path / f"pig.{suffix}").stat().st_size


def test_a_description_goes_with_the_table_that_it_was_of(tmp_path: Path) -> None:
    for file_format, left in (("csv", ["policy", "policy.meta.json"]), ("parquet", ["policy"])):
        export("pig", tmp_path / "policy", params={"target": 5}, format=file_format)
        assert names(tmp_path) == left


def test_a_full_disk_takes_no_ledger_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ledger.md"
    path.write_text("what was there before")

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(RollwiseError, match=r"ledger.md was not written: No space left on device$"):
        write_text(path, "new")
    assert path.read_text() == "what was there before"
    assert names(tmp_path) == ["ledger.md"]
    monkeypatch.undo()
    (tmp_path / ".ledger.md.tmp-12").touch()  # of one that was killed
    assert write_text(path, "new").read_text() == "new"
    assert names(tmp_path) == ["ledger.md"]


def test_an_error_of_arrow_is_told_in_the_words_of_the_system(tmp_path: Path) -> None:
    with (
        pytest.raises(RollwiseError, match=r"not written: No such file or directory$"),
        TableWriter(tmp_path / "none" / "pig.csv", "csv", pa.schema([pa.field("mine", pa.int64())])),
    ):
        pass
