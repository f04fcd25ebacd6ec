"""Every game keeps the rules for game files, and the walker sees it when one does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from rollwise.games.registry import REGISTRY, game
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.errors import ModelError, TooLarge
from rollwise.solver.game.model import Boards, Chance, Choice, Columns, End, Go, Position, Settled, TurnGame, Word
from rollwise.solver.reference.walk import walk
from rollwise.solver.turn.graph import compile_turn

SIZES: list[tuple[str, dict[str, Any]]] = [
    ("aces-in-the-pot", {"players": 5}),
    ("big-six", {"players": 3}),
    ("cameroon", {"boxes": "ones,twos,sixes,big straight,full house"}),
    ("cameroon", {"boxes": "threes,five of a kind,four of a kind", "four_of_a_kind": True, "must_keep": True}),
    ("cameroon", {"boxes": "fives,small straight,full house", "objective": "win"}),
    ("cops-and-robbers", {"distance": 4}),
    ("cops-and-robbers", {"six": "bonus_only", "distance": 2}),
    ("dice-roulette", {}),
    ("bouncer", {}),
    ("drop-dead", {}),
    ("finish", {"players": 4, "chips": 3}),
    ("high-dice", {}),
    ("killer", {"boxes": "bull's eye,doubles,sequences,twos,sixes"}),
    ("killer", {"boxes": "trebles,doubles,threes,fours", "must_score": True}),
    ("martinetti", {"players": 3}),
    ("pay-the-rent", {}),
    ("pay-the-rent", {"banker": "always"}),
    ("pay-the-rent", {"banker": "second_pair"}),
    ("mexico", {"lives": 3}),
    ("mexico", {"lives": 2, "opener": "rotating"}),
    ("pig", {"target": 20}),
    ("piggy-six", {"target": 10}),
    ("piggy-six", {"target": 8, "max_dice": 3}),
    ("piggy-six", {"target": 8, "max_dice": 3, "choose": "roll"}),
    ("piggy-six", {"target": 9, "robots": (4,)}),
    ("sevens", {"goal": 3}),
    ("shut-the-box", {}),
    ("shut-the-box", {"variant": "partial"}),
    ("shut-the-box", {"objective": "clear"}),
    ("shut-the-box", {"players": 4}),
    ("six-by-6", {}),
    ("six-by-6", {"posting": "free"}),
    ("sixzee", {"boxes": "ones,3-2-1,sixzee,chance"}),
    ("sixzee", {"boxes": "fours,fives,sixes,3-2-1,low straight,sixzee", "bonus_when": "possible"}),
    ("sixzee", {"boxes": "twos,low straight,high straight,super straight,sixzee", "joker": False}),
    ("slam", {"players": 3}),
    ("ten-thousand", {"goal": 1000}),
    ("ten-thousand", {"players": 1, "goal": 1000}),
    ("ten-thousand", {"players": 1, "objective": "points"}),
    ("thunderstorm", {"players": 4, "house": 3}),
    ("yahtzee", {"boxes": "ones,twos,chance,yahtzee"}),
    ("zilch", {"goal": 500, "opening": 350}),
    ("zilch", {"players": 1, "goal": 500}),
    ("zilch", {"players": 1, "goal": 1500}),
]


@pytest.mark.parametrize(("name", "parameters"), SIZES, ids=[f"{name} {parameters}" for name, parameters in SIZES])
def test_a_game_keeps_the_rules_for_game_files(name: str, parameters: dict[str, Any]) -> None:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    try:
        report = walk(made)
    except TooLarge:
        pytest.fail(f"{made} is too large to be walked: choose a smaller one")
    assert 0 < report.n_reachable <= report.n_boards


def test_every_game_is_walked() -> None:
    assert {name for name, _ in SIZES} == set(REGISTRY)


@dataclass(frozen=True)
class Toy(TurnGame):
    """Three boards in a row; each mistake is one that a game file could make."""

    name = "toy"
    kind = "solo"
    measure = "score"
    unit = "points"

    mistake: str = "none"

    def boards(self) -> Boards:
        return Boards(step=3)

    def possible(self, board: Columns) -> Any:
        return board.step != 2 if self.mistake == "impossible" else board.step >= 0

    def turn(self, thrown: bool = False) -> Word:
        if self.mistake == "loop":
            return Go(not thrown)
        if self.mistake == "no move":
            return Choice([])
        weights = {"weights": [1, 4], "nothing": []}.get(self.mistake, [1, 5])
        return Chance((weight, End(weight)) for weight in weights)

    def settle(self, board: Columns, result: int) -> Settled:
        step = board.step - 1 if self.mistake == "level" and result == 5 else board.step + 1
        legal = board.step != 1 if self.mistake == "stuck" else (result == 1) | (self.mistake != "mixed")
        return Settled(next={"step": step}, over=(step > 2) & (self.mistake != "off"), legal=legal, reward=result)

    def level(self, board: Columns) -> Any:
        return board.step

    def fields(self) -> list[Any]:
        return []

    def locate(self, *args: Any, **given: Any) -> Position:
        return Position({"step": 0}, ())

    def describe(self, board: Any, state: Any) -> list[dict[str, Any]]:
        return [{}] if self.mistake == "question" else []


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        ("weights", "fall in 5 ways, no power of 6"),
        ("nothing", "fall in 0 ways"),
        ("loop", "leads back to itself"),
        ("no move", "offers no move"),
        ("off", "leads off the boards"),
        ("impossible", "which the game says cannot be"),
        ("level", "leads off the boards"),
        ("stuck", "has no legal move"),
        ("mixed", "can leave the mover without a move"),
        ("question", "is described as"),
    ],
)
def test_the_walker_names_the_mistake(mistake: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        walk(Toy(mistake))


def test_a_right_game_passes() -> None:
    report = walk(Toy())
    assert (report.n_boards, report.n_reachable) == (3, 3)


def test_the_solver_refuses_a_board_without_a_legal_result() -> None:
    toy = Toy("stuck")
    with pytest.raises(ModelError, match="no legal result on"):
        BoardSolver(toy, compile_turn(toy), compiled=False).solve()
