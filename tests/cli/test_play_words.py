"""``play``: what is typed between the moves: questions, taking back, and what is not wanted now."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rollwise.games.registry import game
from rollwise.solver.game.model import TurnGame
from tests.cli.test_play import at, here

__all__ = ["here"]

Run = Callable[..., tuple[int, str, str]]
Play = Callable[[TurnGame], str]
BOX = ("play", "shut-the-box", "open=1,2,3,4,9")


@pytest.fixture
def box(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What is said where these lines are typed, the boxes 1 to 4 and 9 being open."""
    monkeypatch.setenv("COLUMNS", "80")
    return lambda *typed: at(run, typed, *BOX, monkeypatch=monkeypatch)[1]


def test_every_move_is_listed_where_all_are_wanted(box: Callable[..., str]) -> None:
    one, every = box("13", "? 1", "q"), box("13", "? all", "q")
    assert "more, down to" in one
    assert "? all lists them all" in one
    assert "--top" not in one
    assert "more, down to" not in every
    assert "say a number of moves, as ? 3, got 'x'" in box("13", "? x", "q")


def test_odds_go_on_to_the_throw_where_a_move_is_followed_by_one(box: Callable[..., str]) -> None:
    told = box("13", "odds shut 4", "q")
    assert "One outcome, for certain" not in told
    assert "\nshut 4; then:\n" in told
    assert "What two dice lead to" in told
    assert "say of which move: odds shut 1 3, shut 4" in box("13", "odds", "q")


def test_what_is_not_wanted_now_says_what_is(box: Callable[..., str]) -> None:
    told = " ".join(box("stop", "13", "throw", "15", "shut 4", "hold", "q").split())
    assert "> stop a throw is wanted now: type what is rolled, such as 1 3 5 or 135; throw lets the program" in told
    assert "> throw a move is wanted now, numbered from 1 to 2, got throw" in told
    assert "> 15 a move is wanted now, numbered from 1 to 2, got 15" in told
    assert "throw lets the program roll, undo takes 'roll' back" in told


def test_several_moves_are_taken_back_at_once_or_none(box: Callable[..., str]) -> None:
    typed = ["13", "shut 4", "12", "shut 3"]
    told = box(*typed, "undo 2", "q")
    assert told.count("open=1,2,3,4,9 roll=1,3") == 2
    told = box(*typed, "undo 3", "undo", "q")
    assert "there is no move of yours to take back" in told
    assert told.count("open=1,2,3,9 roll=1,2") == 2
    assert "say a number of moves, as undo 3, got 'x'" in box(*typed, "undo x", "q")


@pytest.mark.usefixtures("here")
def test_a_sheet_tells_what_each_box_would_give_and_what_it_holds(
    run: Run, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = play(game("yahtzee", {"boxes": "ones,twos,chance"}))  # type: ignore[arg-type]
    _, told, _ = at(run, ["11244", "keep 1 1", "134", "keep 1 1 1", "35", "q"], "play", name, monkeypatch=monkeypatch)
    assert "0 points so far" in told
    last = told[told.rindex("rolls_left=0") :]
    assert dict(re.findall(r"score (\w+) \((\d+)\)", last)) == {"ones": "3", "twos": "0", "chance": "11"}
