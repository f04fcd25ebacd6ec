"""States that no play comes to: a game that can tell why does so, and others name the state in plain words."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from rollwise.parsing.validate import check_board, parse_assignments, parse_fields, parse_game
from rollwise.questions.question import impossible_state_error, reachable
from rollwise.solver.model.errors import DiceError, StateError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import TurnGraph, compile_turn

ROLLS = ["".join(map(str, roll)) for n in range(1, 7) for roll in combinations_with_replacement(range(1, 7), n)][::23]
OPEN = [",".join(str(box + 1) for box in range(9) if boxes >> box & 1) or "none" for boxes in range(0, 512, 3)]
BOXES = f"open={'|'.join(OPEN)} roll=|12|33|6"
BOARD_421 = "pot=|0|3|10 chips=|4,7|11,3|16,1 opener=0|1 results=|6-5-5|-,6-5-5|6-5-5,4-2-1"
ASKED = [  # a game, and the values of each field; nothing where it is left out
    ("pig target=20", "turn=0:30:1"),
    ("piggy-six target=4", "turn=0:50:1 theirs=0|5 seat=0|1"),
    ("piggy-six target=4 max_dice=3", "turn=0:40:1 dice=|1|2|3"),
    ("piggy-six target=4 robots=4", "turn=0:30:1"),
    ("ten-thousand goal=2000", "turn=0:2500:50 dice=|1|2|3|4|5|6"),
    ("ten-thousand goal=2000", f"turn=0:2500:250 roll={'|'.join(ROLLS)}"),
    ("zilch goal=500 opening=350 players=1", "turn=0:1500:50 dice=|1|2|3|4|5|6 trio=|1|4 must_roll=|yes"),
    ("shut-the-box", BOXES),
    ("shut-the-box variant=partial", BOXES),
    ("bluff chips=2", "mine=|1|2|3 theirs=|1|2|3 last=|0|2|3|17|18 total=|3|18 call=|3|18"),
    ("421 players=2", f"{BOARD_421} rolls=|1|3 roll=|124 rolls_left=|0|1|2|3"),
    ("mexico lives=2", "lives=2,2|1,2|0,1|1,1 rolls_left=|0|1|2|3 roll=|12|55 results=|6-5|-,6-5|2-1"),
    ("sevens goal=20", "opener=|mine|theirs result=|0|1|36 rolls=|1|3 left=|none|1,1|1,6|2,4,6 rolls_left=|0|1|2|3"),
]


def values_of(typed: str) -> list[str]:
    """Values as ``ASKED`` has them: some, or every so many from one up to another."""
    return list(map(str, range(*map(int, typed.split(":"))))) if ":" in typed else typed.split("|")


@pytest.mark.parametrize(("made", "fields"), ASKED, ids=[made for made, _ in ASKED])
def test_these_games_say_why_a_state_is_impossible(made: str, fields: str) -> None:
    name, *params = made.split()
    game = parse_game(name, parse_assignments(params, "parameter"))
    graph = compile_turn(game)
    names, typed = zip(*(field.split("=") for field in fields.split()), strict=True)
    asked = [zip(names, values, strict=True) for values in product(*map(values_of, typed))]
    told = [refused(game, graph, {field: value for field, value in question if value}) for question in asked]
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


WHY: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("pig", {}, {"turn": 1}, "a 1 ends the turn, so totals are 0 or at least 2"),
    ("piggy-six", {}, {"turn": 1}, "a throw of two dice adds 2 points or more"),
    ("piggy-six", {"max_dice": 3}, {"turn": 2, "dice": 3}, "a throw of three dice adds 3 points or more"),
    *(
        ("ten-thousand", {"goal": 2000}, asked, told)
        for asked, told in (
            ({"turn": 50, "dice": 4}, "2 dice kept make 100 to 200 points, after all six 400 or more"),
            ({"turn": 350, "roll": (1, 1, 5)}, "no 3 dice that are kept make so many points"),
            ({"turn": 200, "dice": 6}, "all six, once they are kept, make 300 points or more"),
        )
    ),
]


@pytest.mark.parametrize(("name", "params", "asked", "told"), WHY, ids=[f"{name} {q}" for name, _, q, _ in WHY])
def test_why(name: str, params: dict[str, Any], asked: dict[str, Any], told: str) -> None:
    made = parse_game(name, params)
    dice = len(asked.get("roll", ())) or asked["dice"] if name == "ten-thousand" else 0
    left = f" with {dice} dice to roll" if dice else ""
    assert refused(made, compile_turn(made), asked) == f"turn={asked['turn']} is impossible{left}: {told}"


def test_what_is_said_of_ten_thousand_is_so() -> None:
    """The fewest and the most points that dice kept one throw after the other make, by the turn itself."""
    made = parse_game("ten-thousand", {"goal": 2000})
    graph = compile_turn(made)
    for dice in range(1, 6):
        able = [turn for turn in range(50, 2000, 50) if graph.node_of((turn, dice)) is not None]
        found = made.impossible(made.locate(turn=50 * (6 - dice), dice=dice))
        assert f"make {able[0]} to " in found or f"make {able[0]} points" in found


def test_other_games_name_the_state_in_plain_words() -> None:
    made = parse_game("mexico")
    told = impossible_state_error(made, {"lives": (3, 2)}, made.locate(lives=(3, 2)))
    assert str(told) == "lives=3,2 opener=0 results=none rolls_left=3 is impossible: no play of Mexico comes to it"
