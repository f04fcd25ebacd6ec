"""States that no play comes to: a game that can tell why does so, and others name the state in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from rollwise.parsing.validate import check_board, parse_fields, parse_game
from rollwise.questions.question import impossible_state_error, reachable
from rollwise.solver.model.errors import DiceError, StateError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import TurnGraph, compile_turn

ROLLS = [roll for n in range(1, 7) for roll in combinations_with_replacement(range(1, 7), n)][::23]
OPEN = [tuple(box for box in range(1, 10) if boxes >> (box - 1) & 1) for boxes in range(0, 512, 3)]
ASKED: list[tuple[str, dict[str, Any], dict[str, Sequence[Any]]]] = [
    ("pig", {"target": 20}, {"turn": range(30)}),
    ("piggy-six", {"target": 10}, {"turn": range(50), "theirs": (0, 11), "seat": (0, 1)}),
    ("piggy-six", {"target": 10, "max_dice": 3}, {"turn": range(40), "dice": (None, 1, 2, 3)}),
    ("piggy-six", {"target": 10, "robots": (4,)}, {"turn": range(30)}),
    ("ten-thousand", {"goal": 2000}, {"turn": range(0, 2500, 50), "dice": (None, *range(1, 7))}),
    ("ten-thousand", {"goal": 2000}, {"turn": range(0, 2500, 150), "roll": ROLLS}),
    (
        "zilch",
        {"goal": 500, "opening": 350, "players": 1},
        {"turn": range(0, 1500, 50), "dice": (None, *range(1, 7)), "trio": (None, 1, 4), "must_roll": (None, True)},
    ),
    ("shut-the-box", {}, {"open": OPEN, "roll": (None, (1, 2), (3, 3), (6,))}),
    ("shut-the-box", {"variant": "partial"}, {"open": OPEN, "roll": (None, (1, 2), (3, 3), (6,))}),
    (
        "bluff",
        {"chips": 2},
        {
            "mine": (None, 1, 2, 3),
            "theirs": (None, 1, 2, 3),
            "last": (None, 0, 2, 3, 17, 18),
            "total": (None, 3, 18),
            "call": (None, 3, 18),
        },
    ),
    (
        "421",
        {"players": 2},
        {
            "pot": (None, 0, 3, 10),
            "chips": (None, (4, 7), (11, 3), (16, 1)),
            "opener": (0, 1),
            "results": (None, "6-5-5", "-,6-5-5", "6-5-5,4-2-1"),
            "rolls": (None, 1, 3),
            "roll": (None, (1, 2, 4)),
            "rolls_left": (None, 0, 1, 2, 3),
        },
    ),
    (
        "mexico",
        {"lives": 2},
        {
            "lives": ((2, 2), (1, 2), (0, 1), (1, 1)),
            "rolls_left": (None, 0, 1, 2, 3),
            "roll": (None, (1, 2), (5, 5)),
            "results": (None, "6-5", "-,6-5", "2-1"),
        },
    ),
    (
        "sevens",
        {"goal": 20},
        {
            "opener": (None, "mine", "theirs"),
            "result": (None, 0, 1, 36),
            "rolls": (None, 1, 3),
            "left": (None, (), (1, 1), (1, 6), (2, 4, 6)),
            "rolls_left": (None, 0, 1, 2, 3),
        },
    ),
]


def questions(fields: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    for values in product(*fields.values()):
        yield {name: value for name, value in zip(fields, values, strict=True) if value is not None}


@pytest.mark.parametrize(("name", "params", "fields"), ASKED, ids=[f"{name} {params}" for name, params, _ in ASKED])
def test_these_games_say_why_a_state_is_impossible(
    name: str, params: dict[str, Any], fields: Mapping[str, Sequence[Any]]
) -> None:
    made = parse_game(name, params)
    graph = compile_turn(made)
    told = [refused(made, graph, question) for question in questions(fields)]
    assert "" in told
    assert any(told)
    assert [line for line in told if "no play of" in line or "no game of" in line] == []


def refused(made: TurnGame, graph: TurnGraph, question: dict[str, Any]) -> str:
    """The line that a question gets, nothing where it is answered."""
    try:
        given = parse_fields(made, question)
        position = made.locate(**given)
        check_board(made, position.board)
        reachable(made, given, position)(graph)
    except (StateError, DiceError) as error:
        return str(error)
    return ""


WHY = [
    ("pig", {}, {"turn": 1}, "turn=1 is impossible: a 1 ends the turn, so totals are 0 or at least 2"),
    ("piggy-six", {}, {"turn": 1}, "turn=1 is impossible: a throw of two dice adds 2 points or more"),
    (
        "piggy-six",
        {"max_dice": 3},
        {"turn": 2, "dice": 3},
        "turn=2 is impossible: a throw of three dice adds 3 points or more",
    ),
    (
        "ten-thousand",
        {},
        {"turn": 50, "dice": 4},
        "turn=50 is impossible with 4 dice to roll: 2 dice kept make 100 to 200 points, after all six 400 or more",
    ),
    (
        "ten-thousand",
        {},
        {"turn": 350, "roll": (1, 1, 5)},
        "turn=350 is impossible with 3 dice to roll: no 3 dice that are kept make so many points",
    ),
    (
        "ten-thousand",
        {},
        {"turn": 200, "dice": 6},
        "turn=200 is impossible with 6 dice to roll: all six, once they are kept, make 300 points or more",
    ),
    (
        "zilch",
        {},
        {"turn": 100, "dice": 3},
        "turn=100 is impossible with 3 dice to throw: the dice kept before make 150 points or more",
    ),
]


@pytest.mark.parametrize(("name", "params", "asked", "told"), WHY, ids=[f"{name} {q}" for name, _, q, _ in WHY])
def test_why(name: str, params: dict[str, Any], asked: dict[str, Any], told: str) -> None:
    made = parse_game(name, params)
    assert refused(made, compile_turn(made), asked) == told


def test_what_is_said_of_ten_thousand_is_so() -> None:
    """The fewest and the most points that dice kept one throw after the other make, by the turn itself."""
    made = parse_game("ten-thousand", {"goal": 5000})
    graph = compile_turn(made)
    for dice in range(1, 6):
        able = [turn for turn in range(50, 3000, 50) if graph.node_of((turn, dice)) is not None]
        found = made.impossible(made.locate(turn=50 * (6 - dice), dice=dice))
        assert f"make {able[0]} to " in found or f"make {able[0]} points" in found


def test_other_games_name_the_state_in_plain_words() -> None:
    made = parse_game("mexico")
    told = impossible_state_error(made, {"lives": (3, 2)}, made.locate(lives=(3, 2)))
    assert str(told) == "lives=3,2 opener=0 results=none rolls_left=3 is impossible: no play of Mexico comes to it"
