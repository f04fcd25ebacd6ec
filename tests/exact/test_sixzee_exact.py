"""Fractions for late sheets of the full Sixzee, from the few boards that they lead to."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rollwise
from rollwise.cache.store import Store
from rollwise.games.sixzee import BOXES, Sixzee
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.exact.exact import solve_exact
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.turn.query import ExactTurn, OneTurn

Floats = NDArray[np.float64]


@cache
def full() -> tuple[Sixzee, TurnGraph]:
    game = Sixzee()
    return game, compile_turn(game)


def index_of(sheet: Mapping[str, int]) -> int:
    game, _ = full()
    return game.boards().index_of(**game.board(sheet))


OPEN = [
    ("chance",),
    ("sixzee",),
    ("five of a kind",),
    ("sixes", "super straight"),
    ("sixzee", "two triples"),
    ("fours", "sixzee", "3-2-1"),
    ("ones", "low straight", "chance"),
    ("three of a kind", "four of a kind", "five of a kind"),
]


@pytest.mark.parametrize("boxes", OPEN, ids=",".join)
def test_sheets_of_zeros_are_worth_what_a_game_of_the_open_boxes_certifies(boxes: Sequence[str]) -> None:
    small = Sixzee(boxes=",".join(boxes))
    found = BoardSolver(small, compile_turn(small), workers=1, compiled=False).solve()
    start = small.boards().index_of(**small.first_board())
    game, graph = full()
    board = index_of({box: 0 for box in BOXES if box not in boxes})
    exact = solve_exact(game, graph, boards=[board])[board]
    assert abs(Fraction(float(found.values[start])) - exact) <= Fraction(float(found.radius[start]))
    assert found.radius[start] < 1e-9


def in_floats(board: int) -> float:
    """The value of a board by the arithmetic of questions, which shares nothing with that of fractions."""
    game, graph = full()
    space = game.boards()
    known: dict[int, float] = {}

    def read(boards: NDArray[np.int64]) -> tuple[Floats, Floats]:
        for ahead in boards.tolist():
            if ahead not in known:
                known[ahead] = float(OneTurn(game, graph, space.board(ahead), read).root[0])
        return np.array([known[ahead] for ahead in boards.tolist()]), np.zeros(len(boards))

    return float(read(np.array([board]))[0][0])


LIVE: list[tuple[str, ...]] = [
    ("fours", "fives", "sixes"),
    ("fives", "sixes", "sixzee"),
    ("threes", "two triples", "sixzee"),
    ("sixes", "super straight", "chance"),
]
HELD = {
    "ones": 4,
    "twos": 8,
    "threes": 12,
    "fours": 16,
    "fives": 20,
    "sixes": 24,
    "three of a kind": 20,
    "four of a kind": 18,
    "five of a kind": 27,
    "3-2-1": 22,
    "three pairs": 20,
    "two triples": 15,
    "low straight": 20,
    "high straight": 30,
    "super straight": 40,
    "sixzee": 60,
    "chance": 25,
}


@pytest.mark.parametrize("boxes", LIVE, ids=",".join)
def test_so_they_are_while_bonuses_can_still_be_made(boxes: Sequence[str]) -> None:
    game, graph = full()
    board = index_of({box: score for box, score in HELD.items() if box not in boxes})
    found = solve_exact(game, graph, boards=[board])
    assert abs(float(found[board]) - in_floats(board)) < 1e-10
    exact = ExactTurn(game, graph, game.boards().board(board), found.nodes(board))
    assert exact.fractions(game.dice.first()) == {"roll": found[board]}


def test_only_boards_that_are_reached_take_any_room() -> None:
    game, graph = full()
    board = index_of({box: score for box, score in HELD.items() if box not in ("fives", "sixes")})
    tracemalloc.start()
    try:
        found = solve_exact(game, graph, boards=[board])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found.values) <= 15
    assert most < game.boards().size  # a byte for every board of the game would be more


def test_a_question_in_fractions_solves_nothing_else(own_cache: Store) -> None:
    filled: Any = {box: score for box, score in HELD.items() if box not in ("sixzee", "chance")}
    told = rollwise.ask("sixzee", exact=True, filled=filled, roll=(3, 3, 3, 3, 5, 6), rolls_left=1)
    assert told.best == ["keep 3 3 3 3"]
    assert not own_cache.root.exists()
    for move in told.moves or []:
        assert move.exact is not None
        assert move.lower <= Fraction(move.exact) <= move.upper
    # with one box open nothing is left to chance but the dice, and these lie: four bonuses, and one more sixzee
    last: Any = {box: score for box, score in HELD.items() if box != "chance"}
    assert rollwise.ask("sixzee", exact=True, filled=last, roll=(6, 6, 6, 6, 6, 6), rolls_left=0).exact == str(
        sum(last.values()) + 30 * 4 + 36 + 100
    )
