"""Nothing of the user's is written over unasked; what this program wrote of the same kind is."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import rollwise
from rollwise.policy_tables.export import export

Said = Callable[..., str]
PIG = "-p target=3"
THEIRS = "what somebody has written"
WRITERS = {
    "a.parquet": f"export pig {PIG} -o",
    "a.csv": f"export pig {PIG} -o",
    "a.jsonl": f"export pig {PIG} -o",
    "a.txt": "card yahtzee -o",
    "a.md": "card yahtzee -o",
    "card.csv": "card yahtzee -o",
    "claims.md": "verify --claims sheet.toml -o",
    "game.jsonl": f"play pig {PIG} --save",
}


SHEET = """
[[claim]]
id = "six"
statement = "A die shows a six."
stated = "1/6"
throw = { dice = 1, text = "a 6" }
"""


@pytest.fixture(scope="module")
def made() -> rollwise.Card:
    return rollwise.card("yahtzee")


@pytest.fixture(autouse=True)
def _in_a_folder(made: rollwise.Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rollwise.questions.card.compute.card", lambda *_, **__: made)
    Path("sheet.toml").write_text(SHEET)
    monkeypatch.setattr(sys, "stdin", io.StringIO())


@pytest.mark.parametrize("file", WRITERS)
def test_over_what_is_ours_and_of_the_same_kind_and_over_nothing_else(file: str, said: Said, tmp_path: Path) -> None:
    command = f"{WRITERS[file]} {file}"
    theirs, link = tmp_path / "theirs", Path(file)
    theirs.write_text(THEIRS)
    link.symlink_to(theirs)
    error = said(command, f"error: {file} is there already, and is no ", "--force (force=True)\nhint: ", code=2)
    assert error.endswith(" --force\n")
    assert theirs.read_text() == THEIRS
    said(f"{command} --force")
    assert theirs.read_bytes() != THEIRS.encode()
    said(command)  # ours by now, through the link too
    assert link.is_symlink()
    whole = Path(file).read_bytes()
    for other in {WRITERS[name].partition(" ")[0]: WRITERS[name] for name in WRITERS}.values():
        if other.split()[0] != WRITERS[file].split()[0]:
            form = " --format csv" if other.startswith("export") else ""
            said(f"{other} {file}{form}", "is there already", code=2)
    assert Path(file).read_bytes() == whole
    theirs.write_text("")
    said(command)  # an empty file is nobody's
    assert theirs.stat().st_size


def test_a_file_beside_a_table_makes_no_other_table_ours_and_may_be_somebodys_itself(tmp_path: Path) -> None:
    export("pig", "a.csv", params={"target": 3})
    Path("c.csv").write_bytes(Path("a.csv").read_bytes())  # perhaps changed, too
    Path("a.csv").write_text("name,mark\nAnn,1\n")
    Path("b.csv.meta.json").write_text('{"mine": 1}')
    for name in ("a.csv", "b.csv", "c.csv"):
        with pytest.raises(rollwise.BadInput, match=r"is there already, and is no (description of a )?table"):
            export("pig", name, params={"target": 3})
    assert Path("b.csv.meta.json").read_text() == '{"mine": 1}'
    assert not Path("b.csv").exists()


def test_a_file_that_came_while_it_was_solved_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    from rollwise.policy_tables.decision_rows import DecisionRows

    schema = DecisionRows.schema
    monkeypatch.setattr(DecisionRows, "schema", lambda rows: Path("a.csv").write_text(THEIRS) and schema(rows))
    with pytest.raises(rollwise.BadInput, match="is there already"):
        export("pig", "a.csv", params={"target": 3})
    assert sorted(path.name for path in Path().iterdir()) == ["a.csv", "sheet.toml"]
    assert Path("a.csv").read_text() == THEIRS


def test_a_folder_with_other_files_is_written_into_where_that_is_said(said: Said, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text(THEIRS)
    command = f"export pig {PIG} -o notes/"
    assert said(command, "notes is not empty", code=2).endswith(f"hint: rollwise {command} --into\n")
    said(f"{command} --into")
    said(command)  # it is ours by now
    shutil.copyfile("notes/level-000.parquet", "level-000.parquet")
    said(f"export pig {PIG} -o ./")  # a level lies there
    import pyarrow.parquet as pq

    pq.write_table(pq.read_table("level-000.parquet").replace_schema_metadata(None), "notes/level-001.parquet")
    said(command, "error: notes/level-001.parquet is there already", code=2)
    said(f"{command} --force")


@pytest.mark.parametrize(
    "output", ["a.csv", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("a.jsonl", "a.parquet")), "a/"]
)
def test_a_table_of_another_game_or_rule_or_slice_is_named_and_stays(output: str, said: Said, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    said(f"export pig {PIG} mine=1 -o {output}")
    first = min(path for path in (tmp_path.glob("a/*") if output == "a/" else [tmp_path / output]))
    whole, told = first.read_bytes(), f"error: {first.relative_to(tmp_path)} is there already, of pig target=3 mine=1: "
    others = [f"pig {PIG}", f"pig {PIG} mine=2", "pig -p target=4 mine=1", f"piggy-six {PIG}"]
    for other in others + [f"pig {PIG} mine=1 --levels 1"] * (output != "a/"):
        said(f"export {other} -o {output}", f"{told}give another name, or --force (force=True)\nhint: ", code=2)
    assert first.read_bytes() == whole
    said(f"export pig {PIG} mine=1 -o {output}")  # the same, written anew
    said(f"export pig {PIG} -o {output} --force")
    assert first.read_bytes() != whole


def test_what_has_the_name_of_a_level_or_stands_beside_one_stays_too(said: Said, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    level, beside = (tmp_path / "notes" / f"level-000.parquet{end}" for end in ("", ".meta.json"))
    for path in (level, beside):
        path.write_text(THEIRS)
    said(f"export pig {PIG} -o notes/ --into", "error: notes/level-000.parquet is there already", code=2)
    assert level.read_text() == THEIRS
    said(f"export pig {PIG} -o notes/ --into --force")
    assert (level.read_bytes()[:4], beside.read_text()) == (b"PAR1", THEIRS)


def test_play_asks_before_it_writes_over(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.txt", "b.txt"):
        Path(name).write_text(THEIRS)
    typed = "1\nsave a.txt\nn\nsave b.txt\ny\nquit\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    said(f"play pig {PIG}", "a.txt is there already", "a.txt stays as it is", "b.txt is there", "Saved: b.txt")
    assert Path("a.txt").read_text() == THEIRS
    assert len(rollwise.Match.load("b.txt").record()) > 1

    Path("a.txt").write_text(THEIRS)
    monkeypatch.setattr(sys, "stdin", io.StringIO("save a.txt\nquit\n"))
    assert "is there already" not in said(f"play pig {PIG} --force --save c.jsonl")
    assert Path("a.txt").read_text() != THEIRS
    Path("a.txt").write_text(THEIRS)

    match = rollwise.Match("pig", params={"target": 3})
    with pytest.raises(rollwise.BadInput, match="is no record"):
        match.save("a.txt")
    match.save("a.txt", force=True)
    match.save("a.txt")
