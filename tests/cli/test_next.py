"""``ask --next``: what a move leads to, at the terminal, in a pipe and as JSON."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise import outcome_text
from rollwise.commands import outcomes as command
from rollwise.display import ESCAPES, Screen
from rollwise.door import the_game
from rollwise.next_moves import next_moves
from rollwise.outcome_text import outcome_lines

Run = Callable[..., tuple[int, str, str]]
PIG = ("ask", "pig", "-p", "target=20", "mine=3", "theirs=5", "turn=4")
ROLL = (*PIG, "--next", "roll")
KEEP = ("ask", "yahtzee", "roll=13356", "rolls_left=2", "--next", "keep", "3", "3")
SHUT = ("ask", "shut-the-box", "open=1-9", "--next", "roll")
QUESTIONS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("pig", {"target": 20}, {"turn": 4}, "roll"),
    ("pig", {"target": 20}, {"turn": 4}, "hold"),
    ("pig", {"target": 20}, {"mine": 18, "turn": 4}, "hold"),
    ("shut-the-box", {}, {}, "roll"),
    ("shut-the-box", {"players": 3}, {}, "roll"),
    ("yahtzee", {}, {"roll": "13356", "rolls_left": 2}, "keep 3 3"),
    ("yahtzee", {}, {"roll": "13356", "rolls_left": 0}, "score chance"),
    ("ten-thousand", {"goal": 1000, "players": 1}, {}, "roll"),
    ("mexico", {"lives": 1}, {}, "roll"),
    ("mexico", {"lives": 1}, {"roll": "41"}, "stop"),
    ("finish", {}, {}, "roll"),
    ("big-six", {}, {}, "roll"),
    ("thunderstorm", {}, {}, "roll"),
    ("bluff", {"chips": 2}, {"total": 4}, "call 9"),
    ("bluff", {"chips": 2}, {"call": 8}, "challenge"),
]


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen of 80 characters, and nothing said of colour."""
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")


def cells(line: str) -> list[str]:
    """The cells of a line of a table."""
    return re.split(r" {2,}", line.strip())


# --- what is told -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("wide")
def test_a_roll_at_pig_has_six_lines_the_best_first_and_each_says_what_is_best_then(run: Run) -> None:
    for _ in range(2):  # solved, then from the cache
        code, out, complaint = run(*ROLL)
        assert (code, complaint) == (0, "")
        lines = out.splitlines()
        assert lines[:2] == ["Pig (target=20)", "mine=3 theirs=5 turn=4"]
        value = rollwise.ask("pig", {"target": 20}, mine=3, theirs=5, turn=4).moves
        assert value
        assert lines[3].startswith(f"Roll: win {100 * value[0].value:.2f} % on average; 6 outcomes, from ")
        rows = [cells(line) for line in lines if line.startswith("[")]
        assert [row[0] for row in rows] == ["[6]", "[5]", "[4]", "[3]", "[2]", "[1]"]
        assert {tuple(row[1:3]) for row in rows} == {("1/6", "16.67 %")}
        assert [row[-1] for row in rows] == [*(f"turn={n}" for n in (10, 9, 8, 7, 6)), "mine=5 theirs=3 turn=0"]
        for row, turn in zip(rows[:-1], (10, 9, 8, 7, 6), strict=True):
            advice = rollwise.ask("pig", {"target": 20}, mine=3, theirs=5, turn=turn)
            assert advice.best is not None
            assert advice.value is not None
            assert (row[-2], row[3]) == (advice.best[0], f"{100 * advice.value:.2f} %")
        assert rows[-1][-2] == "their turn"
        assert [next(cell for cell in row if cell.endswith("pp"))[0] for row in rows] == [*"++++", *"+-"]


@pytest.mark.usefixtures("wide")
def test_json_is_what_python_says_and_asks_on(run: Run) -> None:
    for _ in range(2):
        code, out, complaint = run(*ROLL, "--json")
        assert (code, complaint) == (0, "")
        told = json.loads(out)
        found = rollwise.outcomes("pig", {"mine": 3, "theirs": 5, "turn": 4}, "roll", {"target": 20})
        assert told.pop("label") == "win"
        assert [row.pop("best") for row in told["rows"]] == [None] + ["roll"] * 5  # a 1 ends the turn
        assert told == found.plain()
        assert sum(Fraction(row["chance"]) for row in told["rows"]) == 1
        for row in told["rows"]:
            again = rollwise.ask("pig", {"target": 20}, state=row["state"])
            assert again.value is not None
            assert row["value"] == pytest.approx(1 - again.value if row["mover"] else again.value)


@pytest.mark.usefixtures("wide")
def test_many_throws_are_told_by_what_is_best_then(run: Run) -> None:
    code, out, complaint = run(*KEEP)
    assert (code, complaint) == (0, "")
    lines = out.splitlines()
    head = next(place for place, line in enumerate(lines) if line.startswith("then best"))
    table = [cells(line) for line in lines[head + 1 : lines.index("", head)]]
    assert 2 <= len(table) <= outcome_text.MOST_GROUPS
    assert sum(int(row[1]) for row in table) == 56
    assert sum(Fraction(row[2]) for row in table) == 1
    found = rollwise.outcomes("yahtzee", {"roll": "13356", "rolls_left": 2}, "keep 3 3")
    assert found.value is not None
    assert f"expected final score {found.value:.2f} on average; 56 outcomes" in " ".join(lines)
    best = next(cells(line) for line in lines if line.startswith("best "))
    assert best[1:3] == ["[3][3][3]", "1/216"]
    assert any(line.startswith("worst ") for line in lines)
    assert "--each every throw by itself." in lines[-1]


@pytest.mark.usefixtures("wide")
def test_what_stands_in_the_table_of_groups_is_the_best_move_of_each_throw() -> None:
    found = rollwise.outcomes("shut-the-box", {}, "roll")
    made = the_game("shut-the-box")
    moves = [
        "" if row.state is None else (rollwise.ask("shut-the-box", state=row.state).best or [""])[0]
        for row in found.rows
    ]
    assert next_moves(made, found.rows, 0) == moves
    assert all(moves[place] == "" for place, row in enumerate(found.rows) if row.ended)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("state", [{"turn": 450, "dice": 2, "trio": 4}, {"turn": 300, "dice": 2, "trio": 2}])
def test_the_dice_of_the_best_and_the_worst_outcome_go_with_the_move_beside_them(state: dict[str, int]) -> None:
    params = {"goal": 1000, "opening": 350}
    found = rollwise.outcomes("zilch", state, "roll", params)
    made = the_game("zilch", params)
    text = outcome_lines(found, made, "Zilch", Screen(100))
    moves = zip(found.rows, next_moves(made, found.rows, 0), strict=True)
    best = {throw.dice: move for row, move in moves for throw in row.thrown}
    for name in ("best ", "worst "):
        cells = re.split(r"  +", next(line for line in text if line.startswith(name)))
        shown = tuple(map(int, re.findall(r"\[(\d)\]", cells[1])))
        assert cells[-1] == (best[shown] or "their turn")


def test_two_dice_are_a_map_of_all_their_throws(run: Run) -> None:
    lines = run(*SHUT)[1].splitlines()
    first = lines.index("What two dice lead to")
    square = [line.split() for line in lines[first + 1 : first + 8]]
    assert square[0] == list("123456")
    assert [row[0] for row in square[1:]] == list("123456")
    values = [row[1:] for row in square[1:]]
    assert values == [list(column) for column in zip(*values, strict=True)]
    asked = rollwise.ask("shut-the-box", roll="53").value
    assert values[4][2] == f"{asked:.2f}"
    assert values[4][4] == values[5][5] == "45.00"  # the game is over: nothing can be shut


@pytest.mark.usefixtures("wide")
def test_every_throw_or_the_best_of_them_are_listed_where_that_is_wanted(run: Run) -> None:
    each = run(*KEEP, "--each")[1].splitlines()
    assert sum(line.startswith("[") for line in each) == 56
    assert not any(line.startswith("worst") for line in each)
    top = run(*KEEP, "--top", "3")[1].splitlines()
    assert sum(line.startswith("[") for line in top) == 3
    assert any(re.match(r"and 53 more, down to \d+\.\d\d", line) for line in top)
    throws = json.loads(run("ask", "big-six", "--next", "roll", "--each", "--json")[1])["rows"]
    assert [len(row["thrown"]) for row in throws] == [1] * 6


@pytest.mark.usefixtures("wide")
def test_one_certain_outcome_is_a_sentence(run: Run) -> None:
    out = run(*PIG, "--next", "hold")[1]
    assert out.splitlines()[-2:] == ["One outcome, for certain; their turn.", "  mine=5 theirs=7 turn=0"]
    last = run("ask", "pig", "-p", "target=20", "mine=18", "turn=4", "--next", "hold")[1]
    assert last.splitlines()[-1] == "One outcome, for certain: won."


@pytest.mark.usefixtures("wide")
def test_where_nobody_chooses_the_seats_say_what_they_have(run: Run) -> None:
    out = run("ask", "finish", "--next", "roll")[1]
    assert "win 29.62 % for seat 0 on average; 7 outcomes" in out
    assert re.search(r"^\[1\]\[2\]\[3\]\[4\]\[5\]\[6\] .* 100\.00 % .* won$", out, re.MULTILINE)
    assert "seat 1's turn" in out


@pytest.mark.usefixtures("wide")
def test_a_call_that_is_never_made_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = rollwise.outcomes("bluff", {"total": 4}, "call 9", {"chips": 2})
    rows = [type(row)(**{**vars(row), "chance": None}) for row in found.rows]
    never = type(found)(**{**vars(found), "rows": tuple(rows)})
    made = the_game("bluff", {"chips": 2})
    told = " ".join(outcome_lines(never, made, made.title, Screen()))
    assert "The best play never makes this call" in told
    assert "%" in told


def test_what_goes_on_from_there_can_be_pasted(run: Run) -> None:
    found = rollwise.outcomes("mexico", {"roll": "41"}, "stop", {"lives": 2})
    changed = outcome_text.changed_fields(found, found.rows[0])
    assert changed
    before = {"lives": "2,2", "opener": "0"}
    after = before | dict(pair.split("=") for pair in changed.split())
    again = rollwise.ask("mexico", {"lives": 2}, state=after)
    assert again.value == pytest.approx(1 - (found.value or 0))


# --- screens ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "parameters", "fields", "move"), QUESTIONS)
def test_every_line_fits_and_colour_adds_nothing_to_what_is_read(
    name: str, parameters: dict[str, Any], fields: dict[str, Any], move: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = the_game(name, parameters)
    found = rollwise.outcomes(name, fields, move, parameters)
    moves = next_moves(made, found.rows, found.mover)
    monkeypatch.setattr("rollwise.outcome_text.next_moves", lambda *_: moves)  # asked once
    hows: list[dict[str, Any]] = [{}, {"each": True}, {"top": 2}]
    for columns, marks, how in product([40, 52, 80, 100], [True, False], hows):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = outcome_lines(found, made, made.title, Screen(columns, False, marks), **how)
        inked = outcome_lines(found, made, made.title, Screen(columns, True, marks), **how)
        assert [ESCAPES.sub("", line).rstrip() for line in inked] == [line.rstrip() for line in lines]
        assert max(map(len, lines)) <= columns
        assert all("\n" not in line for line in lines)
        if not marks:
            assert "".join(lines).isascii()


@pytest.mark.usefixtures("wide")
def test_a_pipe_has_no_colour_but_where_it_is_forced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run(*ROLL)[1]
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    forced = run(*ROLL)[1]
    assert "\x1b[38;5;29m" in forced
    assert ESCAPES.sub("", forced) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(*ROLL)[1] == plain
    assert "\x1b" not in run(*ROLL, "--json")[1]


def at_a_terminal(environment: dict[str, str], *words: str) -> str:
    """What a person sees at a terminal."""
    above, below = pty.openpty()
    command = [sys.executable, "-m", "rollwise", *words]
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    with subprocess.Popen(command, stdout=below, stderr=subprocess.DEVNULL, env={**kept, **environment}) as process:
        os.close(below)
        seen = b""
        while True:
            try:
                some = os.read(above, 65536)
            except OSError:  # the other end is closed
                break
            if not some:
                break
            seen += some
        process.wait()
    os.close(above)
    return seen.decode()


def test_a_terminal_has_colour_unless_it_is_unwanted() -> None:
    usual = {"TERM": "xterm-256color", "COLUMNS": "80", "LANG": "C.UTF-8"}
    inked = at_a_terminal(usual, *ROLL)
    assert "\x1b[38;5;" in inked
    plain = at_a_terminal({**usual, "NO_COLOR": "1"}, *ROLL)
    assert "\x1b" not in plain
    assert ESCAPES.sub("", inked) == plain
    assert "\x1b" not in at_a_terminal({**usual, "TERM": "dumb"}, *ROLL)


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("wide")
def test_a_move_may_be_several_words_and_stand_anywhere(run: Run) -> None:
    whole = run(*KEEP[:-3], "keep 3 3")[1]
    assert run(*KEEP)[1] == whole
    before = run("ask", "yahtzee", "--next", "Keep", "3", "3", "roll=13356", "rolls_left=2")
    assert before[1] == whole
    assert run("ask", "--next", "keep 3 3", *KEEP[1:-4])[1] == whole


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*PIG, "--next", "holt"), "'holt' is no move here (did you mean 'hold'?); the moves are: hold, roll"),
        ((*PIG, "--each"), "--each lists the throws of a move; say which with --next MOVE"),
        ((*ROLL, "--exact"), "--next does not go with --exact: chances are fractions already"),
        ((*ROLL, "--draw"), "--next does not go with --draw: name the move"),
        ((*ROLL, "--seed", "0"), "--next does not go with --seed"),
        ((*ROLL, "--all-moves"), "--next does not go with --all-moves"),
        ((*ROLL, "--lengths"), "--next does not go with --lengths"),
        (("ask", "big-six", "--next", "hold"), "'hold' is no move here; the moves are: roll"),
    ],
)
def test_what_cannot_be_followed_is_one_line(words: tuple[str, ...], told: str, run: Run) -> None:
    code, out, complaint = run(*words)
    assert (code, out) == (2, "")
    assert told in complaint
    assert complaint.splitlines()[0].startswith("error: ")
    assert len(complaint.splitlines()) <= 2


def test_what_is_replied_to_a_call_stands_before_its_chance(run: Run) -> None:
    _, out, _ = run("ask", "bluff", "-p", "chips=1", "total=12", "--next", "call 5")
    rows = [re.split(r"  +", line.strip()) for line in out.splitlines() if line.startswith(("accept", "challenge"))]
    assert {row[0] for row in rows} <= {"accept", "challenge"}
    assert rows
    assert all(row[1].endswith("%") for row in rows)


def test_without_a_move_the_only_one_is_taken_and_several_are_listed(run: Run) -> None:
    _, named, _ = run("ask", "pig", "-p", "target=10", "--next", "roll")
    assert run("ask", "pig", "-p", "target=10", "--next") == (0, named, "")
    code, _, err = run("ask", "pig", "-p", "target=10", "turn=3", "--next")
    assert (code, err) == (2, "error: say which move; the moves are: hold, roll\n")


def test_of_many_moves_those_that_are_like_it_are_listed(run: Run) -> None:
    code, _, complaint = run(*KEEP[:-3], "keep 7")
    assert code == 2
    assert re.search(r"the moves are: keep .*, keep .* and \d+ more$", complaint.splitlines()[0])
    assert len(complaint) < 400


def test_every_option_that_is_refused_has_a_reason() -> None:
    assert set(command.WHY_NOT) == {"exact", "all_moves", "lengths", "draw", "seed"}


def test_json_of_outcomes_loads_nothing_of_the_text() -> None:
    script = (
        "import sys; from rollwise.cli import main\n"
        f"sys.argv = ['rollwise', *{ROLL!r}, '--json']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in sys.modules if name == 'rollwise.outcome_text' or "
        "name.split('.')[0] in ('rich', 'numba', 'scipy')], file=sys.stderr)"
    )
    rollwise.solve("pig", {"target": 20})  # what has to be solved first needs more
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=root)
    assert done.stderr.splitlines()[-1] == "[]"


def test_where_the_last_one_in_loses_the_throw_that_leaves_the_least_chance_of_it_stands_first(run: Run) -> None:
    for _ in range(2):  # solved, then from the cache
        code, out, _ = run("ask", "slam", "--next", "roll")
        assert code == 0
        text = " ".join(out.split())
        assert "Roll: lose 48.10 % for seat 0 on average; 4 outcomes, from 51.90 % to 0.00 %; low is good." in text
        first, last = (line for line in out.splitlines() if line.startswith(("[3][3][3]", "[1][2][4]")))
        assert (cells(first)[2], cells(last)[2]) == ("0.00 %", "51.90 %")
        assert json.loads(run("ask", "slam", "--next", "roll", "--json")[1])["unit"] == "probability"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("drop-dead",), "Roll: win 50.00 % for seat 0 on average"),
        (("pay-the-rent",), "Roll: gain from this pot 0.39 for seat 0 on average"),
        (("six-by-6",), "Roll: mean final score 37.18 on average"),
        (("dice-roulette", "bet=7"), "Roll: return of a chip 0.67 on average"),
    ],
)
def test_outcomes_of_luck_are_told_in_what_they_are_shares_of(words: tuple[str, ...], said: str, run: Run) -> None:
    assert said in run("ask", *words, "--next", "roll")[1]


@pytest.mark.parametrize("more", [[], ["--next", "stop"], ["--why"]], ids=["ask", "next", "why"])
def test_the_throw_that_dice_are_taken_for_is_told_unless_it_was_said(run: Run, wide: None, more: list[str]) -> None:
    asked = ("ask", "mexico", "-p", "lives=1", "roll=41")
    told = "Taken as the first throw (rolls_left=2); say rolls_left=1 after the second."
    assert run(*asked, *more)[1].splitlines()[2] == told
    assert json.loads(run(*asked, *more, "--json")[1])["assumed"] == {"rolls_left": 2}
    assert "Taken as" not in run(*asked, "rolls_left=2", *more)[1]
    assert "assumed" not in json.loads(run(*asked, "rolls_left=2", *more, "--json")[1])
