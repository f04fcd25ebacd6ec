from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations_with_replacement, permutations
from math import comb, factorial, prod
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims.replay import Played, begin, moves, replay
from rollwise.games.sheets import NUMBERS
from rollwise.games.sixzee import BOXES, HOLDS_0, HOLDS_60, JOKER_PAYS, KINDS, OPEN, SHAPES, STRAIGHTS, Sixzee, points
from rollwise.solver.game.dice import Faces, throws
from rollwise.solver.game.errors import DiceError, ParameterError, StateError
from rollwise.solver.turn.graph import compile_turn, states_in_order

PLACED = Sixzee()
POSSIBLE = Sixzee(bonus_when="possible")
WITHOUT_JOKER = Sixzee(joker=False)
PLAIN = (1, 1, 2, 3, 5, 6)  # three of a kind, straights, pairs: it fits none
Sheet = Mapping[str, int]


def six(face: int) -> Faces:
    return (face,) * 6


def on_the_table(dice: Faces, sheet: Sheet) -> dict[str, Any]:
    """The question about these dice after the last throw of a turn."""
    return {"filled": dict(sheet), "roll": tuple(sorted(dice)), "rolls_left": 0}


def filled(game: Sixzee, sheet: Sheet, box: str, dice: Faces) -> Played:
    """Where a player stands who puts these dice in this box."""
    return replay(game, on_the_table(dice, sheet), [(None, f"score {box}")])


def gain(game: Sixzee, sheet: Sheet, box: str, dice: Faces) -> int:
    """What that earns, bonuses included."""
    before = begin(game, on_the_table(dice, sheet)).points
    return int(filled(game, sheet, box, dice).points - before)


def gains(game: Sixzee, sheet: Sheet, dice: Faces) -> dict[str, int]:
    """The same for every box that may be filled."""
    may = moves(game, begin(game, on_the_table(dice, sheet)))
    return {box: gain(game, sheet, box, dice) for box in (move.removeprefix("score ") for move in may)}


def sheet_but(*still_open: str, **held: int) -> dict[str, int]:
    """Every other box is filled, with 0 (chance with 6) unless told otherwise."""
    least = {**dict.fromkeys(BOXES, 0), "chance": 6, **{box.replace("_", " "): score for box, score in held.items()}}
    return {box: score for box, score in least.items() if box not in still_open}


# --- seventeen boxes: what each scores, and in how many of 46,656 throws ---------------------------------------------


def added(parts: Iterable[Mapping[int, int]]) -> Counter[int]:
    """Ways to make each sum of independent numbers."""
    total = Counter({0: 1})
    for part in parts:
        longer: Counter[int] = Counter()
        for sum_so_far, ways in total.items():
            for number, more in part.items():
                longer[sum_so_far + number] += ways * more
        total = longer
    return total


def dice_sums(dice: int, faces: Iterable[int] = range(1, 7)) -> Counter[int]:
    return added([dict.fromkeys(faces, 1)] * dice)


def exactly(count: int, face: int) -> Counter[int]:
    """Sums of throws in which so many dice show this face."""
    others = dice_sums(6 - count, (other for other in range(1, 7) if other != face))
    return Counter({count * face + rest: comb(6, count) * ways for rest, ways in others.items()})


def at_least_of_a_kind(count: int) -> Counter[int]:
    """Two triples are counted for both their faces, and taken back once."""
    found: Counter[int] = Counter()
    for face in range(1, 7):
        for number in range(count, 7):
            found += exactly(number, face)
    if count == 3:
        for a in range(1, 7):
            for b in range(a + 1, 7):
                found[3 * (a + b)] -= 20
    return found


def in_sets_of(size: int) -> Counter[int]:
    """Sums of throws that fall apart into sets of so many equal dice."""
    found: Counter[int] = Counter()
    for faces in combinations_with_replacement(range(1, 7), 6 // size):
        found[size * sum(faces)] += factorial(6) // prod(factorial(size * n) for n in Counter(faces).values())
    return found


def three_two_ones() -> Counter[int]:
    found: Counter[int] = Counter()
    for three, two, one in permutations(range(1, 7), 3):
        found[3 * three + 2 * two + one] += 60
    return found


def throws_with(faces: int) -> int:
    """Throws of six dice that show each of so many given faces: one face after the other is left out."""
    return sum((-1) ** missing * comb(faces, missing) * (6 - missing) ** 6 for missing in range(faces + 1))


def fixed(score: int, ways: int) -> Counter[int]:
    return Counter({score: ways})


BY_HAND: dict[str, Counter[int]] = {
    **{
        box: Counter({face * n: comb(6, n) * 5 ** (6 - n) for n in range(1, 7)})
        for face, box in enumerate(NUMBERS, start=1)
    },
    "three of a kind": at_least_of_a_kind(3),
    "four of a kind": at_least_of_a_kind(4),
    "five of a kind": at_least_of_a_kind(5),
    "3-2-1": three_two_ones(),
    "three pairs": in_sets_of(2),
    "two triples": in_sets_of(3),
    "low straight": fixed(20, 3 * throws_with(4) - 2 * throws_with(5)),  # 1-4 and 3-6 lie together only in all six
    "high straight": fixed(30, 2 * throws_with(5) - throws_with(6)),
    "super straight": fixed(40, throws_with(6)),
    "sixzee": fixed(60, 6),
    "chance": dice_sums(6),
}


@pytest.mark.parametrize("box", BOXES)
def test_a_box_scores_as_often_what_it_scores_as_counting_by_hand_says(box: str) -> None:
    found: Counter[int] = Counter()
    for dice, ways in throws(6):
        found[points(box, dice)] += ways
    nothing = found.pop(0, 0)
    assert found == BY_HAND[box]
    assert nothing == 6**6 - sum(BY_HAND[box].values())


def test_there_are_seventeen_boxes_in_the_order_of_the_sheet() -> None:
    assert tuple(BY_HAND) == BOXES
    assert len(BOXES) == 17
    assert list(gains(PLACED, {}, PLAIN)) == list(BOXES)


@pytest.mark.parametrize(
    ("box", "dice", "worth"),
    [
        ("ones", (1, 1, 1, 2, 5, 6), 3),
        ("twos", (1, 1, 1, 3, 5, 6), 0),
        ("fives", (1, 5, 5, 5, 5, 6), 20),
        ("three of a kind", (2, 2, 2, 4, 5, 6), 21),
        ("three of a kind", (2, 2, 4, 4, 5, 6), 0),
        ("three of a kind", (2, 2, 2, 4, 4, 4), 18),
        ("four of a kind", (3, 3, 3, 3, 5, 6), 23),
        ("four of a kind", (3, 3, 3, 5, 5, 5), 0),
        ("five of a kind", (6, 6, 6, 6, 6, 1), 31),
        ("five of a kind", (6, 6, 6, 6, 5, 5), 0),
        ("3-2-1", (5, 5, 5, 2, 2, 1), 20),
        ("3-2-1", (5, 5, 5, 2, 2, 2), 0),
        ("3-2-1", (5, 5, 5, 5, 2, 1), 0),
        ("3-2-1", (5, 5, 5, 4, 2, 1), 0),
        ("three pairs", (2, 2, 3, 3, 2, 2), 14),
        ("three pairs", (1, 1, 2, 2, 3, 3), 12),
        ("three pairs", six(3), 18),
        ("three pairs", (3, 3, 3, 4, 4, 4), 0),
        ("two triples", (4, 4, 4, 1, 1, 1), 15),
        ("two triples", six(5), 30),
        ("two triples", (3, 3, 3, 6, 6, 6), 27),
        ("two triples", (3, 3, 3, 3, 6, 6), 0),
        ("low straight", (1, 2, 3, 4, 4, 6), 20),
        ("low straight", (2, 3, 4, 5, 5, 5), 20),
        ("low straight", (3, 4, 5, 6, 1, 1), 20),
        ("low straight", (1, 2, 3, 5, 6, 6), 0),
        ("high straight", (1, 2, 3, 4, 5, 5), 30),
        ("high straight", (2, 3, 4, 5, 6, 6), 30),
        ("high straight", (1, 2, 3, 4, 6, 6), 0),
        ("super straight", (1, 2, 3, 4, 5, 6), 40),
        ("super straight", (2, 3, 4, 5, 6, 6), 0),
        ("low straight", (1, 2, 3, 4, 5, 6), 20),
        ("high straight", (1, 2, 3, 4, 5, 6), 30),
        ("sixzee", six(1), 60),
        ("sixzee", (1, 1, 1, 1, 1, 2), 0),
        ("chance", six(1), 6),
        ("chance", PLAIN, 18),
    ],
)
def test_a_box_scores_what_the_rules_say(box: str, dice: Faces, worth: int) -> None:
    assert points(box, tuple(sorted(dice))) == worth
    assert gain(PLACED, {}, box, dice) == worth


def test_nothing_but_chance_is_sure_to_score() -> None:
    nothing = {box for box in BOXES if any(points(box, dice) == 0 for dice, _ in throws(6))}
    assert nothing == set(BOXES) - {"chance"}


# --- a turn -----------------------------------------------------------------------------------------------------------


def test_a_turn_starts_with_a_throw_of_all_six_dice() -> None:
    assert moves(PLACED, begin(PLACED, {})) == ["roll"]


def test_any_dice_may_be_thrown_again_twice_and_then_a_box_is_filled() -> None:
    first = replay(PLACED, {}, [((1, 1, 3, 4, 4, 6), None)])
    assert moves(PLACED, first)[:17] == [f"score {box}" for box in BOXES]
    assert len(moves(PLACED, first)) == 17 + 3 * 2 * 3 * 2 - 1  # any of each face, but not all
    third = [((1, 1, 3, 4, 4, 6), "keep 4 4"), ((1, 2, 4, 6), "keep 1 4"), ((1, 1, 1, 4), None)]
    assert moves(PLACED, replay(PLACED, {}, third)) == [f"score {box}" for box in BOXES]
    assert replay(PLACED, {}, [*third[:2], ((1, 1, 1, 4), "score ones")]).points == 4


def test_dice_that_were_kept_may_be_thrown_again() -> None:
    steps = [((1, 1, 3, 4, 4, 6), "keep 1 1"), ((2, 3, 5, 6), "keep 2 3 5 6"), ((1, 4), "score super straight")]
    assert replay(PLACED, {}, steps).points == 40


def test_all_dice_may_be_thrown_again() -> None:
    assert replay(PLACED, {}, [(PLAIN, "keep nothing"), (six(2), "score sixzee")]).points == 60


def test_a_filled_box_is_closed_even_if_it_holds_0() -> None:
    sheet = {"twos": 0, "chance": 20, "sixzee": 0, "low straight": 20, "two triples": 0}
    assert set(gains(PLACED, sheet, PLAIN)) == set(BOXES) - set(sheet)


def test_dice_that_do_not_fit_may_be_placed_anywhere_for_0() -> None:
    worth = gains(PLACED, {}, PLAIN)
    assert {box for box, points_there in worth.items() if points_there == 0} == {
        "fours", *KINDS, *SHAPES, *STRAIGHTS, "sixzee",
    }  # fmt: skip


def test_seventeen_turns_fill_the_sheet_and_bonuses_are_counted_on_the_way() -> None:
    best: dict[str, Faces] = {
        **{box: six(face) for face, box in enumerate(NUMBERS, start=1)},
        **dict.fromkeys(("sixzee", "chance", "three pairs", "two triples", *KINDS), six(6)),
        "3-2-1": (6, 6, 6, 5, 5, 4),
        **dict.fromkeys(STRAIGHTS, (1, 2, 3, 4, 5, 6)),
    }
    order = ["sixzee", *(box for box in BOXES if box != "sixzee")]
    end = replay(PLACED, {}, [(best[box], f"score {box}") for box in order])
    further = 6 + 3 + 2 + 1  # number boxes, kinds, three pairs and two triples, chance
    assert end.over
    assert end.points == 60 + 6 * 21 + 3 * 36 + 32 + 2 * 36 + 90 + 36 + 4 * 30 + 100 * further
    assert not replay(PLACED, {}, [(best[box], f"score {box}") for box in order[:-1]]).over


# --- four bonuses of 30 -----------------------------------------------------------------------------------------------

FOUR_OF_EACH = {box: 4 * face for face, box in enumerate(NUMBERS, start=1)}


def test_numbers_that_reach_84_earn_30_at_once() -> None:
    assert sum(FOUR_OF_EACH.values()) == 84
    for face, box in enumerate(NUMBERS, start=1):
        sheet = {other: score for other, score in FOUR_OF_EACH.items() if other != box}
        rest = six(face % 6 + 1)[:2]
        assert gain(PLACED, sheet, box, ((face,) * 4 + rest)) == 4 * face + 30
        assert gain(PLACED, sheet, box, ((face,) * 3 + six(face % 6 + 1)[:3])) == 3 * face


def test_five_sixes_make_up_for_no_ones() -> None:
    sheet = {**FOUR_OF_EACH, "ones": 0}
    del sheet["sixes"]
    assert gain(PLACED, sheet, "sixes", (6, 6, 6, 6, 6, 1)) == 30 + 30
    assert gain(PLACED, {**sheet, "twos": 6}, "sixes", (6, 6, 6, 6, 6, 1)) == 30 + 30
    assert gain(PLACED, {**sheet, "twos": 4}, "sixes", (6, 6, 6, 6, 6, 1)) == 30


def test_the_numbers_bonus_is_earned_once_and_may_be_earned_before_all_six_are_filled() -> None:
    sheet = {"fives": 30, "sixes": 30}
    assert gain(PLACED, sheet, "fours", six(4)) == 24 + 30
    assert gain(PLACED, {**sheet, "fours": 24}, "threes", six(3)) == 18


def test_other_boxes_do_not_count_towards_84() -> None:
    sheet = {"fives": 30, "sixes": 30, "chance": 36, "three of a kind": 36}
    assert gain(PLACED, sheet, "threes", six(3)) == 18
    assert gain(PLACED, sheet, "four of a kind", six(3)) == 18


GROUPS = [
    ({"three of a kind": 14, "four of a kind": 16, "five of a kind": 7}, (1, 1, 1, 1, 1, 2)),
    ({"3-2-1": 14, "three pairs": 6, "two triples": 6}, six(1)),
    ({"low straight": 20, "high straight": 30, "super straight": 40}, (1, 2, 3, 4, 5, 6)),
]
FITS = {"3-2-1": (1, 1, 1, 2, 2, 3)}  # where the dice of the group do not fit


@pytest.mark.parametrize(("group", "dice"), GROUPS, ids=["kinds", "pairs and triples", "straights"])
def test_three_boxes_of_a_group_earn_30_if_each_holds_more_than_0(group: Sheet, dice: Faces) -> None:
    for last in group:
        sheet = {box: score for box, score in group.items() if box != last}
        fit = FITS.get(last, dice)
        assert gain(PLACED, sheet, last, fit) == points(last, fit) + 30
        assert gain(PLACED, sheet, last, (1, 1, 2, 2, 4, 6)) == 0
        for nothing in sheet:
            assert gain(PLACED, {**sheet, nothing: 0}, last, fit) == points(last, fit)


def test_boxes_of_different_groups_earn_no_bonus() -> None:
    sheet = {"three of a kind": 14, "four of a kind": 16, "3-2-1": 14, "low straight": 20, "high straight": 30}
    assert gain(PLACED, sheet, "two triples", six(1)) == 6
    assert gain(PLACED, sheet, "sixzee", six(1)) == 60
    assert gain(PLACED, sheet, "chance", six(1)) == 6


def test_a_joker_counts_for_the_bonus_of_its_group() -> None:
    sheet = {"sixzee": 0, "twos": 0, "three pairs": 6, "two triples": 6, "low straight": 20, "high straight": 30}
    assert gain(PLACED, sheet, "3-2-1", six(2)) == 24 + 30
    assert gain(PLACED, sheet, "super straight", six(2)) == 40 + 30
    no_joker = {**sheet, "ones": 0}
    del no_joker["twos"]
    assert gain(PLACED, no_joker, "3-2-1", six(2)) == gain(PLACED, no_joker, "super straight", six(2)) == 0


# --- jokers -----------------------------------------------------------------------------------------------------------


def joker_gains(game: Sixzee, sheet: Sheet, face: int) -> dict[str, int]:
    """What a sixzee of this face scores where a joker could do better."""
    return {box: gain(game, sheet, box, six(face)) for box in (*SHAPES, *STRAIGHTS)}


def plain_gains(face: int) -> dict[str, int]:
    return {**dict.fromkeys(STRAIGHTS, 0), "3-2-1": 0, "three pairs": 6 * face, "two triples": 6 * face}


@pytest.mark.parametrize("face", range(1, 7))
@pytest.mark.parametrize("game", [PLACED, POSSIBLE], ids=str)
def test_a_joker_takes_24_or_the_sum_and_20_30_40_as_a_straight(game: Sixzee, face: int) -> None:
    wanted = {
        "3-2-1": 24,
        "three pairs": max(24, 6 * face),
        "two triples": max(24, 6 * face),
        "low straight": 20,
        "high straight": 30,
        "super straight": 40,
    }
    own = NUMBERS[face - 1]
    assert joker_gains(game, {"sixzee": 0, own: 0}, face) == wanted
    assert joker_gains(game, {"sixzee": 0, own: 3 * face}, face) == wanted
    with_60 = joker_gains(game, {"sixzee": 60, own: 0}, face)
    assert with_60 == {box: score + 100 for box, score in wanted.items()}


@pytest.mark.parametrize("face", range(1, 7))
def test_a_sixzee_is_no_joker_while_the_sixzee_box_is_open(face: int) -> None:
    sheet = {box: 0 for box in NUMBERS}
    assert joker_gains(PLACED, sheet, face) == plain_gains(face)
    assert gain(PLACED, sheet, "sixzee", six(face)) == 60


@pytest.mark.parametrize("face", range(1, 7))
def test_a_sixzee_is_no_joker_while_the_number_box_of_its_face_is_open(face: int) -> None:
    sheet = {"sixzee": 0, **{box: 0 for box in NUMBERS if box != NUMBERS[face - 1]}}
    assert joker_gains(PLACED, sheet, face) == plain_gains(face)


@pytest.mark.parametrize("face", range(1, 7))
def test_without_the_joker_rule_a_sixzee_scores_plainly(face: int) -> None:
    sheet = {"sixzee": 0, **{box: 0 for box in NUMBERS}}
    assert joker_gains(WITHOUT_JOKER, sheet, face) == plain_gains(face)


def test_a_joker_may_be_scored_normally_in_any_open_box() -> None:
    sheet = {"sixzee": 0, "fours": 16}
    worth = gains(PLACED, sheet, six(4))
    assert set(worth) == set(BOXES) - set(sheet)
    assert [worth[box] for box in ("ones", *KINDS, "chance")] == [0, 24, 24, 24, 24]


def test_other_dice_are_never_a_joker() -> None:
    sheet = {"sixzee": 0, **{box: 0 for box in NUMBERS}}
    for dice in (PLAIN, (4, 4, 4, 4, 4, 5), (1, 2, 3, 4, 6, 6)):
        assert gains(PLACED, sheet, dice) == {box: points(box, dice) for box in BOXES if box not in sheet}


def test_a_joker_scores_nothing_that_other_dice_could_not() -> None:
    """So a box can hold the same scores with the joker rule and without."""
    for box, score in JOKER_PAYS.items():
        assert score in Sixzee().can_hold(box)
        assert any(points(box, dice) == score for dice, _ in throws(6) if len(set(dice)) > 1)


# --- a hundred for each further sixzee --------------------------------------------------------------------------------


@pytest.mark.parametrize("face", range(1, 7))
def test_a_further_sixzee_placed_for_more_than_0_earns_100(face: int) -> None:
    """With its number box open it is no joker, and earns them all the same."""
    own = NUMBERS[face - 1]
    scoring = {own: 6 * face, **dict.fromkeys((*KINDS, "three pairs", "two triples", "chance"), 6 * face)}
    worth = gains(PLACED, {"sixzee": 60}, six(face))
    assert worth == {box: scoring.get(box, -100) + 100 for box in BOXES if box != "sixzee"}


@pytest.mark.parametrize("face", range(1, 7))
@pytest.mark.parametrize("sheet", [{}, {"sixzee": 0}], ids=["open", "holds 0"])
def test_there_are_no_hundreds_unless_the_sixzee_box_holds_60(sheet: Sheet, face: int) -> None:
    for game in (PLACED, POSSIBLE):
        worth = gains(game, sheet, six(face))
        assert worth == {box: points(box, six(face)) for box in BOXES if box not in sheet}


def test_the_hundreds_come_again_and_again() -> None:
    steps = [(six(2), f"score {box}") for box in ("sixzee", "twos", "chance", "3-2-1", "low straight", "ones")]
    assert replay(PLACED, {}, steps).points == 60 + 12 + 12 + 24 + 20 + 0 + 4 * 100


def test_other_dice_earn_no_hundreds() -> None:
    for game in (PLACED, POSSIBLE):
        assert gain(game, {"sixzee": 60}, "chance", (6, 6, 6, 6, 6, 5)) == 35
        assert gain(game, {"sixzee": 60}, "ones", PLAIN) == 2


@pytest.mark.parametrize("face", range(1, 7))
def test_possible_pays_the_hundred_for_0_points_too_if_an_open_box_would_score(face: int) -> None:
    placed, possible = (gains(game, {"sixzee": 60}, six(face)) for game in (PLACED, POSSIBLE))
    assert all(possible[box] == points(box, six(face)) + 100 for box in possible)
    assert {box for box in possible if possible[box] != placed[box]} == {
        "3-2-1", *STRAIGHTS, *(box for box in NUMBERS if box != NUMBERS[face - 1]),
    }  # fmt: skip


@pytest.mark.parametrize("other", [box for box in BOXES if box not in ("sixzee", "ones")])
def test_possible_asks_whether_the_other_open_box_would_score(other: str) -> None:
    """A sixzee of twos goes to ones; one other box is open."""
    sheet = sheet_but("ones", other, sixzee=60)
    would_score = other in ("twos", *KINDS, *SHAPES, *STRAIGHTS, "chance")
    assert gain(POSSIBLE, sheet, "ones", six(2)) == (100 if would_score else 0)
    assert gain(PLACED, sheet, "ones", six(2)) == 0


@pytest.mark.parametrize("other", [*SHAPES, *STRAIGHTS])
def test_possible_counts_what_only_a_joker_would_score(other: str) -> None:
    """With its number box open a sixzee is no joker; without the joker rule it never is."""
    plainly = other in ("three pairs", "two triples")
    sheet = sheet_but("ones", other, sixzee=60)
    no_joker = Sixzee(bonus_when="possible", joker=False)
    assert gain(no_joker, sheet, "ones", six(2)) == (100 if plainly else 0)
    assert gain(POSSIBLE, sheet, other, six(1)) - points(other, six(1)) == 100  # ones is open, and would score


def test_possible_pays_nothing_where_no_open_box_would_score() -> None:
    assert gain(POSSIBLE, sheet_but("ones", "threes", sixzee=60), "ones", six(2)) == 0
    assert gain(POSSIBLE, sheet_but("ones", sixzee=60), "ones", six(2)) == 0
    assert gain(POSSIBLE, sheet_but("ones", sixzee=60), "ones", six(1)) == 6 + 100


@pytest.mark.parametrize("hundred", [0, 50, 1000])
def test_the_hundred_is_a_parameter(hundred: int) -> None:
    for bonus_when in ("placed", "possible"):
        game = Sixzee(sixzee_bonus=hundred, bonus_when=bonus_when)
        assert gain(game, {"sixzee": 60}, "chance", six(2)) == 12 + hundred
        assert gain(game, {"sixzee": 0}, "chance", six(2)) == 12
        assert gain(game, {"sixzee": 60}, "ones", six(2)) == (hundred if bonus_when == "possible" else 0)


# --- boards -----------------------------------------------------------------------------------------------------------


def test_scoring_fills_the_box() -> None:
    start = PLACED.locate().board
    assert start == {"numbers": 0, "kinds": 0, "shapes": 0, "straights": 0, "sixzee": OPEN, "chance": 0}
    assert filled(PLACED, {}, "chance", PLAIN).board == {**start, "chance": 1}
    assert filled(PLACED, {}, "sixzee", six(2)).board == {**start, "sixzee": HOLDS_60}
    assert filled(PLACED, {}, "sixzee", PLAIN).board == {**start, "sixzee": HOLDS_0}
    after = filled(PLACED, {}, "3-2-1", (1, 1, 1, 2, 2, 3)).board
    assert after == {**start, "shapes": after["shapes"]}


def test_the_level_counts_filled_boxes() -> None:
    space = PLACED.boards()
    for sheet in ({}, {"sixzee": 0}, {"sixzee": 60, "ones": 3, "chance": 12, "3-2-1": 0}, sheet_but("sixes")):
        columns = space.columns(np.array([space.index_of(**PLACED.locate(sheet).board)]))
        assert PLACED.level(columns)[0] == len(sheet)
        assert PLACED.possible(columns)[0]


def test_only_a_full_sheet_is_no_board() -> None:
    space = PLACED.boards()
    assert space.size == 1774 * 14**3 * 3 * 2
    impossible = sum(
        int((~PLACED.possible(space.columns(np.arange(begin, min(begin + (1 << 20), space.size))))).sum())
        for begin in range(0, space.size, 1 << 20)
    )
    assert impossible == 2  # the sixzee box holds 0 or 60


def dice_for(box: str, score: int) -> Faces:
    """Dice that score so much, six equal ones only if there are no others."""
    fit = [dice for dice, _ in throws(6) if points(box, dice) == score]
    return max(fit, key=lambda dice: len(set(dice)))


@pytest.mark.parametrize("game", [PLACED, POSSIBLE, WITHOUT_JOKER], ids=str)
def test_a_game_can_reach_every_sheet_of_scores_that_boxes_can_hold(game: Sixzee) -> None:
    """Any dice may fall in any turn and any open box may be filled, so there is no sheet to refuse as out of reach.

    Pairs and triples come first: what only six equal dice score there, a joker would score more for.
    """
    draw = random.Random(4)
    for _ in range(40):
        sheet = {box: draw.choice(Sixzee().can_hold(box)) for box in draw.sample(BOXES, draw.randint(0, 16))}
        order = sorted(sheet, key=lambda box: box not in ("three pairs", "two triples"))
        played = replay(game, {}, [(dice_for(box, sheet[box]), f"score {box}") for box in order])
        located = game.locate(sheet)
        assert played.board == located.board
        assert played.points - located.points in range(0, 100 * len(sheet) + 1, 100)  # hundreds stand on no sheet


# --- questions --------------------------------------------------------------------------------------------------------


def test_a_question_without_a_sheet_is_the_start_of_the_game() -> None:
    position = PLACED.locate()
    assert (position.board, position.points) == (PLACED.first_board(), 0)
    assert position.state == PLACED.roots()[0]


def test_a_roll_is_the_first_one_unless_rolls_left_says_else() -> None:
    assert PLACED.locate(roll=six(6)).state == (2, six(6), "roll")
    assert PLACED.locate(roll=six(6), rolls_left=0).state == (0, six(6), "roll")


def test_points_on_the_sheet_count_the_bonuses_of_30() -> None:
    assert PLACED.locate({"ones": 3, "sixzee": 60}).points == 63
    assert PLACED.locate(FOUR_OF_EACH).points == 84 + 30
    assert PLACED.locate({**FOUR_OF_EACH, "ones": 3}).points == 83
    for group, _ in GROUPS:
        assert PLACED.locate(group).points == sum(group.values()) + 30
        assert PLACED.locate({**group, next(iter(group)): 0}).points == sum(list(group.values())[1:])
    assert PLACED.locate({**FOUR_OF_EACH, **GROUPS[0][0], **GROUPS[1][0], **GROUPS[2][0]}).points == (
        84 + 37 + 26 + 90 + 4 * 30
    )


def test_sheets_with_the_same_future_are_one_board() -> None:
    lost, made = {"sixes": 0, "fives": 0, "fours": 0}, {"sixes": 36, "fives": 30, "fours": 24}
    assert PLACED.locate(lost).board == PLACED.locate(made).board
    assert PLACED.locate({"chance": 6}).board == PLACED.locate({"chance": 36}).board
    assert PLACED.locate({"3-2-1": 0, "three pairs": 6}).board == PLACED.locate({"3-2-1": 10, "three pairs": 0}).board
    assert PLACED.locate({"3-2-1": 10}).board != PLACED.locate({"3-2-1": 0}).board
    assert PLACED.locate({"sixzee": 60}).board != PLACED.locate({"sixzee": 0}).board


TRIALS = [
    PLACED,
    WITHOUT_JOKER,
    Sixzee(boxes="fours,fives,sixes,sixzee"),
    Sixzee(boxes="3-2-1,three pairs,two triples,chance"),
]


@pytest.mark.parametrize("game", TRIALS, ids=str)
def test_describe_and_locate_are_inverse(game: Sixzee) -> None:
    space = game.boards()
    fields = {field.name: field for field in game.fields()}
    states = [state for state, _ in states_in_order(game.turn, list(game.roots()))]
    asked = [state for state in states if state[2] == "roll" or state == game.roots()[0]]
    assert len(asked) == 3 * 462 + 1
    draw = random.Random(2)
    for _ in range(300):
        board = space.board(draw.randrange(space.size))
        if board["chance"] and len(game.sheet(board)) == len(game.played):
            continue
        state = draw.choice(asked)
        (given,) = game.describe(board, state)
        position = game.locate(**{name: fields[name].parse(fields[name].show(value)) for name, value in given.items()})
        assert (position.board, position.state) == (board, state)
        assert all(not list(game.describe(board, other)) for other in draw.sample(states, 5) if other not in asked)


def parsed(game: Sixzee, **given: Any) -> Any:
    fields = {field.name: field for field in game.fields()}
    return game.locate(**{name: fields[name].parse(value) for name, value in given.items()})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"filled": "ones:7"}, "box 'ones' can hold 0 to 6, got 7"),
        ({"filled": "sixes:17"}, "box 'sixes' can hold 0, 6, 12, 18, 24, 30, 36, got 17"),
        ({"filled": "three of a kind:5"}, "box 'three of a kind' can hold 0, 6 to 36, got 5"),
        ({"filled": "five of a kind:37"}, "box 'five of a kind' can hold 0, 6 to 36, got 37"),
        ({"filled": "3-2-1:9"}, "box '3-2-1' can hold 0, 10 to 32, got 9"),
        ({"filled": "three pairs:7"}, "box 'three pairs' can hold 0, 6, 8, 10, "),
        ({"filled": "two triples:12,two triples:10"}, "filled names 'two triples' twice"),
        (
            {"filled": "two triples:10"},
            "box 'two triples' can hold 0, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, got 10",
        ),
        ({"filled": "low straight:30"}, "box 'low straight' can hold 0, 20, got 30"),
        ({"filled": "high straight:20"}, "box 'high straight' can hold 0, 30, got 20"),
        ({"filled": "super straight:24"}, "box 'super straight' can hold 0, 40, got 24"),
        ({"filled": "sixzee:160"}, "box 'sixzee' can hold 0, 60, got 160"),
        ({"filled": "chance:0"}, "box 'chance' can hold 6 to 36, got 0"),
        ({"filled": "yahtzee:50"}, "filled has no box 'yahtzee'; boxes: ones, twos"),
        ({"filled": "ones"}, "filled is a list like box:score"),
        ({"filled": "ones:x"}, "filled ones is a whole number, got 'x'"),
        ({"rolls_left": 2}, "rolls_left=2 needs roll; before the first throw leave both out"),
        ({"rolls_left": 3, "roll": "1,2,3,4,5,6"}, "rolls_left is from 0 to 2, got 3"),
        ({"filled": sheet_but()}, "every box is filled, the game is over"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(given: dict[str, Any], wanted: str) -> None:
    for game in (PLACED, WITHOUT_JOKER):
        with pytest.raises(StateError, match=wanted) as told:
            parsed(game, **given)
        assert "\n" not in str(told.value)


@pytest.mark.parametrize("dice", ["1,2,3,4,5", "1,2,3,4,5,6,6", "1,2,3,4,5,7", "1,2,3,4,5,x"])
def test_a_roll_has_six_dice(dice: str) -> None:
    with pytest.raises(DiceError, match=rf"roll needs 6 faces in 1\.\.6, got {dice}"):
        parsed(PLACED, roll=dice)


# --- parameters -------------------------------------------------------------------------------------------------------


def test_the_rules_of_the_source_are_the_default() -> None:
    assert PLACED.parameters() == {"joker": True, "sixzee_bonus": 100, "bonus_when": "placed"}


def test_boxes_that_are_not_played_hold_0_from_the_start() -> None:
    tiny = Sixzee(boxes="chance,low straight,ones")
    assert tiny.played == ("ones", "low straight", "chance")
    assert gains(tiny, {}, six(2)) == {"ones": 0, "low straight": 20, "chance": 12}  # a joker: the twos are filled
    assert gains(tiny, {}, six(1)) == {"ones": 6, "low straight": 0, "chance": 6}
    assert gains(tiny, {"ones": 0, "chance": 6}, six(1)) == {"low straight": 20}
    with pytest.raises(StateError, match="filled has no box 'twos'; boxes: ones, low straight, chance"):
        parsed(tiny, filled="twos:2")
    with pytest.raises(StateError, match="every box is filled"):
        parsed(tiny, filled="ones:0,chance:6,low straight:0")


def test_a_trial_game_has_only_boards_that_it_can_reach() -> None:
    for boxes, n_boards in (
        ("chance", 1),
        ("sixzee", 1),
        ("ones,chance", 3),
        ("sixzee,3-2-1", 4),
        ("chance,sixzee", 4),
    ):
        game = Sixzee(boxes=boxes)
        space = game.boards()
        assert int(game.possible(space.columns(np.arange(space.size))).sum()) == n_boards
        assert game.first_board() == game.locate().board


def test_bonuses_of_a_trial_game_need_all_their_boxes() -> None:
    assert (
        gain(Sixzee(boxes="low straight,high straight"), {"low straight": 20}, "high straight", (1, 2, 3, 4, 5, 6))
        == 30
    )
    numbers = Sixzee(boxes="fours,fives,sixes")
    assert gain(numbers, {"fives": 30, "sixes": 30}, "fours", six(4)) == 24 + 30


@pytest.mark.parametrize(
    "wrong",
    [
        {"boxes": "ones,yahtzee"},
        {"boxes": ""},
        {"joker": "no"},
        {"sixzee_bonus": -1},
        {"sixzee_bonus": 1001},
        {"bonus_when": "never"},
    ],
)
def test_a_parameter_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="'sixzee' parameter"):
        Sixzee(**wrong)


def test_results_are_as_few_as_boards_can_tell_apart() -> None:
    """A result is a box, how many dice of its face or whether it scores, and a face only where a board asks for it."""
    results: Sequence[tuple[str, int, int]] = compile_turn(PLACED).results
    of_box = {box: {(number, face) for name, number, face in results if name == box} for box in BOXES}
    some, any_face, each_face = {(0, 0), (1, 0)}, {(1, 7)}, {(0, face) for face in range(1, 7)}
    assert of_box == {
        **{box: {*((number, 0) for number in range(6)), (6, 7)} for box in NUMBERS},
        **{box: some | any_face for box in KINDS},
        **{box: some | any_face | {(1, 1), (1, 2), (1, 3)} for box in ("three pairs", "two triples")},
        **{box: some | each_face for box in ("3-2-1", *STRAIGHTS)},
        "sixzee": some,
        "chance": {(1, 0), (1, 7)},
    }
