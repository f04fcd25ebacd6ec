"""Games that nobody need bring to an end: what they are worth, proven, or nothing at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.games.pig import Pig
from rollwise.solver.boards import component
from rollwise.solver.boards.sweep import BoardSolver, BoardValues
from rollwise.solver.exact.exact import solve_exact
from rollwise.solver.game.dice import d6
from rollwise.solver.game.errors import ModelError, NotConverged
from rollwise.solver.game.model import OTHER, Boards, Chance, Choice, Columns, End, Settled, TurnGame, Word, named
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.witness.bounds import bounds_hold

both_makes = pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])


@dataclass(frozen=True)
class Closing(TurnGame):
    """Pass, or end the game for so many points."""

    name = "closing"
    kind = "duel"
    measure = "margin"
    unit = "points"
    total = 0
    endless = True

    points: int = 1

    def boards(self) -> Boards:
        return Boards(only=1)

    def turn(self) -> Word:
        return Choice([("pass", End("pass")), ("close", End("close"))])

    def settle(self, board: Columns, result: str) -> Settled:
        if result == "pass":
            return Settled(next={"only": 0}, mover=OTHER)
        return Settled(over=True, reward=self.points)


@dataclass(frozen=True)
class Toll(TurnGame):
    """The owner takes ``toll`` points each turn. The other waits for ``rent`` points, or tries to end it.

    A six ends it, for one point. The owner can do nothing about it.
    """

    name = "toll"
    kind = "duel"
    measure = "margin"
    unit = "points"
    total = 0
    endless = True

    toll: int = 2
    rent: int = 1

    def boards(self) -> Boards:
        return Boards(owner=2)

    def roots(self) -> list[tuple[str]]:
        return [("other",), ("owner",)]

    def root(self, board: Columns) -> Any:
        return board.owner

    def turn(self, role: str) -> Word:
        if role == "owner":
            return End("goes on", reward=self.toll)
        tried = named(d6, lambda face: End("ended", reward=1) if face == 6 else End("goes on"))
        return Choice([("wait", End("goes on", reward=self.rent)), ("try", tried)])

    def settle(self, board: Columns, result: str) -> Settled:
        if result == "ended":
            return Settled(over=True)
        return Settled(next={"owner": 1 - board.owner}, mover=OTHER)


@dataclass(frozen=True)
class Ending(Toll):
    """The same, said to end always."""

    name = "ending"
    endless = False


@dataclass(frozen=True)
class Lead(TurnGame):
    """The leader rolls, and wins but with a six, or waits; the other wins once in ``rare`` turns."""

    name = "lead"
    kind = "duel"
    measure = "win"
    unit = "probability"

    rare: int = 10

    def boards(self) -> Boards:
        return Boards(behind=2)

    def roots(self) -> list[tuple[str]]:
        return [("leader",), ("other",)]

    def root(self, board: Columns) -> Any:
        return board.behind

    def turn(self, role: str) -> Word:
        if role == "other":
            return Chance([(1, End("won")), (self.rare - 1, End("goes on"))])
        rolled = Chance([(5, End("won")), (1, End("goes on"))])
        return Choice([("roll", rolled), ("wait", End("goes on"))])

    def settle(self, board: Columns, result: str) -> Settled:
        return Settled(won=result == "won", next={"behind": 1 - board.behind}, mover=OTHER)


def solved(game: TurnGame, compiled: bool) -> BoardValues:
    return BoardSolver(game, compile_turn(game), compiled=compiled).solve()


@both_makes
def test_who_gains_by_ending_it_ends_it_at_once(compiled: bool) -> None:
    found = solved(Closing(points=3), compiled)
    assert abs(found.values[0] - 3) <= found.radius[0] < 1e-12


@both_makes
def test_who_loses_by_waiting_tries_to_end_it(compiled: bool) -> None:
    # x for the owner to move, y for the owner with the other to move: x = 2 + y, y = -1/6 + 5/6 x, so x = 11, y = 9
    found = solved(Toll(), compiled)
    assert abs(found.values[1] - 11) <= found.radius[1] < 1e-10
    assert abs(found.values[0] + 9) <= found.radius[0] < 1e-10


@both_makes
def test_it_is_refused_where_a_game_does_not_say_that_it_may_go_on(compiled: bool) -> None:
    with pytest.raises(ModelError, match="can be played for ever"):
        solved(Ending(), compiled)


@both_makes
def test_passing_for_ever_without_a_gain_has_no_value(compiled: bool) -> None:
    with pytest.raises(ModelError, match="can be played for ever"):
        solved(Closing(points=-1), compiled)


@both_makes
@pytest.mark.parametrize("rent", [2, 3], ids=["takes as much", "takes more"])
def test_nothing_is_claimed_where_one_side_can_wait_at_no_cost(rent: int, compiled: bool) -> None:
    with pytest.raises((ModelError, NotConverged)):
        solved(Toll(rent=rent), compiled)


def test_no_bound_is_given_however_wide_where_none_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(component, "widen", lambda arrays, these, rounding: these)
    with pytest.raises(NotConverged, match="no bound closer than"):
        BoardSolver(Toll(), compile_turn(Toll()), tolerance=math.inf, compiled=False).solve()


@both_makes
@pytest.mark.parametrize("rare", [10**12, 10**14, 2 * 10**14, 10**15, 10**17])
def test_a_lead_so_long_that_waiting_costs_less_than_rounding_is_bounded_all_the_same(
    rare: int, compiled: bool
) -> None:
    game = Lead(rare)  # x for the leader, y for the other: x = 1 - y / 6, y = d + (1 - d) y / 6, so y = 6 d / (5 + d)
    found = solved(game, compiled)
    other = Fraction(6, 5 * rare + 1)
    for value, radius, exact in zip(found.values, found.radius, (1 - other / 6, other), strict=True):
        assert abs(Fraction(float(value)) - exact) <= Fraction(float(radius)) < 1e-13
    assert bounds_hold(game, compile_turn(game), found.values, found.radius, lambda share: None, 1) is None


def test_a_bound_that_says_less_than_any_chance_needs_no_proof_and_no_other_does() -> None:
    game, values = Lead(10**14), np.array([1.0, 0.0])

    def wrong(radius: float) -> str | None:
        radii = np.full(2, radius, dtype=np.float32)
        return bounds_hold(game, compile_turn(game), values, radii, lambda share: None, 1)

    assert wrong(1.0) is None
    assert "the lower bound is too high" in str(wrong(0.0))


def test_the_rounding_of_a_turn_counts_as_often_as_play_comes_there() -> None:
    assert [compile_turn(Pig(target)).terms for target in (100, 400)] == [58, 58]  # 3 + 9 for each of six rolls, nearly


def test_exact_values_are_those_by_hand() -> None:
    found = solve_exact(Toll(), compile_turn(Toll()))
    assert found.values == {1: Fraction(11), 0: Fraction(-9)}
    assert solve_exact(Closing(points=3), compile_turn(Closing())).values == {0: Fraction(3)}


@pytest.mark.parametrize("game", [Closing(points=-1), Toll(rent=2), Ending()])
def test_no_exact_value_is_claimed_either(game: TurnGame) -> None:
    with pytest.raises(ModelError, match="can be played for ever"):
        solve_exact(game, compile_turn(game))


@dataclass(frozen=True)
class TryFirst(Toll):
    """The same with the moves in another order: of equally good ones, to try comes first."""

    name = "try-first"

    def turn(self, role: str) -> Word:
        word = super().turn(role)
        return Choice(word.moves[::-1]) if isinstance(word, Choice) else word


def test_moves_that_end_it_are_no_proof_while_another_as_good_goes_on_for_ever() -> None:
    """To try is worth 11 and -9, and is chosen by whoever starts from there; to wait for 2 points is worth the same."""
    guess = np.array([-9.0, 11.0])
    assert solve_exact(TryFirst(), compile_turn(TryFirst()), values=guess).values == {1: Fraction(11), 0: Fraction(-9)}
    waits = TryFirst(rent=2)
    with pytest.raises(ModelError, match="can be played for ever without a gain"):
        solve_exact(waits, compile_turn(waits), values=guess)


def test_no_exact_value_is_claimed_of_a_game_that_may_go_on_though_the_best_play_ends_it() -> None:
    with pytest.raises(ModelError, match="can be played for ever"):
        solve_exact(Ending(), compile_turn(Ending()), values=np.array([-9.0, 11.0]))
