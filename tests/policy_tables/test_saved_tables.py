"""Tables that a spreadsheet has saved are read where they still say the same, else refused with the cell.

The cells are those of exports that LibreOffice 7.4 has opened and saved in English and German; some have old lists.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import rollwise
from rollwise.parsing.validate import parse_game
from rollwise.policy_tables.files import parse_rules, sidecar_path
from rollwise.policy_tables.table_writer import TableWriter

GAMES: dict[str, tuple[str, str, dict[str, Any]]] = {  # fields, what a table says that it is of, and a question
    "shut-the-box": ("open;roll", "shut-the-box objective=score", {"open": "1,2,7,8", "roll": "1,2"}),
    "finish": ("chips;placed;opened;mover;roll", "finish players=2 placing=free", {"chips": "1,1", "roll": "111111"}),
    "bluff": ("mine;theirs;last;total;call", "bluff chips=1", {"call": 10}),
    "pig": ("mine;theirs;turn", "pig target=3", {"theirs": 1, "turn": 2}),
}
ANSWERS = ";best_move;value;lower;upper;moves;values;probabilities;game"
READ = [  # rows as they were saved, worth 12.375
    "1,2,7,8;1,2;shut 1 2;12,375;12,3749999999992;12,3750000000008;shut 1 2;12,375;",
    "[1 2 7 8];[1 2];shut 1 2;12,375;12,3749999999992;12,3750000000008;shut 1 2;[12.375];",
]
CALL, PLACE = "1;1;0;;10;challenge", "0;0;0;1,1,1,1,1,1;place 1;0.5;0;1;place 1;0.5;"
TURN = "2;roll;0.5;0;1;roll;[0.5];"
REFUSED = [  # rows as they were saved, with what is said of the last
    ("shut-the-box", "1,2,7,8;1,2;shut 1 2;12375;12.37;12.38;shut 1 2;12375;", "value 12375 is not between lower"),
    ("shut-the-box", "[1 2 7 8];[1 2];shut 1 2;12375;12375;12375;shut 1 2;[12.375];", "is not the first of values"),
    ("bluff", f"{CALL};375;375;375;challenge;375;1", "value is a chance, from 0 to 1, got 375. Has a spreadsheet"),
    ("bluff", f"1;1;0;;9;accept;.2;0;1;accept;.2;1\n{CALL};0,3;0;1;challenge;.3;1", "value is 0,3, while other"),
    ("bluff", f"{CALL};0.3;0;1;challenge|accept;[0.3 0.2];1.5|-0.5", ", column 'probabilities': chances from 0 to 1"),
    ("bluff", f"{CALL};0.3;0;1;challenge|accept;[0.3 0.2];[0.5 0.6]", ", column 'probabilities': chances from 0 to 1"),
    ("finish", f"1,1;{PLACE}\n1,1;{PLACE}", ""),  # of which one was 1,10
    ("pig", "0;1;2;roll;nan;0;1;roll;[0.5];", "value is a number, got 'nan'"),
    ("pig", f"0;0;{TURN}\n0;;{TURN}", "theirs is empty in this row or in the first"),
    ("pig", f"0;1;{TURN}\n1;1;{TURN}", "mine is 1, but the slice of the table is mine=0"),
]


def saved(game: str, rows: str, path: Path) -> Path:
    fields, of, _ = GAMES[game]
    path.write_text("\n".join([fields + ANSWERS, *(f"{row};{of}" for row in rows.splitlines())]))
    sidecar_path(path).write_text(json.dumps({**parse_rules(of), "slice": {"mine": "0"} if game == "pig" else {}}))
    return path


def test_decimal_commas_and_lists_old_and_new_are_read(tmp_path: Path) -> None:
    for row in READ:
        path = saved("shut-the-box", row, tmp_path / "a.csv")
        assert rollwise.best(path, state=GAMES["shut-the-box"][2])["value"] == 12.375


def test_what_a_spreadsheet_has_changed_is_refused_with_its_row(tmp_path: Path) -> None:
    for game, rows, told in REFUSED:
        path, place = saved(game, rows, tmp_path / "a.csv"), f"a.csv row {1 + rows.count(chr(10))}"
        with pytest.raises(rollwise.BadInput, match=f"{place}.*{re.escape(told)}"):
            rollwise.compare(game, path, slice=game != "bluff")
        if "probabilities" not in told:  # which only a comparison looks at
            with pytest.raises(rollwise.BadInput, match=f"{place}.*{re.escape(told)}"):
                rollwise.best(path, state=GAMES[game][2])


def test_a_best_move_is_among_the_moves(tmp_path: Path) -> None:
    path = saved("pig", "0;1;2;hold;0.5;0;1;roll;[0.5];", tmp_path / "a.csv")
    with pytest.raises(rollwise.BadInput, match="row 1: best_move is hold, which is not among the moves"):
        rollwise.best(path, state=GAMES["pig"][2])


def test_what_is_nearly_sure_is_not_said_to_be_decided(tmp_path: Path) -> None:
    for low, is_sure in ((1, True), (0.9999999999, False)):
        path = saved("pig", f"0;1;2;hold;1;{low};1;hold|roll;[1 1];", tmp_path / "a.csv")
        told = json.loads(sidecar_path(path).read_text())
        sidecar_path(path).write_text(json.dumps({**told, "tie_break": "by the mean"}))
        assert ("tie_break" in rollwise.best(path, state=GAMES["pig"][2])) == is_sure


def test_lists_of_csv_are_no_numbers_and_a_question_takes_them(tmp_path: Path) -> None:
    cells = {("slam", "scores"): "[10 1]", ("busted", "board"): "[3:3 7:14]", ("mexico", "results"): "[6-5 -]"}
    cells |= {("shut-the-box", "open"): "[5]", ("yahtzee", "filled"): "ones:3,full house:25"}
    fields = {name: next(field for field in parse_game(game).fields() if field.name == name) for game, name in cells}
    typed = {name: fields[name].show(fields[name].parse(cell)) for (_, name), cell in cells.items()}
    batch = pa.RecordBatch.from_pylist([{**typed, "best": None, "values": [0.625, 1.0], "moves": ["shut 5", "roll"]}])
    with TableWriter(tmp_path / "a.csv", "csv", batch.schema) as file:
        file.write(batch)
        file.finish({})
    written = [*csv.reader((tmp_path / "a.csv").read_text().splitlines())][1]
    assert written == [*cells.values(), "", "[0.625 1]", "shut 5|roll"]
