"""``compare``: what rules are shown, tables that were edited, slices, and boards to go on from.

What it says of a rule, of one that fails, and of an edited table is in ``compare.txt`` and ``compare-tables.txt``.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rollwise
from rollwise.games.yahtzee.rules import Yahtzee
from rollwise.policy_tables.table_reader import read_table
from rollwise.questions.compare.compute import compare
from rollwise.solver.model.errors import BadInput, ModelError, TooLarge
from rollwise.solver.model.game import TurnGame
from tests.sizes import SIZES
from tests.toys.totals import PigByTotals, PigHeldOfBoard, PigHeldOfTurn

Run = Callable[..., tuple[int, str, str]]
Said = Callable[..., str]
Edit = Callable[[list[str]], list[str]]
LATE = {
    "filled": "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,chance:23,yahtzee:0,full house:25,small straight:30"
}
TEN = {"target": 10}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of Pig to 10, in each format: nobody writes here."""
    folder = tmp_path_factory.mktemp("tables")
    for suffix in ("csv", "jsonl", "parquet"):
        rollwise.export("pig", folder / f"pig.{suffix}", params=TEN)
    return folder


@pytest.fixture
def pig(tables: Path, tmp_path: Path) -> Path:
    """The table of Pig to 10, to be edited."""
    for path in tables.iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path / "pig.csv"


def edited(path: Path, edit: Edit) -> Path:
    path.write_text("\n".join(edit(path.read_text().splitlines())) + "\n")
    return path


def forgets(path: Path) -> Path:
    """A CSV that no longer says what it is of, as those of older versions do once they have another name."""
    path.with_name(f"{path.name}.meta.json").unlink()
    return edited(path, lambda rows: [row.rpartition(",")[0] for row in rows])


def test_a_file_of_rules_may_hold_whatever_a_module_may(tmp_path: Path) -> None:
    path = tmp_path / "rule.py"
    path.write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class HoldAt:\n"
        "    points: int\n"
        "    def __call__(self, state, moves):\n"
        '        return "hold" if state["turn"] >= self.points else "roll"\n'
        "four = HoldAt(4)\n"
    )
    assert compare("pig", f"{path}:four", params=TEN).cost[0] > 0


def test_a_rule_that_changes_what_it_is_shown_changes_nothing_else(play: Callable[[TurnGame], str]) -> None:
    """A sheet that it takes boxes from, and a list of moves that it empties, are its own."""

    def greedy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        assert len(state["filled"]) == 1
        state["filled"].clear()
        move = moves[0]
        moves.clear()  # type: ignore[attr-defined]
        return move

    name, last = play(Yahtzee(boxes="ones,chance")), {"filled": "ones:3"}
    first = compare(name, lambda state, moves: moves[0] if state["filled"] else "nothing", state=last)
    assert compare(name, greedy, state=last).cost == first.cost


def test_a_rule_sees_all_fields_and_the_moves_that_are_legal_there() -> None:
    seen: list[tuple[dict[str, Any], Sequence[str]]] = []

    def look(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        seen.append((dict(state), moves))
        assert set(state) == set(dict(state)) == set(state.keys())
        assert len(state) == len(dict(state))
        assert state.get("roll", "no roll") == dict(state).get("roll", "no roll")
        return moves[0]

    found = compare("mexico", look, params={"lives": 1})
    fields = {"lives", "opener", "results", "roll", "rolls_left"}
    assert set(found.looks_at) | set(seen[-1][0]) >= fields
    for state, moves in seen[::99]:
        told = rollwise.ask(
            "mexico", params={"lives": 1}, state={name: state[name] for name in state if name in fields}
        )
        assert sorted(moves) == sorted(move.move for move in told.moves)
    shown = [json.dumps(state, sort_keys=True) for state, _ in seen]
    assert len(shown) == len(set(shown)) > 100  # once for each decision


def test_a_rule_is_not_asked_where_nothing_is_to_be_chosen() -> None:
    asked: list[int] = []
    compare("pig", lambda state, moves: asked.append(state["turn"]) or "hold", params=TEN)  # type: ignore[func-returns-value]
    assert sorted(asked) == [2, 3, 4, 5, 6]  # holding at the first throw, no other total is come to


def test_a_field_is_shown_with_what_it_belongs_to_or_the_game_is_refused(play: Callable[[TurnGame], str]) -> None:
    """What the mover would hold depends on the board and on the turn."""

    def hold_at(held: Callable[[Mapping[str, Any]], int]) -> Any:
        return lambda state, moves: "hold" if held(state) >= 4 + state["theirs"] and "hold" in moves else "roll"

    plain = compare("pig", hold_at(lambda state: state["mine"] + state["turn"]), params=TEN)
    rule = hold_at(lambda state: state["held"])
    both = compare(play(PigByTotals(target=10)), rule)
    assert (both.cost, set(both.looks_at)) == (plain.cost, {"held", "theirs"})
    for game, of in ((PigHeldOfBoard, "board"), (PigHeldOfTurn, "turn")):
        with pytest.raises(ModelError, match=rf"^pig\(target=10\) has the field held of the {of}, but it is \d and \d"):
            compare(play(game(target=10)), rule)


def test_how_long_the_asking_takes_is_told_first(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.questions.compare.function_policy.NOTE_FROM_S", 0.0)
    told = said("compare pig keep-pace -p target=12").splitlines()[-1]
    assert re.fullmatch(
        r"rollwise: the rule distinguishes up to [\d,]+ boards, so this takes about \d+ s \(Ctrl-C to stop\)", told
    )


def test_at_a_table_of_three_an_unedited_table_costs_nothing_and_a_part_of_one_is_refused(
    said: Said, tmp_path: Path, play: Callable[[TurnGame], str]
) -> None:
    table, part = tmp_path / "policy.csv", tmp_path / "part.csv"
    name = play(next(size.game for size in SIZES if str(size) == "shut-the-box players=3 boxes=4"))
    rollwise.export(name, table)
    told = " ".join(said(f"compare {name} {table}").split())
    assert "It costs nothing" in told
    assert "while all others play the solution, mean of all seats" in told
    part.write_text("\n".join(table.read_text().splitlines()[:20]) + "\n")
    said(f"compare {name} {part} --slice", "give a rule for every decision", code=2)


@pytest.mark.thorough
def test_a_rule_that_looks_at_the_sheet_is_compared_from_a_late_one(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "rule.py"
    path.write_text(
        "def first_open(state, moves):\n"
        "    assert 10 <= len(state['filled']) <= 12\n"
        "    scores = [move for move in moves if move.startswith('score ')]\n"
        "    return scores[0] if state['rolls_left'] == 0 else moves[-1]\n"
    )
    told = json.loads(said(f"compare yahtzee {path}:first_open 'filled={LATE['filled']}' --json"))
    assert told["state"]["filled"]["chance"] == 23
    assert told["looks_at"] == ["filled"]
    assert told["best"][0]["value"] == pytest.approx(rollwise.ask("yahtzee", state=LATE).value, abs=1e-9)
    assert 20 < told["cost"]["lower"] <= told["cost"]["upper"] < 60


def test_from_the_start_a_sheet_is_too_much_to_look_at() -> None:
    with pytest.raises(TooLarge, match=r"looks at filled, and there are up to [\d,]+ boards with [\d,]+ decisions"):
        compare("yahtzee", lambda state, moves: moves[len(state["filled"]) % len(moves)])


@pytest.mark.thorough
def test_a_known_move_that_is_illegal_there_is_an_error_only_if_play_comes_there(tmp_path: Path) -> None:
    path, params = tmp_path / "zilch.jsonl", {"goal": 500, "opening": 350, "players": 1}
    rollwise.export("zilch", path, params=params)
    rows = [json.loads(line) for line in path.read_text().splitlines()]

    def at(**fields: Any) -> dict[str, Any]:
        return next(
            row for row in rows if row["best_move"] == "roll" and row.items() >= {**fields, "roll": None}.items()
        )

    def played(row: dict[str, Any], move: str) -> Path:
        changed = [{**one, "best_move": move} if one is row else one for one in rows]
        path.write_text("".join(json.dumps(one) + "\n" for one in changed))
        return path

    # with 350 points a player without a score may stop, but one who would come to 500 with fewer than 500 may not
    never, first = at(mine=400, turn=350, dice=1), at(mine=0, turn=0, dice=6)
    assert "stop" not in never["moves"]
    found = compare("zilch", played(never, "stop"), params=params, state={"mine": 450})
    assert found.cost[1] <= 0 <= found.cost[2]
    with pytest.raises(BadInput, match="is no move at mine=0 turn=0 dice=6"):
        compare("zilch", played(first, "stop"), params=params)


def test_rows_that_are_one_decision_have_to_agree(tmp_path: Path) -> None:
    path, params = tmp_path / "dice.csv", {"goal": 500, "players": 1}
    rollwise.export("ten-thousand", path, params=params, mine=0, turn=0)
    rows = path.read_text().splitlines()
    one, other = (
        next(i for i, row in enumerate(rows) if f'0,0,,"{roll}"' in row) for roll in ("[1 2 2 3 4 5]", "[1 2 3 3 4 5]")
    )
    assert '"keep 1 for 100"' in rows[one]
    assert other != one
    rows[one] = rows[one].replace('"keep 1 for 100"', '"keep 5 for 50"', 1)
    edited(path, lambda _: rows)
    with pytest.raises(
        BadInput, match=rf"row {one} (plays )?'keep 5 for 50'.*they are one decision: the dice that count"
    ):
        compare("ten-thousand", path, params=params, slice=True)


def test_a_table_that_does_not_say_what_it_is_of_is_taken_and_the_answer_says_so(
    said: Said, pig: Path, tables: Path
) -> None:
    command = f"compare pig {pig} -p target=10"
    assert "does not name its game" not in said(command)
    forgets(pig)
    told = "The table does not name its game; it is read as one of pig with these parameters."
    assert told in " ".join(said(command).split())
    assert compare("pig", pig, params=TEN).table == {
        **(compare("pig", tables / "pig.csv").table or {}),
        "described": False,
    }


@pytest.mark.parametrize("suffix", ["csv", pytest.param("jsonl", marks=pytest.mark.thorough), "parquet"])
def test_a_table_under_another_name_is_of_what_it_was_made_for(suffix: str, said: Said, pig: Path) -> None:
    moved = pig.with_suffix(f".{suffix}").rename(pig.with_name(f"mine.{suffix}"))
    for words in ("", "-p Target=10", "--slice"):
        assert said(f"compare pig {moved} {words}", "It costs nothing").startswith("Pig (target=10)\n")
    assert said(f"odds pig --policy {moved}").startswith("Pig (target=10)\n")


def test_a_table_of_other_rules_is_refused(tables: Path) -> None:
    with pytest.raises(BadInput, match="was made with parameters target=10; this is parameters target=12"):
        compare("pig", tables / "pig.csv", params={"target": 12})


def test_what_the_rows_say_is_sooner_believed_than_what_stands_beside(pig: Path) -> None:
    rollwise.export("pig", pig.with_name("other.csv"), params={"target": 12})
    pig.with_name("other.csv.meta.json").rename(pig.with_name("pig.csv.meta.json"))
    assert compare("pig", pig).parameters == TEN


def as_pandas_writes_it(rows: list[str]) -> list[str]:
    """An index before the columns, and whole numbers as floats."""
    body = [row.split(",", 3) for row in rows[1:]]
    return [f",{rows[0]}", *(f"{n},{a}.0,{b}.0,{c}.0,{rest}" for n, (a, b, c, rest) in enumerate(body))]


def turned_round(between: str) -> Edit:
    """Columns in another order, with another sign between them."""
    return lambda rows: [between.join(row[::-1]) for row in csv.reader(rows)]


SAVED: dict[str, tuple[str, Edit]] = {
    "by pandas": ("", as_pandas_writes_it),
    "by an older version": ("", lambda rows: [rows[0].replace('"best_move"', '"best"'), *rows[1:]]),
    "by a spreadsheet": ("\ufeff", lambda rows: [f"{row}\r" for row in rows]),
    "with semicolons": ("\ufeff", turned_round(";")),
    "with tabs": ("", turned_round("\t")),
    "as JSON with a byte order mark": ("\ufeff", list),
}


@pytest.mark.parametrize("how", SAVED)
def test_a_table_that_was_saved_is_read(how: str, pig: Path) -> None:
    begins, edit = SAVED[how]
    path = pig.with_suffix(".jsonl") if "JSON" in how else pig
    rows = edit(path.read_text().splitlines())
    path.write_bytes((begins + "".join(f"{row}\n" for row in rows)).encode())
    found = compare("pig", path)
    assert (abs(found.cost[0]) <= 1e-9, found.parameters) == (True, TEN)


def test_a_line_ends_where_json_says_so(tmp_path: Path) -> None:
    path = tmp_path / "pig.jsonl"
    path.write_text('{"mine": 1, "best": "hold\u2028on"}\n\n', encoding="utf-8")
    part = read_table(path)[0]
    assert (part.columns, list(part.rows(["best"]))) == (["mine", "best"], [(1, ["hold\u2028on"])])


HEAD = "mine,theirs,turn,best_move\n"
FIRST = '{"mine": 0, "theirs": 0, "turn": 0, "best_move": "roll"}\n'
BROKEN: list[tuple[str, str, str]] = [
    ("pig.csv", "mine,theirs,best_move\n0,0,roll\n", "has no column 'turn'; it has: mine, theirs, best_move"),
    ("pig.csv", "mine,theirs,turn,move\n0,0,0,roll\n", "has no column 'best_move'"),
    ("pig.csv", f"{HEAD}0,0,0\n", "row 1 has no column 'best_move'"),
    ("pig.csv", f"{HEAD}0,0,0,roll\n0,0,2,roll,x\n", "row 2 has more than 4 columns"),
    ("pig.csv", f"{HEAD}0,0,0,roll\n0,x,2,roll\n", "row 2, column 'theirs': theirs is"),
    ("pig.csv", HEAD, "has no rows"),
    ("pig.csv", f"{HEAD}0,0,2,roll\n0,0,2,hold\n", "row 2 plays 'hold' at mine=0 theirs=0 turn=2"),
    ("pig.jsonl", f"{FIRST}[1]\n", "row 2 is no JSON object, got [1]"),
    ("pig.jsonl", f'{FIRST}{{"mine"\n', "row 2 is not JSON: "),
    ("pig.jsonl", f"{FIRST}{{}}\n", "row 2 has no column 'mine'"),
    ("pig.jsonl", f"{FIRST}{'[' * 100_000}\n", "row 2 is nested too deeply"),
    ("pig.csv", "mine,theirs,turn,mine,best_move\n0,0,0,0,roll\n", "has two columns 'mine'"),
    ("pig.parquet", "PAR1", "is not a parquet table: "),
    ("pig.csv", f"{HEAD}0,0,0,{'x' * 200_000}\n", "field larger than field limit"),
    ("pig.csv", "\x00\udcff", "is no"),
    ("none.csv", "", "none.csv cannot be read: No such file or directory"),
    ("nothing", "", "nothing holds no level-*.parquet, as export writes them into a folder"),
]


def test_a_table_that_is_no_table_is_told_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    for file, text, message in BROKEN:
        if text:
            (tmp_path / file).write_bytes(text.encode(errors="surrogateescape"))
        code, said, error = run("compare", "pig", str(tmp_path / file), "-p", "target=10")
        assert (code, said, error.count("\n"), message in error) == (2, "", 1, True), f"{message}: {error}"


@pytest.mark.parametrize("said_there", ["[1]", "{", "[" * 100_000, None], ids=["a list", "half", "deep", "no text"])
def test_what_a_table_says_of_itself_is_an_object_or_refused(
    said_there: str | None, said: Said, pig: Path, tmp_path: Path
) -> None:
    path = tmp_path / "of_itself.parquet"
    if said_there is None:
        path = pig
        pig.with_name("pig.csv.meta.json").write_bytes(b"\xff")
    else:
        table = pa.table({"mine": [0], "theirs": [0], "turn": [2], "best_move": ["roll"]})
        pq.write_table(table.replace_schema_metadata({"rollwise": said_there}), path)
    assert said(f"compare pig {path} -p target=10", f"error: {path}", code=2).count("\n") == 1


def test_a_slice_of_one_sheet_costs_nothing_and_is_all_that_is_reached_there(
    tmp_path: Path, play: Callable[[TurnGame], str]
) -> None:
    name, sheet = play(Yahtzee(boxes="ones,full house,yahtzee")), {"filled": "yahtzee:50"}
    path = rollwise.export(name, tmp_path / "sheet.csv", state=sheet).path
    found = compare(name, path, slice=True)
    assert abs(found.cost[0]) <= 1e-9
    assert found.cost[1] <= 0 <= found.cost[2]
    assert found.best[0][0] == pytest.approx(rollwise.ask(name, state=sheet).value, abs=1e-9)
    assert found.table is not None
    assert found.table["held"] == found.table["reached"] > 100
    with pytest.raises(BadInput, match=r"has no row for filled=none roll=") as told:
        compare(name, path)
    assert told.value.hint.endswith("--slice")


@pytest.mark.thorough
def test_an_edited_slice_costs_something_there_and_less_from_the_start(
    tmp_path: Path, play: Callable[[TurnGame], str], said: Said
) -> None:
    path = tmp_path / "sheet.jsonl"
    name = play(Yahtzee(boxes="ones,sixes,yahtzee"))
    rollwise.export(name, path, state={"filled": "sixes:18,yahtzee:50"})
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    worse = [{**row, "best_move": "keep nothing"} if "keep nothing" in row["moves"] else row for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in worse))
    there, before = (compare(name, path, slice=True, state=state) for state in (None, {"filled": "sixes:18"}))
    assert 0 < before.cost[1] < before.cost[2] < there.cost[1]
    assert before.table is not None
    assert 0 < before.table["held"] < before.table["reached"]
    told = " ".join(said(f"compare {name} {path} --slice filled=sixes:18").split())
    assert "decisions from which play can still reach one of its rows" in told


def test_a_slice_of_a_duel_leaves_the_rest_to_the_best_play(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    rollwise.export("pig", path, params=TEN, mine=0)
    assert abs(compare("pig", path, params=TEN, slice=True).cost[0]) <= 1e-9
    edited(path, lambda rows: [row.replace('"roll"', '"hold"', 1) if "roll|hold" in row else row for row in rows])
    assert compare("pig", path, params=TEN, slice=True).cost[1] > 1e-3
