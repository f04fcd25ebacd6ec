"""Sixzee by its rules: what boxes score, bonuses, jokers and hundreds; what a question may say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from rollwise.games.sheets import NUMBERS
from rollwise.games.sixzee.rules import (
    BOXES,
    HOLDS_0,
    HOLDS_60,
    JOKER_PAYS,
    KINDS,
    OPEN,
    SHAPES,
    STRAIGHTS,
    Sixzee,
    points,
)
from rollwise.solver.model.dice import throws
from rollwise.solver.turn.graph import compile_turn
from tests.games.helping import may, played, plays_out, refused, rules

PLACED = Sixzee()
POSSIBLE = Sixzee(bonus_when="possible")
WITHOUT_JOKER = Sixzee(joker=False)
FACES = range(1, 7)
PLAIN = "112356"  # three of a kind, straights, pairs: it fits none
Sheet = Mapping[str, int]


def six(face: int) -> str:
    return 6 * str(face)


def question(sheet: Sheet, dice: str) -> dict[str, Any]:
    """These dice after the last throw of a turn."""
    return {"filled": dict(sheet), "roll": tuple(map(int, dice)), "rolls_left": 0}


def gain(game: Sixzee, sheet: Sheet, box: str, dice: str) -> int:
    """What these dice earn in a box, bonuses included."""
    after = played(game, question(sheet, dice), f"score {box}")
    return int(after.points - game.locate(dict(sheet)).points)


def gains(game: Sixzee, sheet: Sheet, dice: str) -> dict[str, int]:
    """The same for every box that may be filled."""
    boxes = [move.removeprefix("score ") for move in may(game, question(sheet, dice))]
    return {box: gain(game, sheet, box, dice) for box in boxes}


def all_but(*still_open: str, **held: int) -> dict[str, int]:
    """Every other box is filled, with 0 (chance with 6) unless told otherwise."""
    least = {**dict.fromkeys(BOXES, 0), "chance": 6, **held}
    return {box: score for box, score in least.items() if box not in still_open}


# --- seventeen boxes -------------------------------------------------------------------------------------------------

SCORED: dict[str, dict[str, int]] = {
    "ones": {"111256": 3},
    "twos": {"111356": 0},
    "fives": {"155556": 20},
    "three of a kind": {"222456": 21, "224456": 0, "222444": 18},
    "four of a kind": {"333356": 23, "333555": 0},
    "five of a kind": {"666661": 31, "666655": 0},
    "3-2-1": {"555221": 20, "555222": 0, "555521": 0, "555421": 0},
    "three pairs": {"223322": 14, "112233": 12, "333333": 18, "333444": 0},
    "two triples": {"444111": 15, "555555": 30, "333666": 27, "333366": 0},
    "low straight": {"123446": 20, "234555": 20, "345611": 20, "123566": 0, "123456": 20},
    "high straight": {"123455": 30, "234566": 30, "123466": 0, "123456": 30},
    "super straight": {"123456": 40, "234566": 0},
    "sixzee": {"111111": 60, "111112": 0},
    "chance": {"111111": 6, PLAIN: 18},
}


@pytest.mark.parametrize("box", SCORED)
def test_a_box_scores_what_the_rules_say(box: str) -> None:
    assert {dice: gain(PLACED, {}, box, dice) for dice in SCORED[box]} == SCORED[box]


# --- a turn, a game --------------------------------------------------------------------------------------------------

TWO_ONES = "113446: keep 1 1, 2356: keep 2 3 5 6"
SCORES = [f"score {box}" for box in BOXES]


@rules(
    "play, then",
    {
        "a turn starts with a throw of all six dice": ("", {"moves": ["roll"]}),
        "after two more throws a box is filled": ("113446: keep 4 4, 1246: keep 1 4, 1114", {"moves": SCORES}),
        "any dice may be kept": ("113446: keep 4 4, 1246: keep 1 4, 1114: score ones", {"points": 4}),
        "dice that were kept may be thrown again": (f"{TWO_ONES}, 14: score super straight", {"points": 40}),
        "all dice may be thrown again": ("112356: keep nothing, 222222: score sixzee", {"points": 60}),
    },
)
def test_a_turn_goes_as_the_rules_say(play: str, then: dict[str, Any]) -> None:
    plays_out(PLACED, {}, play, then)


def test_seventeen_turns_fill_the_sheet_and_bonuses_are_counted_on_the_way() -> None:
    best = {
        **{box: six(face) for face, box in enumerate(NUMBERS, start=1)},
        **dict.fromkeys(("chance", "three pairs", "two triples", *KINDS), six(6)),
        "3-2-1": "666554",
        **dict.fromkeys(STRAIGHTS, "123456"),
    }
    game = [f"{six(6)}: score sixzee", *(f"{dice}: score {box}" for box, dice in best.items())]
    further = 6 + 3 + 2 + 1  # number boxes, kinds, three pairs and two triples, chance
    total = 60 + 6 * 21 + 3 * 36 + 32 + 2 * 36 + 90 + 36 + 4 * 30 + 100 * further
    plays_out(PLACED, {}, ", ".join(game), {"over": True, "points": total})
    assert not played(PLACED, {}, ", ".join(game[:-1])).over


# --- bonuses of 30 ---------------------------------------------------------------------------------------------------

FOURS_OF_ALL = {box: 4 * face for face, box in enumerate(NUMBERS, start=1)}  # 84
TO_54 = {"fives": 30, "sixes": 30}
MIXED = {"three of a kind": 14, "four of a kind": 16, "3-2-1": 14, "low straight": 20, "high straight": 30}
BEHIND = {"sixzee": 0, "three pairs": 6, "two triples": 6, "low straight": 20, "high straight": 30}


def without(box: str, sheet: Sheet) -> dict[str, int]:
    return {other: score for other, score in sheet.items() if other != box}


WITH_ONES = {**FOURS_OF_ALL, "ones": 0}


@rules(
    "sheet, box, dice, earned",
    {
        "no ones but five sixes make 84": (WITH_ONES, "sixes", "666661", 30 + 30),
        "and with six points of twos": ({**WITH_ONES, "twos": 6}, "sixes", "666661", 30 + 30),
        "and not with four": ({**WITH_ONES, "twos": 4}, "sixes", "666661", 30),
        "the numbers bonus may be earned before all six are filled": (TO_54, "fours", six(4), 24 + 30),
        "the numbers bonus is earned once": ({**TO_54, "fours": 24}, "threes", six(3), 18),
        "other boxes do not count": ({**TO_54, "chance": 36, "three of a kind": 36}, "threes", six(3), 18),
        "nor do they earn it": ({**TO_54, "chance": 36, "three of a kind": 36}, "four of a kind", six(3), 18),
        "two triples complete no mixed group": (MIXED, "two triples", six(1), 6),
        "a sixzee completes none": (MIXED, "sixzee", six(1), 60),
        "nor does chance": (MIXED, "chance", six(1), 6),
        "a joker counts for its group": ({**BEHIND, "twos": 0}, "3-2-1", six(2), 24 + 30),
        "a joker counts for the straights": ({**BEHIND, "twos": 0}, "super straight", six(2), 40 + 30),
        "what is no joker does not count": ({**BEHIND, "ones": 0}, "3-2-1", six(2), 0),
        "nor for the straights": ({**BEHIND, "ones": 0}, "super straight", six(2), 0),
    },
)
def test_a_box_earns_with_its_bonus(sheet: Sheet, box: str, dice: str, earned: int) -> None:
    assert gain(PLACED, without(box, sheet), box, dice) == earned


GROUPS = {
    "kinds": ({"three of a kind": 14, "four of a kind": 16, "five of a kind": 7}, "111112"),
    "pairs and triples": ({"3-2-1": 14, "three pairs": 6, "two triples": 6}, six(1)),
    "straights": ({"low straight": 20, "high straight": 30, "super straight": 40}, "123456"),
}


@rules("group, dice", GROUPS)
def test_three_boxes_of_a_group_earn_30_if_each_holds_more_than_0(group: Sheet, dice: str) -> None:
    for last in group:
        fit = "111223" if last == "3-2-1" else dice
        own, sheet = points(last, tuple(map(int, fit))), without(last, group)
        assert gain(PLACED, sheet, last, fit) == own + 30
        assert gain(PLACED, sheet, last, "112246") == 0
        assert all(gain(PLACED, {**sheet, nothing: 0}, last, fit) == own for nothing in sheet)


# --- jokers, and a hundred for each further sixzee -------------------------------------------------------------------


@pytest.mark.parametrize("face", [1, 4, 6])
def test_a_joker_takes_24_or_the_sum_and_20_30_40_as_a_straight(face: int) -> None:
    own, numbers, total = NUMBERS[face - 1], dict.fromkeys(NUMBERS, 0), 6 * face
    plain = {**dict.fromkeys(STRAIGHTS, 0), "3-2-1": 0, "three pairs": total, "two triples": total}
    paid = {"low straight": 20, "high straight": 30, "super straight": 40, "3-2-1": 24}
    joker = {**paid, "three pairs": max(24, total), "two triples": max(24, total)}

    def found(game: Sixzee, sheet: Sheet) -> dict[str, int]:
        return {box: gain(game, sheet, box, six(face)) for box in plain}

    for game in (PLACED, POSSIBLE):
        assert found(game, {"sixzee": 0, own: 0}) == found(game, {"sixzee": 0, own: 3 * face}) == joker
        assert found(game, {"sixzee": 60, own: 0}) == {box: score + 100 for box, score in joker.items()}
    assert found(PLACED, numbers) == plain, "the sixzee box is open"
    assert found(PLACED, {"sixzee": 0, **without(own, numbers)}) == plain, "the number box of its face is open"
    assert found(WITHOUT_JOKER, {"sixzee": 0, **numbers}) == plain, "there are no jokers"


def test_a_joker_may_be_scored_normally_in_any_open_box_and_other_dice_are_none() -> None:
    sums = {box: 24 for box in (*KINDS, "3-2-1", "three pairs", "two triples", "chance")}
    straights = {"low straight": 20, "high straight": 30, "super straight": 40}
    nothing = {box: 0 for box in NUMBERS if box != "fours"}
    assert gains(PLACED, {"sixzee": 0, "fours": 16}, six(4)) == {**nothing, **sums, **straights}
    for dice in (PLAIN, "444445", "123466"):
        found = gains(PLACED, {"sixzee": 0, **dict.fromkeys(NUMBERS, 0)}, dice)
        assert found == {box: points(box, tuple(map(int, dice))) for box in (*KINDS, *SHAPES, *STRAIGHTS, "chance")}


def test_a_question_is_the_start_unless_it_says_else_and_a_box_holds_what_dice_can_score() -> None:
    """So a box can hold the same scores with the joker rule and without."""
    can = {box: {points(box, dice) for dice, _ in throws(6) if len(set(dice)) > 1} for box in BOXES}
    assert all(set(PLACED.can_hold(box)) == can[box] | {points(box, (face,) * 6) for face in FACES} for box in BOXES)
    assert all(score in can[box] for box, score in JOKER_PAYS.items())
    start = PLACED.locate()
    assert (start.board, start.points, start.state) == (PLACED.first_board(), 0, PLACED.roots()[0])
    assert PLACED.locate(roll=(6,) * 6).state == (2, (6,) * 6, "roll")
    assert PLACED.locate(roll=(6,) * 6, rolls_left=0).state == (0, (6,) * 6, "roll")


@pytest.mark.parametrize("face", [1, 2, 6])
def test_a_further_sixzee_placed_for_more_than_0_earns_100(face: int) -> None:
    """With its number box open it is no joker; ``possible`` pays for 0 points too, as the number box would score."""
    own = NUMBERS[face - 1]
    scoring = dict.fromkeys((own, *KINDS, "three pairs", "two triples", "chance"), 6 * face)
    boxes = [box for box in BOXES if box != "sixzee"]
    assert gains(PLACED, {"sixzee": 60}, six(face)) == {box: scoring.get(box, -100) + 100 for box in boxes}
    assert gains(POSSIBLE, {"sixzee": 60}, six(face)) == {box: scoring.get(box, 0) + 100 for box in boxes}
    for game in (PLACED, POSSIBLE):
        assert gains(game, {}, six(face)) == {**{box: scoring.get(box, 0) for box in boxes}, "sixzee": 60}
        assert gains(game, {"sixzee": 0}, six(face)) == {box: scoring.get(box, 0) for box in boxes}


def test_the_hundreds_come_again_and_again_and_only_for_sixzees() -> None:
    boxes = ("sixzee", "twos", "chance", "3-2-1", "low straight", "ones")
    game = ", ".join(f"{six(2)}: score {box}" for box in boxes)
    plays_out(PLACED, {}, game, {"points": 60 + 12 + 12 + 24 + 20 + 0 + 4 * 100})
    for made in (PLACED, POSSIBLE):
        assert [gain(made, {"sixzee": 60}, *at) for at in (("chance", "666665"), ("ones", PLAIN))] == [35, 2]
    for hundred in (0, 50, 1000):
        assert gain(Sixzee(sixzee_bonus=hundred), {"sixzee": 60}, "chance", six(2)) == 12 + hundred


@pytest.mark.parametrize("other", [box for box in BOXES if box not in ("sixzee", "ones")])
def test_possible_asks_whether_the_other_open_box_would_score(other: str) -> None:
    """A sixzee of twos goes to ones; one other box is open, and a joker may score there what no other sixzee would."""
    sheet = all_but("ones", other, sixzee=60)
    plainly = other in ("twos", *KINDS, "three pairs", "two triples", "chance")
    assert gain(POSSIBLE, sheet, "ones", six(2)) == 100 * (plainly or other in JOKER_PAYS)
    assert gain(Sixzee(bonus_when="possible", joker=False), sheet, "ones", six(2)) == 100 * plainly
    assert gain(PLACED, sheet, "ones", six(2)) == 0
    if other in JOKER_PAYS:  # ones is open, and would score
        assert gain(POSSIBLE, sheet, other, six(1)) == points(other, (1,) * 6) + 100


def test_bonuses_of_a_trial_game_need_all_their_boxes_and_possible_pays_nothing_where_no_other_is_open() -> None:
    assert gain(Sixzee(boxes="low straight,high straight"), {"low straight": 20}, "high straight", "123456") == 30
    assert gain(Sixzee(boxes="fours,fives,sixes"), TO_54, "fours", six(4)) == 24 + 30
    assert [gain(POSSIBLE, all_but("ones", sixzee=60), "ones", six(face)) for face in (1, 2)] == [6 + 100, 0]


# --- boards ----------------------------------------------------------------------------------------------------------


def test_scoring_fills_the_box() -> None:
    start = PLACED.locate().board
    assert start == {"numbers": 0, "kinds": 0, "shapes": 0, "straights": 0, "sixzee": OPEN, "chance": 0}
    chance = {**start, "chance": 1}
    assert PLACED.locate({"chance": 6}).board == PLACED.locate({"chance": 36}).board == chance
    plays_out(PLACED, {}, f"{PLAIN}: score chance", chance)
    plays_out(PLACED, {}, f"{six(2)}: score sixzee", {**start, "sixzee": HOLDS_60})
    plays_out(PLACED, {}, f"{PLAIN}: score sixzee", {**start, "sixzee": HOLDS_0})
    plays_out(PLACED, {}, "111223: score 3-2-1", {**start, "shapes": PLACED.locate({"3-2-1": 10}).board["shapes"]})


def test_only_a_full_sheet_is_no_board_and_the_level_counts_filled_boxes() -> None:
    space = PLACED.boards()
    assert space.size == 1774 * 14**3 * 3 * 2
    sheets = [{}, {"sixzee": 0}, {"sixzee": 60, "ones": 3, "chance": 12, "3-2-1": 0}, *(all_but(box) for box in BOXES)]
    columns = space.columns(np.array([space.index_of(**PLACED.board(sheet)) for sheet in sheets]))
    assert PLACED.possible(columns).all()
    assert PLACED.level(columns).tolist() == list(map(len, sheets))
    full = space.columns(np.array([space.index_of(**PLACED.board(all_but(sixzee=held))) for held in (0, 60)]))
    assert not PLACED.possible(full).any()


# --- questions -------------------------------------------------------------------------------------------------------


KINDS_37, SHAPES_26, STRAIGHTS_90 = (sheet for sheet, _ in GROUPS.values())


@rules(
    "sheet, total",
    {
        "without a bonus": ({"ones": 3, "sixzee": 60}, 63),
        "numbers": (FOURS_OF_ALL, 84 + 30),
        "numbers below 84": ({**FOURS_OF_ALL, "ones": 3}, 83),
        "kinds with a 0": ({**KINDS_37, "three of a kind": 0}, 23),
        "all of them": ({**FOURS_OF_ALL, **KINDS_37, **SHAPES_26, **STRAIGHTS_90}, 84 + 37 + 26 + 90 + 4 * 30),
    },
)
def test_points_on_the_sheet_count_the_bonuses_of_30(sheet: Sheet, total: int) -> None:
    assert PLACED.locate(sheet).points == total


# --- parameters ------------------------------------------------------------------------------------------------------


def test_boxes_that_are_not_played_hold_0_from_the_start() -> None:
    tiny = Sixzee(boxes="chance,low straight,ones")
    assert tiny.played == ("ones", "low straight", "chance")
    assert gains(tiny, {}, six(2)) == {"ones": 0, "low straight": 20, "chance": 12}  # a joker: the twos are filled
    assert gains(tiny, {}, six(1)) == {"ones": 6, "low straight": 0, "chance": 6}
    assert gains(tiny, {"ones": 0, "chance": 6}, six(1)) == {"low straight": 20}
    assert "every box is filled" in str(refused(tiny, {"filled": "ones:0,chance:6,low straight:0"}))


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
