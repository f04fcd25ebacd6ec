"""Cameroon by its rules: what scores, what closes, who may pass, how dice are set aside, what a question may say."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from rollwise.games.cameroon.rules import Cameroon
from rollwise.games.cameroon.scoring import BOXES, SPECIALS, bits, differences
from rollwise.games.cameroon.variants import CameroonWin
from rollwise.games.claims.replay import describe_position
from rollwise.games.policies import policies
from rollwise.solver.model.dice import DiceSetAside, Faces, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Decision, End, Position, moves_by_name
from rollwise.solver.turn.graph import compile_turn, states_successors_first
from tests.games.helping import follows, may, played, refused, rules, settles

GAME = Cameroon()
WIN = CameroonWin(objective="win")
FOUR = Cameroon(four_of_a_kind=True)
MUST_KEEP = Cameroon(must_keep=True)
PAID = Cameroon(five_of_a_kind=50, big_straight=40, small_straight=30)
EMPTY = {"mine": (), "theirs": (), "closed": ()}
ALL_BUT_TWOS = tuple(box for box in BOXES[:-1] if box != "twos")
FACES = ("ones", "twos", "threes", "fours", "fives", "sixes")
NO_PAIRS = ("ones", "twos", "full house")


def scores(game: Cameroon, dice: Faces, **sheet: Any) -> dict[str, int]:
    """What each legal move with the last throw earns."""
    board = game.locate(**sheet).board
    last = game.score(dice)
    assert isinstance(last, Decision)
    found = {}
    for move, end in last.moves:
        assert isinstance(end, End)
        said = settles(game, end.result, **board)
        if said["legal"]:
            found[str(move).removeprefix("score ")] = int(said["worth"] + end.reward)
    return found


def after(game: Cameroon, play: str, **sheet: Any) -> dict[str, Any]:
    return describe_position(game, played(game, sheet, play))


# --- what scores and what closes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entered",
    [
        *("11236 ones 2", "44456 fours 12", "66666 sixes 30", "11246 threes 0"),  # 44456: the sheet's own
        *("22222 five of a kind 30", "22223 five of a kind 0", "23456 big straight 20", "12345 big straight 0"),
        *("12345 small straight 15", "23456 small straight 0", "12346 small straight 0", "22666 full house 22"),
        *("11122 full house 7", "33333 full house 0", "33331 full house 0", "15555 four of a kind 20"),
        *("55556 four of a kind 20", "33333 four of a kind 12", "33344 four of a kind 0"),
    ],
)
def test_a_box_scores_what_the_rules_say(entered: str) -> None:
    thrown, *words, worth = entered.split()
    box, dice = " ".join(words), tuple(map(int, thrown))
    assert FOUR.points(box, dice) == int(worth)
    assert scores(FOUR, dice).get(box, 0) == int(worth)


def test_the_ways_to_throw_each_special_add_up() -> None:
    ways = {box: sum(n for dice, n in throws(5) if FOUR.points(box, dice)) for box in SPECIALS}
    assert ways == dict(zip(SPECIALS, (6, 120, 120, 300, 156), strict=True))
    assert SPECIALS == ("five of a kind", "big straight", "small straight", "full house", "four of a kind")


@rules(
    "game, dice, sheet, legal",
    {
        "a straight pays as well": (PAID, (2, 3, 4, 5, 6), {"mine": FACES}, {"big straight": 40}),
        "a small one too": (PAID, (1, 2, 3, 4, 5), {"mine": FACES}, {"small straight": 30}),
        "pays are parameters": (PAID, (2,) * 5, {}, {"twos": 10, "five of a kind": 50}),
        "four of a kind is no box of the plain sheet": (GAME, (4,) * 5, {}, {"fours": 20, "five of a kind": 30}),
        "and one of the variant": (FOUR, (4,) * 5, {}, {"fours": 20, "five of a kind": 30, "four of a kind": 16}),
        "all dice of the face": (GAME, (1, 1, 5, 5, 5), {"closed": ("full house",)}, {"ones": 2, "fives": 15}),
        "who missed a straight must score": (GAME, (1, 2, 4, 4, 6), {}, {"ones": 1, "twos": 2, "fours": 8, "sixes": 6}),
        "in what is open": (GAME, (1, 2, 4, 4, 6), {"mine": ("ones", "twos"), "closed": ("sixes",)}, {"fours": 8}),
        "a number is filled once": (GAME, (1, 2, 2, 3, 3), {"mine": ("twos",)}, {"ones": 1, "threes": 6}),
        "though the other has it": (GAME, (1, 2, 2, 2, 3), {"theirs": ("twos",)}, {"ones": 1, "twos": 6, "threes": 3}),
        "unless it is closed to both": (GAME, (1, 2, 2, 3, 3), {"closed": ("twos",)}, {"ones": 1, "threes": 6}),
    },
)  # fmt: skip
def test_what_may_be_scored(game: Cameroon, dice: Faces, sheet: dict[str, Any], legal: dict[str, int]) -> None:
    assert scores(game, dice, **sheet) == legal


@rules(
    "play, points, theirs, closed",
    {
        "four fives": ("25555: score fives", 20, ("fives",), ()),
        "then three, which closes them": ("25555: score fives, 12555: score fives", 35, (), ("fives",)),
        "five dice at once close a number to both": ("55555: score fives", 25, (), ("fives",)),
        "both have filled it, with two dice": ("12356: score twos, 12356: score twos", 4, (), ("twos",)),
        "five of a kind": ("33333: score five of a kind", 30, (), ("five of a kind",)),
        "big straight": ("23456: score big straight", 20, (), ("big straight",)),
        "small straight": ("12345: score small straight", 15, (), ("small straight",)),
        "full house": ("22255: score full house", 16, (), ("full house",)),
        "four of a kind": ("22225: score four of a kind", 8, (), ("four of a kind",)),
    },
)
def test_what_a_score_closes(play: str, points: int, theirs: tuple[str, ...], closed: tuple[str, ...]) -> None:
    at = played(FOUR, {}, play)
    fields = describe_position(FOUR, at)
    assert (abs(int(at.points)), fields["mine"] or fields["theirs"], fields["closed"]) == (points, theirs, closed)


# --- who may pass -----------------------------------------------------------------------------------------------------


def test_a_player_passes_only_if_nothing_fits() -> None:
    for dice, _ in throws(5):
        fits = scores(GAME, dice, closed=NO_PAIRS)
        assert fits
        assert "pass" not in fits or set(fits) == {"pass"}
        assert ("pass" in fits) == (set(dice) <= {1, 2} and len(set(dice)) > 1)
    for dice, passes in (((1, 1, 2, 2, 2), True), ((1, 1, 2, 2, 3), False)):  # set aside early
        assert ("pass" in may(GAME, {"roll": dice, "closed": NO_PAIRS})) == passes


def test_a_pass_leaves_the_sheet_to_the_other_player_until_that_one_is_done() -> None:
    fields = after(GAME, "11112: pass", mine=("ones",), closed=("twos", "sixes"))
    assert fields == {"mine": (), "theirs": ("ones",), "closed": ("twos", "sixes")}
    mine = {"mine": ("twos",), "closed": ALL_BUT_TWOS}
    assert may(GAME, {**mine, "roll": (2,) * 5, "rolls_left": 0}) == ["pass"]
    assert after(GAME, "11112: pass, 13456: pass, 11112: pass", **mine)["theirs"] == ("twos",)


@pytest.mark.parametrize(
    ("theirs", "dice", "over"), [(("twos",), "11112", True), ((), "11112", False), ((), "22222", True)]
)
def test_the_game_is_over_when_nobody_can_score_any_more(theirs: tuple[str, ...], dice: str, over: bool) -> None:
    assert played(GAME, {"theirs": theirs, "closed": ALL_BUT_TWOS}, f"{dice}: score twos").over == over


# --- dice -------------------------------------------------------------------------------------------------------------


def test_any_dice_of_a_throw_may_be_set_aside_or_none() -> None:
    dice = (1, 1, 2, 4, 6)
    kept = {"keep " + (" ".join(map(str, held)) or "nothing") for n in range(5) for held in combinations(dice, n)}
    assert set(may(GAME, {"roll": dice})) == kept | {f"score {box}" for box in scores(GAME, dice)}


def test_dice_set_aside_stay_and_a_turn_has_three_throws() -> None:
    assert after(GAME, "66123: keep 6 6, 123: keep nothing") == {**EMPTY, "kept": (6, 6), "rolls_left": 1}
    scored, keeps = ("ones", "twos", "sixes"), ("nothing", "1", "2", "2 2", "1 2")
    legal = {*(f"score {box}" for box in scored), *(f"keep {dice}" for dice in keeps)}
    assert set(may(GAME, {"kept": (6, 6), "roll": (1, 2, 2), "rolls_left": 1})) == legal
    two = "66123: keep 6 6, 623: keep 6"
    assert after(GAME, f"{two}, 45") == {**EMPTY, "roll": (4, 5, 6, 6, 6), "rolls_left": 0}
    assert may(GAME, {}, f"{two}, 45") == ["score fours", "score fives", "score sixes"]
    with pytest.raises(ModelError, match="has no move 'keep 6'"):
        played(GAME, {}, f"{two}, 45: keep 6")


@pytest.mark.parametrize("state", [{"roll": (1, 1, 2, 4, 6)}, {"kept": (3,), "roll": (1, 1, 4, 4), "rolls_left": 1}])
def test_a_die_must_be_set_aside_only_where_the_parameter_says_so(state: dict[str, Any]) -> None:
    free, bound = may(GAME, state), may(MUST_KEEP, state)
    assert set(free) - set(bound) == {"keep nothing"}
    assert not set(bound) - set(free)


def test_every_choice_of_dice_is_offered_once_and_no_hand_is_a_node_twice() -> None:
    for dice, at_least in ((3, 0), (3, 1), (4, 0)):
        turn = DiceSetAside(dice, 3, lambda hand: Decision([("score", End(hand))]), at_least)
        for left, kept in [(2, ()), *((1, kept) for size in range(dice) for kept, _ in throws(size))]:
            for rolled, _ in throws(dice - len(kept)):
                named = moves_by_name(turn.turn(left, kept, rolled), turn.turn)
                chosen = {held for size in range(at_least, len(rolled)) for held in combinations(rolled, size)}
                assert set(named) == {"score", *("keep " + (" ".join(map(str, held)) or "nothing") for held in chosen)}
    graph = compile_turn(GAME)
    assert (graph.n_nodes, graph.n_edges) == (6633, 19035)
    hands = [state for root in GAME.roots() for state, _ in states_successors_first(GAME.turn, [root]) if state[0] == 0]
    assert len(hands) == len(set(hands)) == 252


def test_as_many_boards_as_there_are_sheets_and_no_undecided_difference_lies_off_them() -> None:
    space = GAME.boards()
    assert int(GAME.possible(space.columns(np.arange(space.size))).sum()) == 4**6 * 2**4 - 1
    for four in (False, True):
        leads = [9 * face for face in range(1, 7)] + [30, 20, 15, 28] + [24] * four
        assert CameroonWin(four, objective="win").furthest() == sum(leads) // 2


# --- boards -----------------------------------------------------------------------------------------------------------


def test_the_differences_of_a_sheet_are_those_that_its_entries_can_make() -> None:
    mine, theirs, closed = bits(["fives"]), bits(["sixes"]), bits(["twos"])
    lead = {5 * a - 6 * b for a, b in product(range(1, 5), repeat=2)}
    some = {2 * (a - b) for a in range(1, 5) for b in range(1, 6)}
    wanted = {one + two for one in lead for two in some | {-two for two in some} | {10, -10}}
    held = differences(WIN, mine | closed, theirs | closed, 0)
    assert {d for d in range(-60, 61) if held >> 512 + d & 1} == wanted


@rules(
    "boxes, points, difference, worth",
    {
        "the last score loses": ("sixes", 6, -12, 0),
        "draws": ("sixes", 12, -12, Fraction(1, 2)),
        "or wins": ("sixes", 18, -12, 1),
        "the twos may make up twelve": ("twos,sixes", 6, -12, None),
        "or nothing": ("twos,sixes", 12, -12, None),
        "or six": ("twos,sixes", 18, -12, None),
        "but not the other twelve: ten at most": ("twos,sixes", 24, -12, 1),
        "nor eighteen": ("twos,sixes", 6, -24, 0),
        "nor twelve": ("twos,sixes", 12, -24, 0),
        "six again": ("twos,sixes", 18, -24, None),
    },
)
def test_a_difference_that_cannot_be_made_up_decides(
    boxes: str, points: int, difference: int, worth: Fraction | None
) -> None:
    game = CameroonWin(boxes=boxes, objective="win")
    board = game.locate(theirs=("sixes",), difference=difference).board
    said = settles(game, ("sixes", points), **board)
    assert (said["worth"] if said["over"] else None) == worth


# --- questions --------------------------------------------------------------------------------------------------------


def test_a_question_without_fields_is_the_start_and_the_difference_part_of_the_value_or_of_the_board() -> None:
    assert GAME.locate() == Position({"mine": 0, "theirs": 0, "specials": 0}, (3, ()))
    assert WIN.locate() == Position({"mine": 0, "theirs": 0, "specials": 0, "difference": 0}, (3, ()))
    assert GAME.locate(mine=("sixes",), difference=12).points == 12
    assert WIN.locate(mine=("sixes",), difference=12).board["difference"] == 12
    assert after(WIN, "66123: score sixes") == {**EMPTY, "theirs": ("sixes",), "difference": -12}
    assert FOUR.locate(closed=("four of a kind",)).board["specials"] == 16


def test_a_question_may_stand_at_every_point_of_a_turn() -> None:
    words = dict(states_successors_first(GAME.turn, GAME.roots()))
    asked: dict[Any, dict[str, Any]] = {
        (3, ()): {},
        (2, (), (1, 2, 4, 4, 6)): {"roll": "12446"},
        (2, (4, 4)): {"kept": "4,4", "rolls_left": 2},
        (2, ()): {"rolls_left": 2},
        (1, (4, 4), (1, 2, 6)): {"kept": "4,4", "roll": "126"},  # the second throw until it is said
        (1, (), (1, 2, 4, 4, 6)): {"roll": "12446", "rolls_left": 1},
        (1, (4, 4)): {"kept": "4,4", "rolls_left": 1},
        (0, (1, 2, 4, 4, 6)): {"kept": "4,4", "roll": "126", "rolls_left": 0},
        (0, (4, 4, 4, 4, 4)): {"kept": "4,4,4,4,4"},
    }
    for state, fields in asked.items():
        assert follows(GAME, fields)["state"] == state, fields
        assert words[state]


def test_a_decided_game_is_refused_with_the_reason() -> None:
    closed = tuple(box for box in BOXES[:-1] if box != "ones")
    assert WIN.locate(closed=closed, difference=5).board["difference"] == 5
    reason = "the other player is 6 points behind and can make 5 more at most"
    assert reason in str(refused(WIN, {"closed": closed, "difference": 6}))
    assert "the mover is 6 points behind" in str(refused(WIN, {"closed": closed, "difference": -6}))


# --- rules of thumb ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "state", "move"),
    [
        ("largest-group", {"roll": (2, 2, 5, 5, 6)}, "keep 5 5"),
        ("largest-group", {"kept": (2, 2), "roll": (2, 5, 6), "rolls_left": 1}, "keep 2"),
        ("largest-group", {"roll": (2, 2, 5, 5, 5)}, "score full house"),
        ("largest-group", {"roll": (2, 2, 5, 5, 6), "rolls_left": 0}, "score fives"),
        ("straights-first", {"roll": (1, 2, 5, 5, 6)}, "keep 2 5 6"),
        ("straights-first", {"roll": (1, 2, 3, 4, 5)}, "score small straight"),
        ("straights-first", {"kept": (1, 2), "roll": (3, 3, 6), "rolls_left": 1}, "keep 3"),
        ("score-at-once", {"roll": (1, 2, 4, 4, 6)}, "score fours"),
        ("score-at-once", {"roll": (6, 6, 6, 6, 6)}, "score sixes"),
    ],
)
def test_a_rule_of_thumb_does_what_it_says(name: str, state: dict[str, Any], move: str) -> None:
    said = next(iter(GAME.describe(GAME.locate().board, GAME.locate(**state).state)))
    assert policies("cameroon")[name].policy({**GAME.parameters(), **said}, may(GAME, state)) == move
