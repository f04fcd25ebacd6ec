"""Killer, by its rules (number 21 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims.replay import describe_position, moves, replay
from rollwise.games.killer.rules import (
    ALL_BOXES,
    BIT,
    BOXES,
    NUMBERS,
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
from tests.games.helping import may, played, rules, thorough

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


def test_any_dice_are_thrown_once_more_and_two_pairs_may_be_split() -> None:
    first = moves(FREE_TO_PASS, replay(FREE_TO_PASS, {"roll": (1, 2, 4, 5, 5)}, []))
    assert {"keep nothing", "keep 5 5", "keep 1 2 4", "score doubles 10", "score nothing"} <= set(first)
    assert "keep 1 2 4 5 5" not in first
    second = allowed((1, 2, 4, 5, 5))
    assert not any(move.startswith("keep") for move in second)
    found = allowed((4, 4, 5, 5, 5), mine=("fours",))
    assert {"score doubles 8 + fives 15", "score trebles 15 + doubles 8", "score fours 8 + fives 15"} <= set(found)
    assert "score bull's eye 18" in found
    names = [split.move for split in every_split((1, 2, 6, 6, 6), ("sixes",))]
    assert names == ["score sixes 18", "score sixes 12", "score sixes 6"]
    assert [split.move for split in best_splits((1, 2, 6, 6, 6), ("sixes",))] == ["score sixes 18"]


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


def test_splits_name_boxes_in_order_count_no_die_twice_and_none_that_is_left_out_is_better() -> None:
    for roll, _ in throws(5):
        every, kept = list(splits(roll, BOXES)), list(best_splits(roll, BOXES))
        assert all(split.total <= sum(roll) for split in every)
        for split in kept:
            named_boxes = [box for box, _ in split.points]
            assert named_boxes == [box for box in BOXES if box in named_boxes]
        for split in every:
            better = [other for other in kept if other.boxes == split.boxes and other.few <= split.few]
            assert not split.points or max(other.total for other in better) >= split.total
        # one stands for all over the same boxes wherever any of them is allowed
        stands_for = {split.boxes: split for split in kept}
        assert len(stands_for) == len(kept)
        assert all(stands_for[split.boxes].few <= split.few for split in every_split(roll, BOXES))
        for box in BOXES:
            found = fits(box, roll)
            assert len(found) == len(set(found))
            assert all(all(used.count(face) <= roll.count(face) for face in used) for used in found)
        assert allowed(roll)[-1] == "score nothing"  # nobody must score


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


def test_with_must_score_one_may_only_pass_if_nothing_fits() -> None:
    for sheet in ({"mine": ("ones",)}, {"theirs": ("sixes",), "closed": ("trebles", "doubles")}):
        for roll, _ in throws(5):
            found = allowed(roll, MUST, **sheet)
            assert ("score nothing" in found) == (found == ["score nothing"]), (sheet, roll)
            assert found[-1:] == ["score nothing"] or set(found) < set(allowed(roll, **sheet))
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


def test_questions_say_who_has_opened_what_and_boxes_are_typed_by_name() -> None:
    asked = FREE_TO_PASS.locate(mine=("ones",), theirs=("sixes",), closed=("doubles",), roll=(1, 1, 2, 3, 6))
    assert asked.board == {"mine": bits(("ones", "doubles")), "theirs": bits(("sixes", "doubles"))}
    assert asked.state == (1, (1, 1, 2, 3, 6), "roll")
    assert named(ALL_BOXES) == BOXES
    field = FREE_TO_PASS.fields()[0]
    typed = ("fives, bull's_eye", ["ones"], "none")
    assert [field.parse(given) for given in typed] == [("bull's eye", "fives"), ("ones",), ()]
    assert [field.show(value) for value in (("ones", "sixes"), ())] == ["ones,sixes", "none"]
    with pytest.raises(BadInput, match="mine is a list of boxes like trebles,bull's eye, got 3"):
        field.parse(3)


# --- rules of thumb --------------------------------------------------------------------------------------------------


FIRST = ["score doubles 10", "keep 5 5", "keep 1 1", "keep 5 5 6", "keep nothing", "score nothing"]
LAST = ["score doubles 12", "score doubles 2 + fives 5", "score nothing"]


@pytest.mark.parametrize(
    ("name", "roll", "moves", "move"),
    [
        ("largest-group", "11556", FIRST, "keep 5 5"),
        ("most-boxes", "11556", FIRST, "keep 5 5"),
        ("high-dice", "11556", FIRST, "keep 5 5 6"),
        ("largest-group", "11556", LAST, "score doubles 12"),
        ("most-boxes", "11556", LAST, "score doubles 2 + fives 5"),
        ("largest-group", "44444", ["score fours 20", "keep 4 4"], "score fours 20"),
        ("largest-group", "44444", ["keep nothing", "score nothing"], "keep nothing"),
        *((name, "", ["roll"], "roll") for name in policies("killer")),
    ],
)
def test_what_the_rules_of_thumb_play(name: str, roll: str, moves: list[str], move: str) -> None:
    assert policies("killer")[name].policy({"roll": tuple(map(int, roll))} if roll else {}, moves) == move


@pytest.mark.parametrize("name", list(policies("killer")))
@pytest.mark.parametrize("state", [{}, *thorough({"mine": "doubles"}, {"theirs": "doubles"})], ids=str)
def test_a_rule_of_thumb_does_no_better_than_the_best_play(
    name: str, state: dict[str, str], play: Callable[[TurnGame], str]
) -> None:
    found = compare(play(Killer(boxes="doubles,sixes")), name, state=state)
    assert found.looks_at == ()
    for best, rule in zip(found.best, found.rule, strict=True):
        assert rule[0] <= best[0] + 1e-9
    assert found.cost[1] > 0
