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
from rollwise.questions.outcomes.text import outcome_lines
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


def test_the_dice_of_the_best_and_the_worst_outcome_go_with_the_move_beside_them() -> None:
    params, state = {"goal": 500, "opening": 350, "players": 1}, {"turn": 300, "dice": 2, "trio": 2}
    found = rollwise.outcomes("zilch", state=state, move="roll", params=params)
    found = with_best_moves(parse_game("zilch", params), found)
    text = outcome_lines(found, "Zilch", Screen(100))
    best = {throw.dice: row.best for row in found.rows for throw in row.thrown}
    for name in ("best ", "worst "):
        cells = re.split(r"  +", next(line for line in text if line.startswith(name)))
        shown = tuple(map(int, re.findall(r"\[(\d)\]", cells[1])))
        assert cells[-1] == (best[shown] or "their turn")


@pytest.mark.thorough
def test_outcomes_of_one_player_of_luck_are_scores_and_of_no_seat(said: Said, play: Callable[[TurnGame], str]) -> None:
    name = play(game("six-by-6", {"limit": 2}))  # type: ignore[arg-type]
    told = said(f"ask {name} --next roll")
    assert re.search(r"^Roll: mean final score [\d.]+ on average;", told, re.MULTILINE), told


def test_a_call_that_is_never_made_says_so() -> None:
    found = rollwise.outcomes("bluff", state={"total": 4}, move="call 9", params={"chips": 2})
    rows = [type(row)(**{**vars(row), "chance": None}) for row in found.rows]
    never = type(found)(**{**vars(found), "rows": tuple(rows)})
    told = " ".join(outcome_lines(with_best_moves(parse_game("bluff", {"chips": 2}), never), "Bluff", Screen()))
    assert "The best play never makes this call" in told
    assert "%" in told


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
