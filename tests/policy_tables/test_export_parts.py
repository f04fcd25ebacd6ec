"""Exports in parts: a file for each level of the boards, which an export that was stopped, however, leaves whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import rollwise.policy_tables.decisions as decisions_module
import rollwise.policy_tables.export as writing_module
import rollwise.solutions.lookup as stored_module
from rollwise.games.pig.rules import Pig
from rollwise.games.sixzee.rules import Sixzee
from rollwise.games.yahtzee.rules import Yahtzee
from rollwise.parsing.validate import parse_game
from rollwise.policy_tables.decisions import Levels, Slice, parse_slice
from rollwise.policy_tables.export import export
from rollwise.policy_tables.files import read_description
from rollwise.policy_tables.row_template import Parts
from rollwise.questions.ask.compute import answer, ask
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.kinds.kind import QueryOptions
from rollwise.solver.model.errors import ModelError, RollwiseError
from rollwise.solver.model.game import NodeKey, TurnGame
from tests.policy_tables.exports import fail_at_batch, files, in_order, levels, names, no_solution, rows_of, stamps

YAHTZEE = Yahtzee(boxes="ones,full house,chance")
SIXZEE = Sixzee(boxes="ones,3-2-1,sixzee")
Play = Callable[[TurnGame], str]


@pytest.mark.parametrize(
    ("game", "state"),
    [
        (Pig(target=6), {}),
        (Pig(target=12), {"mine": 7}),
        (Pig(target=12), {"mine": 7, "theirs": 2}),
        (YAHTZEE, {"roll": "none"}),
        pytest.param(YAHTZEE, {"roll": "1,1,2,5,5"}, marks=pytest.mark.thorough),
        pytest.param(SIXZEE, {"rolls_left": 0}, marks=pytest.mark.thorough),
        pytest.param(SIXZEE, {"filled": "ones:3,sixzee:60"}, marks=pytest.mark.thorough),
    ],
    ids=str,
)
def test_the_parts_together_are_the_table_in_one_file(
    game: TurnGame, state: dict[str, Any], play: Play, tmp_path: Path
) -> None:
    name = play(game)
    whole = export(name, tmp_path / "whole.parquet", **state)
    parts = export(name, f"{tmp_path}/parts/", **state)
    assert in_order(rows_of(parts.path)) == in_order(rows_of(whole.path))
    assert (parts.rows, parts.files, parts.already) == (whole.rows, len(files(parts.path)), 0)
    assert parts.bytes == sum(path.stat().st_size for path in files(parts.path))
    for path in files(parts.path):
        assert [path.name] == levels((read_description(path) or {})["level"])
        assert pq.read_schema(path).names == pq.read_schema(whole.path).names


def test_levels_choose_the_parts_and_narrow_down_a_single_file(tmp_path: Path) -> None:
    whole = export("pig", f"{tmp_path}/all/", params={"target": 8}).path
    some = export("pig", f"{tmp_path}/some/", params={"target": 8}, levels="3-5,9").path
    assert names(some) == levels(3, 4, 5, 9)
    one = export("pig", tmp_path / "one.parquet", params={"target": 8}, levels=[3, 4, 5, 9]).path
    assert in_order(rows_of(one)) == in_order(rows_of(some))
    assert {row["mine"] + row["theirs"] for row in rows_of(one)} == {3, 4, 5, 9}
    assert (read_description(one) or {})["levels"] == "3,4,5,9"
    assert all(rows_of(path) == rows_of(whole / path.name) for path in files(some))


def test_levels_are_typed_as_spans() -> None:
    assert Levels.of("0,3,5-7").spans == ((0, 0), (3, 3), (5, 7))
    assert Levels.of(14) == Levels.of("14") == Levels.of(range(14, 15))
    assert str(Levels.of(" 14-16 , 3")) == "14-16,3"


def test_roll_none_is_what_every_sheet_is_worth_without_a_backup(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Yahtzee(boxes="full house,chance")
    name = play(made)
    whole = rows_of(export(name, tmp_path / "whole.parquet").path)
    with monkeypatch.context() as patch:
        patch.setattr("rollwise.solver.kinds.duel.Turns", no_solution)
        rows = rows_of(export(name, tmp_path / "sheets.parquet", roll="none").path)
    same = [row for row in whole if row["roll"] is None]
    assert len({row["filled"] for row in rows}) == len(rows)
    for row, other in zip(rows, same, strict=True):
        sheet = {name: row[name] for name in ("filled", "roll", "rolls_left", "best_move", "moves", "second_loss")}
        roll = {"roll": None, "rolls_left": None, "best_move": "roll", "moves": ["roll"], "second_loss": None}
        assert sheet == {"filled": other["filled"], **roll}
        filled = made.fields()[0].parse(row["filled"])
        told = answer(made, {"filled": filled}, made.locate(filled=filled), QueryOptions()).value
        assert [*row["values"], other["value"], told] == pytest.approx([row["value"]] * 3, rel=1e-13)
        assert row["lower"] <= other["value"] <= row["upper"]
        assert other["lower"] <= row["value"] <= other["upper"]


def test_a_chance_of_a_board_stays_within_0_and_1(tmp_path: Path) -> None:
    for row in rows_of(export("pig", tmp_path / "pig.parquet", params={"target": 4}, turn=0).path):
        advice = ask("pig", params={"target": 4}, mine=row["mine"], theirs=row["theirs"])
        assert 0 <= row["lower"] <= advice.value <= row["upper"] <= 1
        assert row["value"] == pytest.approx(advice.value, abs=1e-14)
        assert row["best_move"] == "roll" == (advice.best or [""])[0]


def test_none_is_an_empty_list_where_the_field_is_one_and_else_decisions_without_it(tmp_path: Path) -> None:
    params = {"goal": 500, "players": 1}
    whole = rows_of(export("ten-thousand", tmp_path / "a.parquet", params=params, mine=0).path)
    rows = rows_of(export("ten-thousand", tmp_path / "b.parquet", params=params, mine=0, roll="none").path)
    assert rows == [row for row in whole if row["roll"] is None] != []
    assert parse_slice(parse_game("yahtzee"), {"filled": "none"}) == {"filled": {}}


@pytest.mark.parametrize(
    "game",
    [SIXZEE, pytest.param(Yahtzee(), marks=pytest.mark.thorough), Pig(target=20)],
    ids=lambda game: game.name,
)
def test_what_the_parts_say_is_what_the_boards_say(game: TurnGame) -> None:
    chosen = Slice(game, parse_slice(game, {"turn": 0} if game.name == "pig" else {"roll": "none"}))
    root, boards = next(chosen.blocks())
    boards = np.random.default_rng(5).permutation(np.flatnonzero(chosen.chosen))[:1000]
    sheet = chosen.sheet(root, chosen.boards(boards[:1])[0])
    together = Parts(sheet, root, chosen.boards).on(boards)
    apart = sheet.one_by_one(chosen.boards(boards))
    assert together.columns.keys() == apart.columns.keys() == {field.name for field in sheet.of_board}
    for name, column in together.columns.items():
        assert column.to_pylist() == apart.columns[name].to_pylist()
    assert together.more.tolist() == apart.more.tolist()


class PigBySums(Pig):
    """Pig that calls a board by what both have, which no part of it can say alone."""

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """``mine`` and ``theirs`` as they are, unless both have points: then they are named twice as high."""
        twice = 2 if board["mine"] and board["theirs"] else 1
        yield {"mine": twice * board["mine"], "theirs": twice * board["theirs"], "turn": state[0]}

    def locate(self, mine: int = 0, theirs: int = 0, turn: int = 0) -> Any:
        """The position again."""
        twice = 2 if mine and theirs else 1
        return super().locate(mine=mine // twice, theirs=theirs // twice, turn=turn)


@pytest.mark.filterwarnings("ignore:pig is solved for this program alone")
def test_boards_whose_parts_cannot_speak_alone_are_asked_one_by_one(play: Play, tmp_path: Path) -> None:
    name = play(PigBySums(target=20))
    parts = export(name, f"{tmp_path}/parts/", turn=0)
    assert {(row["mine"], row["theirs"]) for row in rows_of(parts.path)} == {
        (mine * (2 if theirs else 1), theirs * (2 if mine else 1)) for mine in range(20) for theirs in range(20)
    }
    again = export(name, f"{tmp_path}/parts/", turn=0)
    assert (again.already, again.files, again.rows) == (parts.files, parts.files, parts.rows)


@pytest.mark.filterwarnings("ignore:pig is solved for this program alone")
def test_what_is_open_for_another_class_of_the_same_name_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_module, "SETTLED_NS", 0)
    made = Pig(target=20)
    load_or_solve(made)
    opened = load_or_solve(made)
    assert load_or_solve(made) is opened
    assert isinstance(load_or_solve(PigBySums(target=20)).game, PigBySums)
    assert type(load_or_solve(made).game) is Pig


def test_what_is_there_is_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = export("pig", f"{tmp_path}/parts/", params={"target": 6})
    before = stamps(first.path)
    monkeypatch.setattr(writing_module, "answer_from_solution", no_solution)
    again = export("pig", first.path, params={"target": 6})  # a Path has lost the /, but the folder is there
    assert stamps(first.path) == before
    assert (again.rows, again.bytes, again.files, again.already) == (first.rows, first.bytes, 11, 11)


@pytest.mark.filterwarnings("ignore:pig is solved for this program alone")
def test_parts_of_another_export_are_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "parts"
    exports: list[tuple[int, dict[str, Any], int]] = [(6, {}, 0), (6, {"mine": 2}, 0), (5, {"mine": 2}, 0), (6, {}, 5)]
    for target, state, already in exports:  # the slice has levels 2 to 7, so 5 files of the first export stay
        how: dict[str, Any] = {"params": {"target": target}, "force": True, **state}
        one = rows_of(export("pig", tmp_path / "one.parquet", **how).path)
        assert export("pig", f"{folder}/", **how).already == already
        mine = levels(*sorted({row["mine"] + row["theirs"] for row in one}))
        assert in_order(rows_of(*(folder / name for name in mine))) == in_order(one)
        others = len(files(folder)) - len(mine)
        told = capsys.readouterr().err
        assert ("not of this export" in told) == (others > 0)
        assert others < 2 or f" and {others - 1} more, not of this export" in told
    monkeypatch.setattr(Pig, "rules_version", 99)  # another solution: the key in the cache is another
    assert export("pig", f"{folder}/", params={"target": 6}).already == 0
    assert not capsys.readouterr().err


def test_other_levels_of_the_same_export_belong_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for wanted, already in (("0-4", 0), ("3-6", 2), (None, 7)):
        assert export("pig", f"{tmp_path}/parts/", params={"target": 6}, levels=wanted).already == already
    assert not capsys.readouterr().err


def test_a_file_that_has_lost(tmp_path: Path) -> None:
    folder = export("pig", f"{tmp_path}/parts/", params={"target": 6}).path
    before, spoiled = rows_of(folder), folder / "level-003.parquet"
    whole = spoiled.read_bytes()
    for part, left in {
        "its end": whole[:-1],
        "half of it": whole[: len(whole) // 2],
        "some of its middle": whole[:700] + whole[900:],
        "all of it": b"",
        "what it is": b"PAR1what is this?",
    }.items():
        spoiled.write_bytes(left)
        stamped = stamps(folder)
        assert read_description(spoiled) is None, part
        made = export("pig", folder, params={"target": 6})
        assert (made.files, made.already) == (11, 10), part
        assert rows_of(folder) == before, part
        assert {name for name, stamp in stamps(folder).items() if stamp != stamped[name]} == {spoiled.name}, part


def test_a_table_that_is_not_ours_is_no_part(tmp_path: Path) -> None:
    table = pq.read_table(export("pig", tmp_path / "pig.parquet", params={"target": 4}).path)
    for said in ({"rollwise": "[1, 2]"}, None):
        pq.write_table(table.replace_schema_metadata(said), tmp_path / "level-000.parquet")
        assert read_description(tmp_path / "level-000.parquet") is None
    assert read_description(tmp_path) is None
    assert read_description(tmp_path / "nothing.parquet") is None


def test_a_full_disk_stops_the_export_and_leaves_the_whole_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at_batch(4, OSError(28, "No space left on device"), monkeypatch)
    with pytest.raises(RollwiseError, match=r"level-003.parquet was not written: No space left on device"):
        export("pig", f"{tmp_path}/parts/", params={"target": 6})
    assert names(tmp_path / "parts") == levels(0, 1, 2)


def test_nothing_is_left_of_an_export_that_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing_module, "MAX_ROWS", 10)
    with pytest.raises(RollwiseError, match=r"decisions of pig\(target=6\); narrow it down by fields .* or --levels"):
        export("pig", f"{tmp_path}/parts/", params={"target": 6})
    assert not names(tmp_path)
    assert export("pig", f"{tmp_path}/parts/", params={"target": 6}, all=True).files == 11
    assert export("pig", f"{tmp_path}/parts/", params={"target": 6}, levels=0).files == 1


def test_many_boards_come_in_chunks_and_in_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = rows_of(export("pig", tmp_path / "a.parquet", params={"target": 12}, turn=0).path)
    monkeypatch.setattr(decisions_module, "CHUNK_BOARDS", 50)
    assert rows_of(export("pig", tmp_path / "b.parquet", params={"target": 12}, turn=0).path) == whole
    assert in_order(rows_of(export("pig", f"{tmp_path}/parts/", params={"target": 12}, turn=0).path)) == in_order(whole)
    chosen = Slice(parse_game("pig", {"target": 12}), {})
    assert [len(boards) for _, boards in chosen.blocks()] == [50, 50, 44]


def test_rows_that_are_laid_together_wrongly_are_seen() -> None:
    chosen = Slice(parse_game("pig", {"target": 6}), {})
    root, boards = next(chosen.blocks())
    sheet = chosen.sheet(root, chosen.boards(boards[:1])[0])
    laid = sheet.one_by_one(chosen.boards(boards))
    sheet.check(boards, chosen.boards, laid)
    laid.more[:] += 1
    with pytest.raises(ModelError, match="do not say apart"):
        sheet.check(boards, chosen.boards, laid)
