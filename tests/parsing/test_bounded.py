"""What comes from outside is read and worked on within bounds: endless files, pipes, absurd numbers, odd types."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rollwise
from rollwise import BadInput, Match
from rollwise.games.claims.throwing import MAX_TEXT_CHARS, chance
from rollwise.parsing import records
from rollwise.policy_tables import table_reader, table_rows

Said = Callable[..., str]
PIG = {"target": 3}
DOORS: dict[str, Callable[[str], Any]] = {
    "resume": Match.load,
    "review": rollwise.review,
    "quiz": lambda file: rollwise.quiz("pig", file=file),
    "claims": lambda file: rollwise.verify(claims=file),
}
TABLES: dict[str, Callable[[Path], Any]] = {
    "compare": lambda path: rollwise.compare("pig", path, params=PIG),
    "best": lambda path: rollwise.best(path, mine=0, theirs=0, turn=2),
}


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    """The rows of a table."""
    table = pq.read_table(rollwise.export("pig", tmp_path / "whole.parquet", params=PIG).path)
    return list(table.to_pylist())


def written(rows: list[dict[str, Any]], path: Path) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_file_without_an_end_and_a_pipe_without_a_writer_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAX_FILE_BYTES", 1000)
    monkeypatch.setattr(records, "PIPE_TIMEOUT_S", 0.05)
    os.mkfifo(tmp_path / "pipe")
    for door in DOORS.values():
        with pytest.raises(BadInput, match=r"^/dev/zero is larger than "):
            door("/dev/zero")
        with pytest.raises(BadInput, match="pipe cannot be read: the pipe has no writer"):
            door(str(tmp_path / "pipe"))


def test_lines_are_counted_before_they_are_parted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_LINES", 10)
    path = tmp_path / "a"
    for end in ("\n", "\r", "\u2028"):
        path.write_text(f"1{end}" * 11, encoding="utf-8")
        for name in ("resume", "review", "quiz"):
            with pytest.raises(BadInput, match="has more than 10 lines, which is no record of a game"):
                DOORS[name](str(path))


def test_no_more_is_read_than_is_asked_for() -> None:
    assert len(records.read_bytes("/dev/zero", 3 * records.READ_CHUNK_BYTES + 1)) == 3 * records.READ_CHUNK_BYTES + 1


def test_a_pipe_is_waited_for_and_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    def write() -> None:
        time.sleep(0.05)
        with (tmp_path / "pipe").open("wb", buffering=0) as pipe:
            for part in (b"a", b"b" * 70_000):
                time.sleep(0.05)
                pipe.write(part)

    writer = threading.Thread(target=write)
    writer.start()
    assert len(records.read_bytes(tmp_path / "pipe", 100_000)) == 70_001
    writer.join()


def test_a_table_is_an_ordinary_file(tmp_path: Path) -> None:
    for suffix, door in product(("csv", "jsonl", "parquet"), TABLES.values()):
        path = tmp_path / f"a.{suffix}"
        path.unlink(missing_ok=True)
        path.symlink_to("/dev/zero")
        with pytest.raises(BadInput, match="no ordinary file"):
            door(path)


def test_a_byte_order_mark_stops_no_game(said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    path = tmp_path / "pig.jsonl"
    Match("pig", params=PIG).save(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    said(f"play --resume {path}", "The game is kept")
    assert not path.read_bytes().startswith(b"\xef")  # which is ours to write over


# --- work ------------------------------------------------------------------------------------------------------------


def test_a_text_of_a_throw_has_an_end_and_all_dice_take_no_time() -> None:
    assert (
        chance(20, " or ".join(f"total {number}" for number in range(20, 121))[:MAX_TEXT_CHARS].rpartition(" or")[0])
        < 1
    )
    assert chance(20, "at most twenty 6".replace("twenty", "20")) == Fraction(1)
    with pytest.raises(BadInput, match=r"up to 1,000 letters, got 5,496"):
        chance(20, " or ".join(["total 7"] * 500))


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_columns_are_counted_first_and_have_names_of_their_own(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{suffix}"
    for names, told in (
        ([f"c{number}" for number in range(50_000)], "has 50,000 columns; a table has at most 1,000"),
        (["mine", "theirs", "mine"], "has two columns 'mine'"),
    ):
        if suffix == "csv":
            path.write_text(",".join(names) + "\n")
        elif suffix == "jsonl":
            path.write_text("{" + ", ".join(f'"{name}": 1' for name in names) + "}\n")
        else:
            some = names[:1001]
            told = told.replace("50,000", f"{len(some):,}")
            pq.write_table(pa.table([pa.array([1], pa.int8())] * len(some), names=some), path)
        for door in TABLES.values():
            if suffix != "jsonl" or len(names) > 3:  # JSON has the last of two
                with pytest.raises(BadInput, match=told):
                    door(path)


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_rows_that_are_kept_are_counted_first(
    suffix: str, rows: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_rows, "MAX_ROWS", len(rows))
    path = written(rows, tmp_path / f"a.{suffix}")
    rollwise.compare("pig", path, params=PIG)
    for module in (table_reader, table_rows):
        monkeypatch.setattr(module, "MAX_ROWS", len(rows) - 1)
    monkeypatch.setattr(table_rows, "_row_key", None)  # no row is read
    with pytest.raises(rollwise.TooLarge, match=f"up to {len(rows) - 1} are compared"):
        rollwise.compare("pig", path, params=PIG)


@pytest.mark.parametrize("text", ["mine" + "x" * (1 << 20), 'mine,best_move\n"' + "\n".join(['","'] * 1002) + '"\n'])
def test_a_line_and_a_row_have_an_end(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(BadInput, match="more than 1,0"):
        for _ in table_reader.read_table(tmp_path / "a.csv")[0].rows(["mine"]):
            pass


# --- odd types -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_cell_of_another_type_is_told_with_its_row(suffix: str, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    wrong = [("best_move", ["roll"]), ("best_move", 5), ("moves", 5), ("value", "x"), ("values", "a|b")]
    for column, cell in wrong:
        path = written([{**row, column: cell} for row in rows], tmp_path / f"a.{suffix}")
        with pytest.raises(BadInput, match=r"a\.\w+ row \d+"):
            TABLES["best"](path)
        if column == "best_move":
            with pytest.raises(BadInput, match=r"row 1, column 'best_move'.* is no move at"):
                TABLES["compare"](path)


def test_a_damaged_page_is_no_table(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "whole.parquet"
    damaged = bytearray(path.read_bytes())
    damaged[20:100] = bytes(sign ^ 0x5A for sign in damaged[20:100])
    path.write_bytes(damaged)
    for door in TABLES.values():
        with pytest.raises(BadInput, match=r"whole.parquet is not a parquet table: "):
            door(path)


class Odd(str):
    """A text that cannot be compared, shown or kept."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise ValueError

    __ne__ = __hash__ = __repr__ = __str__ = __eq__  # type: ignore[assignment]


def test_what_a_rule_plays_is_its_letters() -> None:
    assert rollwise.compare("pig", lambda state, moves: Odd(moves[0]), params=PIG).cost is not None
    with pytest.raises(BadInput, match="plays 'nothing' at"):
        rollwise.compare("pig", lambda state, moves: Odd("nothing"), params=PIG)


@pytest.mark.thorough
def test_a_weight_that_no_float_holds_is_told_with_its_place() -> None:
    often: Any = {"accept": 10**400}
    with pytest.raises(BadInput, match=r"failed at .*OverflowError"):
        rollwise.compare("bluff", lambda state, moves: often if "accept" in moves else moves[0], params={"chips": 1})


def test_errors_quote_what_came_cut_and_without_signs_that_a_terminal_obeys() -> None:
    odd = "x\0\x1b[31m\n" * 1000
    for ask in (
        lambda: rollwise.compare("pig", odd, params=PIG),
        lambda: rollwise.compare("pig", lambda state, moves: odd, params=PIG),
        lambda: rollwise.verify(source=odd),
        lambda: rollwise.odds("yahtzee", boxes=[odd]),
        lambda: rollwise.best(Path("y" * 3000 + ".csv")),
        lambda: rollwise.export("pig", "y" * 3000 + "\x1b.csv"),
    ):
        with pytest.raises(BadInput) as refused:
            ask()
        assert str(refused.value).isprintable()
        assert len(str(refused.value)) < 1010
