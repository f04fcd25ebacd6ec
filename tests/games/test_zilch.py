"""Six-Dice Zilch, by its rules and our readings of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rollwise.games.zilch.rules import Zilch
from rollwise.games.zilch.scoring import MUST, chance_lost, max_mean_gain, stopping_total, totals_of_pass
from rollwise.games.zilch.turn import AGAIN, BUST, ENOUGH, ZILCH, check_total
from rollwise.games.zilch.variants import ZilchPoints, ZilchReach, ZilchTurns
from rollwise.parsing.validate import parse_fields
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.game import SAME, Columns, End
from rollwise.solver.model.turn_points import ResultPoints
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.query import OneTurn, Turns
from tests.games.helping import follows, made, may, plays_out, reads, refused, rules, settles, solved
from tests.reference.walk import walk

DUEL = Zilch()
ALONE: dict[str, Any] = {"players": 1, "objective": "points"}

# --- what dice are worth ---------------------------------------------------------------------------------------------


def offered(play: str, **state: int) -> list[int]:
    """Points of every way to keep dice of the last throw of a turn."""
    return sorted(int(move.split(" for ")[1]) for move in may(DUEL, state, play) if move.startswith("keep"))


def trio_of(face: int) -> str:
    """A first throw of which a trio is kept, and "roll"."""
    others = [other for other in (2, 3, 4, 6) if other != face][:3]
    dice = "".join(map(str, (face, face, face, *others)))
    return f"{dice}: keep {face} {face} {face} for {1000 if face == 1 else 100 * face}, roll, "


@rules(
    "play, points",
    {
        "single ones and fives score and no other single die": ("152366", [50, 100, 150]),
        "three ones may be kept one by one and counted low": ("111234", [100, 200, 300, 1000]),
        "so may three fives": ("555234", [50, 100, 150, 500]),
        "three twos are kept together": ("222346", [200]),
        "threes": ("333246", [300]),
        "fours": ("444236", [400]),
        "sixes": ("666234", [600]),
        "a fourth equal die is 100": ("444423", [400, 500]),
        "and a fifth": ("444443", [400, 500, 600]),
        "also of ones": ("111123", [100, 200, 300, 400, 1000, 1100]),
        "and of fives": ("555523", [50, 100, 150, 200, 500, 550, 600]),
        "six equal dice are a trio and three matches or two trios": ("222222", [200, 300, 400, 400, 500]),
        "three fives counted as singles leave no trio": ("555234: keep 5 5 5 for 150, roll, 523", [50]),
        "counted together they do": ("555234: keep 5 5 5 for 500, roll, 523", [50, 100]),
        "three dice equal to the trio are matches or a new trio": (f"{trio_of(2)}222", [100, 200, 200, 300]),
        "a new trio of sixes is worth more": (f"{trio_of(6)}666", [100, 200, 300, 600]),
        "fives beside a trio of fives count 50 or 100 each": (f"{trio_of(5)}552", [50, 100, 100, 150, 200]),
    },
)
def test_dice_that_may_be_kept_are_worth(play: str, points: list[int]) -> None:
    assert offered(play) == points


@pytest.mark.parametrize("face", [2, 3, 4, 6])
def test_a_die_that_matches_the_trio_on_the_board_is_100(face: int) -> None:
    other, last = 2 if face != 2 else 3, 6 if face != 6 else 4
    assert may(DUEL, {}, f"{trio_of(face)}{face}{other}{last}") == [f"keep {face} for 100"]
    assert max(offered(f"{trio_of(face)}{face}{face}1")) == 300


# --- a turn ----------------------------------------------------------------------------------------------------------

ALL_SIX = f"{trio_of(4)}456: keep 4 5 for 150, roll, 1: keep 1 for 100"
LATE = {"mine": 8500, "theirs": 8800}
SCORES = {"mine": 3000, "theirs": 4000}
BEHIND = {"mine": 8800, "theirs": 10150}
FOUR_ONES = "414414"  # with two ones: three pairs, too
DECLINED, AHEAD = "keep 1 1 4 4 4 4 for 700", {"mine": 9500, "theirs": 10150}
LAST_ROUND = f"{FOUR_ONES}: score three pairs, 531343: keep 1 3 3 3 5 for 450, stop"
FIVE, THREE = "523466: keep 5 for 50, roll", "111234: keep 1 1 1 for 300"
ROW, PAIRS = "123456: score straight", "223355: score three pairs"


@rules(
    "question, play, then",
    {
        "a turn starts with a throw of all six dice": ({}, "", {"moves": ["roll"]}),
        "a five kept before a trio counts 50": ({}, f"{FIVE}, 55523: keep 5 5 5 for 500", {"state": (550, 2, 5)}),
        "a trio of ones changes nothing": ({}, trio_of(1)[:-8], {"state": (1000, 3, 0)}),
        "the board is cleared when all six dice are used": (LATE, ALL_SIX, {"state": (650, 6, 0), "mine": 170}),
        "so that no trio counts any more": (LATE, f"{ALL_SIX}, roll, 412366", {"moves": ["keep 1 for 100"]}),
        "three pairs are 1000": ({}, "224466: score three pairs", {"state": (1000, 6, MUST)}),
        "in any order": ({}, f"{FOUR_ONES}: score three pairs", {"state": (1000, 6, MUST)}),
        "a straight is 1500": ({}, "624153: score straight", {"state": (1500, 6, MUST)}),
        "after a straight all six must be thrown": ({}, ROW, {"moves": ["roll"]}),
        "then the turn is as any": ({}, f"{ROW}, 122346: keep 1 for 100", {"moves": ["stop", "roll"]}),
        "a declined special throw forces nothing": (AHEAD, f"{FOUR_ONES}: {DECLINED}", {"moves": ["stop", "roll"]}),
        "scored it does, even past the goal": (BEHIND, f"{FOUR_ONES}: score three pairs", {"moves": ["roll"]}),
        "three pairs without another score have to be scored": ({}, "224466", {"moves": ["score three pairs"]}),
        "a turn below 350 goes on": ({"mine": 1000}, THREE, {"moves": ["roll"]}),
        "from 350 on it may stop": ({"mine": 1000}, f"{THREE}, roll, 523: keep 5 for 50", {"moves": ["stop", "roll"]}),
        "the crosser may roll on": ({**LATE, "turn": 1650, "dice": 3}, "", {"moves": ["stop", "roll"]}),
        "six dice that score nothing console": (SCORES, "234466", {"mine": 80, "theirs": 62}),
        "also in a turn": ({**SCORES, "turn": 550, "dice": 6}, "roll, 234466", {"theirs": 62}),
        "also when they must be thrown": ({**SCORES, "turn": 1000, "must_roll": True}, "234466", {"theirs": 62}),
        "fewer do not": ({**SCORES, "turn": 1000, "dice": 5}, "roll, 23446", {"theirs": 60}),
        "the last sample round wins with 1450": (BEHIND, LAST_ROUND, {"over": True, "shares": (1, 0)}),
    },
)
def test_a_turn_goes_as_the_rules_say(question: dict[str, int], play: str, then: dict[str, Any]) -> None:
    plays_out(DUEL, question, play, then)


# --- what a turn does to the scores ----------------------------------------------------------------------------------


def settled(game: Zilch, result: Any, mine: int, theirs: int) -> dict[str, Any]:
    """In points; ``scores``: the next mover's, and the other's."""
    found = settles(game, result, mine=mine // 50, theirs=theirs // 50)
    return {**found, "scores": (50 * found["mine"], 50 * found["theirs"])} if "mine" in found else found


SMALL, LATER = Zilch(goal=500, opening=350), Zilch(goal=500)
NOT, ALLOWED, LOST = {"legal": False}, {"legal": True}, {"over": True, "worth": 0}


@rules(
    "game, result, mine, theirs, then",
    {
        "the first score is the opening": (DUEL, 750, 0, 2000, ALLOWED),
        "and no less": (DUEL, 700, 0, 2000, NOT),
        "later less will do": (DUEL, 700, 2000, 2000, ALLOWED),
        "points are banked and the dice pass": (DUEL, 550, 8500, 8800, {"scores": (8800, 9050), "passed": 1}),
        "nothing is earned by a bust": (DUEL, BUST, 3000, 4000, {"scores": (4000, 3000), "passed": 1}),
        "six dice that score nothing console with 100": (DUEL, ZILCH, 3000, 4000, {"scores": (4000, 3100)}),
        "but whoever has no score has none": (DUEL, ZILCH, 0, 4000, {"scores": (4000, 0)}),
        "consoled up to the goal": (DUEL, ZILCH, 9850, 4000, {"scores": (4000, 9950)}),
        "not as far as the goal": (DUEL, ZILCH, 9900, 4000, {"scores": (4000, 9900)}),
        "nor past the goal": (DUEL, ZILCH, 9950, 4000, {"scores": (4000, 9950)}),
        "the goal takes a turn of 500": (DUEL, 450, 9550, 2000, NOT),
        "or cross it": (DUEL, 500, 9500, 2000, ALLOWED),
        "whoever crosses gives a last turn": (DUEL, 1650, 8500, 8800, {"scores": (8800, 10150), "over": False}),
        "the last turn wins with more": (DUEL, 1400, 8800, 10150, {"over": True, "worth": 1}),
        "and not with as much": (DUEL, 1350, 8800, 10150, NOT),
        "a bust loses it": (DUEL, BUST, 8800, 10150, LOST),
        "so does a zilch": (DUEL, ZILCH, 8800, 10150, LOST),
        "the last turn takes 500 too": (DUEL, 450, 9950, 10000, NOT),
        "the last turn needs the opening": (LATER, 700, 0, 750, NOT),
        "also where 700 would win": (LATER, 700, 0, 600, NOT),
        "with it it wins": (LATER, 750, 0, 600, ALLOWED),
        "as much as the leader's opening does not win": (SMALL, 500, 0, 500, NOT),
        "fifty more does": (SMALL, 550, 0, 500, ALLOWED),
    },
)
def test_a_turn_counts(game: Zilch, result: Any, mine: int, theirs: int, then: dict[str, Any]) -> None:
    found = settled(game, result, mine, theirs)
    assert {name: found[name] for name in then} == then


def test_past_the_goal_a_leader_is_chased_and_a_single_turn_is_cut() -> None:
    far = DUEL.far()
    leads = settled(DUEL, 6000, 9000, 8000)  # 15,000: the other one wants 7,050
    assert (leads["mine"], leads["theirs"] - far) == (0, 7050 // 50)
    board = {"mine": 0, "theirs": far + 20}
    assert [settles(DUEL, (ENOUGH, points), **board)["legal"] for points in (950, 1000)] == [False, True]
    again = settles(DUEL, (AGAIN, 600), **board)
    assert (again["passed"], again["theirs"] - far) == (SAME, 8)
    assert settles(DUEL, BUST, **board)["over"]
    levels = [
        DUEL.level(Columns({"mine": np.array([m]), "theirs": np.array([t])})) for m, t in ((176, 203), (199, 199))
    ]
    assert levels[0] > levels[1]
    assert stopping_total() == 17_200
    assert all(max_mean_gain(*here) <= chance_lost(*here) * stopping_total() for here in totals_of_pass())


# --- near the goal ---------------------------------------------------------------------------------------------------


def test_more_points_for_the_same_dice_can_be_worth_less() -> None:
    """Against 450 of 500 it is better to bank 350 than to cross, which would give the other one a last turn."""
    graph, found = solved(SMALL)
    position = SMALL.locate(mine=0, theirs=450, roll=(1, 1, 2, 5, 5, 5))
    moves = OneTurn(SMALL, graph, position.board, reads(SMALL)).moves(position.state)
    worth = {move: float(row[0]) for move, row in moves}
    assert max(worth, key=lambda move: worth[move]) == "keep 1 1 5 5 5 for 350"
    assert worth["keep 1 1 5 5 5 for 350"] > worth["keep 1 1 5 5 5 for 700"] + 0.003
    assert np.nanmax(found.radius) < 5e-10  # in spite of the cut


def test_the_totals_that_a_question_may_name_are_those_that_turns_come_to() -> None:
    graph, _ = solved(SMALL)
    here: list[tuple[int, Any]] = [*totals_of_pass(), (6, MUST)]
    for dice, trio in here:
        for total in range(0, 4500, 50):
            first = (1000, 1500) if trio == MUST else ()
            try:
                check_total(total, dice, 0 if trio == MUST else trio, 0, first)
                asked = True
            except StateError:
                asked = False
            assert asked == (graph.node_of((total, dice, trio)) is not None), (total, dice, trio)


# --- alone -----------------------------------------------------------------------------------------------------------


def test_alone_every_turn_counts_one_and_a_special_throw_past_the_goal_none_or_the_points_of_one_turn() -> None:
    assert isinstance(made("zilch", players=1), ZilchTurns)
    assert isinstance(made("zilch", **ALONE), ZilchPoints)
    game = ZilchTurns(goal=1000, players=1, objective="turns")
    found = {result: settles(game, result, mine=18, forced=0) for result in (BUST, ZILCH, 500, AGAIN, 450)}
    assert [found[result]["worth"] for result in (BUST, ZILCH, 500, AGAIN)] == [1, 1, 1, 0]
    assert (found[450]["legal"], found[500]["over"]) == (False, True)
    asked = game.locate(mine=900, turn=1300, must_roll=True)
    assert (asked.board, asked.state) == ({"mine": 18, "forced": 1}, (1000, 6, MUST))


def test_alone_in_time_the_last_turn_is_over_with_the_goal_or_without() -> None:
    game = ZilchReach(goal=1000, players=1, objective="reach")
    last = {result: settles(game, result, mine=18, forced=0, within=1) for result in (BUST, ZILCH, 500)}
    assert [(last[result]["over"], last[result]["worth"]) for result in last] == [(True, 0), (True, 0), (True, 1)]
    earlier = settles(game, BUST, mine=18, forced=0, within=4)
    assert (earlier["over"], earlier["within"], earlier["forced"]) == (False, 3, 0)
    again = settles(game, AGAIN, mine=18, forced=0, within=1)
    assert (again["over"], again["within"], again["forced"]) == (False, 1, 1)
    asked = game.locate(mine=900, within=2, turn=1300, must_roll=True)
    assert (asked.board, asked.state) == ({"mine": 18, "within": 2, "forced": 1}, (1000, 6, MUST))


def test_no_bound_of_an_end_past_the_solved_turn_is_above_one() -> None:
    game = made("zilch", players=1, objective="reach", goal=500, opening=350)
    board = game.boards().index_of(mine=0, within=1, forced=0)
    turns = Turns(game, compile_turn(game), np.array([board]), reads(game))
    assert turns.node_of(End(550)) is None
    value, lower, upper = turns.value_of(End(550))[0]
    assert (value, upper) == (1, 1)
    assert lower < 1


@pytest.mark.parametrize(("opened", "zilch", "least"), [(0, 0, 750), (1, 100, 350)])
def test_a_single_turn_makes_its_points_and_is_consoled_only_with_a_score(opened: int, zilch: int, least: int) -> None:
    game: Any = made("zilch", **ALONE)
    found = {result: settles(game, result, opened=opened) for result in (ZILCH, BUST, 700, 750)}
    assert (found[ZILCH]["worth"], found[BUST]["worth"]) == (zilch, 0)
    assert (found[700]["legal"], found[750]["legal"]) == (least <= 700, True)
    assert game.result_points({"opened": opened}, 450) == ResultPoints(450)
    assert game.result_points({"opened": opened}, "zilch") == ResultPoints(zilch, bust=True)
    assert game.result_points({"opened": opened}, "bust") == ResultPoints(0, bust=True)


@pytest.mark.slow
def test_a_single_turn_keeps_the_rules_for_game_files() -> None:
    assert walk(ZilchPoints(**ALONE)).n_boards == 2


# --- questions -------------------------------------------------------------------------------------------------------


def test_a_question_names_its_position_and_a_trio_that_makes_it_possible_is_named() -> None:
    asked = DUEL.locate(**parse_fields(DUEL, {**LATE, "turn": 400, "trio": 4, "roll": "5,4,6"}))
    assert (asked.board, asked.state) == ({"mine": 170, "theirs": 176}, (400, 3, 4, (4, 5), ""))
    assert DUEL.locate(turn=1500, must_roll=True).state == (1500, 6, MUST)
    assert DUEL.locate(turn=1000, dice=3, trio=1).state == DUEL.locate(turn=1000, dice=3).state == (1000, 3, 0)
    must = {field.name: field for field in DUEL.fields()}["must_roll"]
    assert must.show(must.parse("yes")) == "true"
    for said, told, hint in (
        ({"turn": 450, "dice": 2}, "; it is possible with trio=4", "trio=4"),
        ({"turn": 50, "dice": 2}, "make 200 points or more", ""),
        ({"turn": 300, "dice": 2, "trio": 4}, "make 450 points or more", ""),
    ):
        error = refused(DUEL, said)
        assert (str(error).endswith(told), error.hint) == (True, hint)
    follows(DUEL, {"turn": 450, "dice": 2, "trio": "4"})
