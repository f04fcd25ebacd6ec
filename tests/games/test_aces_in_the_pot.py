"""Aces in the Pot by its rules: where coins go, who rolls next, the last coin, what a question may say."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from rollwise.games.aces_in_the_pot.rules import LAST, SEVERAL, AcesInThePot, Moved, coins_moved, last_coin_fate
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, End
from tests.games.helping import by_place, played, rules

FOUR = AcesInThePot(4)
SAFE, SIX = "123451", "123456"  # three throws of both dice without a 6, and with one


def seen(faces: Faces, stage: str) -> Moved | str:
    return last_coin_fate(faces) if stage == LAST else coins_moved(faces)


def test_everybody_starts_with_two_coins() -> None:
    assert FOUR.locate().board == {"coins": (2, 2, 2, 2)}


@rules(
    "question, play, coins, mover, stage",
    {
        "other faces move nothing": ({}, "25", (2, 2, 2, 2), 1, SEVERAL),
        "a one goes to the pot": ({}, "13", (1, 2, 2, 2), 1, SEVERAL),
        "a six to the left": ({}, "46", (1, 3, 2, 2), 1, SEVERAL),
        "two ones": ({}, "11", (0, 2, 2, 2), 1, SEVERAL),
        "two sixes": ({}, "66", (0, 4, 2, 2), 1, SEVERAL),
        "one of each": ({}, "16", (0, 3, 2, 2), 1, SEVERAL),
        "the left of the last seat is the first": ({"mover": 3}, "62", (3, 2, 2, 1), 0, SEVERAL),
        "two sixes give the one coin there is": ({"coins": (1, 2, 0, 0)}, "66", (0, 3, 0, 0), 1, SEVERAL),
        "the pot comes before the neighbour": ({"coins": (1, 2, 0, 0)}, "16", (0, 2, 0, 0), 1, SEVERAL),
        "whoever has no coins does not roll": ({"coins": (1, 0, 0, 2)}, "23", (1, 0, 0, 2), 3, SEVERAL),
        "and is in again when the neighbour rolls a six": ({"coins": (2, 0, 0, 1)}, "63", (1, 1, 0, 1), 1, SEVERAL),
        "the only one with coins again": ({"coins": (0, 0, 3, 0), "mover": 2}, "23", (0, 0, 3, 0), 2, SEVERAL),
        "the last coin outside never enters the pot": ({"coins": (2, 0, 0, 0)}, "11", (1, 0, 0, 0), 0, LAST),
        "a six is carried out when a one has left it": ({"coins": (2, 0, 0, 0)}, "16", (0, 1, 0, 0), 1, LAST),
        "its holder is next whoever rolled": ({"coins": (1, 0, 1, 0)}, "12", (0, 0, 1, 0), 2, LAST),
        "after a six the next one tries": ({"coins": (0, 0, 1, 0), "mover": 2}, f"{SIX}, {SIX}", (1, 0, 0, 0), 0, LAST),
    },
)
def test_coins_move(question: dict[str, Any], play: str, coins: tuple[int, ...], mover: int, stage: str) -> None:
    at = played(FOUR, question, play, seen)
    assert (by_place(at, "coins", 4), at.mover, at.node.state) == (coins, mover, (stage,))  # type: ignore[union-attr]


def test_three_throws_without_a_six_win() -> None:
    for play, winner in ((SAFE, 2), (f"{SIX}, {SIX}, {SAFE}", 0)):
        assert played(FOUR, {"coins": (0, 0, 1, 0), "mover": 2}, play, seen).shares.index(Fraction(1)) == winner


def test_three_throws_are_safe_as_often_as_three_throws_of_two_dice() -> None:
    one = Fraction(sum(6 not in dice for dice in product(range(1, 7), repeat=2)), 36)
    word = AcesInThePot().turn(LAST)
    assert isinstance(word, Chance)
    ways = {after.result: weight for weight, after in word.outcomes if isinstance(after, End)}
    assert Fraction(ways["wins"], 6**6) == one**3
    assert sum(ways.values()) == 6**6


def test_an_ordinary_throw_is_one_of_six_results_of_two_dice() -> None:
    word = AcesInThePot().turn(SEVERAL)
    assert isinstance(word, Chance)
    assert len(word.outcomes) == 6
    with pytest.raises(ModelError, match="does not throw 6 dice here"):
        played(FOUR, {}, SAFE, seen)


@pytest.mark.parametrize(("players", "boards"), [(4, 330), (10, 20_030_010)])
def test_only_boards_with_a_coin_for_the_mover_are_counted(players: int, boards: int) -> None:
    assert AcesInThePot(players).boards().size == boards
