"""Yahtzee by its rules: what boxes score, the bonus for 63, further yahtzees and jokers; what a question may say."""

from __future__ import annotations

import numpy as np
import pytest

from rollwise.games.patterns import full_house, only_pairs, only_triples, three_two_one
from rollwise.games.yahtzee.rules import BIT, BOXES, HOLDS_0, HOLDS_50, LOWER, Yahtzee, points
from rollwise.solver.model.dice import throws
from rollwise.solver.model.outcome import outcome
from rollwise.solver.turn.graph import compile_turn
from tests.games.helping import may, played, plays_out, rules

FORCED, FREE = Yahtzee(), Yahtzee(joker="free")
BOTH = (FORCED, FREE)
SIXES, TWOS = "66666", "22222"
Sheet = dict[str, int]


def scored(game: Yahtzee, sheet: Sheet, dice: str) -> dict[str, int]:
    """What each legal box earns now, bonuses included."""
    question = {"filled": sheet, "roll": tuple(map(int, dice)), "rolls_left": 0}
    before = game.locate(sheet).points
    boxes = [move.removeprefix("score ") for move in may(game, question)]
    return {box: int(played(game, question, f"score {box}").points - before) for box in boxes}


def full(*open_boxes: str, **held: int) -> Sheet:
    """A sheet with only these boxes open; the others hold the least they can."""
    return {box: held.get(box, 5 if box == "chance" else 0) for box in BOXES if box not in open_boxes}


# --- boxes -----------------------------------------------------------------------------------------------------------

SCORED: dict[str, dict[str, int]] = {
    "ones": {"11236": 2},
    "twos": {"22226": 8},
    "threes": {"11246": 0},
    "fours": {"44456": 12},
    "fives": {"12345": 5},
    "sixes": {SIXES: 30},
    "three of a kind": {"22256": 17, "22556": 0, TWOS: 10},
    "four of a kind": {"33336": 18, "33366": 0},
    "full house": {"33366": 25, "33336": 0, SIXES: 0},
    "small straight": {"12346": 30, "33456": 30, "23456": 30, "12356": 0},
    "large straight": {"12345": 40, "23456": 40, "12346": 0},
    "yahtzee": {TWOS: 50, "22221": 0},
    "chance": {"12246": 15},
}


@pytest.mark.parametrize("box", SCORED)
def test_a_box_scores_what_the_rules_say(box: str) -> None:
    assert {dice: scored(FORCED, {}, dice)[box] for dice in SCORED[box]} == SCORED[box]


def test_scoring_fills_the_box_and_patterns_add_up() -> None:
    ways = {box: sum(n for dice, n in throws(5) if points(box, dice)) for box in LOWER}
    kinds = {"three of a kind": 1656, "four of a kind": 156, "full house": 300, "yahtzee": 6, "chance": 7776}
    assert ways == {**kinds, "small straight": 1200, "large straight": 240}
    assert full_house((1, 1, 1, 2, 2))
    assert [three_two_one(dice) for dice in ((6, 6, 6, 1, 1, 2), (6, 6, 6, 1, 1, 1))] == [True, False]
    assert [only_pairs(dice) for dice in ((6, 6, 6, 6, 1, 1), (6, 6, 6, 1, 1, 1))] == [True, False]
    assert [only_triples(dice) for dice in ((6, 6, 6, 1, 1, 1), (6,) * 6)] == [True, True]
    start = FORCED.locate({}).board
    plays_out(FORCED, {}, "33111: score threes", FORCED.locate({"threes": 6}).board)
    plays_out(FORCED, {}, "33111: score chance", {**start, "lower": BIT["chance"]})
    plays_out(FORCED, {}, f"{TWOS}: score yahtzee", {**start, "yahtzee": HOLDS_50})
    plays_out(FORCED, {}, "22223: score yahtzee", {**start, "yahtzee": HOLDS_0})
    for box in ("chance", "yahtzee"):
        plays_out(FORCED, {"filled": full(box)}, f"{TWOS}: score {box}", {"over": True})


# --- bonuses and jokers ----------------------------------------------------------------------------------------------

TO_45 = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15}
TO_65 = {"threes": 9, "fours": 12, "fives": 20, "sixes": 24}
ANYWHERE = {"three of a kind": 30, "four of a kind": 30, "chance": 30}
JOKER = {**ANYWHERE, "full house": 25, "small straight": 30, "large straight": 40}
AS_DICE = {**ANYWHERE, "full house": 0, "small straight": 0, "large straight": 0}
KINDS = ("three of a kind", "four of a kind")
LOWER_OPEN = (*KINDS, "small straight", "large straight")
ONES_OR_SIXES = {"ones": 0, "sixes": 0}
HUNDRED = {"twos": 6, "chance": 20, "full house": 25, "yahtzee": 50}


def more(scores: dict[str, int]) -> dict[str, int]:
    return {box: score + 100 for box, score in scores.items()}


@rules(
    "games, sheet, dice, earned",
    {
        "reaching 63 earns 35 at once": (BOTH, TO_45, "66612", {"sixes": 18 + 35}),
        "and with more": (BOTH, TO_45, "66662", {"sixes": 24 + 35}),
        "and not with less": (BOTH, TO_45, "66112", {"sixes": 12}),
        "the 35 are earned once": (BOTH, TO_65, "11112", {"ones": 4}),
        "lower boxes do not count": (BOTH, {**TO_65, "sixes": 6}, "66662", {"chance": 26}),
        "a first yahtzee is no joker": (BOTH, {"sixes": 18}, SIXES, {"yahtzee": 50, "ones": 0, **AS_DICE}),
        "a further one is, and earns 100": (BOTH, {"yahtzee": 50, "sixes": 18}, SIXES, more(JOKER)),
        "behind a yahtzee box with 0 it is a joker": (BOTH, {"yahtzee": 0, "sixes": 18}, SIXES, JOKER),
        "and reaches 63": ([FORCED], {"yahtzee": 50, **TO_45}, SIXES, {"sixes": 30 + 100 + 35}),
        "a free joker may take any open box": ([FREE], {"yahtzee": 50}, SIXES, {"sixes": 130, **more(AS_DICE)}),
        "also to no points": ([FREE], {"yahtzee": 50}, SIXES, {"ones": 100}),
        "as a straight once its number is filled": ([FREE], {"yahtzee": 50, "sixes": 0}, SIXES, more(JOKER)),
    },
)
def test_dice_earn_with_bonuses(games: tuple[Yahtzee, ...], sheet: Sheet, dice: str, earned: dict[str, int]) -> None:
    for game in games:
        found = scored(game, sheet, dice)
        assert {box: found[box] for box in earned} == earned


@rules(
    "sheet, dice, only",
    {
        "its number box first": ({"yahtzee": 50}, SIXES, {"sixes": 130}),
        "also without hundreds": ({"yahtzee": 0, "ones": 2}, TWOS, {"twos": 10}),
        "an open lower box next": (HUNDRED, TWOS, more({box: JOKER[box] - 20 * (box in KINDS) for box in LOWER_OPEN})),
        "a number box when nothing else is open": (full("ones", "sixes", yahtzee=50), TWOS, more(ONES_OR_SIXES)),
        "for nothing": (full("ones", "sixes"), TWOS, ONES_OR_SIXES),
    },
)
def test_a_forced_joker_takes(sheet: Sheet, dice: str, only: dict[str, int]) -> None:
    assert scored(FORCED, sheet, dice) == only


# --- boards ----------------------------------------------------------------------------------------------------------


def test_possible_boards_are_those_that_play_can_reach_and_levels_count_boxes() -> None:
    space = FORCED.boards()
    assert space.size == 310_656
    assert int(FORCED.possible(space.columns(np.arange(space.size))).sum()) == 310_654  # all but the full sheets
    sheets = [{}, {"yahtzee": 0}, {"yahtzee": 50, "ones": 3, "chance": 12}, full("sixes")]
    columns = space.columns(np.array([space.index_of(**FORCED.locate(sheet).board) for sheet in sheets]))
    assert FORCED.level(columns).tolist() == list(map(len, sheets))
    assert FORCED.locate(TO_45 | {"sixes": 24}).board == FORCED.locate(TO_45 | {"sixes": 12}).board  # settled
    tiny = Yahtzee(boxes="twos,sixes,full house,yahtzee")
    graph = compile_turn(tiny)
    reached, new = set(), [tuple(tiny.first_board().values())]
    while new:
        board = new.pop()
        if board not in reached:
            reached.add(board)
            outcomes = [outcome(tiny, board, result) for result in graph.results]
            new += [said.following for said in outcomes if said.legal and said.following is not None]
    space = tiny.boards()
    boards = np.flatnonzero(tiny.possible(space.columns(np.arange(space.size))))
    assert {tuple(space.board(int(board)).values()) for board in boards} == reached


# --- questions -------------------------------------------------------------------------------------------------------


def test_a_question_is_the_start_unless_it_says_else_and_boxes_not_played_hold_0() -> None:
    start, sixes = FORCED.locate(), (6,) * 5
    assert (start.board, start.points) == (FORCED.first_board(), 0)
    assert may(FORCED, {}) == ["roll"]
    assert FORCED.locate(roll=sixes).state == (2, sixes, "roll")
    assert FORCED.locate(roll=sixes, rolls_left=0).state == (0, sixes, "roll")
    tiny = Yahtzee(boxes="chance,ones")
    assert tiny.played == ("ones", "chance")
    assert list(scored(tiny, {}, TWOS)) == ["chance"]  # a joker of twos: the twos count as filled
    assert scored(tiny, {"chance": 5}, TWOS) == {"ones": 0}
    assert scored(tiny, {}, "11122") == {"ones": 3, "chance": 7}


@rules(
    "sheet, total",
    {
        "without a bonus": ({"sixes": 18, "full house": 25}, 43),
        "with 63": ({**TO_45, "sixes": 18}, 63 + 35),
        "with one less": ({**TO_45, "sixes": 18, "ones": 2}, 62),
        "with more": (TO_65, 65 + 35),
    },
)
def test_points_on_the_sheet_count_the_35(sheet: Sheet, total: int) -> None:
    assert FORCED.locate(sheet).points == total
