"""Exports in parts: a file for each level of the boards, which an export that was stopped, however, leaves whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import rollwise.exporting.board_fields as board_fields_module
import rollwise.exporting.decisions as decisions_module
import rollwise.exporting.rows as rows_module
import rollwise.exporting.writing as writing_module
import rollwise.stored as stored_module
from rollwise.asking import answer, ask
from rollwise.cache.store import Store
from rollwise.cli import main
from rollwise.door import the_game
from rollwise.exporting.board_fields import Parts, one_by_one
from rollwise.exporting.decisions import Interwoven, Sheet, Slice, the_slice
from rollwise.exporting.files import TableFile, alone, described
from rollwise.exporting.levels import Levels
from rollwise.exporting.writing import export
from rollwise.games.pig import Pig
from rollwise.games.sixzee import Sixzee
from rollwise.games.yahtzee import Yahtzee
from rollwise.solver.game.errors import RollwiseError
from rollwise.solver.game.model import State, TurnGame
from rollwise.solver.kinds.kind import Wanted
from rollwise.stored import stored

Row = dict[str, Any]
YAHTZEE = Yahtzee(boxes="ones,twos,full house,yahtzee,chance")
SIXZEE = Sixzee(boxes="ones,twos,three pairs,low straight,sixzee,chance")


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def rows_of(*paths: Path) -> list[Row]:
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def in_order(rows: list[Row]) -> list[str]:
    return sorted(json.dumps(row) for row in rows)


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Files by name, with what changes when one is written again."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.iterdir()}


# --- what is in the parts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "state"),
    [
        (Pig(target=12), {}),
        (Pig(target=12), {"mine": 7}),
        (Pig(target=12), {"mine": 7, "theirs": 2}),
        (YAHTZEE, {"roll": "none"}),
        (YAHTZEE, {"roll": "1,1,2,5,5"}),
        (SIXZEE, {"rolls_left": 0}),
        (SIXZEE, {"roll": "none"}),
        (SIXZEE, {"filled": "ones:3,sixzee:60"}),
    ],
    ids=str,
)
def test_the_parts_together_are_the_table_in_one_file(
    game: TurnGame, state: dict[str, Any], play: Callable[[TurnGame], str], tmp_path: Path
) -> None:
    name = play(game)
    whole = export(name, tmp_path / "whole.parquet", **state)
    parts = export(name, f"{tmp_path}/parts/", **state)
    assert in_order(rows_of(*files(parts.path))) == in_order(rows_of(whole.path))
    assert (parts.rows, parts.files, parts.already) == (whole.rows, len(files(parts.path)), 0)
    assert parts.bytes == sum(path.stat().st_size for path in files(parts.path))
    for path in files(parts.path):
        said = described(path)
        assert said is not None
        assert path.name == f"level-{said['level']:03}.parquet"
        assert pq.read_schema(path).names == pq.read_schema(whole.path).names


def test_a_part_holds_the_boards_of_one_level(play: Callable[[TurnGame], str], tmp_path: Path) -> None:
    parts = export(play(YAHTZEE), f"{tmp_path}/parts/", roll="none").path
    n_unplayed = 8
    for path in files(parts):
        filled = [0 if row["filled"] == "none" else len(row["filled"].split(",")) for row in rows_of(path)]
        assert path.name == f"level-{n_unplayed + filled[0]:03}.parquet"
        assert set(filled) == {filled[0]}


def test_levels_choose_the_parts_and_narrow_down_a_single_file(tmp_path: Path) -> None:
    export("pig", f"{tmp_path}/all/", {"target": 8})
    some = export("pig", f"{tmp_path}/some/", {"target": 8}, levels="3-5,9")
    assert [path.name for path in files(some.path)] == [f"level-{level:03}.parquet" for level in (3, 4, 5, 9)]
    one = export("pig", tmp_path / "one.parquet", {"target": 8}, levels=[3, 4, 5, 9])
    assert in_order(rows_of(one.path)) == in_order(rows_of(*files(some.path)))
    assert {row["mine"] + row["theirs"] for row in rows_of(one.path)} == {3, 4, 5, 9}
    assert described(one.path)["levels"] == "3,4,5,9"  # type: ignore[index]
    whole = {path.name: rows_of(path) for path in files(tmp_path / "all")}
    assert all(rows_of(path) == whole[path.name] for path in files(some.path))


def test_levels_are_typed_as_spans() -> None:
    assert Levels.of("0,3,5-7").spans == ((0, 0), (3, 3), (5, 7))
    assert Levels.of(14) == Levels.of("14") == Levels.of(range(14, 15))
    assert str(Levels.of(" 14-16 , 3")) == "14-16,3"


# --- before the throw ------------------------------------------------------------------------------------------------


def test_roll_none_is_what_every_sheet_is_worth_without_a_backup(
    play: Callable[[TurnGame], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = play(YAHTZEE)
    whole = rows_of(export(name, tmp_path / "whole.parquet").path)

    def refuse(*_: Any) -> None:
        raise AssertionError("a turn was backed up")

    with monkeypatch.context() as patch:
        patch.setattr("rollwise.solver.kinds.duel.Turns", refuse)
        rows = rows_of(export(name, tmp_path / "sheets.parquet", roll="none").path)
    same = [row for row in whole if row["roll"] is None]
    assert [row["filled"] for row in rows] == [row["filled"] for row in same]
    assert len({row["filled"] for row in rows}) == len(rows)
    for row, other in zip(rows, same, strict=True):
        assert (row["roll"], row["rolls_left"]) == (None, None)
        assert (row["best_move"], row["moves"], row["second_loss"]) == ("roll", ["roll"], None)
        assert row["values"] == [row["value"]]
        assert row["value"] == pytest.approx(other["value"], rel=1e-13)
        assert row["lower"] <= other["value"] <= row["upper"]
        assert other["lower"] <= row["value"] <= other["upper"]
        filled = YAHTZEE.fields()[0].parse(row["filled"])
        advice = answer(YAHTZEE, {"filled": filled}, YAHTZEE.locate(filled=filled), Wanted())
        assert row["value"] == pytest.approx(advice.value, rel=1e-13)


def test_a_chance_of_a_board_stays_within_0_and_1(tmp_path: Path) -> None:
    for row in rows_of(export("pig", tmp_path / "pig.parquet", {"target": 12}, turn=0).path):
        advice = ask("pig", {"target": 12}, mine=row["mine"], theirs=row["theirs"])
        assert 0 <= row["lower"] <= advice.value <= row["upper"] <= 1
        assert row["value"] == pytest.approx(advice.value, abs=1e-14)
        assert row["best_move"] == "roll" == (advice.best or [""])[0]


def test_none_is_an_empty_list_where_the_field_is_one_and_else_decisions_without_it(tmp_path: Path) -> None:
    rows = rows_of(export("ten-thousand", tmp_path / "a.parquet", {"goal": 500}, mine=0, theirs=0, roll="none").path)
    assert rows
    assert {row["roll"] for row in rows} == {None}
    whole = rows_of(export("ten-thousand", tmp_path / "b.parquet", {"goal": 500}, mine=0, theirs=0).path)
    assert rows == [row for row in whole if row["roll"] is None]
    assert the_slice(the_game("yahtzee"), {"filled": "none"}) == {"filled": {}}


# --- boards put together from their parts ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "game", [SIXZEE, Sixzee(), Yahtzee(), Pig(target=20)], ids=["trial", "sixzee", "yahtzee", "pig"]
)
def test_what_the_parts_say_is_what_the_boards_say(game: TurnGame) -> None:
    chosen = Slice(game, the_slice(game, {"turn": 0} if game.name == "pig" else {"roll": "none"}))
    root, boards = next(chosen.blocks())
    boards = np.random.default_rng(5).permutation(np.flatnonzero(chosen.chosen))[:3000]
    sheet = chosen.sheet(root, chosen.boards(boards[:1])[0])
    together = Parts(chosen, root, sheet).on(boards)
    apart = one_by_one(sheet, chosen.boards(boards))
    assert together.columns.keys() == apart.columns.keys() == sheet.constant
    for name, column in together.columns.items():
        assert column.to_pylist() == apart.columns[name].to_pylist()
    assert together.more.tolist() == apart.more.tolist()


class PigBySums(Pig):
    """Pig that calls a board by what both have, which no part of it can say alone."""

    def describe(self, board: Mapping[str, int], state: State) -> Iterator[dict[str, Any]]:
        """``mine`` and ``theirs`` as they are, unless both have points: then they are named twice as high."""
        twice = 2 if board["mine"] and board["theirs"] else 1
        yield {"mine": twice * board["mine"], "theirs": twice * board["theirs"], "turn": state[0]}

    def locate(self, mine: int = 0, theirs: int = 0, turn: int = 0) -> Any:
        """The position again."""
        twice = 2 if mine and theirs else 1
        return super().locate(mine=mine // twice, theirs=theirs // twice, turn=turn)


def test_boards_whose_parts_cannot_speak_alone_are_asked_one_by_one(
    play: Callable[[TurnGame], str], tmp_path: Path
) -> None:
    game = PigBySums(target=20)
    parts = export(play(game), f"{tmp_path}/parts/", turn=0)
    assert all(described(path)["boards_described"] == "by board" for path in files(parts.path))  # type: ignore[index]
    pairs = {(row["mine"], row["theirs"]) for row in rows_of(*files(parts.path))}
    assert pairs == {
        (mine * (2 if theirs else 1), theirs * (2 if mine else 1)) for mine in range(20) for theirs in range(20)
    }
    again = export(play(game), f"{tmp_path}/parts/", turn=0)
    assert (again.already, again.files, again.rows) == (parts.files, parts.files, parts.rows)


def test_what_is_open_for_another_class_of_the_same_name_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_module, "SETTLED", 0)
    made = Pig(target=20)
    stored(made)
    opened = stored(made)
    assert stored(made) is opened
    assert isinstance(stored(PigBySums(target=20)).game, PigBySums)
    assert type(stored(made).game) is Pig


def test_files_written_before_a_quick_way_proved_wrong_are_written_again(
    play: Callable[[TurnGame], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_fields_module, "WORTH_IT", 0)
    monkeypatch.setattr(rows_module, "WORTH_IT", 0)
    name = play(YAHTZEE)
    right = rows_of(*files(export(name, f"{tmp_path}/right/", roll="none").path))
    check, calls = Sheet.check, []

    def fails_late(self: Sheet, *args: Any) -> None:
        calls.append(args)
        if len(calls) == 3:
            raise Interwoven
        check(self, *args)

    monkeypatch.setattr(Sheet, "check", fails_late)
    parts = export(name, f"{tmp_path}/parts/", roll="none")
    assert parts.already == 0
    assert all(described(path)["boards_described"] == "by board" for path in files(parts.path))  # type: ignore[index]
    assert rows_of(*files(parts.path)) == right


# --- going on --------------------------------------------------------------------------------------------------------


def no_solution(*_: Any, **__: Any) -> None:
    raise AssertionError("there was no need of a solution")


def test_what_is_there_is_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = export("pig", f"{tmp_path}/parts/", {"target": 6})
    before = stamps(first.path)
    monkeypatch.setattr(writing_module, "asked", no_solution)
    again = export("pig", first.path, {"target": 6})  # a Path has lost the /, but the folder is there
    assert stamps(first.path) == before
    assert (again.rows, again.bytes, again.files, again.already) == (first.rows, first.bytes, 11, 11)


def test_parts_of_another_export_are_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = f"{tmp_path}/parts/"
    exports: list[tuple[int, dict[str, Any], int]] = [(6, {}, 0), (6, {"mine": 2}, 0), (5, {"mine": 2}, 0), (6, {}, 5)]
    for target, state, already in exports:  # the slice has levels 2 to 7, so 5 files of the first export stay
        one = export("pig", tmp_path / "one.parquet", {"target": target}, **state)
        made = export("pig", folder, {"target": target}, **state)
        assert made.already == already
        mine = [tmp_path / "parts" / f"level-{level:03}.parquet" for level in _levels(one.path)]
        assert in_order(rows_of(*mine)) == in_order(rows_of(one.path))
        others = len(files(tmp_path / "parts")) - len(mine)
        told = capsys.readouterr().err
        assert ("not of this export" in told) == (others > 0)
        assert others < 2 or f" and {others - 1} more, not of this export" in told
    monkeypatch.setattr(Pig, "rules_version", 99)  # another solution: the key in the cache is another
    assert export("pig", folder, {"target": 6}).already == 0
    assert not capsys.readouterr().err


def _levels(path: Path) -> list[int]:
    return sorted({row["mine"] + row["theirs"] for row in rows_of(path)})


def test_other_levels_of_the_same_export_belong_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = f"{tmp_path}/parts/"
    assert export("pig", folder, {"target": 6}, levels="0-4").already == 0
    assert export("pig", folder, {"target": 6}, levels="3-6").already == 2
    assert export("pig", folder, {"target": 6}).already == 7
    assert not capsys.readouterr().err


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content[:700] + content[900:],
        lambda content: b"",
        lambda content: b"what is this?",
    ],
    ids=["its end", "half of it", "some of its middle", "all of it", "what it is"],
)
def test_a_file_that_has_lost(spoil: Callable[[bytes], bytes], tmp_path: Path) -> None:
    folder = export("pig", f"{tmp_path}/parts/", {"target": 6}).path
    before, stamped = rows_of(*files(folder)), stamps(folder)
    spoiled = folder / "level-003.parquet"
    spoiled.write_bytes(spoil(spoiled.read_bytes()))
    assert described(spoiled) is None
    made = export("pig", folder, {"target": 6})
    assert (made.files, made.already) == (11, 10)
    assert rows_of(*files(folder)) == before
    now = stamps(folder)
    assert {name for name in now if now[name] != stamped[name]} == {spoiled.name}


def test_a_table_that_is_not_ours_is_no_part(tmp_path: Path) -> None:
    path = tmp_path / "level-000.parquet"
    table = pq.read_table(export("pig", tmp_path / "pig.parquet", {"target": 4}).path)
    pq.write_table(table.replace_schema_metadata({"rollwise": "[1, 2]"}), path)
    assert described(path) is None
    pq.write_table(table.replace_schema_metadata(), path)
    assert described(path) is None
    assert described(tmp_path) is None
    assert described(tmp_path / "nothing.parquet") is None


# --- accidents -------------------------------------------------------------------------------------------------------

# Exports pig to sys.argv[1]; what it does to itself in the middle is put in at the top.
SCRIPT = """
import os, signal, sys, time
import rollwise.exporting.rows
from rollwise.exporting.writing import export
from rollwise.exporting.files import TableFile
signal.signal(signal.SIGINT, signal.default_int_handler)  # Ctrl-C is heard even where the tests do not hear it
rollwise.exporting.rows.MOVES_A_BATCH = 10
write, finish, counts = TableFile.write, TableFile.finish, {"write": 0, "finish": 0}
def die(): os.kill(os.getpid(), signal.SIGKILL)
%s
sys.argv = ["rollwise", "export", "pig", "-p", "target=9", "-o", sys.argv[1], "--json"]
from rollwise.cli import main
main()
"""
BETWEEN_FILES = """
def finished(self, description):
    size = finish(self, description)
    counts["finish"] += 1
    if counts["finish"] == 4: die()
    return size
TableFile.finish = finished
"""
IN_A_FILE = """
def written(self, batch):
    write(self, batch)
    counts["write"] += 1
    if counts["write"] == 20: %s
TableFile.write = written
"""
BEFORE_THE_RENAME = """
replace = os.replace
def replaced(old, new):
    counts["finish"] += "level-" in str(new)
    if counts["finish"] == 4: die()
    replace(old, new)
os.replace = replaced
"""
SLOWLY = """
def written(self, batch):
    write(self, batch)
    time.sleep(0.01)
TableFile.write = written
"""


def start(folder: Path, doing: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT % doing, f"{folder}/"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.fixture
def right(tmp_path: Path) -> list[Row]:
    return rows_of(*files(export("pig", f"{tmp_path}/right/", {"target": 9}).path))


@pytest.mark.parametrize(
    ("doing", "n_whole"), [(BETWEEN_FILES, 4), (IN_A_FILE % "die()", None), (BEFORE_THE_RENAME, 3)], ids=range(3)
)
def test_a_killed_export_goes_on_where_it_was(
    doing: str, n_whole: int | None, right: list[Row], tmp_path: Path
) -> None:
    folder = tmp_path / "parts"
    killed = start(folder, doing)
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    whole = {path.name for path in folder.glob("*.parquet")}
    assert all(described(folder / name) for name in whole)
    assert 0 < len(whole) < 17
    assert n_whole in (None, len(whole))
    before = stamps(folder)
    made = export("pig", f"{folder}/", {"target": 9})
    assert (made.files, made.already) == (17, len(whole))
    after = stamps(folder)
    assert all(after[name] == before[name] for name in whole)
    assert sorted(after) == [f"level-{level:03}.parquet" for level in range(17)]
    assert rows_of(*files(folder)) == right


def test_ctrl_c_leaves_whole_files_and_nothing_else(right: list[Row], tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    stopped = start(folder, IN_A_FILE % "os.kill(os.getpid(), signal.SIGINT)")
    _, told = stopped.communicate(timeout=60)
    assert stopped.returncode not in (0, 2)
    whole = files(folder)
    assert f"stopped; {len(whole)} of 17 files are whole, the same command goes on from there" in told
    assert [path.name for path in whole] == [f"level-{level:03}.parquet" for level in range(len(whole))]
    assert 0 < len(whole) < 17
    assert all(described(path) for path in whole)
    assert export("pig", f"{folder}/", {"target": 9}).already == len(whole)
    assert rows_of(*files(folder)) == right


def test_two_processes_share_the_work(right: list[Row], tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    both = [start(folder, SLOWLY) for _ in range(2)]
    told = [json.loads(one.communicate(timeout=60)[0]) for one in both]
    assert [one.returncode for one in both] == [0, 0]
    for made in told:
        assert (made["files"], made["rows"]) == (17, len(right))
    assert sum(made["files"] - made["already"] for made in told) == 17  # each was written once
    assert [path.name for path in files(folder)] == [f"level-{level:03}.parquet" for level in range(17)]
    assert rows_of(*files(folder)) == right


def test_a_file_is_written_by_one_at_a_time_and_what_the_dead_left_goes(tmp_path: Path) -> None:
    path = tmp_path / "level-000.parquet"
    left = tmp_path / ".level-000.parquet.tmp-0123456789abcdef"
    left.touch()
    with alone(path, wait=False) as mine:
        assert mine
        assert not left.exists()
        with alone(path, wait=False) as theirs:
            assert not theirs
    assert not files(tmp_path)


def test_a_full_disk_stops_the_export_and_leaves_the_whole_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, calls = TableFile.write, []

    def fails_later(self: TableFile, batch: Any) -> None:
        calls.append(batch)
        with self._told():
            if len(calls) == 4:
                raise OSError(28, "No space left on device")
            write(self, batch)

    monkeypatch.setattr(TableFile, "write", fails_later)
    with pytest.raises(RollwiseError, match=r"level-003.parquet was not written: No space left on device"):
        export("pig", f"{tmp_path}/parts/", {"target": 6})
    assert [path.name for path in files(tmp_path / "parts")] == [f"level-{level:03}.parquet" for level in range(3)]


def test_a_damaged_entry_is_solved_again_while_parts_are_written(
    tmp_path: Path, own_cache: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    before = rows_of(*files(export("pig", f"{tmp_path}/a/", {"target": 7}).path))
    (values,) = own_cache.root.rglob("values.npy")
    content = bytearray(values.read_bytes())
    content[-5] ^= 0xFF
    values.write_bytes(content)
    capsys.readouterr()
    assert rows_of(*files(export("pig", f"{tmp_path}/b/", {"target": 7}).path)) == before
    assert "values.npy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("file/", "is a file; a folder is wanted"),
        ("none/parts/", "cannot be made: there is no folder"),
        ("x" * 300 + "/", "nothing can be written"),
    ],
)
def test_a_folder_that_cannot_be_is_refused_in_one_line_before_solving(
    output: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing_module, "asked", no_solution)
    (tmp_path / "file").touch()
    with pytest.raises(RollwiseError) as refused:
        export("pig", f"{tmp_path}/{output}", {"target": 6})
    assert said in refused.value.line()
    assert "\n" not in refused.value.line()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_command_line_says_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, told = f"{tmp_path}/parts/", []
    for more in (["--levels", "2-9"], [], ["--json"], ["-o", f"{tmp_path}/one.parquet"], ["--levels", "9-2"]):
        monkeypatch.setattr(sys, "argv", ["rollwise", "export", "pig", "-p", "target=6", "-o", folder, *more])
        with pytest.raises(SystemExit) as ended:
            main()
        told.append((ended.value.code, *capsys.readouterr()))
    some, whole, plain, one, refused = told
    rows = rows_of(*files(tmp_path / "parts"))
    size = sum(path.stat().st_size for path in files(tmp_path / "parts"))
    assert some[1].startswith(f"{tmp_path}/parts: 8 files, ")
    assert whole[1].startswith(f"{tmp_path}/parts: 11 files (8 there already), {len(rows)} decisions, {size:,} bytes, ")
    assert {**json.loads(plain[1]), "seconds": 0} == {
        "path": f"{tmp_path}/parts",
        "rows": len(rows),
        "format": "parquet",
        "bytes": size,
        "seconds": 0,
        "files": 11,
        "already": 11,
    }
    assert one[1].startswith(f"{tmp_path}/one.parquet: {len(rows)} decisions, ")
    assert refused == (2, "", "error: levels are like 14-16 or 0,3,5-7, got '9-2'\n")


def test_nothing_is_left_of_an_export_that_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing_module, "MOST_ROWS", 10)
    with pytest.raises(RollwiseError, match=r"decisions of pig\(target=6\); narrow it down by fields .* or --levels"):
        export("pig", f"{tmp_path}/parts/", {"target": 6})
    assert not list(tmp_path.iterdir())
    assert export("pig", f"{tmp_path}/parts/", {"target": 6}, all=True).files == 11
    assert export("pig", f"{tmp_path}/parts/", {"target": 6}, levels=0).files == 1


def test_many_boards_come_in_chunks_and_in_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = rows_of(export("pig", tmp_path / "a.parquet", {"target": 12}, turn=0).path)
    monkeypatch.setattr(decisions_module, "CHUNK", 50)
    assert rows_of(export("pig", tmp_path / "b.parquet", {"target": 12}, turn=0).path) == whole
    parts = export("pig", f"{tmp_path}/parts/", {"target": 12}, turn=0)
    assert in_order(rows_of(*files(parts.path))) == in_order(whole)
    chosen = Slice(the_game("pig", {"target": 12}), {})
    assert [len(boards) for _, boards in chosen.blocks()] == [50, 50, 44]


def test_a_file_that_another_process_is_writing_is_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "parts"
    export("pig", f"{folder}/", {"target": 4}, levels="1-6")
    done: list[Any] = []
    other = threading.Thread(target=lambda: done.append(export("pig", f"{folder}/", {"target": 4})))
    with alone(folder / "level-000.parquet", wait=False) as mine:
        assert mine
        other.start()
        other.join(timeout=2)
        assert not done
    other.join(timeout=30)
    assert (done[0].files, done[0].already) == (7, 6)
    assert capsys.readouterr().err == (
        "rollwise: another export is writing level-000.parquet; waiting for it (Ctrl-C to stop)\n"
    )
