"""Ten Thousand, by its rules (number 15 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

import rollwise
from rollwise.games.ten_thousand.rules import TenThousand, TenThousandPoints, TenThousandTurns, keeps, scoring
from rollwise.solver.model.dice import grouped
from rollwise.solver.model.game import End
from tests.games.helping import holds, made, may, plays_out, rules, settles, solved, thorough

DUEL = TenThousand()
THIRD = {"turn": 1000, "dice": 3}
ALONE: dict[str, Any] = {"players": 1, "objective": "points"}


@rules(
    "roll, moves",
    {
        "single ones and fives score": ("152346", {"keep 1 5 for 150", "keep 1 for 100", "keep 5 for 50"}),
        "three ones": ("111234", {"keep 1 1 1 for 1000", "keep 1 1 for 200", "keep 1 for 100"}),
        "fewer scoring dice may be kept": ("555233", {"keep 5 5 5 for 500", "keep 5 5 for 100", "keep 5 for 50"}),
        "two threes of a kind": ("222444", {"keep 2 2 2 4 4 4 for 600", "keep 2 2 2 for 200", "keep 4 4 4 for 400"}),
        "a fourth equal die counts only as a single": ("444423", {"keep 4 4 4 for 400"}),
    },
)
def test_what_may_be_kept(roll: str, moves: set[str]) -> None:
    assert set(may(DUEL, {}, roll)) == moves


def test_throws_are_counted_right_and_the_first_to_bank_the_goal_wins() -> None:
    for dice in (1, 2, 3, 4):
        nothing = [
            roll
            for roll in product(range(1, 7), repeat=dice)
            if not {1, 5} & set(roll) and all(roll.count(face) < 3 for face in roll)
        ]
        assert dict(grouped(dice, scoring))[()] == len(nothing)
    roll: Any = dict(DUEL.turn(300, 3).moves)["roll"]  # type: ignore[union-attr]
    assert [(weight, after.result) for weight, after in roll.outcomes if isinstance(after, End)] == [(60, 0)]
    assert settles(DUEL, 50, mine=199, theirs=10)["worth"] == 1
    bust = settles(DUEL, 0, mine=199, theirs=10)
    assert (bust["mine"], bust["theirs"], bust["passed"], bust["worth"]) == (10, 199, 1, 0)
    assert isinstance(made("ten-thousand", players=1), TenThousandTurns)
    assert isinstance(made("ten-thousand", **ALONE), TenThousandPoints)


@rules(
    "question, play, then",
    {
        "all six dice used may be rolled again": (THIRD, "roll, 115: keep 1 1 5 for 250", {"state": (1250, 6)}),
        "else what is left": (THIRD, "roll, 115: keep 5 for 50", {"state": (1050, 2)}),
        "one may stop with points": ({"turn": 50, "dice": 5}, "", {"moves": ["stop", "roll"]}),
        "but must roll first": ({}, "", {"moves": ["roll"]}),
        "a roll without a score loses the turn": ({"turn": 300, "dice": 3, "mine": 500}, "roll, 234", {"theirs": 10}),
    },
)
def test_a_turn_goes_as_the_sheet_says(question: dict[str, int], play: str, then: dict[str, Any]) -> None:
    plays_out(DUEL, question, play, then)


def after_one_throw(dice: int, turn: int) -> Fraction:
    """The mean of a turn that throws these dice and keeps as many points as it can."""
    throws: list[tuple[Any, int]] = list(grouped(dice, scoring))
    ahead = sum(ways * (turn + max(points for *_, points in keeps(seen))) for seen, ways in throws if seen)
    return Fraction(ahead, 6**dice)


@cache
def in_time(goal: int, mine: int, within: int) -> Fraction:
    """The best chance to have the goal within so many turns, throw by throw."""

    def banked(points: int) -> Fraction:
        if mine + points >= goal:
            return Fraction(1)
        return in_time(goal, mine + points, within - 1) if within > 1 else Fraction(0)

    @cache
    def thrown(turn: int, dice: int) -> Fraction:
        worth = Fraction(0)
        for seen, ways in grouped(dice, scoring):
            ahead = [before(turn + points, dice - kept or 6) for _, kept, points in keeps(seen)]
            worth += ways * max(ahead, default=banked(0))
        return Fraction(worth, 6**dice)

    def before(turn: int, dice: int) -> Fraction:
        return Fraction(1) if mine + turn >= goal else max(banked(turn), thrown(turn, dice))

    found: Fraction = thrown(0, 6)
    return found


@pytest.mark.parametrize(("mine", "within"), [(0, 1), (0, 2), (350, 3), *thorough((0, 3))])
def test_the_best_chance_to_reach_the_goal_in_time(mine: int, within: int) -> None:
    game = made("ten-thousand", players=1, objective="reach", goal=500)
    _, found = solved(game)
    assert holds(found, game.boards().index_of(mine=mine // 50, within=within), in_time(500, mine, within))


def test_past_the_cut_of_a_single_turn_throwing_on_never_pays_and_before_it_is_worth_what_one_more_throw_says() -> None:
    """By hand at the cut: from 10,000 with six dice, 5 throws in 162 lose all and the others add to what is kept."""
    cut = TenThousandPoints(**ALONE).enough()
    assert (cut, all(after_one_throw(dice, cut) <= cut for dice in range(1, 7))) == (10_050, True)
    advice = rollwise.ask("ten-thousand", params=ALONE, turn=10_000, dice=6)
    (roll,) = [move for move in advice.moves if move.move == "roll"]
    assert roll.value >= after_one_throw(6, 10_000) - Fraction(1, 10**6)
    assert advice.best == ["roll"]
    keeping = rollwise.ask("ten-thousand", params=ALONE, turn=9950, roll=[1, 1, 1, 6, 6, 6])
    assert keeping.best == ["keep 1 1 1 6 6 6 for 1600"]
