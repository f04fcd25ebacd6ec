"""Sevens, by its rules (number 14 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from rollwise.games.policies import policies
from rollwise.games.sevens.rules import FOLLOWS, OPENS, Sevens, left_over
from rollwise.solver.policy.ending_chances import EndingChances
from tests.games.helping import plays_out, reads, rules, settles, solved

GAME = Sevens()


def seen(faces: tuple[int, ...], *state: Any) -> Any:
    """What a throw leads to from a state of the turn: the dice left over, and a throw less."""
    who, throws, *_ = state
    return (who, throws - 1, left_over(faces))


# --- a turn ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("faces", "left"),
    [("224566", (2, 4, 6, 6)), ("1126", (1, 2)), ("123456", ()), ("111666", ()), ("333344", (3, 3)), ("55", (5, 5))],
)
def test_every_pair_that_makes_seven_is_set_aside(faces: str, left: tuple[int, ...]) -> None:
    assert left_over(tuple(map(int, faces))) == left


SECOND = {"mine": 20, "theirs": 30, "result": 10}


@rules(
    "question, play, then",
    {
        "all dice are thrown first": ({}, "", {"moves": ["roll"], "state": (OPENS, 3)}),
        "the sheet's first throw leaves four": ({}, "224566", {"state": (OPENS, 2, (2, 4, 6, 6))}),
        "all of them are thrown again": ({}, "224566: roll, 1126", {"state": (OPENS, 1, (1, 2))}),
        "three points with two throws": ({}, "224566: roll, 1126: stop", {"result": 3, "rolls": 2, "mover": 1}),
        "one may stop or throw on": ({}, "223344", {"moves": ["stop", "roll"]}),
        "twice": ({"left": (2, 2, 3, 3), "rolls_left": 1}, "", {"moves": ["stop", "roll"]}),
        "and no more": ({"left": (2, 2, 3, 3), "rolls_left": 0}, "", {"moves": ["stop"]}),
        "without dice left the turn is over at zero": ({}, "123456: stop", {"result": 0, "rolls": 1, "mover": 1}),
        "nor has the second player more to throw": ({**SECOND, "rolls": 2}, "123456", {"moves": ["stop"]}),
        "who may throw as often as the opener did": ({**SECOND, "rolls": 2}, "112233", {"moves": ["stop", "roll"]}),
        "also only once": ({**SECOND, "rolls": 1}, "112233", {"moves": ["stop"]}),
    },
)
def test_a_turn_goes_as_the_sheet_says(question: dict[str, Any], play: str, then: dict[str, Any]) -> None:
    plays_out(GAME, question, play, then, seen)


# --- a round ---------------------------------------------------------------------------------------------------------


NEW = {"mine": 20, "theirs": 30, "rolls": 0, "result": 0}
FOLLOWED = {**NEW, "rolls": 2, "result": 10}


def settled(result: Any, /, **board: int) -> dict[str, Any]:
    return settles(GAME, result, **{"rolls": 0, "result": 0, **board})


@rules(
    "result, board, then",
    {
        "the other player follows": ((10, 2), NEW, {**FOLLOWED, "mine": 30, "theirs": 20, "passed": 1}),
        "then both add up and the second player opens": (4, FOLLOWED, {**NEW, "mine": 24, "theirs": 40, "passed": 0}),
        "also without points": (0, {**FOLLOWED, "result": 0}, {**NEW, "passed": 0}),
    },
)
def test_a_round_has_two_turns(result: Any, board: dict[str, int], then: dict[str, Any]) -> None:
    found = settled(result, **board)
    assert {name: found[name] for name in then} == then


WON, DRAWN, LOST = Fraction(1), Fraction(1, 2), Fraction(0)


@pytest.mark.parametrize(
    ("mine", "theirs", "result", "points", "ends"),
    [
        (70, 20, 0, 6, None),
        (70, 20, 0, 7, LOST),
        (20, 70, 6, 0, None),
        (20, 70, 7, 0, WON),
        (70, 70, 8, 6, WON),
        (70, 70, 8, 7, WON),
        (72, 70, 8, 8, LOST),
        (68, 70, 8, 10, WON),
        (72, 70, 8, 6, LOST),
        (70, 70, 8, 8, DRAWN),
        (70, 70, 8, 9, LOST),
    ],
)
def test_at_77_after_a_round_one_is_out_and_the_lower_total_wins_if_both_are(
    mine: int, theirs: int, result: int, points: int, ends: Fraction | None
) -> None:
    found = settled(points, rolls=1, mine=mine, theirs=theirs, result=result)
    assert found["over"] == (ends is not None)
    assert ends is None or found["worth"] == ends


# --- values ----------------------------------------------------------------------------------------------------------

Pair = tuple[float, float]  # what the mover wins, P(draw)
END = 1e-13


@cache
def thrown(dice: int) -> tuple[tuple[int, int, float], ...]:
    """(dice left, their sum, chance) after one throw, every way it can fall looked at."""
    found: Counter[tuple[int, int]] = Counter()
    for faces in product(range(1, 7), repeat=dice):
        left = list(faces)
        for face in faces:
            if face in left and 7 - face in left:
                left.remove(face)
                left.remove(7 - face)
        found[len(left), sum(left)] += 1
    return tuple((*left, ways / 6**dice) for left, ways in found.items())


def best_turn(all_dice: int, rolls: int, stop: Any) -> Pair:
    """Throw up to so many times; ``stop(points, throws used)`` is a pair, preferred where both are as good."""

    def throw(dice: int, used: int) -> Pair:
        worth = draw = 0.0
        for n, points, chance in thrown(dice):
            here = stop(points, used + 1)
            if n and used + 1 < rolls:
                ahead = thrown_again[n, used + 1]
                here = here if here[0] >= ahead[0] - END else ahead
            worth, draw = worth + chance * here[0], draw + chance * here[1]
        return worth, draw

    thrown_again: dict[tuple[int, int], Pair] = {}
    for used in range(rolls - 1, 0, -1):
        for dice in range(2, all_dice + 1, 2):
            thrown_again[dice, used] = throw(dice, used)
    return throw(all_dice, 0)


def plain(goal: int, dice: int) -> dict[tuple[int, int], Pair]:
    """The duel written again from the rule reading: what the opener wins with totals (own, other's), by iteration."""
    totals = [(mine, theirs) for mine in range(goal) for theirs in range(goal)]
    known = dict.fromkeys(totals, (0.5, 0.0))

    def other(pair: Pair) -> Pair:
        return 1 - pair[0], pair[1]

    def ended(mine: int, theirs: int, mine_before: int, theirs_before: int) -> Pair:
        if mine < goal and theirs < goal:
            return known[mine, theirs]
        if mine >= goal and theirs >= goal:
            one, two = (mine, mine_before), (theirs, theirs_before)
            return (float(one < two), 0.0) if one != two else (0.5, 1.0)
        return float(mine < goal), 0.0

    def opener(mine: int, theirs: int) -> Pair:
        @cache
        def followed(points: int, rolls: int) -> Pair:
            return other(best_turn(dice, rolls, cache(lambda p, _: ended(theirs + p, mine + points, theirs, mine))))

        return best_turn(dice, 3, followed)

    for mine, theirs in sorted((pair for pair in totals if pair[0] <= pair[1]), key=sum, reverse=True):
        moved = 1.0
        while moved > END / 10:
            both = {(one, two): opener(one, two) for one, two in ((mine, theirs), (theirs, mine))}
            moved = max(abs(new - old) for key in both for new, old in zip(both[key], known[key], strict=True))
            known |= both
    return known


def test_values_and_draws_agree_with_the_plain_iteration() -> None:
    goal, dice = 2, 4
    game = Sevens(goal=goal, dice=dice)
    graph, found = solved(game)
    known = plain(goal, dice)
    for (mine, theirs), (worth, _) in known.items():
        index = game.boards().index_of(rolls=0, mine=mine, theirs=theirs, result=0)
        assert abs(found.values[index] - worth) <= found.radius[index] + 20 * END
    for mine, theirs in {(0, 0), (0, goal - 1)}:
        draw = known[mine, theirs][1]
        board = {"rolls": 0, "mine": mine, "theirs": theirs, "result": 0}
        read = EndingChances(game, graph, reads(game), lambda ending: ending.denominator == 2, board)
        told = read.quantity(game.roots()[0], "")
        assert told.lower - 20 * END <= draw <= told.upper + 20 * END


# --- questions -------------------------------------------------------------------------------------------------------


@rules(
    "question, then",
    {
        "the start": ({}, {"state": (OPENS, 3)}),
        "dice left are the opener's": ({"left": (1, 1)}, {"state": (OPENS, 2, (1, 1))}),
        "unless there is a result": ({"mine": 4, "result": 10}, {"state": (FOLLOWS, 3), "rolls": 3, "mine": 4}),
        "rolls tells how many the opener used": ({"result": 10, "rolls": 2}, {"state": (FOLLOWS, 2), "rolls": 2}),
        "so does rolls_left": ({"result": 10, "rolls_left": 2}, {"state": (FOLLOWS, 2), "rolls": 2}),
        "or both": ({"result": 10, "rolls": 2, "rolls_left": 2}, {"state": (FOLLOWS, 2), "rolls": 2}),
        "after a throw one less": ({"result": 10, "rolls": 2, "left": (1, 1)}, {"state": (FOLLOWS, 1, (1, 1))}),
    },
)
def test_a_question_tells_who_throws(question: dict[str, Any], then: dict[str, Any]) -> None:
    plays_out(GAME, question, "", then)


def test_no_dice_left_and_no_result_are_typed_as_none() -> None:
    fields = {field.name: field for field in GAME.fields()}
    left, result = fields["left"], fields["result"]
    assert [left.parse(given) for given in ("none", "-", "", (), "6,2,6,4")] == [(), (), (), (), (2, 4, 6, 6)]
    assert (left.show(()), left.show((2, 4))) == ("none", "2,4")
    assert [result.parse(given) for given in ("none", None, "7", 0)] == [None, None, 7, 0]


# --- rules of thumb --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "stops", "rolls"),
    [("stop-at-8", (2, 6), (3, 6)), ("stop-at-10", (1, 2, 3, 4), (5, 6)), ("two-dice-left", (6, 6), (1, 1, 1, 1))],
)
def test_what_the_rules_of_thumb_play(name: str, stops: tuple[int, ...], rolls: tuple[int, ...]) -> None:
    rule = policies("sevens")[name].policy
    assert [rule({"left": left}, ["stop", "roll"]) for left in (stops, rolls)] == ["stop", "roll"]
    assert rule({"left": rolls}, ["stop"]) == "stop"
    assert rule({}, ["roll"]) == "roll"
