"""Boards of Sixzee once more, slowly and obviously.

Nothing here reads ``transition`` or ``solver.model.dice``.
"""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.sixzee.rules import BOXES, Sixzee
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.turn.query import ExactTurn, OneTurn
from rollwise.solver.values.board_solver import BoardSolver
from tests.solver.plain import NUMBERS, Numbers, Sheet, Sixzee as Plain, thorough

Rules = dict[str, Any]
RULES: list[Rules] = [{}, {"bonus_when": "possible"}, {"joker": False}, {"joker": False, "bonus_when": "possible"}]
every_rule = pytest.mark.parametrize("rules", [*RULES[:2], *thorough(*((rules,) for rules in RULES[2:]))])


@cache
def compiled(joker: bool = True, bonus_when: str = "placed") -> tuple[Sixzee, TurnGraph]:
    game = Sixzee(joker=joker, bonus_when=bonus_when)
    return game, compile_turn(game)


def random_sheet(draw: random.Random, n_open: int) -> dict[str, int]:
    """Any sheet with so many boxes open; 0 and the sixzee's 60 are as likely as all other scores together."""
    closed = draw.sample(BOXES, len(BOXES) - n_open)
    return {box: random_score(draw, box) for box in BOXES if box in closed}


def random_score(draw: random.Random, box: str) -> int:
    lowest, *others = Sixzee().can_hold(box)
    return lowest if draw.random() < 0.4 else draw.choice(others)


def index_of(game: Sixzee, sheet: Sheet) -> int:
    return game.boards().index_of(**game.board(sheet))


# --- games of a few boxes ---------------------------------------------------------------------------------------------

KNOWN: list[tuple[str, Rules, Fraction]] = [  # (boxes to play, parameters, best expected score)
    # each die on its own: 7/2 with one throw, 17/4 with two (keep from 4 on), 14/3 with three (keep from 5 on)
    ("chance", {}, 6 * Fraction(14, 3)),
    # 60 times the chance of six equal dice, found in fractions by the same plain play
    ("sixzee", {}, 60 * Fraction(33391127, 1632586752)),
    ("3-2-1,super straight,sixzee", {}, Fraction("37.144068113295")),
    ("3-2-1,super straight,sixzee", {"joker": False}, Fraction("37.108404665599")),
]


@pytest.mark.parametrize(("boxes", "rules", "known"), KNOWN, ids=lambda part: str(part) or "default")
def test_the_start_of_a_game_of_a_few_boxes_is_worth_its_known_number(
    boxes: str, rules: Rules, known: Fraction
) -> None:
    game = Sixzee(boxes=boxes, **rules)
    exact = solve_exact(game, compile_turn(game))[game.boards().index_of(**game.first_board())]
    assert exact == known if known.denominator % 5 else abs(exact - known) < Fraction(1, 10**12)
    sheet = {box: 0 for box in BOXES if box not in boxes.split(",")}
    assert abs(Plain(**rules).mean(sheet) - known) < 1e-11


FEW = [
    "chance",
    "sixzee",
    "twos,sixzee",
    ",".join(Plain.straights),
    "3-2-1,sixzee,high straight",
    "ones,two triples,sixzee",
]
THREE = ["fours,fives,sixes", ",".join(Plain.kinds), ",".join(Plain.shapes)]  # with their bonuses
FOUR = ["fives,3-2-1,three pairs,sixzee", "ones,low straight,sixzee,chance"]


@pytest.mark.parametrize(
    ("boxes", "rules"),
    [
        *((boxes, rules) for boxes in FEW[::2] for rules in RULES[:2]),
        *thorough(*((boxes, RULES[0]) for boxes in (*FEW[1::2], *THREE))),
        *thorough(*((boxes, rules) for boxes in FOUR for rules in RULES)),
    ],
    ids=str,
)
def test_every_board_of_a_few_boxes_is_worth_what_plain_play_finds(boxes: str, rules: Rules) -> None:
    game, plain = Sixzee(boxes=boxes, **rules), Plain(**rules)
    solved = BoardSolver(game, compile_turn(game), workers=1, compiled=False).solve()
    boards = np.flatnonzero(np.isfinite(solved.values))
    assert solved.n_boards == len(boards)
    for index in boards.tolist():
        sheet = {box: 0 for box in BOXES if box not in boxes.split(",")} | game.sheet(game.boards().board(index))
        assert plain.open(sheet)
        assert abs(plain.mean(sheet) - solved.values[index]) < solved.radius[index] + 1e-10
        assert solved.radius[index] < 1e-10


# --- boards of the whole game near its end ----------------------------------------------------------------------------

HELD = {box: 4 * face for box, face in NUMBERS.items()} | {
    **{"three of a kind": 20, "four of a kind": 18, "five of a kind": 27},
    **{"3-2-1": 22, "three pairs": 20, "two triples": 15},
    **{"low straight": 20, "high straight": 30, "super straight": 40, "sixzee": 60, "chance": 25},
}


def held_but(*boxes: str) -> dict[str, int]:
    return {box: score for box, score in HELD.items() if box not in boxes}


def near_the_end(seed: int, rules: Rules, counts: Mapping[int, int]) -> Iterator[tuple[dict[str, int], float]]:
    """Random sheets, so many with each number of open boxes, and what plain play finds them worth."""
    draw = random.Random(seed)
    for n_open, count in counts.items():
        for _ in range(count):
            sheet = random_sheet(draw, n_open)
            yield sheet, Plain(**rules).mean(sheet)


@every_rule
@pytest.mark.parametrize(("seed", "counts"), [(1, {1: 3, 2: 1}), *thorough((2, {2: 6, 3: 1}))])
def test_exact_values_of_boards_with_a_few_open_boxes_are_those_of_plain_play(
    seed: int, counts: Mapping[int, int], rules: Rules
) -> None:
    for sheet, value in near_the_end(seed, rules, counts):
        require_exact(sheet, value, rules)


@pytest.mark.parametrize("boxes", [("fives", "sixes"), ("two triples", "sixzee"), ("super straight", "chance")])
def test_so_they_are_while_bonuses_can_still_be_made(boxes: tuple[str, ...]) -> None:
    require_exact(held_but(*boxes), Plain().mean(held_but(*boxes)), {})


def require_exact(sheet: Sheet, value: float, rules: Rules) -> None:
    game, graph = compiled(**rules)
    board = index_of(game, sheet)
    found = solve_exact(game, graph, boards=[board])
    assert abs(Fraction(value) - found[board]) < Fraction(1, 10**10), sheet
    turn = ExactTurn(game, graph, game.boards().board(board), found.nodes(board))
    assert turn.fractions(game.dice.first()) == {"roll": found[board]}


def test_only_boards_that_are_reached_take_any_room() -> None:
    game, graph = compiled()
    tracemalloc.start()
    try:
        found = solve_exact(game, graph, boards=[index_of(game, held_but("fives", "sixes"))])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found.values) <= 15
    assert most < game.boards().size  # a byte for every board of the game would be more


def test_a_question_in_fractions_solves_nothing_else(own_cache: Store) -> None:
    filled: Any = held_but("sixzee", "chance")
    told = rollwise.ask("sixzee", exact=True, filled=filled, roll=(3, 3, 3, 3, 5, 6), rolls_left=1)
    assert told.best == ["keep 3 3 3 3"]
    assert not own_cache.root.exists()
    for move in told.moves:
        assert move.exact is not None
        assert move.lower <= Fraction(move.exact) <= move.upper
    # with one box open nothing is left to chance but the dice, and these lie: four bonuses, and one more sixzee
    last: Any = held_but("chance")
    assert rollwise.ask("sixzee", exact=True, filled=last, roll=(6, 6, 6, 6, 6, 6), rolls_left=0).exact == str(
        sum(last.values()) + 30 * 4 + 36 + 100
    )


# --- one turn of boards with 1 to 17 open boxes -----------------------------------------------------------------------


def made_up(boards: Numbers) -> Numbers:
    """A worth for each board, 0 to 100, as if at random."""
    mixed = (np.asarray(boards, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(40)).astype(np.float64) * (100 / 2**24)


@every_rule
def test_one_turn_is_worth_what_plain_play_finds_move_by_move(rules: Rules) -> None:
    game, graph = compiled(**rules)
    plain, draw = Plain(**rules), random.Random(6)

    def worth(sheet: Sheet, points: int) -> float:
        """After the turn a sheet is worth what is made up for its board."""
        return points + (float(made_up(np.array([index_of(game, sheet)]))[0]) if plain.open(sheet) else 0.0)

    for n_open in range(1, 18, 3):
        sheet = random_sheet(draw, n_open)
        turn = OneTurn(game, graph, game.board(sheet), lambda boards: (made_up(boards), np.zeros(len(boards))))
        assert turn.root[1] - 1e-11 < plain.before(sheet, worth) < turn.root[2] + 1e-11
        assert turn.root[2] - turn.root[1] < 1e-10
        for left in range(3):
            roll = draw.choice(plain.every.throws) if draw.random() < 0.6 else (draw.randint(1, 6),) * 6
            wanted = plain.moves(sheet, worth, roll, left)
            found = dict(turn.moves((left, roll, "roll")))
            assert found.keys() == wanted.keys()
            assert all(abs(found[name][0] - wanted[name][0]) < 1e-10 for name in wanted)
