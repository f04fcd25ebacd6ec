"""``ask --next``: what a move leads to, at the terminal, in a pipe and as JSON; ``transcripts/next.txt`` has more."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction

import pytest

import rollwise
from rollwise.games.registry import game
from rollwise.parsing.validate import parse_game
from rollwise.questions.outcomes.compute import with_best_moves
from rollwise.questions.outcomes.text import changed_fields, outcome_lines
from rollwise.solver.model.game import TurnGame
from rollwise.text.screen import Screen

Run = Callable[..., tuple[int, str, str]]
Said = Callable[..., str]
PIG = "ask pig -p target=20 mine=3 theirs=5 turn=4"
ROLL = f"{PIG} --next roll"
KEEP = "ask yahtzee roll=13356 rolls_left=2 --next keep 3 3"


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen of 80 characters, and nothing said of colour."""
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")


def cells(line: str) -> list[str]:
    """The cells of a line of a table."""
    return re.split(r" {2,}", line.strip())


# --- what is told -----------------------------------------------------------------------------------------------------


def test_a_roll_at_pig_has_six_lines_the_best_first_and_each_says_what_is_best_then(said: Said) -> None:
    rows = [cells(line) for line in said(ROLL).splitlines() if line.startswith("[")]
    assert [row[-1] for row in rows] == [*(f"turn={n}" for n in (10, 9, 8, 7, 6)), "mine=5 theirs=3 turn=0"]
    for face, row in zip((6, 5, 4, 3, 2), rows, strict=False):
        advice = rollwise.ask("pig", params={"target": 20}, mine=3, theirs=5, turn=4 + face)
        assert (row[:3], row[-2:-1]) == ([f"[{face}]", "1/6", "16.67 %"], advice.best)
        assert row[3] == f"{100 * (advice.value or 0):.2f} %"
    assert (rows[-1][0], rows[-1][-2]) == ("[1]", "their turn")
    assert [next(cell for cell in row if cell.endswith("pp"))[0] for row in rows] == [*"+++++", "-"]


def test_json_is_what_python_says_and_asks_on(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # which JSON never has
    told = json.loads(said(f"{ROLL} --json"))
    found = rollwise.outcomes("pig", state={"mine": 3, "theirs": 5, "turn": 4}, move="roll", params={"target": 20})
    assert told.pop("label") == "win"
    assert [row.pop("best") for row in told["rows"]] == [None] + ["roll"] * 5  # a 1 ends the turn
    assert told == found.plain()
    assert sum(Fraction(row["chance"]) for row in told["rows"]) == 1
    for row in told["rows"]:
        again = rollwise.ask("pig", params={"target": 20}, state=row["state"]).value or 0
        assert row["value"] == pytest.approx(1 - again if row["mover"] else again)


def test_what_stands_in_the_table_of_groups_is_the_best_move_of_each_throw() -> None:
    rows = with_best_moves(parse_game("shut-the-box"), rollwise.outcomes("shut-the-box", state={}, move="roll")).rows
    moves = [
        "" if row.state is None else (rollwise.ask("shut-the-box", state=row.state).best or [""])[0] for row in rows
    ]
    assert [row.best for row in rows] == moves
    assert all(row.best == "" for row in rows if row.ended)


@pytest.mark.parametrize("state", [{"turn": 450, "dice": 2, "trio": 4}, {"turn": 300, "dice": 2, "trio": 2}])
def test_the_dice_of_the_best_and_the_worst_outcome_go_with_the_move_beside_them(state: dict[str, int]) -> None:
    params = {"goal": 500, "opening": 350}
    found = rollwise.outcomes("zilch", state=state, move="roll", params=params)
    found = with_best_moves(parse_game("zilch", params), found)
    text = outcome_lines(found, "Zilch", Screen(100))
    best = {throw.dice: row.best for row in found.rows for throw in row.thrown}
    for name in ("best ", "worst "):
        cells = re.split(r"  +", next(line for line in text if line.startswith(name)))
        shown = tuple(map(int, re.findall(r"\[(\d)\]", cells[1])))
        assert cells[-1] == (best[shown] or "their turn")


def test_two_dice_are_a_map_of_all_their_throws(said: Said) -> None:
    lines = said("ask shut-the-box open=1-9 --next roll").splitlines()
    first = lines.index("What two dice lead to")
    head, *square = [line.split() for line in lines[first + 1 : first + 8]]
    assert head == [row[0] for row in square] == list("123456")
    values = [row[1:] for row in square]
    assert values == [list(column) for column in zip(*values, strict=True)]
    assert values[4][2] == f"{rollwise.ask('shut-the-box', roll='53').value:.2f}"
    assert values[4][4] == values[5][5] == "45.00"  # the game is over: nothing can be shut


def test_every_throw_is_listed_where_that_is_wanted(said: Said) -> None:
    lines = said(f"{KEEP} --each").splitlines()
    assert sum(line.startswith("[") for line in lines) == 56
    assert not any(line.startswith("worst") for line in lines)
    throws = json.loads(said("ask big-six --next roll --each --json"))["rows"]
    assert [len(row["thrown"]) for row in throws] == [1] * 6


def test_outcomes_of_one_player_of_luck_are_scores(said: Said, play: Callable[[TurnGame], str]) -> None:
    said(f"ask {play(game('six-by-6', {'limit': 2}))} --next roll", "Roll: mean final score ", " on average")  # type: ignore[arg-type]


def test_a_call_that_is_never_made_says_so() -> None:
    found = rollwise.outcomes("bluff", state={"total": 4}, move="call 9", params={"chips": 2})
    rows = [type(row)(**{**vars(row), "chance": None}) for row in found.rows]
    never = type(found)(**{**vars(found), "rows": tuple(rows)})
    told = " ".join(outcome_lines(with_best_moves(parse_game("bluff", {"chips": 2}), never), "Bluff", Screen()))
    assert "The best play never makes this call" in told
    assert "%" in told


def test_what_goes_on_from_there_can_be_pasted() -> None:
    found = rollwise.outcomes("mexico", state={"roll": "41"}, move="stop", params={"lives": 2})
    changed = changed_fields(found, found.rows[0])
    assert changed
    after = {"lives": "2,2", "opener": "0"} | dict(pair.split("=") for pair in changed.split())
    assert rollwise.ask("mexico", params={"lives": 2}, state=after).value == pytest.approx(1 - (found.value or 0))


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("ask yahtzee roll=13356 rolls_left=2 --next 'keep 3 3'", KEEP),
        ("ask yahtzee --next Keep 3 3 roll=13356 rolls_left=2", KEEP),
        ("ask --next 'keep 3 3' yahtzee roll=13356 rolls_left=2", KEEP),
        ("ask pig -p target=10 --next", "ask pig -p target=10 --next roll"),  # the only one
    ],
)
def test_a_move_may_be_several_words_and_stand_anywhere(words: str, same: str, said: Said) -> None:
    assert said(words) == said(same)


def test_of_many_moves_those_that_are_like_it_are_listed(run: Run) -> None:
    code, _, complaint = run(*KEEP.split()[:-3], "keep 7")
    assert code == 2
    assert re.search(r"the moves are: keep .*, keep .* and \d+ more$", complaint.splitlines()[0])
    assert len(complaint) < 400


@pytest.mark.parametrize("more", ["", "--next stop", "--why"])
def test_the_throw_that_dice_are_taken_for_is_told_unless_it_was_said(said: Said, more: str) -> None:
    asked = f"ask mexico -p lives=1 roll=41 {more} --json"
    assert json.loads(said(asked))["assumed"] == {"rolls_left": 2}
    assert "assumed" not in json.loads(said(f"{asked} rolls_left=2"))
