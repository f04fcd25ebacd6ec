"""Exports: which decisions they list, that their numbers are those of ``ask``, and that nothing half-written stays."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import rollwise.exporting.files as files_module
import rollwise.exporting.writing as writing_module
from rollwise.asking import ask
from rollwise.cache.store import Store
from rollwise.comparing.lookup import best
from rollwise.door import known_parameters, the_fields, the_game
from rollwise.exporting.decisions import Interwoven, Slice
from rollwise.exporting.files import TableFile, of_read, of_words
from rollwise.exporting.writing import export
from rollwise.games.pig import Pig
from rollwise.solver.game.errors import BadInput, RollwiseError, StateError, TooLarge
from rollwise.solver.game.fields import Field, Number
from rollwise.solver.game.model import Position, State
from rollwise.solver.turn.judged import Judged
from rollwise.solver.turn.query import OneTurn, Turns
from rollwise.stored import stored
from tests.sizes import SIZES, Size, chooses

Row = dict[str, Any]
Run = Callable[..., tuple[int, str, str]]


def rows_of(path: Path) -> list[Row]:
    rows: list[Row] = pq.read_table(path).to_pylist()
    return rows


def asked(game: str, params: Mapping[str, Any], row: Row) -> Any:
    names = [field.name for field in the_game(game, params).fields()]
    return ask(game, params, **{name: row[name] for name in names if row[name] is not None})


# whole games are exported in tests/properties/test_sizes.py; these are slices of larger ones
GAMES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("pig", {"target": 20}, {}),
    ("piggy-six", {"target": 6, "max_dice": 3, "choose": "roll"}, {"mine": 2}),
    ("piggy-six", {"target": 5, "robots": "8"}, {}),
    ("ten-thousand", {"goal": 600, "players": 1}, {"mine": 100}),
    ("shut-the-box", {"objective": "clear", "variant": "partial"}, {}),
    ("shut-the-box", {"players": 3}, {"mover": 1}),
    ("shut-the-box", {"players": 2}, {"best": "none"}),
    ("yahtzee", {}, {"filled": "ones:3,sixes:24,fives:20,fours:16,yahtzee:50,chance:22"}),
    ("yahtzee", {}, {"filled": "ones:3,twos:4,threes:9,fours:16,sixes:18,full house:25", "rolls_left": 0}),
]


@pytest.mark.parametrize(("game", "params", "state"), GAMES)
def test_every_row_says_what_ask_says(game: str, params: dict[str, Any], state: dict[str, Any], tmp_path: Path) -> None:
    made = export(game, tmp_path / "table.parquet", params, **state)
    rows = rows_of(made.path)
    assert made.rows == len(rows) > 0
    for row in random.Random(1).sample(rows, min(12, len(rows))):
        advice = asked(game, params, row)
        best = row["best_move"]
        assert best in advice.best
        assert (row["value"], row["lower"], row["upper"]) == pytest.approx(
            (advice.value, advice.lower, advice.upper), rel=1e-14, abs=1e-15
        )
        assert row["values"] == pytest.approx([move.value for move in advice.moves], rel=1e-14, abs=1e-15)
        told = {move.move: move.value for move in advice.moves}
        assert row["values"] == pytest.approx([told[move] for move in row["moves"]], rel=1e-14, abs=1e-15)
        if len(advice.moves) == 1:
            assert row["second_loss"] is None
        else:
            assert row["second_loss"] == pytest.approx(advice.moves[1].loss, abs=1e-14)


def test_all_decisions_of_a_small_game_are_there_once(tmp_path: Path) -> None:
    rows = rows_of(export("pig", tmp_path / "pig.parquet", {"target": 5}).path)
    states = [(row["mine"], row["theirs"], row["turn"]) for row in rows]
    assert states == [(mine, theirs, turn) for mine in range(5) for theirs in range(5) for turn in (0, 2, 3, 4)]


def test_a_roll_is_listed_with_each_way_it_can_fall(tmp_path: Path) -> None:
    rows = rows_of(export("ten-thousand", tmp_path / "t.parquet", {"goal": 500}, mine=0, theirs=0, turn=100).path)
    fives = [row for row in rows if row["roll"] and row["moves"] == ["keep 5 for 50"]]
    assert {"2,2,3,5", "2,2,3,3,5", "2,2,3,4,5", "2,3,4,5,6"} <= {row["roll"] for row in fives}
    assert [row["dice"] for row in rows if row["roll"] is None] == [4, 5]


def test_a_slice_is_what_the_fields_pick_out_of_the_whole(tmp_path: Path) -> None:
    params = {"target": 6, "max_dice": 3}
    whole = rows_of(export("piggy-six", tmp_path / "whole.parquet", params).path)
    slices: list[dict[str, Any]] = [
        {"mine": 2},
        {"theirs": 7},
        {"turn": 3, "seat": 1},
        {"mine": 1, "theirs": 2, "seat": 0},
        {"dice": 2},
        {"mine": 3, "dice": 1, "turn": 4},
    ]
    for number, state in enumerate(slices):
        part = rows_of(export("piggy-six", tmp_path / f"{number}.parquet", params, **state).path)
        assert part == [row for row in whole if all(row[name] == value for name, value in state.items())] != []


def test_a_sheet_is_shown_as_it_was_given(tmp_path: Path) -> None:
    sheet = "ones:3,twos:6,threes:9,chance:22"
    rows = rows_of(export("yahtzee", tmp_path / "y.parquet", filled=sheet, roll="1,2,3,4,6", rolls_left=1).path)
    assert [(row["filled"], row["roll"], row["rolls_left"]) for row in rows] == [(sheet, "1,2,3,4,6", 1)]
    less = rows_of(
        export(
            "yahtzee", tmp_path / "z.parquet", filled="ones:3,twos:6,threes:9,chance:12", roll="1,2,3,4,6", rolls_left=1
        ).path
    )
    assert rows[0]["value"] - less[0]["value"] == pytest.approx(10)


def test_moves_that_the_board_forbids_are_left_out(tmp_path: Path) -> None:
    sheet = ",".join(
        f"{box}:0"
        for box in (
            "ones",
            "twos",
            "threes",
            "fours",
            "fives",
            "sixes",
            "full house",
            "three of a kind",
            "four of a kind",
            "small straight",
            "yahtzee",
        )
    )
    rows = rows_of(export("yahtzee", tmp_path / "y.parquet", filled=sheet, rolls_left=0).path)
    assert {move for row in rows for move in row["moves"]} == {"score large straight", "score chance"}


def test_boards_side_by_side_are_worth_what_they_are_one_by_one() -> None:
    game = the_game("piggy-six", {"target": 6})
    found = stored(game)
    indices = np.flatnonzero(game.possible(game.boards().columns(np.arange(game.boards().size))))
    indices = indices[game.root(game.boards().columns(indices)) == 0]
    turns = Turns(game, found.graph, indices, found.opened.read)
    for lane, index in enumerate(indices.tolist()):
        one = OneTurn(game, found.graph, game.boards().board(index), found.opened.read)
        assert np.array_equal(turns.nodes[:, lane], one.nodes, equal_nan=True)


def test_the_three_formats_say_the_same(tmp_path: Path) -> None:
    made = {
        kind: export("shut-the-box", tmp_path / f"a.{kind}", {"players": 2}, mover=0)
        for kind in ("parquet", "csv", "jsonl")
    }
    rows = rows_of(made["parquet"].path)
    assert [json.loads(line) for line in made["jsonl"].path.read_text().splitlines()] == rows
    with made["csv"].path.open(newline="") as file:
        for told, row in zip(csv.DictReader(file), rows, strict=True):
            assert told["open"] == row["open"]
            assert told["roll"] == (row["roll"] or "")
            assert (told["best"], row["best"]) == ("", None)
            assert told["best_move"] == row["best_move"]
            assert told["moves"].split("|") == row["moves"]
            assert [float(value) for value in told["values"].split("|")] == row["values"]
            assert float(told["lower"]) == row["lower"]
            assert (
                told["second_loss"] == ""
                if row["second_loss"] is None
                else float(told["second_loss"]) == row["second_loss"]
            )
    for one in made.values():
        assert (one.rows, one.bytes) == (len(rows), one.path.stat().st_size)


def test_a_table_tells_what_it_holds(tmp_path: Path) -> None:
    parquet, lines = tmp_path / "pig.parquet", tmp_path / "pig.jsonl"
    export("pig", parquet, {"target": 10}, mine=3)
    export("pig", lines, {"target": 10}, mine=3)
    said = json.loads(pq.read_schema(parquet).metadata[b"rollwise"])
    assert said == json.loads((tmp_path / "pig.jsonl.meta.json").read_text())
    assert (said["game"], said["parameters"], said["slice"]) == ("pig", {"target": 10}, {"mine": "3"})
    assert (said["objective"], said["unit"], said["rules_version"]) == ("win", "probability", 1)
    assert (said["label"], said["sense"]) == ("win", "max")
    assert list(said["columns"]) == pq.read_schema(parquet).names
    assert 0 < said["widest"] < 1e-9
    assert said["versions"]["rollwise"]
    assert said["widest"] == max(row["upper"] - row["lower"] for row in rows_of(parquet))


def test_the_format_can_be_chosen_against_the_suffix(tmp_path: Path) -> None:
    made = export("pig", tmp_path / "pig.txt", {"target": 5}, format="csv")
    assert made.format == "csv"
    assert made.path.read_text().startswith('"mine","theirs","turn","best_move"')


def test_of_equally_good_moves_the_first_in_the_game_s_order_is_best() -> None:
    found = np.array([[[0.5, 0.5, 0.5], [0.6, 0.58, 0.62], [0.61, 0.59, 0.63], [-np.inf, -np.inf, -np.inf]]])
    judged = Judged(found, "max")
    assert (judged.best[0], judged.order[0, 0], judged.second_loss[0]) == (1, 2, 0.0)
    assert judged.count.tolist() == [3]
    assert judged.ranked[0, :3].tolist() == [0.61, 0.6, 0.5]


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.fixture
def _no_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("solved for nothing")

    monkeypatch.setattr(writing_module, "asked", refuse)


@pytest.mark.usefixtures("_no_solving")
@pytest.mark.parametrize(
    ("game", "output", "state", "said"),
    [
        ("drop-dead", "a.csv", {}, "error: drop-dead has no decisions to export"),
        ("pig", "a.txt", {}, "ends in none of .parquet, .csv, .jsonl"),
        ("pig", "none/a.csv", {}, "there is no folder"),
        ("pig", "folder.csv", {"format": "csv"}, "a folder with a file for each level holds Parquet, got format 'csv'"),
        ("shut-the-box", "folder.csv", {}, "the boards of shut-the-box have no levels"),
        ("pig", "a.csv", {"levels": "3-1"}, "levels are like 14-16 or 0,3,5-7, got '3-1'"),
        ("pig", "a.csv", {"levels": "1,x"}, "levels are like 14-16 or 0,3,5-7, got '1,x'"),
        ("pig", "a.csv", {"levels": []}, "levels are like 14-16 or 0,3,5-7, got none"),
        ("pig", "a.csv", {"levels": 199}, "error: no decision of pig(target=100) has a level of 199"),
        ("pig", "a.csv", {"mine": 3, "theirs": 4, "levels": 6}, "has mine=3, theirs=4, a level of 6"),
        ("pig", "a.csv", {"turn": "none"}, "error: no decision of pig(target=100) has turn=none"),
        ("yahtzee", "a.csv", {"roll": "none", "rolls_left": 1}, "has roll=none, rolls_left=1"),
        ("pig", "/dev/null", {"format": "csv"}, "no ordinary file"),
        ("pig", "a" * 300 + ".csv", {}, "cannot be written"),
        ("pig", "a.csv", {"format": "xlsx"}, "format is one of parquet, csv, jsonl, got 'xlsx'"),
        ("pig", "a.csv", {"turn": 1}, "error: no decision of pig(target=100) has turn=1"),
        ("pig", "a.csv", {"min": 1}, "did you mean 'mine'?"),
        ("piggy-six", "a.csv", {"theirs": 120, "mine": 3, "seat": 0}, "last turn"),
        ("yahtzee", "a.csv", {"filled": "ones:3", "rolls_left": 5}, "rolls_left is from 0 to 2"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_before_solving(
    game: str, output: str, state: dict[str, Any], said: str, tmp_path: Path
) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadInput) as refused:
        export(game, tmp_path / output, **state)
    assert said in refused.value.line()
    assert "\n" not in refused.value.line()
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


@pytest.mark.usefixtures("_no_solving")
def test_too_many_rows_are_written_only_when_asked_for(tmp_path: Path) -> None:
    with pytest.raises(TooLarge, match=r"about 235 million decisions of yahtzee.*filled, roll, rolls_left.*--all"):
        export("yahtzee", tmp_path / "y.parquet")
    with pytest.raises(AssertionError):
        export("yahtzee", tmp_path / "y.parquet", all=True)


# --- accidents -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("accident", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_export_that_fails_leaves_the_folder_as_it_was(
    suffix: str, accident: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"pig.{suffix}"
    path.write_text("what was there before")
    monkeypatch.setattr("rollwise.exporting.rows.MOVES_A_BATCH", 50)
    write, calls = TableFile.write, []

    def fails_later(self: TableFile, batch: Any) -> None:
        write(self, batch)
        calls.append(batch)
        if len(calls) == 3:
            with self._told():
                raise accident

    monkeypatch.setattr(TableFile, "write", fails_later)
    with pytest.raises((KeyboardInterrupt, RollwiseError)) as failed:
        export("pig", path, {"target": 10})
    if isinstance(failed.value, RollwiseError):
        assert failed.value.line() == f"error: {path} was not written: No space left on device"
    assert [left.name for left in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "what was there before"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_a_full_disk_is_told_in_one_line(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "check_output", lambda path: path)

    def full(path: Path) -> Path:
        aside = path.with_name(".aside")
        if not aside.is_symlink():
            aside.symlink_to("/dev/full")
        return aside

    monkeypatch.setattr(files_module, "new_aside", full)
    monkeypatch.setattr(writing_module, "check_output", lambda path: path)
    with pytest.raises(RollwiseError, match=r"was not written: .*No space left on device"):
        export("pig", tmp_path / f"pig.{suffix}", {"target": 10})
    assert not list(tmp_path.iterdir())


def test_a_damaged_entry_is_solved_again(tmp_path: Path, capsys: pytest.CaptureFixture[str], own_cache: Store) -> None:
    before = rows_of(export("pig", tmp_path / "a.parquet", {"target": 12}).path)
    (values,) = own_cache.root.rglob("values.npy")
    content = bytearray(values.read_bytes())
    content[-5] ^= 0xFF
    values.write_bytes(content)
    capsys.readouterr()
    assert rows_of(export("pig", tmp_path / "b.parquet", {"target": 12}).path) == before
    assert "values.npy" in capsys.readouterr().err


# --- fields that do not come apart -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PigByTotals(Pig):
    """Pig, asked by what the mover would have after holding."""

    def fields(self) -> list[Field]:
        """Scores, and the mover's with the turn's points."""
        return [*super().fields()[:2], Number("held", "mine + turn", 0, 2 * self.target)]

    def locate(self, mine: int = 0, theirs: int = 0, held: int = 0) -> Position:
        """The position of a question."""
        return Position({"mine": mine, "theirs": theirs}, (max(0, held - mine),))

    def describe(self, board: Mapping[str, int], state: State) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        yield {**board, "held": board["mine"] + state[0]}


def test_fields_that_depend_on_board_and_turn_together_are_described_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = rows_of(export("pig", tmp_path / "a.parquet", {"target": 8}).path)
    sheet = Slice(PigByTotals(target=8), {}).sheet(0, {"mine": 0, "theirs": 0})
    with pytest.raises(Interwoven):
        sheet.on({"mine": 3, "theirs": 0})
    monkeypatch.setattr(writing_module, "the_game", lambda name, params: PigByTotals(**params))
    other = rows_of(export("pig", tmp_path / "b.parquet", {"target": 8}).path)
    assert [row.pop("held") for row in other] == [row["mine"] + row.pop("turn") for row in plain]
    assert other == plain
    part = rows_of(export("pig", tmp_path / "c.parquet", {"target": 8}, held=6).path)
    assert [(row["mine"], row["theirs"]) for row in part] == [
        (mine, theirs) for mine in (0, 1, 2, 3, 4, 6) for theirs in range(8)
    ]


def test_no_row_agrees_with_fields_that_contradict_each_other(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="no decision of shut-the-box"):
        export("shut-the-box", tmp_path / "a.csv", open="7,8", roll="1,2")
    assert the_fields(the_game("pig"), {}) == {}


# --- rows that stand for more than they say --------------------------------------------------------------------------

SHEET = (
    "ones:3,twos:6,threes:9,fours:12,fives:15,three of a kind:20,four of a kind:0,full house:25,"
    "small straight:30,large straight:0,yahtzee:50,chance:21"
)


def test_the_sheet_that_somebody_has_is_found_in_the_row_that_stands_for_it(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "end.csv"
    assert export("yahtzee", path, levels=12, roll="1,2,3,6,6", rolls_left=0).rows == 85
    assert "rows_stand_for" in json.loads(path.with_name("end.csv.meta.json").read_text())
    moved, roll = path.rename(tmp_path / "mine.csv"), ("roll=1", "2", "3", "6", "6", "rolls_left=0")
    found = best(moved, filled=SHEET, roll=[6, 1, 6, 2, 3], rolls_left=0)
    told = ask("yahtzee", filled=SHEET, roll=[1, 2, 3, 6, 6], rolls_left=0)
    assert (found["value"], found["moves"], found["best_move"]) == (told.value, ["score sixes"], "score sixes")
    assert found["lower"] <= told.value <= found["upper"]
    with moved.open(newline="") as file:
        (row,) = [
            row for row in csv.DictReader(file) if all(row[name] == str(text) for name, text in found["row"].items())
        ]
    assert found["points"] == (told.value or 0) - float(row["value"]) > 0
    code, out, _ = run("best", str(moved), f"filled={SHEET}", *roll)
    assert code == 0
    assert f"goes on as the row filled={row['filled']}" in " ".join(out.split())
    assert f"with {found['points']:g} points more here score sixes {told.value:.4f}" in " ".join(out.split())
    assert json.loads(run("best", str(moved), f"filled={SHEET}", *roll, "--json")[1]) == found


def test_what_a_table_cannot_say_of_a_state_is_refused(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "pig.csv"
    export("pig", path, {"target": 10}, mine=3)
    assert "rows_stand_for" not in json.loads(path.with_name("pig.csv.meta.json").read_text())
    assert best(path, mine=3, turn=4)["best_move"] == "roll"
    for words, told in (
        (
            (str(path), "mine=2"),
            "has no row for mine=2 theirs=0 turn=0: nothing is chosen there, or the table is a part",
        ),
        ((str(path), "mine=12"), "mine is from 0 to 9, got 12"),
        ((str(path), "their=1"), "did you mean 'theirs'?"),
        (("none.csv",), "none.csv cannot be read: No such file or directory"),
        (("pig",), "'pig' ends in none of .parquet, .csv, .jsonl"),
    ):
        code, out, error = run("best", *words)
        assert (code, out) == (2, "")
        assert told in error
    (tmp_path / "old.csv").write_text("mine,theirs,turn,best_move\n0,0,0,roll\n")
    with pytest.raises(BadInput, match="does not say what it is of"):
        best(tmp_path / "old.csv", mine=3)
    with pytest.raises(BadInput, match="table is a file, as text or a Path"):
        best(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [size for size in SIZES if chooses(size) and "boxes" not in size.parameters], ids=str)
def test_what_a_row_says_it_is_of_is_read_as_the_same_game(size: Size) -> None:
    game = size.game
    trial = set(size.parameters) - set(known_parameters(game.name))
    if not trial:
        said = of_read(of_words(game))
        assert the_game(said["game"], said["parameters"]) == game
