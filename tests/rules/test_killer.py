"""Killer, by its rules (number 21 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rollwise.comparing import compare
from rollwise.games.claims.replay import Step, moves, replay, told
from rollwise.games.killer import (
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
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.dice import Faces, throws
from rollwise.solver.game.errors import DiceError, ModelError, ParameterError, StateError
from rollwise.solver.game.model import Columns, TurnGame
from rollwise.solver.turn.graph import compile_turn

FREE_TO_PASS = Killer()
MUST = Killer(must_score=True)


def allowed(roll: Faces, game: Killer = FREE_TO_PASS, **sheet: Any) -> list[str]:
    """What may be entered after the last throw."""
    return moves(game, replay(game, {**sheet, "roll": roll, "rolls_left": 0}, []))


def sheet_after(*steps: Step, game: Killer = FREE_TO_PASS, **sheet: Any) -> dict[str, Any]:
    """The sheet as the next player sees it."""
    return told(game, replay(game, sheet, steps))


def most(box: str, roll: Faces, **sheet: Any) -> int:
    """The most points that this roll can enter in one box alone."""
    entered = [move.removeprefix(f"score {box} ") for move in allowed(roll, **sheet) if move.startswith(f"score {box}")]
    return max((int(points) for points in entered if points.isdigit()), default=0)


# --- a turn ----------------------------------------------------------------------------------------------------------


def test_a_turn_starts_with_a_throw_of_all_five_dice() -> None:
    assert moves(FREE_TO_PASS, replay(FREE_TO_PASS, {}, [])) == ["roll"]


def test_any_dice_are_thrown_once_more() -> None:
    first = moves(FREE_TO_PASS, replay(FREE_TO_PASS, {"roll": (1, 2, 4, 5, 5)}, []))
    assert {"keep nothing", "keep 5 5", "keep 1 2 4", "score doubles 10", "score nothing"} <= set(first)
    assert "keep 1 2 4 5 5" not in first
    second = allowed((1, 2, 4, 5, 5))
    assert not any(move.startswith("keep") for move in second)


# --- what the boxes take ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("box", "roll", "points"),
    [
        ("trebles", (5, 5, 5, 1, 2), 15),
        ("trebles", (5, 5, 1, 2, 3), 0),
        ("trebles", (4, 4, 4, 4, 4), 12),
        ("bull's eye", (3, 3, 6, 6, 1), 18),
        ("bull's eye", (3, 3, 3, 3, 1), 0),
        ("bull's eye", (3, 3, 3, 6, 6), 18),
        ("doubles", (4, 4, 1, 2, 6), 8),
        ("doubles", (4, 4, 5, 5, 1), 18),
        ("doubles", (3, 3, 3, 3, 1), 12),
        ("doubles", (1, 2, 3, 4, 6), 0),
        ("sequences", (1, 2, 3, 4, 6), 10),
        ("sequences", (2, 3, 4, 5, 5), 14),
        ("sequences", (3, 4, 5, 6, 1), 18),
        ("sequences", (1, 2, 3, 4, 5), 14),
        ("sequences", (1, 2, 3, 5, 6), 0),
        ("sixes", (6, 6, 6, 1, 2), 18),
    ],
)
def test_a_box_takes_what_the_sheet_says(box: str, roll: Faces, points: int) -> None:
    assert most(box, tuple(sorted(roll))) == points


def test_two_sixes_score_12_once_the_sixes_are_opened() -> None:
    assert most("sixes", (1, 2, 3, 6, 6)) == 0
    assert most("sixes", (1, 2, 3, 6, 6), mine=("sixes",)) == 12
    assert most("sixes", (1, 2, 3, 4, 6), mine=("sixes",)) == 6


def test_a_number_that_the_other_player_has_opened_needs_three_dice_too() -> None:
    assert most("sixes", (1, 2, 3, 6, 6), theirs=("sixes",)) == 0
    assert most("sixes", (1, 2, 6, 6, 6), theirs=("sixes",)) == 18


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


def test_boxes_are_named_in_the_order_of_the_sheet() -> None:
    for roll, _ in throws(5):
        for split in best_splits(roll, BOXES):
            named_boxes = [box for box, _ in split.points]
            assert named_boxes == [box for box in BOXES if box in named_boxes]


def test_no_die_counts_twice() -> None:
    for roll, _ in throws(5):
        assert all(split.total <= sum(roll) for split in splits(roll, BOXES))


def test_splits_that_are_left_out_are_never_better() -> None:
    for roll, _ in throws(5):
        kept = best_splits(roll, BOXES)
        for split in splits(roll, BOXES):
            better = [other for other in kept if other.boxes == split.boxes and other.few <= split.few]
            assert not split.points or max(other.total for other in better) >= split.total


def test_one_split_stands_for_all_over_the_same_boxes_wherever_any_of_them_is_allowed() -> None:
    for roll, _ in throws(5):
        kept = best_splits(roll, BOXES)
        assert len({split.boxes for split in kept}) == len(kept)
        stands_for = {split.boxes: split for split in kept}
        assert all(stands_for[split.boxes].few <= split.few for split in every_split(roll, BOXES))


def test_of_a_number_fewer_dice_may_be_entered_than_there_are() -> None:
    names = [split.move for split in every_split((1, 2, 6, 6, 6), ("sixes",))]
    assert names == ["score sixes 18", "score sixes 12", "score sixes 6"]
    assert [split.move for split in best_splits((1, 2, 6, 6, 6), ("sixes",))] == ["score sixes 18"]


def test_the_worked_turn_enters_15_fives_and_3_threes_and_loses_its_1() -> None:
    keep: Step = ((1, 2, 4, 5, 5), "keep 5 5")
    before = replay(FREE_TO_PASS, {"mine": ("threes",)}, [keep, ((1, 3, 5), None)])
    assert "score threes 3 + fives 15" in moves(FREE_TO_PASS, before)
    assert not any("ones" in move for move in moves(FREE_TO_PASS, before))
    after = replay(FREE_TO_PASS, {"mine": ("threes",)}, [keep, ((1, 3, 5), "score threes 3 + fives 15")])
    assert after.points == 18
    assert after.mover == 1
    assert told(FREE_TO_PASS, after)["theirs"] == ("threes", "fives")


# --- the sheet -------------------------------------------------------------------------------------------------------


def test_a_box_is_open_to_both_until_both_have_scored_in_it() -> None:
    opened = sheet_after(((5, 5, 5, 1, 2), "score trebles 15"))
    assert (opened["mine"], opened["theirs"], opened["closed"]) == ((), ("trebles",), ())
    again = sheet_after(((5, 5, 5, 1, 2), "score trebles 15"), mine=("trebles",))
    assert (again["mine"], again["theirs"], again["closed"]) == ((), ("trebles",), ())
    shut = sheet_after(((5, 5, 5, 1, 2), "score trebles 15"), theirs=("trebles",))
    assert (shut["mine"], shut["theirs"], shut["closed"]) == ((), (), ("trebles",))


def test_scoring_again_carries_points_and_leaves_the_sheet_as_it_is() -> None:
    played = replay(FREE_TO_PASS, {"mine": ("sixes",)}, [((1, 2, 3, 6, 6), "score sixes 12")])
    assert played.points == 12
    assert played.mover == 1
    assert told(FREE_TO_PASS, played)["theirs"] == ("sixes",)


def test_the_game_ends_when_the_last_box_is_closed() -> None:
    closed = tuple(box for box in BOXES if box != "doubles")
    last = replay(FREE_TO_PASS, {"closed": closed, "theirs": ("doubles",)}, [((1, 1, 2, 3, 4), "score doubles 2")])
    assert last.over
    assert last.points == 2
    assert not replay(FREE_TO_PASS, {"closed": closed}, [((1, 1, 2, 3, 4), "score doubles 2")]).over


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
    assert field.parse("none") == field.parse(None) == field.parse("") == ()
    assert field.show(("ones", "sixes")) == "ones,sixes"
    assert field.show(()) == "none"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"mine": "sevens"}, "mine has no box 'sevens' (did you mean 'sequences'?); boxes: trebles, bull's eye"),
        ({"mine": "ones,ones"}, "mine names 'ones' twice"),
        ({"mine": 3}, "mine is a list of boxes like trebles,bull's eye, got 3"),
        ({"mine": "ones", "theirs": "ones"}, "'ones' is in mine and in theirs; a box is in one list or in none"),
        ({"theirs": "ones", "closed": "ones"}, "'ones' is in theirs and in closed"),
        ({"closed": ",".join(BOXES)}, "every box is closed, the game is over"),
        ({"rolls_left": 1}, "rolls_left=1 needs roll"),
        ({"roll": "1,2,3,4,5", "rolls_left": 2}, "up to 1 throw is left, got rolls_left=2"),
        ({"roll": "1,2,3,4,5", "rolls_left": 3}, "rolls_left is from 0 to 2, got 3"),
        ({"roll": "1,2,3,4,5,6"}, "roll needs 5 faces in 1..6, got 1,2,3,4,5,6"),
        ({"roll": "1,2,3,4,7"}, "roll needs 5 faces in 1..6"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(asked: dict[str, Any], message: str) -> None:
    fields = {field.name: field for field in FREE_TO_PASS.fields()}
    with pytest.raises((StateError, DiceError)) as raised:
        FREE_TO_PASS.locate(**{name: fields[name].parse(value) for name, value in asked.items()})
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match="objective is one of margin"):
        Killer(objective="win")
    with pytest.raises(ParameterError, match="must_score is true or false"):
        Killer(must_score=1)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="boxes is all, or some of trebles"):
        Killer(boxes="sevens")


def test_a_move_that_the_sheet_forbids_cannot_be_replayed() -> None:
    with pytest.raises(ModelError, match="has no move 'score ones 1'"):
        replay(FREE_TO_PASS, {}, [((1, 2, 3, 4, 6), "score ones 1")])


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
