"""``export --output -``: the table alone goes to standard output, whole; whoever reads it may leave early."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import rollwise
from rollwise.policy_tables import export as writing
from rollwise.policy_tables.export import Exported
from rollwise.questions.export import to_standard_output
from rollwise.solver.model.errors import BadInput, RollwiseError

Run = Callable[..., tuple[int, str, str]]
PIG = ("export", "pig", "-p", "target=6")


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files that are nobody's are made."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize(("place", "file_format"), [("-o", "csv"), ("--output", "jsonl")])
def test_a_table_goes_to_standard_output_as_it_would_to_a_file(
    place: str, file_format: str, run: Run, tmp_path: Path, scratch: Path
) -> None:
    rollwise.export("pig", tmp_path / "table", params={"target": 6}, format=file_format, turn=2)
    assert run(*PIG, "turn=2", place, "-", "--format", file_format) == (0, (tmp_path / "table").read_text(), "")
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("words", [(), ("--format", "parquet"), ("--format", "xml")], ids=" ".join)
def test_a_format_that_is_no_text_is_refused_before_anything_is_solved(
    words: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "answer_from_solution", lambda *_: pytest.fail("something was solved"))
    error = f"error: to standard output a table goes as csv or jsonl, got {' '.join(words) or 'no --format'}\n"
    hint = "hint: rollwise export pig -p target=6 -o - --format csv\n"
    assert run(*PIG, "-o", "-", *words) == (2, "", error + hint)


def test_json_and_a_table_do_not_share_standard_output(run: Run) -> None:
    code, out, err = run(*PIG, "-o", "-", "--format", "csv", "--json")
    assert (code, out) == (2, "")
    assert "both want standard output" in json.loads(err)["message"]


def test_an_export_that_fails_halfway_prints_nothing(capfd: pytest.CaptureFixture[str], scratch: Path) -> None:
    def halfway(path: Path) -> Exported:
        path.write_text("half a")
        raise RollwiseError("the disk is full")

    with pytest.raises(RollwiseError, match="the disk is full"):
        to_standard_output("csv", halfway)
    assert capfd.readouterr().out == ""
    assert list(scratch.iterdir()) == []


def test_a_table_of_the_name_of_standard_output_can_still_be_written_from_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rollwise.export("pig", "-", params={"target": 4}, format="csv")
    assert Path("-").exists()
    with pytest.raises(BadInput, match="ends in none of"):
        rollwise.export("pig", "-", params={"target": 4})


def test_a_reader_that_leaves_early_ends_an_export_quietly() -> None:
    words = ["rollwise", "export", "pig", "-p", "target=12", "-o", "-", "--format", "jsonl"]
    script = f"import sys; sys.argv = {words}; from rollwise.cli import main; main()"
    reader, writer = os.pipe()
    with subprocess.Popen([sys.executable, "-c", script], stdout=writer, stderr=subprocess.PIPE, text=True) as done:
        os.close(writer)
        assert os.read(reader, 100)
        os.close(reader)
        assert done.stderr is not None
        assert (done.stderr.read(), done.wait()) == ("", 1)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("rules pig >&-", 1, "error: the answer cannot be written: Bad file descriptor\n"),
        pytest.param("quiz pig -p target=6 <&- >/dev/null", 0, "", marks=pytest.mark.thorough),
        pytest.param("ask pig mine=no 2>&-", 2, "", marks=pytest.mark.thorough),
    ],
)
def test_a_stream_that_is_closed_is_no_reason_to_fall_over(words: str, code: int, said: str) -> None:
    line = f"exec {sys.executable} -m rollwise {words}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (code, said)


def test_a_cache_in_the_home_of_nobody_is_told_in_a_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLWISE_CACHE", "~nosuchuser/x")
    told = "error: ROLLWISE_CACHE is ~nosuchuser/x, and there is no such user here\n"
    assert run("ask", "pig", "mine=3", "theirs=4", "turn=5") == (1, "", told)
