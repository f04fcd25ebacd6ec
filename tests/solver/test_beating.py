"""Sheets against others, once more in the plainest way: two boxes of one's own, others whose chances are binomial."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np
import pytest

from rollwise.games.yahtzee.rules import YahtzeeBeat, YahtzeeReach
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.kinds.kind import QueryOptions, no_progress
from tests.asked import ask
from tests.solver.plain import Sheet, Yahtzee

Chances = dict[int, Fraction]
SIX = Fraction(91, 216)  # a die that is thrown up to three times shows a six
SIXES = {6 * count: comb(5, count) * SIX**count * (1 - SIX) ** (5 - count) for count in range(6)}


def tie(ties: str, tied: int) -> Fraction:
    """What having the most points is worth, as so many others have."""
    return Fraction(1, 1 + tied) if ties == "share" else Fraction(ties == "win" or not tied)


def game(ties: str = "share", boxes: str = "sixes,chance") -> YahtzeeBeat:
    return YahtzeeBeat(joker="free", objective="beat", ties=ties, boxes=boxes)


@cache
def chance_box() -> Chances:
    """The best play of a chance box: of each die 5 and 6 are kept with two throws to come, 4 too with one."""
    third = {face: Fraction(1, 6) for face in range(1, 7)}
    second = {face: Fraction(face > 3, 6) + Fraction(1, 2) * third[face] for face in third}
    first = {face: Fraction(face > 4, 6) + Fraction(2, 3) * second[face] for face in third}
    found: Chances = {}
    for dice in product(first, repeat=5):
        found[sum(dice)] = found.get(sum(dice), Fraction(0)) + prod(first[face] for face in dice)
    return found


def worth(score: int, others: list[Chances], ties: str) -> Fraction:
    """What a final score is worth, from every way in which the others may end."""
    found = Fraction(0)
    for ends in product(*(chances.items() for chances in others)):
        if all(theirs <= score for theirs, _ in ends):
            part = tie(ties, sum(theirs == score for theirs, _ in ends))
            found += part * prod((chance for _, chance in ends), start=Fraction(1))
    return found


def moves(final: Sequence[float], roll: tuple[int, ...], left: int) -> tuple[dict[str, float], float]:
    """What moves are worth with sixes and chance open, and that turn before it begins."""
    sheets = Yahtzee("free")

    def worth(sheet: Sheet, made: int) -> float:
        if not sheets.open(sheet):
            return final[made]
        return float(sheets.before(sheet, lambda after, more: worth(after, made + more)))

    sheet = dict.fromkeys(set(sheets.boxes) - {"sixes", "chance"}, 0)
    found = sheets.moves(sheet, worth, roll, left)
    return {move: float(told) for move, (told, _) in found.items()}, float(sheets.before(sheet, worth))


OTHERS: dict[str, tuple[dict[str, Any], list[Chances]]] = {
    "one who has finished": ({"theirs": "41"}, [{41: Fraction(1)}]),
    "three, two of them with as many": ({"theirs": "42,17,42"}, [{42: Fraction(1)}] * 2),
    "one who goes on": ({"theirs_filled": "chance:20"}, [{20 + score: chance for score, chance in SIXES.items()}]),
    "two who go on and one who has finished": (
        {"theirs": (38,), "theirs_filled": [{"chance": 20}, {"sixes": 18}]},
        [
            {38: Fraction(1)},
            {20 + score: chance for score, chance in SIXES.items()},
            {18 + score: chance for score, chance in chance_box().items()},
        ],
    ),
}


@pytest.mark.parametrize("ties", ["share", "lose", "win"])
@pytest.mark.parametrize("others", list(OTHERS))
def test_every_move_is_worth_what_every_end_of_the_others_says(others: str, ties: str) -> None:
    said, chances = OTHERS[others]
    plain, before = moves([float(worth(score, chances, ties)) for score in range(61)], (2, 4, 6, 6, 6), 1)
    made = game(ties)
    for value, wanted in (
        (ask(made, said), {"roll": before}),
        (ask(made, {**said, "roll": "24666", "rolls_left": 1}), plain),
    ):
        for move in value.moves:
            assert move.lower - 1e-14 <= wanted[move.move] <= move.upper + 1e-14, move
            assert move.upper - move.lower < 1e-11
        assert {move.move for move in value.moves} <= wanted.keys()
    assert bool(value.note) == ("go" in others)


def test_fractions_are_those_of_the_last_box_and_there_are_none_of_a_forecast() -> None:
    said = {"filled": "chance:20", "theirs": "38,38"}
    exact = ask(game(), said, exact=True).exact
    assert Fraction(exact or 0) == SIXES[30] + SIXES[24] + SIXES[18] / 3
    assert ask(game(), {"filled": "chance:20", "theirs_filled": "chance:20"}, exact=True).exact is None


class Ends:
    """Somebody ends with 6 points or 12 more, as likely each, as far as is known."""

    chances = np.array([0.0] * 6 + [0.5] + [0.0] * 5 + [0.5])
    off, lost = 1e-6, 1e-4


def test_what_a_forecast_leaves_open_widens_every_interval_outward() -> None:
    made = game()
    dice, late = (1, 2, 6, 6, 6), {"filled": {"chance": 20}}
    said: dict[str, Any] = {"theirs_filled": ({"chance": 20},)}
    questions: list[dict[str, Any]] = [{}, late, {**late, "roll": dice, "rolls_left": 0}, {**late, "roll": dice}]
    for more in [*questions, {"roll": dice, "rolls_left": 0}]:
        position = made.locate(**said, **more)
        part = made.part(position.board, said, [Ends()])
        for move in load_or_solve(part).solution.ask(position, said, QueryOptions(), no_progress).moves:
            assert move.upper - move.value >= min(Ends.lost / 2, 1 - move.value), move  # no worth is above 1
            assert move.value - move.lower >= Ends.lost / 2, move
            assert move.upper - move.lower < 2.1 * Ends.lost


@pytest.mark.parametrize(
    ("score", "boxes"), [(0, "sixes,chance"), (23, "sixes,chance"), (9998, "sixes,chance"), (54, "yahtzee,sixes")]
)
def test_to_lose_a_tie_is_to_reach_one_more_and_to_win_it_is_to_reach_as_many(score: int, boxes: str) -> None:
    reach = YahtzeeReach(joker="free", objective="reach", boxes=boxes)
    roll = {"roll": "22666", "rolls_left": 2}
    share = ask(game("share", boxes), {"theirs": score, **roll}).moves
    for ties, target in (("lose", score + 1), ("win", score)):
        found = ask(game(ties, boxes), {"theirs": score, **roll}).moves
        if target:
            same = ask(reach, {"target": target, **roll}).moves
            assert [(m.move, m.value, m.lower, m.upper) for m in found] == [
                (m.move, m.value, m.lower, m.upper) for m in same
            ]
        between = {move.move: move.value for move in found}
        sign = 1 if ties == "win" else -1
        assert all(sign * (between[move.move] - move.value) >= 0 for move in share)
