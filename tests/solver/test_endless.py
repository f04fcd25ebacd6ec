"""Games that nobody need bring to an end: what they are worth, proven, or nothing at all."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.games.pig.rules import Pig
from rollwise.solver.checker.bounds import bounds_hold
from rollwise.solver.components import certificates
from rollwise.solver.exact.optimal import ExactValues, solve_exact
from rollwise.solver.model.dice import d6
from rollwise.solver.model.errors import ModelError, NotConverged
from rollwise.solver.model.game import OTHER, Chance, Columns, Decision, End, Node, Transition, TurnGame, chance_of
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver, BoardValues
from tests.solver.plain import toy

both_makes = pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
TWO_ROLES = {"roots": lambda game: [(0,), (1,)], "root": lambda game, board: board.place}


def closing(points: int) -> TurnGame:
    """Pass, or end the game for so many points."""
    word = Decision([("pass", End("pass")), ("close", End("close", reward=points))])
    return toy(
        lambda: word,
        lambda board, result: Transition(over=result == "close", next={"place": 0}, mover=OTHER),
        kind="duel",
        endless=True,
    )


def toll(rent: int = 1, endless: bool = True, try_first: bool = False) -> TurnGame:
    """The owner takes 2 points each turn. The other waits for ``rent`` points, or tries to end it.

    A six ends it, for one point. The owner, who is on board 1, can do nothing about it.
    """

    def turn(owner: int) -> Node:
        if owner:
            return End("goes on", reward=2)
        tried = chance_of(d6, lambda face: End("ended", reward=1) if face == 6 else End("goes on"))
        moves: list[tuple[str, Node]] = [("wait", End("goes on", reward=rent)), ("try", tried)]
        return Decision(moves[::-1] if try_first else moves)

    return toy(turn, passed_on, 2, kind="duel", endless=endless, **TWO_ROLES)


def passed_on(board: Columns, result: str) -> Transition:
    return Transition(over=result == "ended", won=result == "won", next={"place": 1 - board.place}, mover=OTHER)


def lead(rare: int) -> TurnGame:
    """The leader, on board 0, rolls, and wins but with a six, or waits; the other wins once in ``rare`` turns."""
    rolled = Chance([(5, End("won")), (1, End("goes on"))])
    words: list[Node] = [
        Decision([("roll", rolled), ("wait", End("goes on"))]),
        Chance([(1, End("won")), (rare - 1, End("goes on"))]),
    ]
    return toy(
        lambda place: words[place], passed_on, 2, kind="duel", measure="win", unit="probability", total=1, **TWO_ROLES
    )


def solved(game: TurnGame, compiled: bool) -> BoardValues:
    return BoardSolver(game, compile_turn(game), compiled=compiled).solve()


def exactly(game: TurnGame, values: Any = None) -> ExactValues:
    return solve_exact(game, compile_turn(game), values=values)


@both_makes
def test_who_gains_by_ending_it_ends_it_at_once(compiled: bool) -> None:
    found = solved(closing(3), compiled)
    assert abs(found.values[0] - 3) <= found.radius[0] < 1e-12


@both_makes
def test_who_loses_by_waiting_tries_to_end_it(compiled: bool) -> None:
    # x for the owner to move, y for the owner with the other to move: x = 2 + y, y = -1/6 + 5/6 x, so x = 11, y = 9
    found = solved(toll(), compiled)
    assert abs(found.values[1] - 11) <= found.radius[1] < 1e-10
    assert abs(found.values[0] + 9) <= found.radius[0] < 1e-10


@both_makes
@pytest.mark.parametrize("game", [toll(endless=False), closing(-1)], ids=["not said to be endless", "without a gain"])
def test_what_can_go_on_for_ever_has_no_value(game: TurnGame, compiled: bool) -> None:
    with pytest.raises(ModelError, match="can be played for ever"):
        solved(game, compiled)


@both_makes
@pytest.mark.parametrize("rent", [2, 3], ids=["takes as much", "takes more"])
def test_nothing_is_claimed_where_one_side_can_wait_at_no_cost(rent: int, compiled: bool) -> None:
    with pytest.raises((ModelError, NotConverged)):
        solved(toll(rent), compiled)


def test_no_bound_is_given_however_wide_where_none_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "MAX_WIDENINGS", 0)
    with pytest.raises(NotConverged, match="no bound closer than"):
        BoardSolver(toll(), compile_turn(toll()), tolerance=math.inf, compiled=False).solve()


@both_makes
@pytest.mark.parametrize("rare", [10**12, 10**14, 2 * 10**14, 10**15, 10**17])
def test_a_lead_so_long_that_waiting_costs_less_than_rounding_is_bounded_all_the_same(
    rare: int, compiled: bool
) -> None:
    game = lead(rare)  # x for the leader, y for the other: x = 1 - y / 6, y = d + (1 - d) y / 6, so y = 6 d / (5 + d)
    found = solved(game, compiled)
    other = Fraction(6, 5 * rare + 1)
    for value, radius, exact in zip(found.values, found.radius, (1 - other / 6, other), strict=True):
        assert abs(Fraction(float(value)) - exact) <= Fraction(float(radius)) < 1e-13
    assert bounds_hold(game, compile_turn(game), found.values, found.radius, lambda share: None, 1) is None


def test_a_bound_that_says_less_than_any_chance_needs_no_proof_and_no_other_does() -> None:
    game, values = lead(10**14), np.array([1.0, 0.0])

    def wrong(radius: float) -> str | None:
        radii = np.full(2, radius, dtype=np.float32)
        return bounds_hold(game, compile_turn(game), values, radii, lambda share: None, 1)

    assert wrong(1.0) is None
    assert "place=1: the upper bound is too low" in str(wrong(0.0))  # so that the leader's 1 is not sure either


def test_the_rounding_of_a_turn_counts_as_often_as_play_comes_there() -> None:
    assert [compile_turn(Pig(target)).terms for target in (100, 400)] == [58, 58]  # 3 + 9 for each of six rolls, nearly


def test_exact_values_are_those_by_hand() -> None:
    assert exactly(toll()).values == {1: Fraction(11), 0: Fraction(-9)}
    assert exactly(closing(3)).values == {0: Fraction(3)}


GUESS = np.array([-9.0, 11.0])  # to try is worth that, and is chosen by whoever starts from there


@pytest.mark.parametrize(
    ("game", "values"),
    [(closing(-1), None), (toll(2), None), (toll(endless=False), None), (toll(endless=False), GUESS)],
)
def test_no_exact_value_is_claimed_either(game: TurnGame, values: Any) -> None:
    """Not even though the best play, which a guess shows, ends it."""
    with pytest.raises(ModelError, match="can be played for ever"):
        exactly(game, values)


def test_moves_that_end_it_are_no_proof_while_another_as_good_goes_on_for_ever() -> None:
    """Of equally good ones, to try comes first; to wait for 2 points is worth the same."""
    assert exactly(toll(try_first=True), GUESS).values == {1: Fraction(11), 0: Fraction(-9)}
    with pytest.raises(ModelError, match="can be played for ever without a gain"):
        exactly(toll(2, try_first=True), GUESS)
