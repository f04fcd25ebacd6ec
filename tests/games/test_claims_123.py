"""Claims of rule sheets: how they are read, and what they work out for themselves; verdicts are in ``claims.txt``."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from rollwise.games.claims import check, claims, throwing
from rollwise.games.claims.replay import turn_game
from rollwise.games.piggy_six import claims as piggy_six
from rollwise.games.piggy_six.rules import NOTHING, ZERO, throw_effect
from rollwise.games.sixzee import claims as sixzee
from rollwise.games.zilch import claims as zilch
from rollwise.solver.model.dice import grouped
from rollwise.solver.model.errors import ModelError
from rollwise.solver.turn.graph import compile_turn

READINGS = {
    "dice-roulette/banker-ahead": "odd: 0; even: 0; 9: 2/9; 2 (assumed pay): 2/9",
    "high-dice/banker-ahead": "banker's 1-1 loses: 1/9; player's 6-6 wins twice the stake: 37/432",
    "pay-the-rent/banker-earns": "banker=second_pair: 3104780925/14687907136",
}


@pytest.mark.parametrize("name", READINGS)
def test_what_hangs_on_a_rule_is_told_for_each_way_to_read_it(name: str) -> None:
    (claim,) = [claim for claim in claims(name.partition("/")[0]) if claim.id == name]
    assert READINGS[name] in check(claim).reading


def test_only_examples_that_fit_are_named() -> None:
    assert sixzee.fitting("only_pairs", ["22-33-22", "11-22-34"]) == "22-33-22"
    assert sixzee.fitting("only_triples", ["444-111", "444-112"]) == "444-111"
    assert zilch.three_pairs(["22 33 22", "11 22 34"]) == "22 33 22"


def test_with_five_sixes_and_no_ones_one_two_is_all_that_can_be_dropped() -> None:
    held = [face for face in (2, 3, 4, 5) for _ in range(4)]
    left = 5 * 6 + sum(held)
    enough = [n for n in range(4) for dropped in combinations(held, n) if left - sum(dropped) >= 84]
    assert max(enough) == sixzee.more_to_drop()["some: at least one die"] == 1


def test_a_fifth_five_or_four_pays_for_the_ones_but_a_fifth_three_or_two_does_not() -> None:
    assert [face for face in range(2, 7) if sixzee.without_ones(face) >= 84] == [4, 5, 6]


@pytest.mark.parametrize("dice", [1, 2, 3])
def test_trios_are_alike_but_for_those_of_ones_or_fives_which_add_nothing(dice: int) -> None:
    chances = [throwing.chance(dice, f"a 1, {trio} or 5, or three of a kind") for trio in (1, 5, 2, 3, 4, 6)]
    assert chances[0] == chances[1] == throwing.chance(dice, "a 1 or 5, or three of a kind")
    assert chances[2] > chances[0]
    assert len(set(chances[2:])) == 1


def test_sums_and_sixes_are_all_throws_and_a_good_one_is_worth_three_a_die() -> None:
    for dice in (1, 2, 3):
        assert piggy_six.sums(dice).total() + 6**dice * throwing.chance(dice, "a 6") == 6**dice
        assert piggy_six.points_of_a_good_throw(dice) == 3 * dice


def test_a_well_stopped_turn_is_worth_most_with_one_die_and_least_with_three() -> None:
    one, two, three = map(piggy_six.points_of_the_best_turn, (1, 2, 3))
    assert one > two > three


def chance_to_win(target: int, stops: int) -> float:
    """The same game against one robot, written from the rules alone and iterated until it stands still."""
    thrown = [(shown, ways / 36) for shown, ways in grouped(2, throw_effect)]

    @cache
    def robots_turn(total: int = 0) -> dict[int | str, float]:
        if total >= stops:
            return {total: 1.0}
        ends: dict[int | str, float] = {}
        for shown, chance in thrown:
            lost = shown in (NOTHING, ZERO)
            for end, part in {shown: 1.0}.items() if lost else robots_turn(total + int(shown)).items():
                ends[end] = ends.get(end, 0.0) + chance * part
        return ends

    best = {(mine, theirs): 0.5 for mine in range(target) for theirs in range(target)}

    def after_mine(mine: int, theirs: int) -> float:
        worth = 0.0
        for end, chance in robots_turn().items():
            score = 0 if end == ZERO else theirs + int(end)
            over = max(mine, score) >= target
            worth += chance * ((mine > score) + (mine == score) / 2 if over else best[mine, score])
        return worth

    def turn(mine: int, theirs: int) -> float:
        held = {total: after_mine(mine + total, theirs) for total in range(target + stops + 20)}
        zero = after_mine(0, theirs)
        worth = dict.fromkeys(range(target + stops + 20, target + stops + 40), 1.0)  # out of the robot's reach
        for total in reversed(held):
            on = sum(
                chance * (held[0] if shown == NOTHING else zero if shown == ZERO else worth[total + int(shown)])
                for shown, chance in thrown
            )
            worth[total] = max(held[total], on) if total else on
        return worth[0]

    moved = 1.0
    while moved > 1e-13:
        after = {board: turn(*board) for board in best}
        moved = max(abs(after[board] - best[board]) for board in best)
        best = after
    return best[0, 0]


@pytest.mark.parametrize("stops", [8, 15])
def test_the_chance_against_a_robot_is_that_of_a_slow_solution(stops: int) -> None:
    value, radius = piggy_six.chance_to_win(5, stops)
    assert abs(value - chance_to_win(5, stops)) <= radius + 1e-10


def test_robots_are_listed_hardest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piggy_six, "SUGGESTED_STOPS", (8, 12, 16))
    assert piggy_six.by_difficulty(50, (8, 12, 16)) == [16, 12, 8]
    assert piggy_six.difficulty(50) == "16 (0.543447), 12 (0.579893), 8 (0.633090)"


def test_robots_that_the_bounds_do_not_tell_apart_are_not_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piggy_six, "chance_to_win", lambda target, stop: (0.5 + stop / 1000, 0.001))
    assert piggy_six.by_difficulty(20, (8, 14)) == [8, 14]
    with pytest.raises(ModelError, match="robots 8 and 9 cannot be told apart"):
        piggy_six.by_difficulty(20, (8, 9))


def test_only_sure_digits_are_shown() -> None:
    assert piggy_six.to_digits(0.12345649, 1e-9) == "0.123456"
    with pytest.raises(ModelError, match="6 digits that are sure"):
        piggy_six.to_digits(0.1234565, 1e-9)


def test_two_sixes_cost_more_than_one_wherever_there_is_something_to_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piggy_six, "HIGH_TARGET", 20)
    assert piggy_six.two_sixes_cost_more() == 1


def test_a_robot_ends_its_turn_with_its_stopping_total_or_a_little_more() -> None:
    graph = compile_turn(turn_game("piggy-six", robots=(8,)))
    ends = {graph.results[graph.leaves[leaf].result] for leaf in np.flatnonzero(graph.root_leaves[1])}
    assert ends == {NOTHING, ZERO, *range(8, 18)}


@pytest.mark.minutes
def test_the_hardest_robots_of_the_sheet() -> None:
    assert piggy_six.hardest_of_all(100) == 15
    assert piggy_six.hardest_of_all(50) == 16
    assert [int(stop) for stop in piggy_six.by_difficulty(100, piggy_six.SUGGESTED_STOPS)] == [
        *(15, 14, 13, 12, 11, 16, 10, 9, 8)
    ]
    assert Fraction(piggy_six.difficulty(50).split("(")[1].split(")")[0]) == Fraction("0.543447")
