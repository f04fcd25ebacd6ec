"""What makes the difference between two moves, worked out by hand in small positions."""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from random import Random
from typing import Any

import pytest

import rollwise
from rollwise.games.claims.replay import turn_game
from rollwise.parsing.validate import parse_fields
from rollwise.questions.why.compute import parts_with_exact_sum, why_of
from rollwise.questions.why.data import Why, WhyPart
from rollwise.questions.why.text import rounded_parts
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.policy.endings_of_turn import bounded_mean
from rollwise.solver.turn.arrays import UNIT


def explained(of: TurnGame, state: dict[str, Any], move: str | None = None) -> Why:
    fields = parse_fields(of, state)
    return why_of(of, fields, of.locate(**fields), move)


def by_class(found: Why) -> dict[str, WhyPart]:
    return {part.called: part for part in found.parts}


def near(number: Fraction | float) -> Any:
    return pytest.approx(float(number), abs=1e-12)


def test_pig_to_three_by_hand() -> None:
    """With V(0,0) = 36/43 and V(0,2) = 174/209, holding 2 points is worth 35/209, and rolling 37/43."""
    found = explained(turn_game("pig", target=3), {"turn": 2})
    parts = by_class(found)
    assert (found.best, found.other) == ("roll", "hold")
    assert (found.value, found.other_value) == (near(Fraction(37, 43)), near(Fraction(35, 209)))
    assert found.reference == found.other_value  # to hold has one class
    assert parts["won at once"].chance == near(Fraction(5, 6))
    assert (parts["won at once"].value, parts["won at once"].part) == (1.0, near(Fraction(145, 209)))
    assert (parts["bust"].chance, parts["bust"].value) == (near(Fraction(1, 6)), near(Fraction(7, 43)))
    assert parts["bust"].part == near(Fraction(-7, 8987))
    assert (parts["banked"].other_chance, parts["banked"].part) == (1.0, 0.0)
    assert found.difference == near(Fraction(6228, 8987))


@pytest.mark.thorough
def test_one_die_of_zilch_is_lost_four_times_in_six_and_else_all_dice_are_used() -> None:
    zilch = {"players": 1, "objective": "points"}
    state = {"mine": 1000, "turn": 350, "dice": 1}
    found = explained(turn_game("zilch", **zilch), state)
    parts = by_class(found)
    assert (found.best, found.other, found.value) == ("stop", "roll", 350.0)
    assert parts["banked, the bare minimum"].chance == 1.0
    assert parts["banked, the bare minimum"].part == 0.0
    lost = parts["bust"].other_chance
    assert lost > 4 / 6
    assert parts["banked, with all six dice used"].other_chance == near(1 - lost)
    again = (1 - lost) * ((parts["banked, with all six dice used"].other_value or 0) - 350)
    mean = parts["bust"].other_value or 0.0  # 100 for throwing all six in vain
    assert found.difference == near(lost * (350 - mean) - again)


def test_all_six_dice_are_used_by_the_move_or_after_it_and_not_by_a_turn_that_begins_with_six() -> None:
    ten_thousand = turn_game("ten-thousand", players=1, objective="points")
    used = "banked, with all six dice used"
    both = by_class(explained(ten_thousand, {"turn": 200, "roll": (1, 5)}))  # to keep both is to use all
    assert "banked" not in {name for name, part in both.items() if part.chance}
    assert both[used].chance + both["bust"].chance == near(1 - both["banked, 10050 or more"].chance)
    fresh = by_class(explained(ten_thousand, {"turn": 150, "dice": 4}, "stop"))
    assert sum(part.chance for part in fresh.values()) == near(1.0)
    # Four dice are lost where none of them is a 1 or a 5, nor three of them alike: 204 of 1296 ways.
    assert fresh["bust"].chance > 204 / 1296
    six = by_class(explained(ten_thousand, {"roll": (1, 2, 3, 4, 5, 6)}))
    assert six["banked"].chance > six[used].chance > 0


def test_yahtzee_by_hand_the_last_two_boxes() -> None:
    """With chance and yahtzee open, 4 4 4 4 1 and a throw left: keep four fours, or keep all and score now."""
    filled = {
        **{"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18, "three of a kind": 20},
        **{"four of a kind": 22, "full house": 25, "small straight": 30, "large straight": 40},
    }
    state = {"filled": filled, "roll": (1, 4, 4, 4, 4), "rolls_left": 1}
    of = turn_game("yahtzee")
    found = explained(of, state, "score chance")
    parts = by_class(found)
    assert found.best == "keep 4 4 4 4"

    def left(**more: int) -> float:
        value = rollwise.ask("yahtzee", state={"filled": {**filled, **more}}).value or 0.0
        return value - sum(filled.values()) - 35 - sum(more.values())  # the numbers hold 63

    zero, fifty, twenty_two = left(yahtzee=0), left(yahtzee=50), left(chance=22)
    assert 22 + twenty_two > zero > 21 + twenty_two  # so only a six goes into chance
    assert (parts["chance"].chance, parts["chance"].points) == (near(Fraction(1, 6)), 22.0)
    assert (parts["yahtzee"].chance, parts["yahtzee"].points) == (near(Fraction(5, 6)), near(10.0))  # 50 once in five
    assert (parts["chance"].other_chance, parts["chance"].other_points) == (1.0, 17.0)
    assert parts["chance"].part == near((22 - 17) / 6)  # the rest is the same, to score 17 is what is compared with
    yahtzee = (50 + fifty + 4 * zero) / 6 - 5 * (17 + twenty_two) / 6
    assert parts["yahtzee"].part == near(yahtzee)
    assert found.difference == near(yahtzee + 5 / 6)
    assert parts["chance"].rest == near(twenty_two - left())


def test_low_is_good_with_the_boxes() -> None:
    """With 1 and 6 open, one die shuts one of them twice in six throws; two dice shut both twice in 36, or nothing."""
    found = explained(turn_game("shut-the-box"), {"open": (1, 6)})
    parts = by_class(found)
    assert (found.best, found.other) == ("one die", "two dice")
    # One die: a 1 leaves 6, which one die then shuts once in six; a 6 leaves 1, likewise.
    shut, two = Fraction(2, 6) * Fraction(1, 6), Fraction(2, 36)
    one_left, six_left = Fraction(1, 6) * Fraction(5, 6) * 1, Fraction(1, 6) * Fraction(5, 6) * 6
    assert found.value == near(one_left + six_left + Fraction(4, 6) * 7)
    assert found.other_value == near((1 - two) * 7)
    assert found.difference == near((1 - two) * 7 - (one_left + six_left + Fraction(4, 6) * 7))
    assert (parts["every box shut"].chance, parts["every box shut"].other_chance) == (near(shut), near(two))
    assert parts["every box shut"].part == 0.0  # as likely after both
    assert parts["1 to 9 left open"].part == near(found.difference)


def test_three_at_mexico_what_each_seat_loses() -> None:
    """Seats 1 and 2 have thrown 6-6 and 6-6, everybody has one life: whoever is lowest is out."""
    of = turn_game("mexico", players=3, lives=2)
    state = {"lives": (1, 1, 1), "results": ("5-5", "6-6", "-"), "roll": (6, 5), "rolls_left": 1}
    found = explained(of, state)
    parts = by_class(found)
    assert (found.mover, found.best, found.other, found.other_value) == (2, "roll", "stop", 0.0)
    assert parts["the lowest"].other_chance == 1.0  # the others play on
    assert parts["the lowest"].part == 0.0
    assert parts["2-1"].chance == near(Fraction(2, 36))
    assert parts["not the lowest"].chance == near(Fraction(1, 36))  # 6-6
    assert parts["lost at once"].chance == near(Fraction(1, 36))  # 5-5: out with seat 0
    assert found.seats is not None
    assert (found.seats[2], sum(found.seats)) == (-found.difference, near(0.0))
    assert found.seats[0] > 0 > found.seats[1]  # seat 0 is the lowest if seat 2 is not, and seat 1 wins where both go
    assert all(sum(part.seats or ()) == near(0.0) for part in found.parts)


def test_bluff_is_told_by_what_lies_under_the_cup() -> None:
    of = turn_game("bluff", chips=1)
    found = explained(of, {"call": 11})
    parts = by_class(found)
    assert {found.best, found.other} == {"accept", "challenge"}
    assert {"accepted", "challenged, the call is true", "challenged, the call is a bluff"} == parts.keys()
    assert parts["challenged, the call is a bluff"].value in (1.0, None)
    called = explained(of, {"total": 9})
    assert sum(part.part for part in called.parts) == called.difference


@pytest.mark.parametrize(
    ("parts", "total"),
    [
        ([0.1, 0.2, -0.05], 0.25),
        ([1 / 3, 1 / 3, -0.1], 17 / 30),
        ([1e-17, 0.5], 0.5),
        ([0.0], 0.0),
        ([3e8, -3e8], 1e-9),
    ],
)
def test_parts_add_up_in_any_order(parts: list[float], total: float) -> None:
    told, whole = parts_with_exact_sum(parts, total)
    assert sum(told) == sum(reversed(told)) == whole
    assert whole == pytest.approx(total, abs=1e-15 * max(map(abs, [*parts, 1.0])))


def test_steps_are_next_to_their_parts_and_add_up() -> None:
    assert rounded_parts([1 / 3, 1 / 3, 1 / 3], 100, 0.01) == [34, 33, 33]
    assert rounded_parts([0.005, -0.005], 0, 0.01) in ([1, -1], [0, 0])
    assert rounded_parts([], 0, 0.01) == []
    assert rounded_parts([0.1], 12, 0.01) == [12]  # what is missing goes somewhere


def test_ends_that_do_not_come_to_the_value_of_the_move_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.questions.why.compute.fsum", lambda numbers: fsum(numbers) + 1e-6)
    with pytest.raises(ModelError, match=r"the ends of a turn of pig.* after roll come to .*, not to "):
        explained(turn_game("pig", target=3), {"turn": 2})


@pytest.mark.parametrize("held", [0.0, 1e3])
def test_bounds_of_a_class_hold_whatever_chances_and_sums_are_rounded_to(held: float) -> None:
    random = Random(3)
    for _ in range(300):
        true = [Fraction(random.randrange(1, 1 << 40), 3**30) for _ in range(random.randrange(1, 6))]
        numbers = [random.choice([0.1, random.random()]) for _ in true]
        off = random.choice([UNIT, 1e-9])
        chances = [float(chance) * (1 + random.uniform(-1, 1) * (off - UNIT)) for chance in true]
        mean = sum(c * Fraction(x) for c, x in zip(true, numbers, strict=True)) / sum(true) + Fraction(held)
        value, lower, upper = bounded_mean(chances, [(x, x, x) for x in numbers], off, held, False)
        assert lower <= mean <= upper
        assert lower <= value <= upper < lower + 6 * off + 1e-12 * (1 + held)
        assert (lower == upper) == (len(set(numbers)) == 1 and not held)
