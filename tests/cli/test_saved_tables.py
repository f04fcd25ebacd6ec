"""Tables that a spreadsheet has saved are read where they still say the same, else refused with the cell.

The cells are those of exports that LibreOffice 7.4 has opened and saved in English and German, first lists as of old.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import rollwise
from rollwise.reading.door import the_game
from rollwise.tables.files import beside, of_read
from rollwise.tables.table_file import TableFile

GAMES = {  # columns of their tables without those of the answer, and what a table says that it is of
    "shut-the-box": ("open;roll", "shut-the-box players=1 variant=basic objective=score", {"open": "1,2,7,8", "roll": 12}),
    "finish": ("chips;placed;opened;mover;roll", "finish players=2 placing=free", {"chips": [1, 10], "roll": 111111}),
    "bluff": ("mine;theirs;last;total;call", "bluff chips=1 players=2", {"call": 10}),
    "pig": ("mine;theirs;turn", "pig target=3", {"theirs": 1, "turn": 2}),
}
ANSWERS, PLACE = ";best_move;value;lower;upper;moves;values;probabilities;game\n", "0;0;0;1,1,1,1,1,1"
SAVED: list[tuple[str, list[str], float | str]] = [  # a game, rows as they were saved, and the value or what is said
    ("shut-the-box", ["1,2,7,8;1,2;shut 1 2;12,375;12,3749999999992;12,3750000000008;shut 1 2;12,375;"], 12.375),
    ("shut-the-box", ["[1 2 7 8];[1 2];shut 1 2;12,375;12,374999;12,375001;shut 1 2;[12.375];"], 12.375),
    (
        "shut-the-box",
        ["1,2,7,8;1,2;shut 1 2;12375;12.37499999999924;12.37500000000076;shut 1 2;12375;"],
        "row 1: value 12375 is not between lower 12.375 and upper 12.375. Has a spreadsheet changed it? Export anew",
    ),
    (
        "shut-the-box",
        ["[1 2 7 8];[1 2];shut 1 2;12375;12375;12375;shut 1 2;[12.375];"],
        "row 1: value 12375 is not the first of values, 12.375",
    ),
    ("bluff", ["1;1;0;;10;challenge;375;375;375;challenge;375;1"], "row 1: value is a chance, from 0 to 1, got 375"),
    (
        "bluff",
        ["1;1;0;;9;accept;0.25;0.25;0.25;accept;[0.25];[1]", "1;1;0;;10;accept;0,375;0,3;0,4;accept;[0.375];[1]"],
        "row 2: value is 0,375, while other decimals of the file stand behind '.'",
    ),
    (
        "finish",
        [f"{chips};{PLACE};place 1;{value};0;1;place 1;{value};" for chips, value in (("1,1", 0.6), ("1,1", 0.1))],
        "row 2",  # of one state with row 1
    ),
    ("finish", [f"1.1;{PLACE};place 1;0.6;0;1;place 1;0.6;"], "row 1, column 'chips': chips is a whole number"),
    ("finish", [f"[1 10];{PLACE};place 1;0.1;0;1;place 1;[0.1];"], 0.1),
    ("finish", [f'"1,10";{PLACE};place 1;0.1;0;1;place 1;0.1;'], 0.1),
    (
        "pig",
        ["0;0;2;roll;0.5;0;1;roll;[0.5];", "0;;2;roll;0.5;0;1;roll;[0.5];"],
        "row 2: theirs is empty in this row or",
    ),
    ("pig", ["0;1;2;roll;0.5;0;1;roll;[0.5];", "1;1;2;roll;0.5;0;1;roll;[0.5];"], "says that it is of mine=0"),
]


@pytest.mark.parametrize(("game", "rows", "told"), SAVED)
def test_a_table_that_was_saved_says_the_same_or_is_refused(
    game: str, rows: list[str], told: float | str, tmp_path: Path
) -> None:
    (columns, of, state), path = GAMES[game], tmp_path / "saved.csv"
    path.write_text(columns + ANSWERS + "".join(f"{row};{of}\n" for row in rows))
    if game == "pig":
        beside(path).write_text(json.dumps({**of_read(of), "slice": {"mine": "0"}}))
    if isinstance(told, float):
        assert rollwise.best(path, state=state)["value"] == told
        return
    doors: list[Callable[[], Any]] = [
        lambda: rollwise.best(path, state=state if game != "finish" else {**state, "chips": "1,1"}),
        lambda: rollwise.compare(game, path, slice=game != "bluff"),
    ]
    for door in doors:
        with pytest.raises(rollwise.BadInput) as refused:
            door()
        assert told in str(refused.value)


@pytest.mark.parametrize("often", ["[0.5 0.6]", "[1.5 -0.5]", "375|625"])
def test_chances_of_a_mix_are_from_0_to_1_and_add_up(often: str, tmp_path: Path) -> None:
    columns, of, _ = GAMES["bluff"]
    row = f"1;1;0;;10;challenge;0.5;0.5;0.5;challenge|accept;[0.5 0.5];{often};{of}\n"
    (tmp_path / "a.csv").write_text(columns + ANSWERS + row)
    with pytest.raises(rollwise.BadInput, match="row 1, column 'probabilities': chances from 0 to 1 are wanted"):
        rollwise.compare("bluff", tmp_path / "a.csv")


def test_lists_of_csv_are_no_numbers_and_a_question_takes_them(tmp_path: Path) -> None:
    cells = {
        ("slam", "scores"): "[10 1]",
        ("busted", "board"): "[3:3 7:14]",
        ("mexico", "results"): "[6-5 -]",
        ("shut-the-box", "open"): "[5]",
        ("sevens", "opener"): "theirs",
        ("yahtzee", "filled"): "ones:3,full house:25",
    }
    fields = [next(field for field in the_game(game).fields() if field.name == name) for game, name in cells]
    typed = {each.name: each.show(each.parse(cell)) for each, cell in zip(fields, cells.values(), strict=True)}
    assert "10,1" in typed.values()
    batch = pa.RecordBatch.from_pylist([{**typed, "best": None, "values": [0.625, 1.0], "moves": ["shut 5", "roll"]}])
    with TableFile(tmp_path / "a.csv", "csv", batch.schema) as file:
        file.write(batch)
        file.finish({})
    written = ",".join(f'"{cell}"' for cell in cells.values())
    assert (tmp_path / "a.csv").read_text().endswith(f'\n{written},,"[0.625 1]","shut 5|roll"\n')
