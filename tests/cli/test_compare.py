"""``compare`` as a user meets it: tables that were edited, slices, rules that fail, and boards to go on from."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.comparing import compare
from rollwise.exporting.reading import read_table
from rollwise.games.registry import game
from rollwise.solver.game.errors import BadInput, TooLarge
from rollwise.solver.game.model import TurnGame

Run = Callable[..., tuple[int, str, str]]
TEN_BOXES = "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,chance:23,yahtzee:0,full house:25,small straight:30"


MEXICO = {"lives", "opener", "results", "roll", "rolls_left"}  # the fields of a question


@pytest.fixture
def pig(tmp_path: Path) -> Path:
    """The table of Pig to 10."""
    path = tmp_path / "pig.csv"
    rollwise.export("pig", path, {"target": 10})
    return path


@pytest.fixture
def rule(tmp_path: Path) -> Path:
    """A file of rules."""
    path = tmp_path / "rule.py"
    path.write_text(
        "import sys\n"
        "def cautious(state, moves):\n"
        '    """Hold at 15."""\n'
        '    return "hold" if state["turn"] >= 15 else "roll"\n'
        "def fails(state, moves):\n"
        '    return state["trun"]\n'
        "def leaves(state, moves):\n"
        '    sys.exit("bye")\n'
        "def cheats(state, moves):\n"
        '    return "Roll/Hold"\n'
        "def says_nothing(state, moves):\n"
        "    pass\n"
    )
    return path


def forgets(path: Path) -> Path:
    """A CSV that no longer says what it is of, as those of older versions do once they have another name."""
    path.with_name(f"{path.name}.meta.json").unlink()
    return edited(path, lambda rows: [row.rpartition(",")[0] for row in rows])


def edited(path: Path, edit: Callable[[list[str]], list[str]]) -> Path:
    path.write_text("\n".join(edit(path.read_text().splitlines())) + "\n")
    return path


# --- rules -----------------------------------------------------------------------------------------------------------


def test_the_rule_of_the_readme_is_compared(run: Run, rule: Path) -> None:
    code, said, _ = run("compare", "piggy-six", f"{rule}:cautious", "-p", "target=20")
    assert code == 0
    assert "Hold at 15." in said
    assert "It costs 15.09 percentage points per game" in said


def test_ten_thousand_for_two_is_compared(run: Run, tmp_path: Path) -> None:
    found = compare("ten-thousand", lambda state, moves: moves[0], {"goal": 500})
    assert found.cost[1] > 0.1
    assert len(found.best) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fails", "failed at mine=0 theirs=0 turn=2: KeyError: 'trun' ({rule}, line 6)"),
        ("leaves", "failed at mine=0 theirs=0 turn=2: SystemExit: bye ({rule}, line 8)"),
        ("cheats", "plays 'Roll/Hold' at mine=0 theirs=0 turn=2, which is none of the moves; they are: hold, roll"),
        ("says_nothing", "plays None at mine=0 theirs=0 turn=2, which is none of the moves; they are: hold, roll"),
        ("missing", "error: {rule} has no function missing"),
        ("", "error: say which function of {rule}: {rule}:cautious or {rule}:fails or "),
    ],
)
def test_a_rule_that_fails_is_told_in_one_line(run: Run, rule: Path, name: str, message: str) -> None:
    code, said, error = run("compare", "pig", f"{rule}:{name}", "-p", "target=3")
    assert (code, said, error.partition("hint: ")[0].count("\n")) == (2, "", 1)
    assert message.format(rule=rule) in error


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
    assert compare("pig", f"{path}:four", {"target": 10}).cost[0] > 0


def test_a_rule_that_changes_what_it_is_shown_changes_nothing_else() -> None:
    """A sheet that it takes boxes from, and a list of moves that it sorts, are its own."""
    seen = set()

    def first(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        return moves[0] if state["filled"] else "nothing"

    def greedy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        seen.add(len(state["filled"]))
        state["filled"].clear()
        move = moves[0]
        moves.clear()  # type: ignore[attr-defined]
        return move

    late = {"filled": TEN_BOXES}
    assert compare("yahtzee", greedy, state=late).cost == compare("yahtzee", first, state=late).cost
    assert min(seen) == 10


def test_a_file_that_leaves_while_it_is_read_is_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rule.py"
    path.write_text("raise SystemExit\n")
    code, _, error = run("compare", "pig", f"{path}:rule")
    assert code == 2
    assert error == f"error: {path} cannot be read as Python: SystemExit ({path}, line 1)\n"


def test_a_rule_sees_all_fields_and_the_moves_that_are_legal_there() -> None:
    seen: list[tuple[dict[str, Any], Sequence[str]]] = []

    def look(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        seen.append((dict(state), moves))
        assert set(state) == set(dict(state)) == set(state.keys())
        assert len(state) == len(dict(state))
        assert state.get("roll", "no roll") == dict(state).get("roll", "no roll")
        return moves[0]

    found = compare("mexico", look, {"lives": 1})
    assert set(found.looks_at) | set(seen[-1][0]) >= MEXICO
    for state, moves in seen:
        asked: dict[str, Any] = {
            name: state[name] for name in ("lives", "opener", "results", "roll", "rolls_left") if name in state
        }
        told = rollwise.ask("mexico", {"lives": 1}, state=asked)
        assert sorted(moves) == sorted(move.move for move in told.moves or [])
    shown = [json.dumps(state, sort_keys=True) for state, _ in seen]
    assert len(shown) == len(set(shown))  # once for each decision


def test_a_rule_is_not_asked_where_nothing_is_to_be_chosen() -> None:
    asked: list[int] = []

    def look(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        asked.append(state["turn"])
        return "hold"

    compare("pig", look, {"target": 10})
    assert sorted(asked) == [2, 3, 4, 5, 6]  # holding at the first throw, no other total is come to


def test_a_comparison_that_is_stopped_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rule.py"
    path.write_text("def stopped(state, moves):\n    raise KeyboardInterrupt\n")
    assert run("compare", "pig", f"{path}:stopped", "-p", "target=10") == (1, "", "stopped\n")
    assert run("compare", "pig", "hold-at-20", "-p", "target=10")[0] == 0


def test_how_long_the_asking_takes_is_told_first(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.comparing.seen.LONG", 0.0)
    code, _, error = run("compare", "pig", "keep-pace", "-p", "target=40")
    assert code == 0
    assert re.fullmatch(
        r"rollwise: the rule tells up to [\d,]+ boards apart, so this takes about \d+ s \(Ctrl-C to stop\)\n", error
    )


def test_a_luck_game_is_refused(run: Run) -> None:
    code, said, error = run("compare", "drop-dead", "policy.csv")
    assert (code, said) == (2, "")
    assert "is a luck game" in error


SMALL_TABLE = ("-p", "players=3", "-p", "lives=1")


def test_at_a_table_of_three_an_unedited_table_costs_nothing_and_a_part_of_one_is_refused(
    run: Run, tmp_path: Path
) -> None:
    table, part = tmp_path / "policy.csv", tmp_path / "part.csv"
    assert run("export", "mexico", *SMALL_TABLE, "-o", str(table))[0] == 0
    code, said, error = run("compare", "mexico", str(table), *SMALL_TABLE)
    assert (code, error) == (0, "")
    assert "It costs nothing" in said
    assert "while all others play the solution, mean of all seats" in " ".join(said.split())
    part.write_text("\n".join(table.read_text().splitlines()[:500]) + "\n")
    code, _, error = run("compare", "mexico", str(part), "--slice", *SMALL_TABLE)
    assert code == 2
    assert "give a rule for every decision" in error


def test_at_a_table_of_three_a_rule_of_thumb_costs_every_seat_something(run: Run) -> None:
    for _ in range(2):  # solved, then from the cache
        told = json.loads(run("compare", "mexico", "stop-at-a-pair", *SMALL_TABLE, "--json")[1])
        losses = [best["lower"] - rule["upper"] for best, rule in zip(told["best"], told["rule"], strict=True)]
        assert len(losses) == 3
        assert min(losses) > 0.001
        assert told["cost"]["lower"] <= sum(losses) / 3 + 1e-9 <= told["cost"]["upper"] + 2e-9


# --- boards to go on from --------------------------------------------------------------------------------------------


def test_a_rule_that_looks_at_the_sheet_is_compared_from_a_late_one(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rule.py"
    path.write_text(
        "def first_open(state, moves):\n"
        "    assert 10 <= len(state['filled']) <= 12\n"
        "    scores = [move for move in moves if move.startswith('score ')]\n"
        "    return scores[0] if state['rolls_left'] == 0 else moves[-1]\n"
    )
    code, said, error = run("compare", "yahtzee", f"{path}:first_open", f"filled={TEN_BOXES}", "--json")
    assert (code, error) == (0, "")
    told = json.loads(said)
    assert told["state"]["filled"]["chance"] == 23
    assert told["looks_at"] == ["filled"]
    assert told["best"][0]["value"] == pytest.approx(rollwise.ask("yahtzee", filled=TEN_BOXES).value, abs=1e-9)
    assert 20 < told["cost"]["lower"] <= told["cost"]["upper"] < 60


def test_from_the_start_a_sheet_is_too_much_to_look_at() -> None:
    with pytest.raises(TooLarge, match=r"looks at filled, and there are up to [\d,]+ boards with [\d,]+ decisions"):
        compare("yahtzee", lambda state, moves: moves[len(state["filled"]) % len(moves)])


def test_a_duel_goes_on_from_scores() -> None:
    late = compare("pig", "hold-at-20", {"target": 30}, state={"mine": 20, "theirs": 25})
    assert late.best[0][0] == pytest.approx(rollwise.ask("pig", {"target": 30}, mine=20, theirs=25).value, abs=1e-9)
    assert late.state == {"mine": 20, "theirs": 25}


def test_a_comparison_starts_before_a_turn(run: Run) -> None:
    code, _, error = run("compare", "pig", "hold-at-20", "mine=20", "turn=5")
    assert code == 2
    assert "starts before a turn" in error


# --- tables ----------------------------------------------------------------------------------------------------------


def test_a_move_that_nobody_has_is_told_with_its_row(run: Run, pig: Path) -> None:
    lines = pig.read_text().splitlines()
    row = next(number for number, line in enumerate(lines) if '"hold",' in line)
    edited(pig, lambda rows: [*rows[:row], rows[row].replace('"hold"', '"Roll/Hold"', 1), *rows[row + 1 :]])
    code, said, error = run("compare", "pig", str(pig), "-p", "target=10")
    assert (code, said) == (2, "")
    assert f"{pig} row {row}, column 'best_move': 'Roll/Hold' is no move at mine=" in error


def test_a_known_move_that_is_illegal_there_is_an_error_only_if_play_comes_there(tmp_path: Path) -> None:
    path, params = tmp_path / "zilch.jsonl", {"goal": 500, "opening": 350, "players": 1}
    rollwise.export("zilch", path, params)
    rows = [json.loads(line) for line in path.read_text().splitlines()]

    def played(row: dict[str, Any], move: str) -> Path:
        changed = [{**one, "best_move": move} if one is row else one for one in rows]
        path.write_text("".join(json.dumps(one) + "\n" for one in changed))
        return path

    def has(row: dict[str, Any], **fields: Any) -> bool:
        return all(row[name] == value for name, value in fields.items())

    # with 350 points a player without a score may stop, but one who would come to 500 with fewer than 500 may not
    never = next(row for row in rows if has(row, mine=400, turn=350, dice=1, roll=None) and row["best_move"] == "roll")
    assert "stop" not in never["moves"]
    first = next(row for row in rows if has(row, mine=0, turn=0, dice=6, roll=None))
    assert first["best_move"] == "roll"
    found = compare("zilch", played(never, "stop"), params, state={"mine": 450})
    assert found.cost[1] <= 0 <= found.cost[2]
    with pytest.raises(BadInput, match="is no move at mine=0 turn=0 dice=6"):
        compare("zilch", played(first, "stop"), params)


def test_rows_that_are_one_decision_have_to_agree(tmp_path: Path) -> None:
    path, params = tmp_path / "dice.csv", {"goal": 500, "players": 1}
    rollwise.export("ten-thousand", path, params)
    rows = path.read_text().splitlines()
    one, other = (
        next(i for i, row in enumerate(rows) if f'0,0,,"{roll}"' in row) for roll in ("1,2,2,3,4,5", "1,2,3,3,4,5")
    )
    assert '"keep 1 for 100"' in rows[one]
    move = '"keep 5 for 50"'
    edited(
        path, lambda rows: [row.replace('"keep 1 for 100"', move, 1) if i == one else row for i, row in enumerate(rows)]
    )
    with pytest.raises(BadInput, match="but they are one decision: the dice that count are the same") as told:
        compare("ten-thousand", path, params)
    assert f"row {one} plays 'keep 5 for 50' and" in str(told.value) or f"row {one} 'keep 5 for 50'" in str(told.value)
    assert other != one


def test_a_missing_row_is_named(run: Run, pig: Path) -> None:
    edited(pig, lambda rows: [row for row in rows if not row.startswith("0,0,4,")])
    code, _, error = run("compare", "pig", str(pig), "-p", "target=10")
    assert code == 2
    assert error.splitlines() == [
        f"error: {pig} has no row for mine=0 theirs=0 turn=4",
        f"hint: rollwise compare pig {pig} -p target=10 --slice",
    ]


def test_a_table_made_for_other_parameters_is_refused(run: Run, pig: Path) -> None:
    code, _, error = run("compare", "pig", str(pig), "-p", "target=12")
    assert code == 2
    assert error.splitlines() == [
        f"error: {pig} was made with parameters target=10; this is parameters target=12",
        f"hint: rollwise compare pig {pig} -p target=10",
    ]
    code, _, error = run("compare", "sevens", str(pig))
    assert code == 2
    assert "was made with game pig; this is game sevens" in error


def test_a_table_that_does_not_say_what_it_is_of_is_taken_and_the_answer_says_so(run: Run, pig: Path) -> None:
    code, said, _ = run("compare", "pig", str(pig), "-p", "target=10")
    assert "does not say what it is of" not in said
    forgets(pig)
    code, said, _ = run("compare", "pig", str(pig), "-p", "target=10")
    assert code == 0
    said = " ".join(said.split())
    assert "The table does not say what it is of; it was taken to be of pig with these parameters." in said
    assert not json.loads(run("compare", "pig", str(pig), "-p", "target=10", "--json")[1])["table"]["described"]


def test_a_table_under_another_name_is_of_what_it_was_made_for(run: Run, pig: Path, tmp_path: Path) -> None:
    for suffix in ("csv", "jsonl", "parquet"):
        rollwise.export("pig", tmp_path / f"pig.{suffix}", {"target": 10})
        moved = (tmp_path / f"pig.{suffix}").rename(tmp_path / f"mine.{suffix}")
        for words in ((), ("-p", "Target=10"), ("--slice",)):
            code, said, error = run("compare", "pig", str(moved), *words)
            assert (code, error) == (0, "")
            assert said.startswith("Pig (target=10)\n")
            assert "It costs nothing" in said
        assert run("odds", "pig", "--policy", str(moved))[1].startswith("Pig (target=10)\n")


def test_a_table_is_refused_for_other_rules_before_anything_is_solved(
    run: Run, pig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.comparing.asked", lambda *_: pytest.fail("something was solved"))
    moved = pig.rename(pig.with_name("mine.csv"))
    code, _, error = run("compare", "pig", str(moved), "-p", "target=12", "--slice")
    assert (code, error.splitlines()[0]) == (
        2,
        f"error: {moved} was made with parameters target=10; this is parameters target=12",
    )
    assert error.splitlines()[1] == f"hint: rollwise compare pig {moved} -p target=10 --slice"


def test_what_the_rows_say_is_sooner_believed_than_what_stands_beside(pig: Path) -> None:
    rollwise.export("pig", pig.with_name("other.csv"), {"target": 12})
    pig.with_name("other.csv.meta.json").rename(pig.with_name("pig.csv.meta.json"))
    assert compare("pig", pig).parameters == {"target": 10}


def test_rows_of_two_games_are_no_table(run: Run, pig: Path) -> None:
    edited(pig, lambda rows: [*rows[:5], rows[5].replace("target=10", "target=12"), *rows[6:]])
    error = run("compare", "pig", str(pig))[2]
    assert error == f"error: {pig} row 5, column 'game': this row is of another game than row 1, of pig target=10\n"
    edited(pig, lambda rows: [row.replace("pig target=10", "pig to 10") for row in rows])
    assert "row 1, column 'game': a parameter is given as name=value, got 'to'" in run("compare", "pig", str(pig))[2]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["0,0,4,roll"], "has no row for mine=0 theirs=0 turn="),
        (["0,0,4,roll", "99,0,1,roll"], "row 2: turn=1 is impossible"),
        (["0,0,4,roll", "100,0,4,roll"], "row 2, column 'mine': mine is from 0 to 99, got 100"),
    ],
)
def test_rows_that_cannot_be_of_this_game_are_told_before_anything_is_solved(
    rows: list[str], told: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too few, states that are never asked, fields out of range."""
    monkeypatch.setattr("rollwise.comparing.asked", lambda *_: pytest.fail("something was solved"))
    path = tmp_path / "old.csv"
    path.write_text("mine,theirs,turn,best_move\n" + "\n".join(rows) + "\n")
    code, _, error = run("compare", "pig", str(path))
    assert code == 2
    assert told in error.splitlines()[-1]


def test_a_table_of_fewer_points_is_not_taken_for_one_of_more(
    run: Run, pig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.comparing.asked", lambda *_: pytest.fail("something was solved"))
    code, _, error = run("compare", "pig", str(forgets(pig)), "-p", "target=20")
    assert code == 2
    noted, told = error.splitlines()
    assert (
        noted == f"rollwise: {pig} does not say what it is of; it is taken to be of pig(target=20); -p says other rules"
    )
    assert "say its rules with -p, or --slice if it is a part of a table" in told


def as_pandas_writes_it(rows: list[str]) -> list[str]:
    """An index before the columns, and whole numbers as floats."""
    body = [row.split(",", 3) for row in rows[1:]]
    return [f",{rows[0]}", *(f"{n},{a}.0,{b}.0,{c}.0,{rest}" for n, (a, b, c, rest) in enumerate(body))]


def test_index_columns_and_floats_are_taken(pig: Path) -> None:
    assert abs(compare("pig", edited(pig, as_pandas_writes_it), {"target": 10}).cost[0]) <= 1e-9


def test_an_old_table_is_read(pig: Path) -> None:
    edited(pig, lambda rows: [rows[0].replace('"best_move"', '"best"'), *rows[1:]])
    assert abs(compare("pig", pig, {"target": 10}).cost[0]) <= 1e-9


def test_a_table_that_a_spreadsheet_has_saved_is_read(pig: Path) -> None:
    pig.write_bytes(b"\xef\xbb\xbf" + pig.read_bytes().replace(b"\n", b"\r\n"))
    assert abs(compare("pig", pig).cost[0]) <= 1e-9
    with pig.open(newline="", encoding="utf-8-sig") as file:
        rows = [row[::-1] for row in csv.reader(file)]
    for between in (";", "\t"):
        moved = pig.with_name("sheet.csv")
        with moved.open("w", newline="", encoding="utf-8-sig") as file:
            csv.writer(file, delimiter=between, quoting=csv.QUOTE_MINIMAL).writerows(rows)
        found = compare("pig", moved)
        assert (abs(found.cost[0]) <= 1e-9, found.parameters) == (True, {"target": 10})


def test_a_line_ends_where_json_says_so(tmp_path: Path) -> None:
    path = tmp_path / "pig.jsonl"
    path.write_text('{"mine": 1, "best": "hold\u2028on"}\n\n', encoding="utf-8")
    part = read_table(path)[0]
    assert (part.columns, list(part.rows(["best"]))) == (["mine", "best"], [(1, ["hold\u2028on"])])


@pytest.mark.parametrize("file", ["pig.csv", "pig.jsonl"])
def test_a_byte_order_mark_is_passed_over(file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    rollwise.export("pig", path, {"target": 10})
    path.write_text(path.read_text(), encoding="utf-8-sig")
    assert abs(compare("pig", path, {"target": 10}).cost[0]) <= 1e-9


FIRST = '{"mine": 0, "theirs": 0, "turn": 0, "best_move": "roll"}\n'
BROKEN: list[tuple[str, str, str]] = [
    ("pig.csv", "mine,theirs,best_move\n0,0,roll\n", "has no column 'turn'; it has: mine, theirs, best_move"),
    ("pig.csv", "mine,theirs,turn,move\n0,0,0,roll\n", "has no column 'best_move'"),
    ("pig.csv", "mine,theirs,turn,best_move\n0,0,0\n", "row 1 has no column 'best_move'"),
    ("pig.csv", "mine,theirs,turn,best_move\n0,0,0,roll\n0,0,2,roll,x\n", "row 2 has more than 4 columns"),
    ("pig.csv", "mine,theirs,turn,best_move\n0,0,0,roll\n0,x,2,roll\n", "row 2, column 'theirs': theirs is"),
    ("pig.csv", "mine,theirs,turn,best_move\n", "has no rows"),
    ("pig.csv", "mine,theirs,turn,best_move\n0,0,2,roll\n0,0,2,hold\n", "row 2 plays 'hold' at mine=0 theirs=0 turn=2"),
    (
        "pig.jsonl",
        f"{FIRST}[1]\n",
        "row 2 is no JSON object, got [1]",
    ),
    ("pig.jsonl", f'{FIRST}{{"mine"\n', "row 2 is not JSON: "),
    ("pig.jsonl", f"{FIRST}{{}}\n", "row 2 has no column 'mine'"),
    ("pig.jsonl", f"{FIRST}{'[' * 100_000}\n", "row 2 is nested too deeply"),
    ("pig.csv", "mine,theirs,turn,mine,best_move\n0,0,0,0,roll\n", "has two columns 'mine'"),
    ("pig.parquet", "PAR1", "is not a parquet table: "),
    ("pig.csv", "mine,theirs,turn,best_move\n0,0,0," + "x" * 200_000 + "\n", "field larger than field limit"),
    ("pig.csv", "\x00\udcff", "is no"),
]


@pytest.mark.parametrize(("file", "text", "message"), BROKEN)
def test_a_table_that_is_no_table_is_told_in_one_line(
    run: Run, tmp_path: Path, file: str, text: str, message: str
) -> None:
    path = tmp_path / file
    path.write_bytes(text.encode(errors="surrogateescape"))
    code, said, error = run("compare", "pig", str(path), "-p", "target=10")
    assert (code, said, error.count("\n")) == (2, "", 1)
    assert message in error


def test_what_is_not_there_or_cannot_be_read_is_told_in_one_line(run: Run, pig: Path, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    described = pig.with_name("pig.csv.meta.json")
    described.write_bytes(b"\xff")
    for path, told in (
        (tmp_path / "nothing", "nothing holds no level-*.parquet, as export writes them into a folder"),
        (tmp_path / "none.csv", "none.csv cannot be read: No such file or directory"),
        (pig, "pig.csv.meta.json cannot be read: "),
    ):
        code, _, error = run("compare", "pig", str(path), "-p", "target=10")
        assert (code, error.count("\n")) == (2, 1)
        assert told in error


def test_a_row_of_a_state_that_cannot_be_is_told_with_its_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "shut.csv"
    path.write_text('open,roll,best_move\n"1,2","1,2",shut 1 2\nnone,"1,2",shut 1 2\n')
    code, _, error = run("compare", "shut-the-box", str(path))
    assert (code, error.count("\n")) == (2, 1)
    assert "shut.csv row 2: every box is shut" in error


def test_what_a_table_says_of_itself_is_an_object_or_refused(run: Run, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "pig.parquet"
    for said in ("[1]", "{", "[" * 100_000):
        table = pa.table({"mine": [0], "theirs": [0], "turn": [2], "best_move": ["roll"]})
        pq.write_table(table.replace_schema_metadata({"rollwise": said}), path)
        code, _, error = run("compare", "pig", str(path), "-p", "target=10")
        assert (code, error.count("\n")) == (2, 1)
        assert "pig.parquet" in error


# --- slices ----------------------------------------------------------------------------------------------------------

SHEETS: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    ("yahtzee", {"boxes": "ones,sixes,full house,yahtzee"}, {"filled": "sixes:18,yahtzee:50"}),
    ("sixzee", {"boxes": "ones,3-2-1,sixzee"}, {"filled": "ones:3"}),
]


@pytest.mark.parametrize(("name", "parameters", "sheet"), SHEETS, ids=["yahtzee", "sixzee"])
@pytest.mark.parametrize("file", ["sheet.csv", "sheet.parquet"])
def test_a_slice_of_one_sheet_costs_nothing_and_is_all_that_is_reached_there(
    name: str,
    parameters: dict[str, Any],
    sheet: dict[str, str],
    file: str,
    tmp_path: Path,
    play: Callable[[TurnGame], str],
) -> None:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    rollwise.export(play(made), tmp_path / file, state=sheet)
    found = compare(name, tmp_path / file, slice=True)
    assert abs(found.cost[0]) <= 1e-9
    assert found.cost[1] <= 0 <= found.cost[2]
    assert found.best[0][0] == pytest.approx(rollwise.ask(name, state=sheet).value, abs=1e-9)
    assert found.table is not None
    assert found.table["held"] == found.table["reached"] > 100
    with pytest.raises(BadInput, match=r"has no row for filled=none roll=") as told:
        compare(name, tmp_path / file)
    assert told.value.hint.endswith("--slice")


def test_an_edited_slice_costs_something_there_and_less_from_the_start(
    tmp_path: Path, play: Callable[[TurnGame], str], run: Run
) -> None:
    path = tmp_path / "sheet.jsonl"
    made = game("yahtzee", {"boxes": "ones,sixes,full house,yahtzee"})
    assert isinstance(made, TurnGame)
    rollwise.export(play(made), path, state={"filled": "sixes:18,yahtzee:50"})
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    changed = [
        {**row, "best_move": "keep nothing" if "keep nothing" in row["moves"] else row["best_move"]} for row in rows
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in changed))
    there = compare("yahtzee", path, slice=True)
    before = compare("yahtzee", path, slice=True, state={"filled": "sixes:18"})
    assert there.cost[1] > 5
    assert 0 < before.cost[1] < before.cost[2] < there.cost[1]
    assert before.table is not None
    assert 0 < before.table["held"] < before.table["reached"]
    code, said, _ = run("compare", "yahtzee", str(path), "--slice", "filled=sixes:18")
    assert code == 0
    assert "decisions that play comes to while it may still come to one of its rows" in " ".join(said.split())


def test_a_slice_of_a_duel_leaves_the_rest_to_the_best_play(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    rollwise.export("pig", path, {"target": 20}, mine=0)
    assert abs(compare("pig", path, {"target": 20}, slice=True).cost[0]) <= 1e-9
    edited(path, lambda rows: [row.replace('"roll"', '"hold"', 1) if "roll|hold" in row else row for row in rows])
    assert compare("pig", path, {"target": 20}, slice=True).cost[1] > 1e-3


def test_a_rule_is_no_slice(run: Run) -> None:
    code, _, error = run("compare", "pig", "hold-at-20", "--slice")
    assert code == 2
    assert "a slice is a part of a table" in error
