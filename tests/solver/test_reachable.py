"""Boards that no play comes to: games know them, and the answer says so. Every game's walk asks too (``walk.py``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rollwise
from rollwise.games.registry import game
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.text.html import render_html
from rollwise.web.answers import answer_of
from tests.reference.walk import _reachable, _settled

Said = Callable[[str], str]
LINE = "No game reaches this state; the answer holds all the same."


def unreached(made: TurnGame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The possible boards that no play comes to, and those that some play comes to."""
    space, graph = made.boards(), compile_turn(made)
    columns = space.columns(np.arange(space.size))
    possible, roots = (np.broadcast_to(told, space.size) for told in (made.possible(columns), made.root(columns)))
    leads = []
    for root in np.unique(roots[possible]):
        boards = np.flatnonzero(possible & (roots == root))
        following = _settled(made, graph, int(root), boards)[1]
        rows, lanes = np.nonzero(following >= 0)
        leads.append((boards[lanes], following[rows, lanes]))
    reached = _reachable(space.index_of(**made.first_board()), leads, space.size)
    return np.flatnonzero(possible & ~reached), np.flatnonzero(possible & reached)


@pytest.mark.parametrize(
    ("name", "parameters", "n_unreached"),
    [
        pytest.param("cameroon", {}, 2584, marks=pytest.mark.thorough),
        ("finish", {}, 1677),
        ("sevens", {"goal": 4}, 763),
        pytest.param("zilch", {"goal": 500, "opening": 350}, 1, marks=pytest.mark.thorough),
    ],
)
def test_at_full_size_every_board_that_no_play_comes_to_is_told(
    name: str, parameters: dict[str, Any], n_unreached: int
) -> None:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    never, some = unreached(made)
    assert len(never) == n_unreached
    assert {made.reachable(made.boards().board(board)) for board in never.tolist()} == {False}
    assert False not in {made.reachable(made.boards().board(board)) for board in some[:: len(some) // 50].tolist()}


ASKED: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("pig", {"target": 20}, {"mine": 1}, {"mine": 2}),
    ("big-six", {}, {"chips": [9, 1]}, {"chips": [8, 2]}),
    ("sevens", {"goal": 4}, {"theirs": 1, "opener": "mine"}, {"theirs": 2, "opener": "mine"}),
]


@pytest.mark.parametrize(("name", "params", "never", "some"), ASKED, ids=[name for name, *_ in ASKED])
def test_the_answer_says_that_no_game_comes_to_it(
    name: str, params: dict[str, Any], never: dict[str, Any], some: dict[str, Any]
) -> None:
    advice, other = (rollwise.ask(name, params=params, state=state) for state in (never, some))
    assert (advice.reachable, advice.plain()["reachable"]) == (False, False)
    assert other.reachable
    assert "reachable" not in other.plain()
    assert render_html(answer_of(advice, "", str).blocks).count(LINE) == 1
    assert LINE not in render_html(answer_of(other, "", str).blocks)


def test_the_terminal_says_it_in_a_line(said: Said) -> None:
    assert said("ask pig -p target=20 mine=1").splitlines()[1:3] == ["mine=1 theirs=0 turn=0", LINE]
    assert LINE not in said("ask pig -p target=20 mine=2")


def test_what_cannot_be_answered_stays_refused() -> None:
    with pytest.raises(rollwise.StateError, match="turn=1 is impossible"):
        rollwise.ask("pig", mine=1, turn=1)
