"""A turn may go on past the goal, or past a cut, where nobody would: what that is worth is known all the same."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.piggy_six import rules as piggy_six
from rollwise.games.piggy_six.robots import PiggySixAgainstRobots
from rollwise.games.piggy_six.rules import PiggySix
from rollwise.games.ten_thousand.rules import keeps, scoring
from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.model.dice import grouped
from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.fields import NO_LIMIT
from rollwise.solver.model.game import (
    Boards,
    Bounded,
    Chance,
    Columns,
    Decision,
    End,
    FirstLegal,
    Goto,
    Node,
    Transition,
    TurnGame,
    at_least,
)
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.query import LOWER, UPPER, ExactTurn, OneTurn
from rollwise.solver.values.board_solver import BoardSolver
from tests.asked import CLOSE, Moves, Question, ask, ask_twice, intervals, require_sound
from tests.games.helping import thorough


def one(made: TurnGame, move: str, **question: Any) -> tuple[float, float]:
    return intervals(ask(made, question))[move]


def meet(found: tuple[float, float], *parts: tuple[Fraction, tuple[float, float]]) -> bool:
    """Is the mean of some intervals, each with its chance, the interval that was found, but for rounding?"""
    assert sum(chance for chance, _ in parts) == 1
    ends = [sum(float(chance) * interval[end] for chance, interval in parts) for end in (0, 1)]
    tiny = 1e-15 * max(1.0, abs(ends[1]))
    return found[0] <= ends[1] + tiny and ends[0] - tiny <= found[1]


def other_side(interval: tuple[float, float]) -> tuple[float, float]:
    return 1 - interval[1], 1 - interval[0]


SURE, LOST = (1.0, 1.0), (0.0, 0.0)


def require_sure(found: Moves, stop: str, safe: Fraction, bust: tuple[float, float]) -> None:
    """To stop is sure of it; a throw is too, if it is safe."""
    assert list(found) == [stop, "roll"]
    assert meet(found[stop], (Fraction(1), SURE))
    assert meet(found["roll"], (safe, SURE), (1 - safe, bust))


def test_in_pig_one_may_roll_on_with_enough_and_hold_after_that(own_cache: Store) -> None:
    made = parse_game("pig", {"target": 12})
    for (mine, theirs), turn in product(((0, 5), (11, 11)), (12, 13, NO_LIMIT)):
        found = ask_twice(own_cache, made, mine=mine, theirs=theirs, turn=turn)
        require_sure(found, "hold", Fraction(5, 6), other_side(one(made, "roll", mine=theirs, theirs=mine)))
    made = parse_game("pig", {"target": 3})
    hold, roll = ask(made, {"turn": 7, "theirs": 2}, exact=True).moves
    assert hold.exact == "1"
    lost = 1 - Fraction(str(ask(made, {"mine": 2}, exact=True).exact))
    assert Fraction(str(roll.exact)) == Fraction(5, 6) + Fraction(1, 6) * lost


def test_in_ten_thousand_one_may_throw_on_with_enough_and_stop_after_that(own_cache: Store) -> None:
    duel, alone = (parse_game("ten-thousand", {"goal": 500, "players": players}) for players in (2, 1))
    for turn, dice in ((500, 1), (10_450, 6), (NO_LIMIT, 1)):
        safe = 1 - Fraction(dict(grouped(dice, scoring))[()], 6**dice)
        found = ask_twice(own_cache, duel, mine=450, theirs=300, turn=turn, dice=dice)
        require_sure(found, "stop", safe, other_side(one(duel, "roll", mine=300, theirs=450)))
        found = ask_twice(own_cache, alone, mine=100, turn=turn, dice=dice)
        low, high = one(alone, "roll", mine=100)
        require_sure(found, "stop", safe, (1 + low, 1 + high))
    for turn in (450, NO_LIMIT):  # and every way to keep dice wins
        found = ask_twice(own_cache, duel, theirs=300, turn=turn, roll=(1, 5, 2))
        assert list(found) == ["keep 1 5 for 150", "keep 1 for 100", "keep 5 for 50"]
        assert all(meet(interval, (Fraction(1), SURE)) for interval in found.values())


@pytest.mark.parametrize("turn", [10_050, *thorough(1_000_000)])
def test_a_single_turn_past_its_cut_is_worth_itself_or_one_throw_more(turn: int) -> None:
    made = parse_game("ten-thousand", {"players": 1, "objective": "points"})
    for dice in (1, 2, 6):
        advice = ask(made, {"turn": turn, "dice": dice})
        require_sound(advice, CLOSE)
        assert advice.best == ["stop"]
        after = sum(ways * (turn + best_keep(seen)) for seen, ways in grouped(dice, scoring) if seen)
        assert meet(intervals(advice)["stop"], (Fraction(1), (turn, turn)))
        assert meet(intervals(advice)["roll"], (Fraction(1), (after / 6**dice,) * 2))
    assert intervals(ask(made, {"turn": turn, "roll": (5, 2, 2, 2, 1)}))["keep 1 2 2 2 for 300"][0] > turn + 299


def best_keep(seen: tuple[int, ...]) -> int:
    return max(points for *_, points in keeps(seen))


def solved(made: TurnGame) -> Callable[[Question], Moves]:
    """Asks a game without a cache, by the file of it that is here now."""
    graph = compile_turn(made)
    found = BoardSolver(made, graph).solve()

    def read(boards: Any) -> Any:
        return found.values[boards], found.radius[boards].astype(float)

    def moves(question: Question) -> Moves:
        position = made.locate(**parse_fields(made, question))
        turn = OneTurn(made, graph, position.board, read)
        return {name: (float(row[LOWER]), float(row[UPPER])) for name, row in turn.moves(position.state)}

    return moves


CHOSEN_ANEW: Any = {"target": 4, "max_dice": 3, "choose": "roll"}


@pytest.mark.parametrize("parameters", [{"target": 3, "max_dice": 3}, *thorough({"target": 3}, CHOSEN_ANEW)], ids=str)
def test_far_ahead_in_piggy_six_the_answer_is_that_of_a_turn_followed_further(
    parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = PiggySix(**parameters)
    cut, last = made.enough(), made.enough() + 5 * made.max_dice
    chosen: list[dict[str, int]] = [{"dice": 1}, {"dice": 3}] if made.dice_field() else [{}]
    asked = [
        {"mine": mine, "theirs": theirs, "seat": seat, "turn": turn, **dice}
        for mine, theirs in ((0, 0), (made.target - 1, 0), (0, made.target - 1))
        for seat in (0, 1)
        for turn in (cut - 1, cut, last - 1, last, last + 40)
        for dice in chosen
    ]
    asked += [{"theirs": theirs, "seat": 1, "turn": last + 60, **chosen[0]} for theirs in (made.target, last)]
    here = solved(made)
    found = [here(question) for question in asked]
    monkeypatch.setattr(piggy_six, "PAST_TARGET", 2 * piggy_six.PAST_TARGET)
    further = solved(made)
    for question, moves in zip(asked, found, strict=True):
        true = further(question)
        assert moves.keys() == true.keys()
        for move, (lower, upper) in moves.items():
            assert true[move][1] - true[move][0] < 1e-9
            assert lower <= true[move][1], (question, move)
            assert true[move][0] <= upper, (question, move)
            sure = question["turn"] < last - 5 * made.max_dice or question["seat"] == 1
            assert upper - lower < (1e-9 if sure else 0.01), (question, move)


@pytest.mark.thorough
def test_far_ahead_in_piggy_six_rolling_is_known_as_well_as_holding(own_cache: Store) -> None:
    """The question that was answered with a roll worth 12 %, give or take 40."""
    found = ask_twice(own_cache, parse_game("piggy-six", {"target": 50}), turn=110)
    for move, low, high in (("hold", 0.998, 0.999), ("roll", 0.81, 0.82)):
        assert low < found[move][0] < found[move][1] < high


def test_more_points_ahead_are_never_worth_less() -> None:
    made = PiggySix(target=4)
    moves = solved(made)
    for seat in (0, 1):
        held = [moves({"seat": seat, "turn": turn})["hold"] for turn in (*range(55, 160, 5), NO_LIMIT)]
        assert all(low <= later for (low, _), (_, later) in pairwise(held))
        assert all(later > low - 1e-12 for (low, _), (later, _) in pairwise(held))


class FollowedFurther(PiggySixAgainstRobots):
    """The lone game, in which a human who cannot be caught is still followed."""

    def furthest(self) -> int:
        return super().furthest() + 20


def test_against_robots_one_may_roll_on_from_a_score_that_none_of_them_can_reach() -> None:
    made = PiggySixAgainstRobots(target=5, robots=(4,))
    here, there = solved(made), solved(FollowedFurther(target=5, robots=(4,)))
    for mine, turn in ((0, made.furthest()), (3, made.furthest() + 12), (4, made.furthest() + 19)):
        found, true = (moves({"mine": mine, "theirs": (2,), "turn": turn}) for moves in (here, there))
        assert list(found) == list(true) == ["hold", "roll"]
        assert all(meet(found[move], (Fraction(1), true[move])) for move in found)
    assert meet(here({"turn": NO_LIMIT})["hold"], (Fraction(1), SURE))


def test_a_leader_of_piggy_six_that_has_won_may_roll_on() -> None:
    """In a last turn two dice lose with a six, in 11 of 36 throws, and with them the game."""
    moves = solved(PiggySix(target=5))({"theirs": 70, "seat": 1, "mine": 4, "turn": NO_LIMIT})
    require_sure(moves, "hold", Fraction(25, 36), LOST)


# --- Zilch ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def zilch() -> TurnGame:
    return parse_game("zilch", {"goal": 500, "opening": 350})


def test_in_zilch_one_may_throw_on_with_more_than_is_wanted_or_than_boards_have_room_for(zilch: TurnGame) -> None:
    for turn in (4450, 4500, NO_LIMIT):
        advice = ask(zilch, {"mine": 400, "theirs": 600, "turn": turn, "dice": 1})
        require_sound(advice, CLOSE)
        require_sure(intervals(advice), "stop", Fraction(1, 3), LOST)
    most, more = (one(zilch, "stop", mine=400, theirs=350, turn=turn, dice=6) for turn in (10_500, 20_000))
    assert most[1] < 1
    assert more[0] == pytest.approx(most[0], abs=1e-12)
    assert more[1] == 1


@pytest.mark.parametrize("turn", [4500, 10_500, *thorough(6950, 20_000)])
def test_past_its_cut_a_throw_of_zilch_is_worth_what_may_follow_it(turn: int, zilch: TurnGame) -> None:
    """One die that scores is the last of six: one may stop, or throw all six again, which nobody so far ahead does."""
    board = {"mine": 400, "theirs": 350}
    advice = ask(zilch, {**board, "turn": turn, "dice": 1})
    require_sound(advice, 1e-3)
    assert advice.best == ["stop"]
    five, one_more = (one(zilch, "stop", **board, turn=turn + points, dice=6) for points in (50, 100))
    lost, sixth = other_side(one(zilch, "roll", mine=350, theirs=400)), Fraction(1, 6)
    assert meet(intervals(advice)["roll"], (sixth, five), (sixth, one_more), (Fraction(2, 3), lost))
    table = intervals(ask(zilch, {**board, "turn": turn, "roll": (5,)}))
    assert meet(table["keep 5 for 50"], (Fraction(1), five))


@pytest.mark.parametrize("turn", [2450, *thorough(500, NO_LIMIT)])
def test_alone_with_enough_one_may_throw_on_and_stop_after_that(turn: int) -> None:
    made = parse_game("zilch", {"goal": 500, "opening": 350, "players": 1})
    advice = ask(made, {"mine": 400, "turn": turn, "dice": 1})
    require_sound(advice, CLOSE)
    low, high = one(made, "roll", mine=400)
    assert advice.best == ["stop"]
    require_sure(intervals(advice), "stop", Fraction(1, 3), (1 + low, 1 + high))
    table = ask(made, {"mine": 400, "turn": turn, "roll": (1, 5, 2)})
    assert sorted(table.best) == ["keep 1 5 for 150", "keep 1 for 100", "keep 5 for 50"]
    assert table.value == pytest.approx(1, abs=1e-9)


@pytest.mark.slow
def test_a_single_turn_of_zilch_past_its_cut_is_worth_itself_or_one_throw_more() -> None:
    for turn in (17_200, 20_000, 100_000):
        advice = ask(parse_game("zilch", {"players": 1, "objective": "points"}), {"mine": 800, "turn": turn, "dice": 1})
        assert list(intervals(advice)) == ["stop", "roll"]
        assert meet(intervals(advice)["stop"], (Fraction(1), (turn, turn)))
        assert meet(intervals(advice)["roll"], (Fraction(1), ((2 * turn + 150) / 6,) * 2))


# --- what is refused, and what a game can say ----------------------------------------------------------------------


def test_a_turn_has_totals_that_no_throws_make_and_one_that_is_beyond_counting() -> None:
    for turn, why in (
        (1, "turn=1 is impossible: a 1 ends the turn"),
        (NO_LIMIT + 1, "turn is from 0 to 1000000000, got 10"),
    ):
        with pytest.raises(StateError, match=why):
            ask(parse_game("pig", {"target": 12}), {"turn": turn})


class Ends(TurnGame):
    """Two kinds of turns, each with an end of its own; asked about the first kind, more can be done."""

    name = "ends"
    kind = "solo"
    measure = "points"
    unit = "points"
    total = 0
    said: Node | None = None

    def boards(self) -> Boards:
        return Boards(side=2)

    def roots(self) -> list[tuple[int]]:
        return [(0,), (1,)]

    def root(self, board: Columns) -> Any:
        return board.side

    def turn(self, side: int) -> Node:
        return Decision([("near", End(1))]) if side == 0 else Decision([("other", End(5))])

    def unsolved_node(self, side: int) -> Node | None:
        return self.said if side == 0 else None

    def transition(self, board: Columns, result: int) -> Transition:
        """As many points; none for 7, which is against the rules, and on to the other board for 13."""
        return Transition(legal=result != 7, over=result != 13, next={"side": 1 - board.side}, reward=result)

    def level(self, board: Columns) -> Any:
        return board.side * 0


def test_a_question_may_have_ends_that_no_solved_turn_has() -> None:
    moves = solved_ends(
        Decision(
            [
                ("near", End(1)),
                ("of the other kind", End(5)),
                ("of none", End(9)),
                ("forbidden", End(7)),
                ("bounded", Bounded(2, 4)),
                ("a throw", Chance([(1, End(9)), (3, End(1))])),
                ("the first that is legal", FirstLegal([End(7), End(11), End(3)])),
                ("no worse", at_least(End(9), Bounded(0, 20))),
                ("on", End(13)),
                ("on or not", Decision([("on", End(13)), ("near", End(1))])),
            ]
        )
    )
    assert {move: (round(low, 9), round(high, 9)) for move, (low, high) in moves[0].items()} == {
        "near": (1, 1),
        "of the other kind": (5, 5),
        "of none": (9, 9),
        "bounded": (2, 4),
        "a throw": (3, 3),
        "the first that is legal": (11, 11),
        "no worse": (9, 20),
        "on": (13, 13),
        "on or not": (13, 13),
    }
    assert moves[1] == {"near": 1, "of the other kind": 5, "of none": 9, "a throw": 3, "the first that is legal": 11}


def solved_ends(said: Node) -> tuple[Moves, dict[str, Fraction]]:
    """The moves where this is what can be done, in floats (other boards are worth 0) and in fractions (not known)."""
    made = Ends()
    made.said = said
    graph = compile_turn(made)
    turn = OneTurn(made, graph, {"side": 0}, lambda boards: (np.zeros(len(boards)), np.zeros(len(boards))))
    found = {name: (float(row[LOWER]), float(row[UPPER])) for name, row in turn.moves((0,))}
    exact = solve_exact(made, graph, boards=[0])
    return found, ExactTurn(made, graph, {"side": 0}, exact.nodes(0), exact.values).fractions((0,))


def test_a_state_without_a_move_is_no_question_and_one_that_leads_into_another_turn_a_mistake_of_the_game() -> None:
    for said in (End(1), Decision([("forbidden", End(7))])):
        with pytest.raises(StateError, match="no move is left here, the turn is over"):
            solved_ends(said)
    with pytest.raises(ModelError, match=r"leads from \(0,\) to what is not of this turn: stray"):
        solved_ends(Decision([("near", End(1)), ("stray", Goto(1))]))


# --- in tables -----------------------------------------------------------------------------------------------------


ROBOTS = ("piggy-six", {"target": 5, "robots": "4"}, {"turn": 22})
ALONE = ("zilch", {"goal": 500, "opening": 350, "players": 1}, {"turn": 700, "mine": 350})


@pytest.mark.parametrize(
    ("name", "parameters", "given"), [("piggy-six", {"target": 5}, {"turn": 70, "theirs": 3}), *thorough(ROBOTS, ALONE)]
)
def test_a_table_lists_the_moves_that_a_question_has(
    name: str, parameters: dict[str, Any], given: dict[str, Any], tmp_path: Path
) -> None:
    rows = pq.read_table(rollwise.export(name, tmp_path / "rows.parquet", params=parameters, **given).path).to_pylist()
    fields = [field.name for field in parse_game(name, parameters).fields()]
    for row in rows[:: 1 + len(rows) // 40]:
        asked = {field: row[field] for field in fields if row[field] is not None}
        told = {move.move: move.value for move in rollwise.ask(name, params=parameters, **asked).moves}
        assert dict(zip(row["moves"], row["values"], strict=True)) == pytest.approx(told, abs=1e-14)
        assert row.get("roll") or row.get("must_roll") or len(told) == 2
