"""Killer, by its rules (number 21 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims.replay import describe_position, moves, replay
from rollwise.games.killer.rules import (
    ALL_BOXES,
    BIT,
    BOXES,
    NUMBERS,
    BoxSplit,
    Killer,
    best_splits,
    bits,
    every_split,
    fits,
    named,
    splits,
)
from rollwise.games.policies import policies
from rollwise.questions.compare.compute import compare
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Columns, TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from tests.rules.helping import may, no_game, played, refused, rules

FREE_TO_PASS = Killer()
MUST = Killer(must_score=True)


def allowed(roll: Faces, game: Killer = FREE_TO_PASS, **sheet: Any) -> list[str]:
    """What may be entered after the last throw."""
    return moves(game, replay(game, {**sheet, "roll": roll, "rolls_left": 0}, []))


def most(box: str, roll: Faces, **sheet: Any) -> int:
    """The most points that this roll can enter in one box alone."""
    entered = [move.removeprefix(f"score {box} ") for move in allowed(roll, **sheet) if move.startswith(f"score {box}")]
    return max((int(points) for points in entered if points.isdigit()), default=0)


# --- a turn ----------------------------------------------------------------------------------------------------------


def test_any_dice_are_thrown_once_more() -> None:
    first = moves(FREE_TO_PASS, replay(FREE_TO_PASS, {"roll": (1, 2, 4, 5, 5)}, []))
    assert {"keep nothing", "keep 5 5", "keep 1 2 4", "score doubles 10", "score nothing"} <= set(first)
    assert "keep 1 2 4 5 5" not in first
    second = allowed((1, 2, 4, 5, 5))
    assert not any(move.startswith("keep") for move in second)


# --- what the boxes take ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("box", "points_of"),
    [
        ("trebles", {"55512": 15, "55123": 0, "44444": 12}),
        ("bull's eye", {"33661": 18, "33331": 0, "33366": 18}),
        ("doubles", {"44126": 8, "44551": 18, "33331": 12, "12346": 0}),
        ("sequences", {"12346": 10, "23455": 14, "34561": 18, "12345": 14, "12356": 0}),
        ("sixes", {"66612": 18, "12366": 0}),
    ],
)
def test_a_box_takes_what_the_sheet_says(box: str, points_of: dict[str, int]) -> None:
    assert {roll: most(box, tuple(sorted(map(int, roll)))) for roll in points_of} == points_of


def test_a_number_that_one_has_opened_takes_any_dice_and_one_that_the_other_has_needs_three() -> None:
    rolls = [(1, 2, 3, 4, 6), (1, 2, 3, 6, 6), (1, 2, 6, 6, 6)]
    assert [most("sixes", roll, mine=("sixes",)) for roll in rolls] == [6, 12, 18]
    assert [most("sixes", roll, theirs=("sixes",)) for roll in rolls] == [0, 0, 18]


@pytest.mark.parametrize("box", BOXES)
def test_a_closed_box_takes_nothing(box: str) -> None:
    rolls = [(5, 5, 5, 5, 5), (3, 3, 6, 6, 6), (1, 2, 3, 4, 4), (face_of(box),) * 5]
    assert any(any(box in move for move in allowed(roll)) for roll in rolls)
    assert not any(any(box in move for move in allowed(roll, closed=(box,))) for roll in rolls)


def face_of(box: str) -> int:
    """The face of a number box; 1 for the others."""
    return NUMBERS.index(box) + 1 if box in NUMBERS else 1


def test_two_pairs_may_be_split_over_doubles_and_other_boxes() -> None:
    found = allowed((4, 4, 5, 5, 5), mine=("fours",))
    assert {"score doubles 8 + fives 15", "score trebles 15 + doubles 8", "score fours 8 + fives 15"} <= set(found)
    assert "score bull's eye 18" in found


@cache
def each_roll() -> list[tuple[Faces, list[BoxSplit], list[BoxSplit]]]:
    """Every roll, with all its splits and those of them that are kept."""
    return [(roll, list(splits(roll, BOXES)), list(best_splits(roll, BOXES))) for roll, _ in throws(5)]


def test_boxes_are_named_in_the_order_of_the_sheet() -> None:
    for _, _, kept in each_roll():
        for split in kept:
            named_boxes = [box for box, _ in split.points]
            assert named_boxes == [box for box in BOXES if box in named_boxes]


def test_no_die_counts_twice() -> None:
    assert all(split.total <= sum(roll) for roll, every, _ in each_roll() for split in every)


def test_splits_that_are_left_out_are_never_better() -> None:
    for _, every, kept in each_roll():
        for split in every:
            better = [other for other in kept if other.boxes == split.boxes and other.few <= split.few]
            assert not split.points or max(other.total for other in better) >= split.total


def test_one_split_stands_for_all_over_the_same_boxes_wherever_any_of_them_is_allowed() -> None:
    for roll, _, kept in each_roll():
        stands_for = {split.boxes: split for split in kept}
        assert len(stands_for) == len(kept)
        assert all(stands_for[split.boxes].few <= split.few for split in every_split(roll, BOXES))


def test_of_a_number_fewer_dice_may_be_entered_than_there_are() -> None:
    names = [split.move for split in every_split((1, 2, 6, 6, 6), ("sixes",))]
    assert names == ["score sixes 18", "score sixes 12", "score sixes 6"]
    assert [split.move for split in best_splits((1, 2, 6, 6, 6), ("sixes",))] == ["score sixes 18"]


def test_the_worked_turn_enters_15_fives_and_3_threes_and_loses_its_1() -> None:
    mine, play = {"mine": ("threes",)}, "12455: keep 5 5, 135"
    found = may(FREE_TO_PASS, mine, play)
    assert "score threes 3 + fives 15" in found
    assert not any("ones" in move for move in found)
    after = played(FREE_TO_PASS, mine, f"{play}: score threes 3 + fives 15")
    assert (int(after.points), after.mover, describe_position(FREE_TO_PASS, after)["theirs"]) == (
        18,
        1,
        ("threes", "fives"),
    )


# --- the sheet -------------------------------------------------------------------------------------------------------


@rules(
    "sheet, play, points, lists",
    {
        "a box that one has scored in is open to both": ({}, "11255: score doubles 12", 12, ((), ("doubles",), ())),
        "to score in it again leaves the sheet as it is": (
            {"mine": ("sixes",)},
            "12366: score sixes 12",
            12,
            ((), ("sixes",), ()),
        ),
        "closed when both have": ({"theirs": ("trebles",)}, "12555: score trebles 15", 15, ((), (), ("trebles",))),
    },
)
def test_a_box_is_open_until_both_have_scored_in_it(
    sheet: dict[str, Any], play: str, points: int, lists: tuple[tuple[str, ...], ...]
) -> None:
    after = played(FREE_TO_PASS, sheet, play)
    fields = describe_position(FREE_TO_PASS, after)
    assert (int(after.points), after.mover) == (points, 1)
    assert (fields["mine"], fields["theirs"], fields["closed"]) == lists


@pytest.mark.parametrize("theirs", [("doubles",), ()])
def test_the_game_ends_when_the_last_box_is_closed(theirs: tuple[str, ...]) -> None:
    closed = tuple(box for box in BOXES if box != "doubles")
    last = played(FREE_TO_PASS, {"closed": closed, "theirs": theirs}, "11234: score doubles 2")
    assert (last.over, int(last.points)) == (theirs != (), 2)


def test_levels_rise_with_every_new_box_and_stay_when_the_players_change() -> None:
    every = np.arange(len(BIT) * 100)
    boards = Columns({"mine": every % 1024, "theirs": every // 3})
    turned = Columns({"mine": boards.theirs, "theirs": boards.mine})
    assert np.array_equal(MUST.level(boards), MUST.level(turned))
    more = Columns({"mine": boards.mine | BIT["ones"], "theirs": boards.theirs})
    new = boards.mine & BIT["ones"] == 0
    assert (MUST.level(more)[new] > MUST.level(boards)[new]).all()


# --- scoring nothing -------------------------------------------------------------------------------------------------


def test_nobody_must_score() -> None:
    for roll, _ in throws(5):
        assert allowed(roll)[-1] == "score nothing"


def test_with_must_score_one_may_only_pass_if_nothing_fits() -> None:
    for sheet in ({}, {"mine": ("ones",)}, {"theirs": ("doubles",)}, {"closed": ("trebles", "doubles")}):
        for roll, _ in throws(5):
            found = allowed(roll, MUST, **sheet)
            assert ("score nothing" in found) == (found == ["score nothing"]), (sheet, roll)
            assert found[-1:] == ["score nothing"] or set(found) < set(allowed(roll, **sheet))


def test_a_single_die_that_fits_must_be_entered() -> None:
    closed = tuple(box for box in BOXES if box != "ones")
    assert allowed((1, 2, 3, 4, 6), MUST, closed=closed) == ["score nothing"]
    assert allowed((1, 2, 3, 4, 6), MUST, closed=closed, mine=("ones",)) == ["score ones 1"]
    assert allowed((1, 1, 1, 4, 6), MUST, closed=closed) == ["score ones 3"]


# --- what it is worth ------------------------------------------------------------------------------------------------


def test_one_sixes_box_that_only_the_other_can_close() -> None:
    # The mover cannot close the sixes alone; what it is worth to own them is what the other cannot take back at once.
    game = Killer(boxes="sixes")
    found = BoardSolver(game, compile_turn(game), compiled=False).solve().values
    space = game.boards()
    positions = (game.locate(mine=("sixes",)), game.locate(theirs=("sixes",)), game.locate())
    owner, other, fresh = (found[space.index_of(**position.board)] for position in positions)
    assert owner > 0 > other
    assert owner > -other
    assert fresh > 0


# --- questions -------------------------------------------------------------------------------------------------------


def test_questions_say_who_has_opened_what() -> None:
    asked = FREE_TO_PASS.locate(mine=("ones",), theirs=("sixes",), closed=("doubles",), roll=(1, 1, 2, 3, 6))
    assert asked.board == {"mine": bits(("ones", "doubles")), "theirs": bits(("sixes", "doubles"))}
    assert asked.state == (1, (1, 1, 2, 3, 6), "roll")
    assert named(ALL_BOXES) == BOXES


def test_boxes_are_typed_by_name() -> None:
    field = FREE_TO_PASS.fields()[0]
    assert field.parse("fives, bull's_eye") == ("bull's eye", "fives")
    assert field.parse(["ones"]) == ("ones",)
    assert field.parse("none") == ()
    assert field.show(("ones", "sixes")) == "ones,sixes"
    assert field.show(()) == "none"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"mine": "sevens"}, "mine has no box 'sevens'; boxes: trebles, bull's eye"),
        ({"mine": "ones,ones"}, "mine names 'ones' twice"),
        ({"mine": 3}, "mine is a list of boxes like trebles,bull's eye, got 3"),
        ({"mine": "ones", "theirs": "ones"}, "'ones' is in mine and in theirs; a box is in one list or in none"),
        ({"theirs": "ones", "closed": "ones"}, "'ones' is in theirs and in closed"),
        ({"closed": ",".join(BOXES)}, "every box is closed, the game is over"),
        ({"rolls_left": 1}, "rolls_left=1 needs roll"),
        ({"roll": "1,2,3,4,5", "rolls_left": 2}, "up to 1 throw is left, got rolls_left=2"),
        ({"roll": "1,2,3,4,5", "rolls_left": 3}, "rolls_left is from 0 to 2, got 3"),
        ({"roll": "1,2,3,4,7"}, "roll needs 5 faces in 1..6"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(asked: dict[str, Any], message: str) -> None:
    assert message in str(refused(FREE_TO_PASS, asked, BadInput))


@rules(
    "parameters, line",
    {
        "objective": ({"objective": "win"}, "objective is one of margin"),
        "must_score": ({"must_score": 1}, "must_score is true or false"),
        "boxes": ({"boxes": "sevens"}, "boxes is all, or some of trebles"),
    },
)
def test_parameters_are_checked(parameters: dict[str, Any], line: str) -> None:
    assert line in str(no_game("killer", **parameters))


# --- rules of thumb --------------------------------------------------------------------------------------------------


def test_what_the_rules_of_thumb_play() -> None:
    known = policies("killer")
    first = ["score doubles 10", "keep 5 5", "keep 1 1", "keep 5 5 6", "keep nothing", "score nothing"]
    thrown = {"roll": (1, 1, 5, 5, 6)}
    assert known["largest-group"].policy(thrown, first) == "keep 5 5"
    assert known["most-boxes"].policy(thrown, first) == "keep 5 5"
    assert known["high-dice"].policy(thrown, first) == "keep 5 5 6"
    last = ["score doubles 12", "score doubles 2 + fives 5", "score nothing"]
    assert known["largest-group"].policy(thrown, last) == "score doubles 12"
    assert known["most-boxes"].policy(thrown, last) == "score doubles 2 + fives 5"
    assert all(house.policy({}, ["roll"]) == "roll" for house in known.values())
    five = {"roll": (4, 4, 4, 4, 4)}
    assert known["largest-group"].policy(five, ["score fours 20", "keep 4 4"]) == "score fours 20"
    assert known["largest-group"].policy(five, ["keep nothing", "score nothing"]) == "keep nothing"


@pytest.mark.parametrize("name", list(policies("killer")))
@pytest.mark.parametrize("state", [{}, {"mine": "doubles"}, {"theirs": "doubles"}], ids=str)
def test_a_rule_of_thumb_does_no_better_than_the_best_play(
    name: str, state: dict[str, str], play: Callable[[TurnGame], str]
) -> None:
    found = compare(play(Killer(boxes="doubles,sixes")), name, state=state)
    assert found.looks_at == ()
    for best, rule in zip(found.best, found.rule, strict=True):
        assert rule[0] <= best[0] + 1e-9
    assert found.cost[1] > 0


def test_what_fits_is_told_once_for_each_set_of_dice() -> None:
    for box in (*BOXES[:4], *NUMBERS):
        for roll, _ in throws(5):
            found = fits(box, roll)
            assert len(found) == len(set(found))
            assert all(all(used.count(face) <= roll.count(face) for face in used) for used in found)
