"""Six-Dice Zilch, by its rules and our readings of them."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from rollwise.door import the_fields
from rollwise.games.claims.replay import Step, begin, moves, replay
from rollwise.games.registry import game
from rollwise.games.zilch import (
    AGAIN,
    BUST,
    ENOUGH,
    MUST,
    ZILCH,
    Zilch,
    ZilchPoints,
    ZilchTurns,
    chance_lost,
    check_total,
    most_gained,
    never_pays,
    one_pass,
    special,
)
from rollwise.solver.boards.sweep import BoardSolver, BoardValues
from rollwise.solver.game.errors import DiceError, ParameterError, StateError
from rollwise.solver.game.fields import YesNo
from rollwise.solver.game.model import OTHER, SAME, Columns, End, Settled
from rollwise.solver.reference.walk import walk
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.turn.query import OneTurn

DUEL = Zilch()
ROLL: Step = (None, "roll")
STOP: Step = (None, "stop")


def offered(roll: tuple[int, ...], *steps: Step, **state: int) -> dict[str, int]:
    """Points of every way to keep dice of a throw, after these steps of a turn."""
    found = moves(DUEL, replay(DUEL, state, [*steps, (roll, None)]))
    return {move: int(move.split(" for ")[1]) for move in found if move.startswith("keep")}


def most(roll: tuple[int, ...], *steps: Step) -> int:
    return max(offered(roll, *steps).values())


def trio_of(face: int) -> list[Step]:
    """A first throw of which a trio is kept."""
    others = [other for other in (2, 3, 4, 6) if other != face][:3]
    return [((face, face, face, *others), f"keep {face} {face} {face} for {1000 if face == 1 else 100 * face}"), ROLL]


def columns(mine: int, theirs: int) -> Columns:
    return Columns({"mine": np.array([mine // 50]), "theirs": np.array([theirs // 50])})


def settled(result: Any, mine: int, theirs: int, made: Zilch = DUEL) -> Settled:
    return made.settle(columns(mine, theirs), result)


def legal(said: Settled) -> bool:
    return bool(np.all(said.legal))


def scores(said: Settled) -> tuple[int, int]:
    """The next mover's score and the other one's."""
    assert said.next is not None
    return 50 * int(said.next["mine"][0]), 50 * int(said.next["theirs"][0])


# --- what dice are worth ---------------------------------------------------------------------------------------------


def test_single_ones_and_fives_score_and_no_other_single_die() -> None:
    assert offered((1, 5, 2, 3, 6, 6)) == {"keep 1 5 for 150": 150, "keep 1 for 100": 100, "keep 5 for 50": 50}


@pytest.mark.parametrize(("face", "points"), [(1, 1000), (2, 200), (3, 300), (4, 400), (5, 500), (6, 600)])
def test_three_equal_dice_of_one_throw(face: int, points: int) -> None:
    others = [other for other in (2, 3, 4, 6) if other != face][:3]
    assert most((face, face, face, *others)) == points


def test_ones_and_fives_may_be_kept_one_by_one_and_counted_low() -> None:
    assert sorted(offered((1, 1, 1, 2, 3, 4)).values()) == [100, 200, 300, 1000]
    assert sorted(offered((5, 5, 5, 2, 3, 4)).values()) == [50, 100, 150, 500]
    assert offered((2, 2, 2, 3, 4, 6)) == {"keep 2 2 2 for 200": 200}


def test_three_fives_counted_as_singles_leave_no_trio_on_the_board() -> None:
    first = (5, 5, 5, 2, 3, 4)
    assert offered((5, 2, 3), (first, "keep 5 5 5 for 150"), ROLL) == {"keep 5 for 50": 50}
    assert offered((5, 2, 3), (first, "keep 5 5 5 for 500"), ROLL) == {"keep 5 for 100": 100, "keep 5 for 50": 50}


@pytest.mark.parametrize("face", [2, 3, 4, 6])
def test_a_die_that_matches_the_trio_on_the_board_is_100(face: int) -> None:
    other = 2 if face != 2 else 3
    assert offered((face, other, 6 if face != 6 else 4), *trio_of(face)) == {f"keep {face} for 100": 100}
    assert most((face, face, 1), *trio_of(face)) == 300


def test_three_dice_equal_to_the_trio_are_three_matches_or_a_new_three_of_a_kind() -> None:
    assert sorted(offered((2, 2, 2), *trio_of(2)).values()) == [100, 200, 200, 300]
    assert sorted(offered((6, 6, 6), *trio_of(6)).values()) == [100, 200, 300, 600]


def test_fives_beside_a_trio_of_fives_count_50_or_100_each() -> None:
    assert sorted(offered((5, 5, 2), *trio_of(5)).values()) == [50, 100, 100, 150, 200]


def test_a_five_kept_before_the_trio_still_counts_50() -> None:
    steps: list[Step] = [((5, 2, 3, 4, 6, 6), "keep 5 for 50"), ROLL, ((5, 5, 5, 2, 3), "keep 5 5 5 for 500")]
    assert next(iter(DUEL.describe(*_at(steps))))["turn"] == 550


def _at(steps: list[Step], **state: int) -> tuple[Any, Any]:
    played = replay(DUEL, state, steps)
    return played.board, played.word.state  # type: ignore[union-attr]


def test_a_trio_of_ones_changes_nothing() -> None:
    played = replay(DUEL, {}, trio_of(1)[:1])
    assert played.word.state == (1000, 3, 0)  # type: ignore[union-attr]


def test_fourth_fifth_and_sixth_equal_dice_of_a_throw_are_100_each() -> None:
    assert most((4, 4, 4, 4, 2, 3)) == 500
    assert most((4, 4, 4, 4, 4, 3)) == 600
    assert most((1, 1, 1, 1, 2, 3)) == 1100
    assert sorted(offered((5, 5, 5, 5, 2, 3)).values()) == [50, 100, 150, 200, 500, 550, 600]


def test_six_equal_dice_are_a_trio_and_three_matches_or_two_trios() -> None:
    assert sorted(offered((2,) * 6).values()) == [200, 300, 400, 400, 500]
    assert most((6,) * 6) == 1200
    assert most((1,) * 6) == 2000


def test_the_board_is_cleared_when_all_six_dice_are_used() -> None:
    steps = [*trio_of(4), ((4, 5, 6), "keep 4 5 for 150"), ROLL, ((1,), "keep 1 for 100")]
    board, state = _at(steps, mine=8500, theirs=8800)
    assert state == (650, 6, 0)
    assert offered((4, 1, 2, 3, 6, 6), *steps, ROLL, mine=8500, theirs=8800) == {"keep 1 for 100": 100}
    assert board == {"mine": 170, "theirs": 176}


# --- special throws --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "roll", [(2, 2, 4, 4, 6, 6), (3, 3, 3, 3, 5, 5), (2, 2, 2, 2, 2, 2), (4, 1, 4, 4, 1, 4)], ids=str
)
def test_three_pairs_may_be_any_pairs_also_equal_ones(roll: tuple[int, ...]) -> None:
    assert special(roll) == "three pairs"
    assert replay(DUEL, {}, [(roll, "score three pairs")]).word.state == (1000, 6, MUST)  # type: ignore[union-attr]


def test_a_straight_is_1500_and_needs_all_six_dice() -> None:
    assert replay(DUEL, {}, [((6, 2, 4, 1, 5, 3), "score straight")]).word.state == (1500, 6, MUST)  # type: ignore[union-attr]
    assert special((1, 2, 3, 4, 5)) == special((2, 2, 3, 3, 4)) == special((2, 2, 2, 3, 3, 3)) == ""


@pytest.mark.parametrize(("roll", "move"), [((1, 2, 3, 4, 5, 6), "straight"), ((2, 2, 3, 3, 5, 5), "three pairs")])
def test_a_special_throw_must_be_followed_by_one_of_all_six(roll: tuple[int, ...], move: str) -> None:
    played = replay(DUEL, {}, [(roll, f"score {move}")])
    assert moves(DUEL, played) == ["roll"]
    assert moves(DUEL, replay(DUEL, {}, [(roll, f"score {move}"), ((1, 2, 2, 3, 4, 6), "keep 1 for 100")])) == [
        "stop",
        "roll",
    ]


def test_a_declined_special_throw_forces_nothing() -> None:
    state = {"mine": 8800, "theirs": 10150}
    throw = (4, 1, 4, 4, 1, 4)
    declined = replay(DUEL, {"mine": 9500, "theirs": 10150}, [(throw, "keep 1 1 4 4 4 4 for 700")])
    assert moves(DUEL, declined) == ["stop", "roll"]
    assert moves(DUEL, replay(DUEL, state, [(throw, "score three pairs")])) == ["roll"]
    assert offered((1, 2, 3, 4, 5, 6)) == {"keep 1 5 for 150": 150, "keep 1 for 100": 100, "keep 5 for 50": 50}


def test_three_pairs_without_another_score_have_to_be_scored() -> None:
    assert moves(DUEL, replay(DUEL, {}, [((2, 2, 4, 4, 6, 6), None)])) == ["score three pairs"]


# --- stopping, losing, opening ---------------------------------------------------------------------------------------


def test_a_turn_below_350_goes_on() -> None:
    ones: list[Step] = [((1, 1, 1, 2, 3, 4), "keep 1 1 1 for 300")]
    assert moves(DUEL, replay(DUEL, {"mine": 1000}, ones)) == ["roll"]
    assert moves(DUEL, replay(DUEL, {"mine": 1000}, [*ones, ROLL, ((5, 2, 3), "keep 5 for 50")])) == ["stop", "roll"]


@pytest.mark.parametrize("opening", [750, 350])
def test_the_first_score_is_the_opening_or_more(opening: int) -> None:
    made = Zilch(opening=opening)
    assert legal(settled(opening, 0, 2000, made))
    assert legal(settled(opening - 50, 2000, 2000, made))
    assert not legal(settled(opening - 50, 0, 2000, made))


def test_points_are_banked_and_the_dice_go_to_the_other_player() -> None:
    said = settled(550, 8500, 8800)
    assert (scores(said), said.mover, bool(said.won[0])) == ((8800, 9050), OTHER, False)


def test_a_throw_that_scores_nothing_loses_the_turn() -> None:
    assert scores(settled(BUST, 3000, 4000)) == (4000, 3000)
    assert _results(1000, 5, 0) == {BUST}
    assert _results(1000, 3, 4) == {BUST}


def _results(*state: Any) -> set[Any]:
    """How a turn can end with the next throw."""
    word = dict(DUEL.play(*state).moves)["roll"]  # type: ignore[union-attr]
    return {after.result for _, after in word.outcomes if isinstance(after, End)}


def test_six_dice_that_score_nothing_console_with_100() -> None:
    assert scores(settled(ZILCH, 3000, 4000)) == (4000, 3100)
    assert _results(0, 6, 0) == _results(550, 6, 0) == _results(1000, 6, MUST) == {ZILCH}


def test_there_is_no_consolation_without_a_score_nor_up_to_the_goal() -> None:
    assert scores(settled(ZILCH, 0, 4000)) == (4000, 0)
    assert scores(settled(ZILCH, 9850, 4000)) == (4000, 9950)
    assert scores(settled(ZILCH, 9900, 4000)) == (4000, 9900)
    assert scores(settled(ZILCH, 9950, 4000)) == (4000, 9950)


# --- the end of the game ---------------------------------------------------------------------------------------------


def test_the_goal_takes_a_turn_of_500() -> None:
    assert not legal(settled(450, 9550, 2000))
    assert legal(settled(450, 9500, 2000))
    assert legal(settled(500, 9500, 2000))


def test_whoever_crosses_the_goal_gives_the_other_a_last_turn() -> None:
    said = settled(1650, 8500, 8800)
    assert (scores(said), said.mover, bool(said.won[0])) == ((8800, 10150), OTHER, False)
    assert DUEL.level(columns(8800, 10150)) > DUEL.level(columns(9950, 9950))


def test_the_last_turn_wins_with_more_than_the_leader_and_a_tie_does_not() -> None:
    assert legal(settled(1400, 8800, 10150))
    assert settled(1400, 8800, 10150).won.all()
    assert not legal(settled(1350, 8800, 10150))
    assert settled(BUST, 8800, 10150).over.all()
    assert settled(ZILCH, 8800, 10150).over.all()


def test_the_last_turn_takes_500_too_and_the_opening_from_nothing() -> None:
    assert not legal(settled(450, 9950, 10000))
    assert legal(settled(500, 9950, 10000))
    late = Zilch(goal=500)
    assert not legal(settled(700, 0, 750, late))
    assert legal(settled(800, 0, 750, late))
    assert not legal(settled(500, 0, 500, Zilch(goal=500, opening=350)))
    assert legal(settled(550, 0, 500, Zilch(goal=500, opening=350)))
    assert not legal(settled(700, 0, 600, late))
    assert legal(settled(750, 0, 600, late))


def test_the_crosser_may_roll_on() -> None:
    assert moves(DUEL, begin(DUEL, {"mine": 8500, "theirs": 8800, "turn": 1650, "dice": 3})) == ["stop", "roll"]
    assert scores(settled(4900, 9000, 9000)) == (9000, 13900)


def test_a_leader_far_past_the_goal_is_chased_for_the_points_that_are_wanted() -> None:
    said = settled(6000, 9000, 8000)  # 15,000: the other one wants 7,050
    assert said.next is not None
    assert (int(said.next["mine"][0]), int(said.next["theirs"][0]) - DUEL.far()) == (0, 7050 // 50)
    chase = Columns({"mine": np.array([0]), "theirs": np.array([DUEL.far() + 20])})
    assert not legal(DUEL.settle(chase, (ENOUGH, 950)))
    assert legal(DUEL.settle(chase, (ENOUGH, 1000)))
    again = DUEL.settle(chase, (AGAIN, 600))
    assert again.next is not None
    assert (again.mover, int(again.next["theirs"][0]) - DUEL.far()) == (SAME, 8)
    assert DUEL.settle(chase, BUST).over.all()


# --- the source's sample rounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "steps", "roll", "allowed"),
    [
        (
            {"mine": 8400, "theirs": 6300},
            [],
            (6, 5, 4, 1, 6, 3),
            ["keep 1 5 for 150", "keep 1 for 100", "keep 5 for 50"],
        ),
        (
            {"mine": 8400, "theirs": 6300},
            [((6, 5, 4, 1, 6, 3), "keep 1 for 100"), ROLL],
            (3, 5, 1, 3, 3),
            ["keep 1 3 3 3 5 for 450", "keep 3 3 3 for 300", "keep 1 for 100", "keep 1 5 for 150"],
        ),
        ({"mine": 6300, "theirs": 8500}, [], (6, 2, 4, 1, 5, 3), ["score straight", "keep 1 5 for 150"]),
        (
            {"mine": 8500, "theirs": 8800},
            [((4, 2, 4, 6, 5, 4), "keep 4 4 4 for 400"), ROLL],
            (5, 4, 6),
            ["keep 4 5 for 150", "keep 4 for 100", "keep 5 for 50"],
        ),
        ({"mine": 8800, "theirs": 10150}, [], (4, 1, 4, 4, 1, 4), ["score three pairs", "keep 1 1 4 4 4 4 for 700"]),
    ],
)
def test_the_sample_rounds_have_these_moves(
    state: dict[str, int], steps: list[Step], roll: tuple[int, ...], allowed: list[str]
) -> None:
    found = moves(DUEL, replay(DUEL, state, [*steps, (roll, None)]))
    assert set(allowed) <= set(found)


def test_the_last_sample_round_wins_with_1450() -> None:
    steps: list[Step] = [
        ((4, 1, 4, 4, 1, 4), "score three pairs"),
        ((5, 3, 1, 3, 4, 3), "keep 1 3 3 3 5 for 450"),
        STOP,
    ]
    played = replay(DUEL, {"mine": 8800, "theirs": 10150}, steps)
    assert played.over
    assert played.shares == (Fraction(1), Fraction(0))


# --- near the goal ---------------------------------------------------------------------------------------------------


@cache
def small() -> tuple[Zilch, TurnGraph, BoardValues]:
    made = Zilch(goal=500, opening=350)
    graph = compile_turn(made)
    return made, graph, BoardSolver(made, graph).solve()


def worth(mine: int, theirs: int, **turn: Any) -> dict[str, float]:
    made, graph, found = small()
    position = made.locate(mine=mine, theirs=theirs, **turn)
    here = OneTurn(
        made, graph, position.board, lambda boards: (found.values[boards], found.radius[boards].astype(float))
    )
    return {move: float(row[0]) for move, row in here.moves(position.state)}


def test_more_points_for_the_same_dice_can_be_worth_less() -> None:
    """Against 450 of 500 it is better to bank 350 than to cross, which would give the other one a last turn."""
    found = worth(0, 450, roll=(1, 1, 2, 5, 5, 5))
    assert max(found, key=lambda move: found[move]) == "keep 1 1 5 5 5 for 350"
    assert found["keep 1 1 5 5 5 for 350"] > found["keep 1 1 5 5 5 for 700"] + 0.003


def test_the_start_is_known_to_a_billionth_in_spite_of_the_cut() -> None:
    _, _, found = small()
    assert np.nanmax(found.radius) < 5e-10


# --- alone -----------------------------------------------------------------------------------------------------------


def test_alone_it_is_the_number_of_turns_or_the_points_of_one() -> None:
    assert isinstance(game("zilch", {"players": 1}), ZilchTurns)
    assert isinstance(game("zilch", {"players": 1, "objective": "points"}), ZilchPoints)
    with pytest.raises(ParameterError, match="players=2 has objective win"):
        game("zilch", {"objective": "points"})
    with pytest.raises(ParameterError, match="turns or points"):
        game("zilch", {"players": 1, "objective": "win"})


def test_alone_every_turn_counts_one_and_a_special_throw_past_the_goal_none() -> None:
    made = ZilchTurns(goal=1000, players=1, objective="turns")
    board = Columns({"mine": np.array([18]), "forced": np.array([0])})
    assert [made.settle(board, result).reward for result in (BUST, ZILCH, 500)] == [1, 1, 1]
    assert made.settle(board, AGAIN).reward == 0
    assert not legal(made.settle(board, 450))
    assert made.settle(board, 500).over.all()
    asked = made.locate(mine=900, turn=1300, must_roll=True)
    assert (asked.board, asked.state) == ({"mine": 18, "forced": 1}, (1000, 6, MUST))


def test_past_the_cut_of_a_single_turn_throwing_on_never_pays() -> None:
    assert never_pays() == 17_200
    for here in one_pass():
        assert most_gained(*here) <= chance_lost(*here) * never_pays()


def test_a_single_turn_is_consoled_only_with_a_score() -> None:
    made = ZilchPoints(players=1, objective="points")
    opened = Columns({"opened": np.array([0, 1])})
    assert made.settle(opened, ZILCH).reward.tolist() == [0, 100]
    assert made.settle(opened, BUST).reward.tolist() == [0, 0]
    assert made.settle(opened, 700).legal.tolist() == [False, True]
    assert made.settle(opened, 750).legal.tolist() == [True, True]


@pytest.mark.slow
def test_a_single_turn_keeps_the_rules_for_game_files() -> None:
    assert walk(ZilchPoints(players=1, objective="points")).n_boards == 2


# --- questions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "told", "hint"),
    [
        ({"turn": 450, "dice": 2}, "; it is possible with trio=4", "trio=4"),
        ({"turn": 50, "dice": 2}, "make 200 points or more", ""),
        ({"turn": 300, "dice": 2, "trio": 4}, "make 450 points or more", ""),
    ],
)
def test_a_trio_that_makes_a_question_possible_is_named(said: dict[str, Any], told: str, hint: str) -> None:
    with pytest.raises(StateError) as error:
        DUEL.locate(**the_fields(DUEL, said))
    assert str(error.value).endswith(told)
    assert error.value.hint == hint
    if hint:
        DUEL.locate(**the_fields(DUEL, {**said, "trio": hint.partition("=")[2]}))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"turn": 600, "dice": 6, "trio": 2}, "beside a trio on the board 1 to 3 dice are left to throw, got 6"),
        ({"turn": 600, "dice": 5, "trio": 3}, "beside a trio on the board 1 to 3 dice are left to throw, got 5"),
        ({"turn": 600, "roll": (1, 2, 3, 4), "trio": 3}, "1 to 3 dice are left to throw, got 4"),
        ({"trio": 3}, "1 to 3 dice are left to throw, got 6"),
        ({"mine": 300}, "mine is 0, or 750 (the opening) or more, got 300"),
        ({"theirs": 700}, "theirs is 0, or 750 (the opening) or more, got 700"),
        ({"turn": 300}, "with turn=300 say how many dice are left"),
        (
            {"turn": 100, "dice": 3},
            "turn=100 is impossible with 3 dice to throw: the dice kept before make 150 points",
        ),
        ({"dice": 2}, "turn=0 is impossible with 2 dice to throw: the dice kept before make 200 points or more"),
        ({"turn": 200, "dice": 5}, "turn=200 is impossible with 5 dice to throw: no dice that are kept make so many"),
        ({"turn": 300, "dice": 2, "trio": 4}, "beside a trio of 4 4 4: the dice kept before make 450 points or more"),
        ({"turn": 900, "dice": 3, "trio": 1}, "beside a trio of 1 1 1: the dice kept before make 1000 points or more"),
        ({"turn": 250, "dice": 6}, "turn=250 is impossible with 6 dice to throw"),
        ({"turn": 1100, "must_roll": True}, "turn=1100 is impossible with 6 dice to throw"),
        ({"turn": 1000, "dice": 3, "must_roll": True}, "after a special throw all 6 dice must be thrown, got 3"),
        ({"turn": 300, "roll": (2, 3, 4)}, "roll 2 3 4 scores nothing, the turn is over"),
        ({"turn": 300, "roll": (1, 5), "dice": 3}, "roll shows 2 dice, but dice says 3; leave dice out"),
        ({"mine": 10000}, "mine is from 0 to 9950, got 10000"),
        ({"mine": 925}, "mine is a multiple of 50, got 925"),
        ({"theirs": 14000}, "theirs is from 0 to 13950, got 14000"),
        ({"trio": 7, "turn": 700, "dice": 2}, "trio is from 1 to 6, got 7"),
        ({"must_roll": "perhaps"}, "must_roll is true or false, got 'perhaps'"),
    ],
)
def test_a_question_that_breaks_the_rules_is_told_what_was_wanted_in_one_line(said: dict[str, Any], told: str) -> None:
    with pytest.raises(StateError) as error:
        DUEL.locate(**the_fields(DUEL, said))
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_roll_of_seven_dice_or_of_a_seven_is_no_roll() -> None:
    for roll in ((1,) * 7, (1, 7)):
        with pytest.raises(DiceError, match=r"roll needs 1 to 6 faces in 1\.\.6"):
            the_fields(DUEL, {"roll": roll})


def test_a_question_names_its_position() -> None:
    asked = DUEL.locate(**the_fields(DUEL, {"mine": 8500, "theirs": 8800, "turn": 400, "trio": 4, "roll": "5,4,6"}))
    assert (asked.board, asked.state) == ({"mine": 170, "theirs": 176}, (400, 3, 4, (4, 5), ""))
    assert DUEL.locate(turn=1500, must_roll=True).state == (1500, 6, MUST)
    assert DUEL.locate(turn=1000, dice=3, trio=1).state == DUEL.locate(turn=1000, dice=3).state == (1000, 3, 0)
    assert YesNo("must_roll", "").show(YesNo("must_roll", "").parse("yes")) == "true"


def test_the_totals_that_a_question_may_name_are_those_that_turns_come_to() -> None:
    _, graph, _ = small()
    here: list[tuple[int, Any]] = [*one_pass(), (6, MUST)]
    for dice, trio in here:
        for total in range(0, 4500, 50):
            first = (1000, 1500) if trio == MUST else ()
            try:
                check_total(total, dice, 0 if trio == MUST else trio, 0, first)
                asked = True
            except StateError:
                asked = False
            assert asked == (graph.node_of((total, dice, trio)) is not None), (total, dice, trio)
