"""Odds of single turns: against binomials, and every keep of every throw."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import numpy as np
import pytest

from rollwise.games.registry import game
from rollwise.solver.model.dice import AnyDiceAgain, d6
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Bounded, Decision, End, Transition, TurnGame, chance_of
from rollwise.solver.model.sheet import Aim, BoxGame
from rollwise.solver.policy.aims import AimProspects, prospects
from rollwise.solver.turn.graph import compile_turn
from tests.solver.plain import NUMBERS, PAYS, Roll, every_keep, fallen, fits, joined, parts, points, toy

in_rolls = pytest.mark.parametrize("rolls", [1, 2, 3])


@cache
def told(name: str, **parameters: Any) -> dict[str, dict[int, AimProspects]]:
    made = game(name, parameters)
    assert isinstance(made, BoxGame)
    return prospects(compile_turn(made), made.aims(), made.before_rolls())


# --- what is known by hand -------------------------------------------------------------------------------------------


def test_a_yahtzee_in_three_rolls_has_its_well_known_chance() -> None:
    found = told("yahtzee")["yahtzee"][3]
    assert found == AimProspects({"more than 0": Fraction(347897, 7558272)}, 50 * Fraction(347897, 7558272))


@in_rolls
def test_dice_of_one_face_are_binomial(rolls: int) -> None:
    dice, hit = 5, 1 - Fraction(5, 6) ** rolls
    exactly = [comb(dice, n) * hit**n * (1 - hit) ** (dice - n) for n in range(dice + 1)]
    for box, face in NUMBERS.items():
        found = told("cameroon")[box][rolls]
        assert found.chances == {f"at least {n}": sum(exactly[n:]) for n in range(1, dice + 1)}
        assert found.points == face * dice * hit


# --- every keep of every throw ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "dice"), [("sixzee", 6), ("yahtzee", 5)])
def test_every_box_is_worth_what_trying_every_keep_finds(name: str, dice: int) -> None:
    found, every = told(name), every_keep(dice)
    assert 36 * 6 ** (3 * every.dice) < 2**63
    asked: list[tuple[str, str | None]] = []
    columns = []
    for box in found:
        scores = np.array([points(box, throw, PAYS[name]) for throw in every.throws])
        for mark in (None, *found[box][1].chances):
            least = int(mark.split()[-1]) * NUMBERS[box] if mark and box in NUMBERS else 1
            asked.append((box, mark))
            columns.append((scores >= least).astype(np.int64) if mark else scores)
    worth = np.array(columns).T
    for rolls in (1, 2, 3):
        for (box, mark), ways in zip(asked, every.first(worth).tolist(), strict=True):
            of_box, mean = found[box][rolls], Fraction(ways, 6 ** (every.dice * rolls))
            assert (of_box.points if mark is None else of_box.chances[mark]) == mean, (box, mark, rolls)
        worth = every.again(worth)


def best_set_aside(scored: Callable[[Roll], int], dice: int, throws: int) -> Fraction:
    """The best mean where dice that are set aside stay: every part of every throw."""

    @cache
    def ahead(kept: Roll, left: int) -> Fraction:
        if left == 0 or len(kept) == dice:
            return Fraction(scored(kept))
        again = dice - len(kept)
        total = Fraction(0)
        for rolled, ways in fallen(again).items():
            held = [rolled] if left == 1 else parts(rolled)
            total += Fraction(ways, 6**again) * max(ahead(joined(kept, part), left - 1) for part in held)
        return total

    best: Fraction = ahead((), throws)
    return best


@in_rolls
def test_cameroon_goes_for_a_box_with_dice_that_stay(rolls: int) -> None:
    found = told("cameroon")
    house = best_set_aside(lambda dice: points("full house", dice, {}), 5, rolls)
    assert found["full house"][rolls].points == house
    alike = best_set_aside(lambda dice: fits("five of a kind", dice), 5, rolls)
    assert found["five of a kind"][rolls] == AimProspects({"more than 0": alike}, 30 * alike)
    row = best_set_aside(lambda dice: int(dice == (2, 3, 4, 5, 6)), 5, rolls)
    assert found["big straight"][rolls] == AimProspects({"more than 0": row}, 20 * row)


# --- what plays no part ----------------------------------------------------------------------------------------------


def test_jokers_bonuses_and_what_the_game_is_played_for_play_no_part() -> None:
    assert told("sixzee", joker=False, sixzee_bonus=0, bonus_when="possible") == told("sixzee")
    assert told("yahtzee", joker="free") == told("yahtzee")
    played = {"four_of_a_kind": True, "big_straight": 25}
    assert told("cameroon", objective="win", **played) == told("cameroon", **played)


def test_a_turn_that_must_keep_dice_has_all_its_rolls() -> None:
    assert set(told("cameroon", must_keep=True)["ones"]) == {3}
    assert set(told("cameroon")["ones"]) == {1, 2, 3}


def test_the_best_chance_and_the_most_points_may_be_different_ways_to_play() -> None:
    # turning every die over keeps all chances: some play that is best for the chance earns 21 points a time
    found = told("sixzee")["four of a kind"][3]
    assert found.points > 21 * found.chances["more than 0"]


# --- any turn --------------------------------------------------------------------------------------------------------


def one_die(throws: int) -> tuple[TurnGame, AnyDiceAgain]:
    """One die, thrown as often as that; its face in thirds of a point."""
    die = AnyDiceAgain(1, throws, lambda dice: Decision([("stop", End("face", Fraction(dice[0], 3)))]))
    return toy(die.turn, lambda board, result: Transition(), roots=lambda game: [die.first()]), die


def test_numbers_beyond_64_bits_stay_exact() -> None:
    made, die = one_die(30)
    aim = Aim(lambda result: result == "face", {"six": 2})
    found = prospects(compile_turn(made), {"face": aim}, die.before_rolls())["face"]
    mean = Fraction(0)
    for rolls in range(1, 31):
        mean = sum((max(Fraction(face, 3), mean) for face in range(1, 7)), Fraction(0)) / 6
        assert found[rolls] == AimProspects({"six": 1 - Fraction(5, 6) ** rolls}, mean)


def test_a_turn_with_a_cut_and_a_state_that_never_comes_are_refused() -> None:
    aim = Aim(lambda result: True, {})
    cut = toy(
        lambda: chance_of(d6, lambda face: Bounded(0, 1) if face == 6 else End(face)), lambda board, face: Transition()
    )
    with pytest.raises(ModelError, match="cut"):
        prospects(compile_turn(cut), {"all": aim}, {1: ()})
    with pytest.raises(ModelError, match="no turn comes"):
        prospects(compile_turn(one_die(2)[0]), {"all": aim}, {3: (2, (), "throw")})
