"""A sheet against others: what may be said of them, what is refused, what is kept."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.sixzee.rules import SixzeeBeat
from rollwise.games.yahtzee.rules import Yahtzee, YahtzeeBeat, YahtzeeForTwo
from rollwise.parsing.validate import parse_game
from rollwise.solutions import lookup
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.jsonable import as_json
from tests.asked import ask, ask_twice

BEAT = {"objective": "beat"}
GAME = YahtzeeBeat(objective="beat", boxes="sixes,chance")
HIDDEN = YahtzeeBeat(objective="beat", boxes="yahtzee,sixes")
LATE = {"filled": "sixes:18", "roll": "11456", "rolls_left": 1}
GO_ON: dict[str, Any] = {"theirs": "20,31", "theirs_filled": "sixes:12/chance:17", **LATE}


def moves(made: Any, **said: Any) -> list[tuple[Any, ...]]:
    return [(move.move, move.value, move.lower, move.upper) for move in ask(made, said).moves]


def test_of_those_who_have_finished_the_best_counts_and_how_many_they_are() -> None:
    alone = moves(GAME, theirs=38, **LATE)
    assert moves(GAME, theirs="12,38,7", **LATE) == moves(GAME, theirs=[7, 12, 38], **LATE) == alone
    assert moves(GAME, theirs="38,38", **LATE)[0][1] < alone[0][1]


def test_seats_of_others_may_be_said_in_any_order_and_a_full_sheet_is_a_final_score() -> None:
    full = {"sixes": 18, "chance": 20}
    for ours, theirs in (({"theirs_filled": [full]}, 38), ({"theirs_filled": [full], "theirs": [38]}, (38, 38))):
        same = moves(GAME, theirs=theirs, **LATE)
        assert [move[1] for move in moves(GAME, **ours, **LATE)] == pytest.approx([move[1] for move in same], rel=1e-14)
        assert not ask(GAME, {**ours, **LATE}).note
    told = moves(GAME, **GO_ON)
    assert moves(GAME, **{**GO_ON, "theirs_filled": [{"chance": 17}, {"sixes": 12}]}) == told
    assert moves(GAME, **{**GO_ON, "theirs_filled": "chance:17 / Sixes:12"}) == told
    empty = moves(GAME, **{**GO_ON, "theirs_filled": "none"})
    assert moves(GAME, **{**GO_ON, "theirs_filled": {}}) == moves(GAME, **{**GO_ON, "theirs_filled": ["none"]}) == empty


def test_worths_of_final_scores_stand_for_others() -> None:
    early = YahtzeeBeat(objective="beat", boxes="fives,sixes,chance")
    others, steps = (moves(early, **said)[0][1] for said in ({"theirs": 52}, {"worth": {52: "1/2", 53: 1}}))
    assert others == pytest.approx(steps, rel=1e-14)
    theirs = moves(GAME, theirs=38, **LATE)
    for half in (Fraction(1, 2), 0.5, ".5"):
        found = moves(GAME, worth={38: half, 39: 1}, **LATE)
        assert [move[0] for move in found] == [move[0] for move in theirs]
        assert [move[1] for move in found] == pytest.approx([move[1] for move in theirs], rel=1e-14)
    assert {(move[1], move[3]) for move in moves(GAME, worth={0: 1}, **LATE)} == {(1.0, 1.0)}
    only = {move: value for move, value, *_ in moves(GAME, worth="18:0,35:1,36:0", **LATE)}  # 17 and nothing else
    assert only["score chance"] == 1
    assert max(only.values()) == only["score chance"]


def test_an_answer_says_what_it_was_asked_and_may_be_asked_again_and_any_score_may_be_that_of_somebody() -> None:
    for said in (GO_ON, {"worth": {20: Fraction(1, 3), 40: 1}, **LATE}, {"theirs": "3,3", **LATE}):
        answer = ask(GAME, said)
        state = as_json(answer.state)
        assert ask(GAME, state).state == answer.state
        assert {*said} <= {*state}
    made = SixzeeBeat(objective="beat", boxes="sixes,chance")
    values = [ask(made, {"theirs": score}).value or 0 for score in (0, 4, 38, 9999)]
    assert (values[:2], 0 < values[2] < 1, values[3]) == ([1.0, 1.0], True, 0.0)


def test_ties_are_for_who_beats_others() -> None:
    assert "ties" not in Yahtzee().parameters()
    assert parse_game("sixzee", {**BEAT, "ties": "WIN"}) == SixzeeBeat(objective="beat", ties="win")
    for objective in ("score", "reach"):
        with pytest.raises(BadInput, match="parameter ties goes with objective=beat alone"):
            parse_game("yahtzee", {"objective": objective, "ties": "lose"})


def test_points_that_a_sheet_of_others_does_not_tell_are_asked_for() -> None:
    sheet = {"yahtzee": 50, "sixes": 30}
    with pytest.raises(BadInput, match=r"say yahtzee_bonus, .* or points, .* make 80") as error:
        ask(HIDDEN, {"theirs_filled": [sheet]})
    assert (error.value.field, error.value.hint) == ("theirs_filled", "yahtzee_bonus:0")
    with pytest.raises(BadInput, match="points:150 cannot be"):
        ask(HIDDEN, {"theirs_filled": [{**sheet, "points": 150}]})
    few, many = (ask(HIDDEN, {"theirs_filled": [{**sheet, "points": points}]}).value or 0 for points in (80, 180))
    assert 1 > few > many > 0
    assert ask(HIDDEN, {"theirs_filled": [{"sixes": 18, "points": 18}]}).value


@pytest.mark.parametrize(
    ("said", "error"),
    {
        "nobody": ({}, "theirs is missing: the scores to beat"),
        "no scores": ({"theirs": "none"}, "theirs names 1 to 9, got 'none'"),
        "an empty cell": ({"theirs": ""}, "theirs is empty, got ''"),
        "an empty sheet": ({"theirs_filled": [None]}, "theirs_filled is a list like box:score,..., got None"),
        "ten": ({"theirs": [1] * 10}, "theirs names 1 to 9, got 10"),
        "below 0": ({"theirs": -1}, "theirs is from 0 to 9999"),
        "too high": ({"theirs": 10_000}, "theirs is from 0 to 9999"),
        "a word": ({"theirs": "231,x"}, "theirs is a whole number, got 'x'"),
        "a box that there is not": ({"theirs_filled": "sixes:6/foo:1"}, "theirs_filled has no box 'foo'"),
        "two ways at once": ({"worth": {3: 1}, "theirs": 3}, "leave theirs and theirs_filled out"),
        "more than 1": ({"worth": {3: 2}}, "worth of 3 is from 0 to 1, got 2"),
        "no number": ({"worth": {3: float("nan")}}, "worth of 3 is from 0 to 1, got nan"),
        "no fraction": ({"worth": "3:1/0"}, "worth of 3 is from 0 to 1, got '1/0'"),
        "no map": ({"worth": 3}, "worth is a list of score:worth like 200:1/2"),
        "a full sheet": ({"filled": "sixes:6,chance:6", "theirs": 3}, "every box is filled"),
    }.values(),
)
def test_what_cannot_be_is_said_in_one_line(said: dict[str, Any], error: str) -> None:
    with pytest.raises(BadInput, match=error):
        ask(GAME, said)


def test_what_is_solved_is_kept_proved_and_read_again(own_cache: Store, run: Callable[..., Any]) -> None:
    first = ask_twice(own_cache, GAME, **GO_ON)
    lookup._OPEN_SOLUTIONS.clear()  # as a fresh process has it
    assert {move: (lower, upper) for move, _, lower, upper in moves(GAME, **GO_ON)} == first
    assert run("cache", "check")[0] == 0
    listed = run("cache", "list")[1]
    assert "..." in listed
    assert len(listed) < 2000


def test_outcomes_keep_the_sheet_and_the_others() -> None:
    held = {box: 20 * (box == "three of a kind") for box in Yahtzee().played if box not in ("sixes", "chance")}
    said: dict[str, Any] = {"filled": held, "theirs": 58}
    rows = rollwise.outcomes("yahtzee", "score chance", params=BEAT, roll="14566", rolls_left=0, **said).rows
    assert [row.state for row in rows] == [{**said, "filled": {**held, "chance": 22}, "theirs": (58,)}]
    rows = rollwise.outcomes("yahtzee", "keep 5 6 6", params=BEAT, roll="14566", rolls_left=1, **said).rows
    assert all(row.state and row.state["theirs"] == (58,) and row.state["filled"] == held for row in rows)


def test_a_box_is_enough_as_soon_as_it_wins_and_for_two_no_more_than_filled() -> None:
    for ties, theirs, says in (
        *(("win", 6, "sixes, enough"), ("share", 6, "sixes")),
        *(("share", 5, "sixes, enough"), ("lose", 6, "sixes, too little")),
    ):
        made = YahtzeeBeat(boxes="ones,sixes", objective="beat", ties=ties)
        fields: dict[str, Any] = {"filled": {"ones": 0}, "theirs": (theirs,)}
        board = made.locate(**fields).board
        part = made.part(board, fields)
        result: Any = part.entry("sixes", (1, 2, 3, 4, 6)).result
        assert part.ending_name(board, result, frozenset()) == says
    two = YahtzeeForTwo(boxes="ones,sixes", players=2)
    board = two.locate(filled={"ones": 0}, theirs_filled={"ones": 0}).board
    for last in (5, 6):  # level with the other, and ahead
        result = two.entry("sixes", (1, 2, 3, 4, last)).result
        assert two.ending_name(board, result, frozenset()) == "sixes"
