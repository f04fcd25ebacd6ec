"""Exports: which decisions they list, that their numbers are those of ``ask``, and that nothing half-written stays."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import rollwise.policy_tables.export as writing_module
from rollwise.cache.files import AsideFile
from rollwise.cache.store import Store
from rollwise.games.pig.rules import Pig
from rollwise.parsing.validate import parse_game, rule_parameters
from rollwise.policy_tables.export import export
from rollwise.policy_tables.files import parse_rules, rules_text
from rollwise.questions.ask.compute import ask
from rollwise.questions.best import best
from rollwise.solver.model.errors import BadInput, ModelError, RollwiseError, StateError, TooLarge
from rollwise.solver.model.game import TurnGame
from tests.policy_tables.exports import damage, fail_at_batch, names, no_solution, rows_of
from tests.sizes import SIZES, chooses
from tests.toys.totals import PigByTotals, PigHeldOfBoard, PigHeldOfTurn, PigThinBoards


def test_all_decisions_of_a_small_game_are_there_once(tmp_path: Path) -> None:
    rows = rows_of(export("pig", tmp_path / "pig.parquet", params={"target": 5}).path)
    states = [(row["mine"], row["theirs"], row["turn"]) for row in rows]
    assert states == [(mine, theirs, turn) for mine in range(5) for theirs in range(5) for turn in (0, 2, 3, 4)]


def test_a_roll_is_listed_with_each_way_it_can_fall(tmp_path: Path) -> None:
    rows = rows_of(
        export("ten-thousand", tmp_path / "t.parquet", params={"goal": 500}, mine=0, theirs=0, turn=100).path
    )
    fives = [row for row in rows if row["roll"] and row["moves"] == ["keep 5 for 50"]]
    assert {"2,2,3,5", "2,2,3,3,5", "2,2,3,4,5", "2,3,4,5,6"} <= {row["roll"] for row in fives}
    assert [row["dice"] for row in rows if row["roll"] is None] == [4, 5]


def test_a_slice_is_what_the_fields_pick_out_of_the_whole(tmp_path: Path) -> None:
    params = {"target": 3, "max_dice": 3}
    whole = rows_of(export("piggy-six", tmp_path / "whole.parquet", params=params).path)
    slices: list[dict[str, Any]] = [
        {"theirs": 4},
        {"turn": 2, "seat": 1},
        {"mine": 1, "dice": 1, "turn": 2},
    ]
    for state in slices:
        part = rows_of(export("piggy-six", tmp_path / "part.parquet", params=params, force=True, **state).path)
        assert part == [row for row in whole if all(row[name] == value for name, value in state.items())] != []


@pytest.mark.thorough
def test_a_board_whose_turns_may_begin_in_two_ways_is_two_boards(tmp_path: Path) -> None:
    """At Zilch alone a turn that has made enough and must go on begins anew, with points."""
    params = {"goal": 500, "opening": 350, "players": 1}
    whole = export("zilch", tmp_path / "whole.parquet", params=params)
    part = export("zilch", tmp_path / "part.parquet", params=params, mine=450)
    rows = rows_of(part.path)
    assert (part.rows, {row["must_roll"] for row in rows}) == (whole.rows // 4, {None, "true"})
    assert [row["turn"] for row in rows if row["roll"] == "1,1,1,4,4,4"][-1] > 1000


def test_a_board_that_may_be_told_in_several_ways_is_told_once_as_it_was_given(tmp_path: Path) -> None:
    params = {"lives": 2, "opener": "rotating"}
    rows = rows_of(export("mexico", tmp_path / "m.parquet", params=params, lives="1,2", opener=0, results="6-3,-").path)
    assert len({(row["roll"], row["rolls_left"]) for row in rows}) == len(rows) == 66


@pytest.mark.parametrize("chance", [22, pytest.param(12, marks=pytest.mark.thorough)])
def test_a_sheet_is_shown_as_it_was_given_with_what_ask_says(chance: int, tmp_path: Path) -> None:
    """Whole games are compared with ``ask`` in ``tests/house/test_sizes.py``; this one is asked of a sheet."""
    state: dict[str, Any] = {"filled": f"ones:3,twos:6,threes:9,chance:{chance}", "roll": "1,2,3,4,6", "rolls_left": 1}
    (row,) = rows_of(export("yahtzee", tmp_path / "y.parquet", **state).path)
    told = ask("yahtzee", state=state)
    assert {name: row[name] for name in state} == state
    assert [row["value"], row["lower"], row["upper"], *row["values"]] == pytest.approx(
        [told.value, told.lower, told.upper, *(move.value for move in told.moves)], rel=1e-14
    )
    assert row["moves"] == [move.move for move in told.moves]
    assert row["second_loss"] == pytest.approx(told.moves[1].loss, abs=1e-14)


def test_the_three_formats_say_the_same(tmp_path: Path, play: Callable[[TurnGame], str]) -> None:
    name = play(next(size.game for size in SIZES if str(size) == "shut-the-box players=2 boxes=4"))
    made = {kind: export(name, tmp_path / f"a.{kind}", mover=0) for kind in ("parquet", "csv", "jsonl")}
    rows = rows_of(made["parquet"].path)
    assert [json.loads(line) for line in made["jsonl"].path.read_text().splitlines()] == rows
    with made["csv"].path.open(newline="") as file:
        for told, row in zip(csv.DictReader(file), rows, strict=True):
            for name in ("open", "roll", "best"):
                assert told[name].strip("[]").replace(" ", ",") == (row[name] or "")
            assert (row["best"], told["best_move"]) == (None, row["best_move"])
            assert told["moves"].split("|") == row["moves"]
            assert [float(value) for value in told["values"].strip("[]").split()] == row["values"]
            assert float(told["lower"]) == row["lower"]
            assert (float(told["second_loss"]) if told["second_loss"] else None) == row["second_loss"]
    for one in made.values():
        assert (one.rows, one.bytes) == (len(rows), one.path.stat().st_size)


def test_a_table_tells_what_it_holds(tmp_path: Path) -> None:
    parquet, lines = (
        export("pig", tmp_path / f"pig.{suffix}", params={"target": 10}, mine=3).path for suffix in ("parquet", "jsonl")
    )
    said = json.loads(pq.read_schema(parquet).metadata[b"rollwise"])
    assert said == json.loads(lines.with_name("pig.jsonl.meta.json").read_text())
    assert (
        said.items()
        >= {
            "game": "pig",
            "parameters": {"target": 10},
            "slice": {"mine": "3"},
            "objective": "win",
            "unit": "probability",
            "rules_version": 1,
            "label": "win",
            "sense": "max",
        }.items()
    )
    assert list(said["columns"]) == pq.read_schema(parquet).names
    assert said["versions"]["rollwise"]
    assert 0 < said["widest"] == max(row["upper"] - row["lower"] for row in rows_of(parquet)) < 1e-9


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("drop-dead", "a.csv", {}, "error: drop-dead has no decisions to export"),
    ("pig", "a.txt", {}, "ends in none of .parquet, .csv, .jsonl"),
    ("pig", "none/a.csv", {}, "there is no folder"),
    ("pig", "folder.csv", {"format": "csv"}, "a folder with a file for each level holds Parquet, got format 'csv'"),
    ("shut-the-box", "folder.csv", {}, "the boards of shut-the-box have no levels"),
    ("pig", "file/", {}, "is a file, not a folder"),
    ("pig", "none/parts/", {}, "cannot be made: there is no folder"),
    ("pig", "x" * 300 + "/", {}, "nothing can be written"),
    ("pig", "a.csv", {"levels": "3-1"}, "levels are like 14-16 or 0,3,5-7, got '3-1'"),
    ("pig", "a.csv", {"levels": "1,x"}, "levels are like 14-16 or 0,3,5-7, got '1,x'"),
    ("pig", "a.csv", {"levels": []}, "levels are like 14-16 or 0,3,5-7, got none"),
    ("pig", "a.csv", {"levels": 199}, "error: no decision of pig(target=100) has a level of 199"),
    ("pig", "a.csv", {"mine": 3, "theirs": 4, "levels": 6}, "has mine=3, theirs=4, a level of 6"),
    ("pig", "a.csv", {"turn": "none"}, "error: no decision of pig(target=100) has turn=none"),
    ("yahtzee", "a.csv", {"filled": "ones:3", "roll": "none", "rolls_left": 1}, "roll=none, rolls_left=1"),
    ("pig", "/dev/null", {"format": "csv"}, "no ordinary file"),
    ("pig", "a" * 300 + ".csv", {}, "cannot be written"),
    ("pig", "a.csv", {"format": "xlsx"}, "format is one of parquet, csv, jsonl, got 'xlsx'"),
    ("pig", "a.csv", {"turn": 1}, "error: no decision of pig(target=100) has turn=1"),
    ("pig", "a.csv", {"min": 1}, "did you mean 'mine'?"),
    ("piggy-six", "a.csv", {"theirs": 120, "mine": 3, "seat": 0}, "last turn"),
    ("yahtzee", "a.csv", {"filled": "ones:3", "rolls_left": 5}, "rolls_left is from 0 to 2"),
    ("shut-the-box", "a.csv", {"open": "7,8", "roll": "1,2"}, "no decision of shut-the-box"),
]


def test_what_cannot_be_is_refused_in_one_line_before_solving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing_module, "answer_from_solution", no_solution)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").touch()
    for game, output, state, said in REFUSED:
        with pytest.raises((BadInput, StateError)) as refused:
            export(game, os.path.join(tmp_path, output), **state)
        assert (said in refused.value.line(), refused.value.line().count("\n")) == (True, 0), refused.value.line()
        assert names(tmp_path) == ["file", "folder.csv"], said


def test_too_many_rows_are_written_only_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing_module, "answer_from_solution", no_solution)
    with pytest.raises(TooLarge, match=r"about 235 million decisions of yahtzee.*filled, roll, rolls_left.*--all"):
        export("yahtzee", tmp_path / "y.parquet")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("accident", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_export_that_fails_leaves_the_folder_as_it_was(
    suffix: str, accident: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"pig.{suffix}"
    path.write_text("what was there before")
    monkeypatch.setattr("rollwise.policy_tables.decision_rows.MOVES_A_BATCH", 50)
    fail_at_batch(4, accident, monkeypatch)
    with pytest.raises((KeyboardInterrupt, RollwiseError)) as failed:
        export("pig", path, params={"target": 10}, force=True)
    if isinstance(failed.value, RollwiseError):
        assert failed.value.line() == f"error: {path} was not written: No space left on device"
    assert names(tmp_path) == [path.name]
    assert path.read_text() == "what was there before"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_a_full_disk_is_told_in_one_line(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(AsideFile):
        def __init__(self, path: Path) -> None:
            super().__init__(path)
            self.aside.unlink()
            self.aside.symlink_to("/dev/full")

    monkeypatch.setattr("rollwise.policy_tables.table_writer.AsideFile", Full)
    monkeypatch.setattr(writing_module, "writable_path", lambda path, *_, **__: path)
    with pytest.raises(RollwiseError, match=r"was not written: .*No space left on device"):
        export("pig", tmp_path / f"pig.{suffix}", params={"target": 10})
    assert not names(tmp_path)


def test_a_damaged_entry_is_solved_again(tmp_path: Path, capsys: pytest.CaptureFixture[str], own_cache: Store) -> None:
    before = rows_of(export("pig", tmp_path / "1.parquet", params={"target": 7}).path)
    damage(own_cache)
    assert rows_of(export("pig", tmp_path / "2.parquet", params={"target": 7}).path) == before
    assert "values.npy" in capsys.readouterr().err


def test_fields_that_depend_on_board_and_turn_together_are_described_in_full(
    tmp_path: Path, play: Callable[[TurnGame], str]
) -> None:
    plain = rows_of(export("pig", tmp_path / "a.parquet", params={"target": 8}).path)
    name = play(PigByTotals(target=8))
    other = rows_of(export(name, tmp_path / "b.parquet").path)
    assert [row.pop("held") for row in other] == [row["mine"] + row.pop("turn") for row in plain]
    assert other == plain
    part = rows_of(export(name, tmp_path / "c.parquet", held=6).path)
    assert [(row["mine"], row["theirs"]) for row in part] == [
        (mine, theirs) for mine in (0, 1, 2, 3, 4, 6) for theirs in range(8)
    ]


@pytest.mark.parametrize("output", ["a.csv", "a/"])
@pytest.mark.parametrize(
    ("game", "told"),
    [
        (
            PigHeldOfBoard,
            r'has the field held of the board, but it is 0 and \d on one board: give it of="turn", or of=',
        ),
        (
            PigHeldOfTurn,
            r'has the field held of the turn, but it is 0 and 1 on one turn: give it of="board", or of="both"',
        ),
        (PigThinBoards, r"describes \(.*\) of .*'theirs': 7} in 0 ways, and in 1 on another board: "),
    ],
)
def test_a_game_that_says_otherwise_what_its_fields_are_of_is_refused_in_a_line(
    game: type[Pig], told: str, output: str, tmp_path: Path, play: Callable[[TurnGame], str]
) -> None:
    with pytest.raises(ModelError, match=rf"^pig\(target=8\) {told}") as refused:
        export(play(game(target=8)), f"{tmp_path}/{output}")
    assert "\n" not in refused.value.line()
    assert not [name for name in names(tmp_path) if name != "a"]


SHEET = (
    "ones:3,twos:6,threes:9,fours:12,fives:15,three of a kind:20,four of a kind:0,full house:25,"
    "small straight:30,large straight:0,yahtzee:50,chance:21"
)


def test_the_sheet_that_somebody_has_is_found_in_the_row_that_stands_for_it(
    tmp_path: Path, said: Callable[..., str]
) -> None:
    path = tmp_path / "end.csv"
    printed = said(f"export yahtzee roll=1,2,3,6,6 rolls_left=0 --levels 12 -o {path}", ": 85 decisions, ")
    assert "\nA row stands for " in printed
    assert "rows_stand_for" in json.loads(path.with_name("end.csv.meta.json").read_text())
    moved = path.rename(tmp_path / "mine.csv")
    found = best(moved, filled=SHEET, roll=[6, 1, 6, 2, 3], rolls_left=0)
    told = ask("yahtzee", filled=SHEET, roll=[1, 2, 3, 6, 6], rolls_left=0)
    assert (found["value"], found["moves"], found["best_move"]) == (told.value, ["score sixes"], "score sixes")
    assert found["lower"] <= told.value <= found["upper"]
    with moved.open(newline="") as file:
        named = {name: str(value) for name, value in found["row"].items()} | {"roll": "[1 2 3 6 6]"}
        (row,) = [row for row in csv.DictReader(file) if row.items() >= named.items()]
    assert found["points"] == (told.value or 0) - float(row["value"]) > 0
    asked = f"best '{moved}' 'filled={SHEET}' roll=1 2 3 6 6 rolls_left=0"
    shown = " ".join(said(asked).split())
    assert f"goes on as the row filled={row['filled']}" in shown
    assert f"with {found['points']:g} points more here score sixes {told.value:.4f}" in shown
    assert json.loads(said(f"{asked} --json")) == found


def test_what_a_table_cannot_say_of_a_state_is_refused(tmp_path: Path) -> None:
    """What is said at the terminal is in ``export.txt``."""
    path = export("pig", tmp_path / "pig.csv", params={"target": 10}, mine=3).path
    assert "rows_stand_for" not in json.loads(path.with_name("pig.csv.meta.json").read_text())
    assert best(path, mine=3, turn=4)["best_move"] == "roll"
    with pytest.raises(BadInput, match="has no row for mine=2 theirs=0 turn=0: nothing is chosen there"):
        best(path, mine=2)
    (tmp_path / "old.csv").write_text("mine,theirs,turn,best_move\n0,0,0,roll\n")
    with pytest.raises(BadInput, match="does not say what it is of"):
        best(tmp_path / "old.csv", mine=3)
    with pytest.raises(BadInput, match="table is a file, as text or a Path"):
        best(5)  # type: ignore[arg-type]


def test_what_a_row_says_it_is_of_is_read_as_the_same_game() -> None:
    for size in SIZES:
        if chooses(size) and set(size.parameters) <= set(rule_parameters(size.name)):
            said = parse_rules(rules_text(size.game))
            assert parse_game(said["game"], said["parameters"]) == size.game
