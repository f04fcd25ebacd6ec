"""Tables whose boards come again, in fractions: what they are worth, what deviating gains, what a rule costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.questions.compare.function_policy import FunctionPolicy
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions, Tools
from rollwise.solver.model.errors import NotConverged, TooLarge
from rollwise.solver.model.fields import Number, Numbers
from rollwise.solver.model.game import End, Node, Position, TurnGame
from rollwise.solver.policy import policy_at_table
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.policy_turn import PolicyTurn
from rollwise.solver.turn.vectors import PURE
from rollwise.solver.values.table import TableSolve, solve_table
from tests.tables import Explicit
from tests.toys.seats import RACES, Potato, Race, capped, opened, potato_by_hand, refuted


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("g", RACES, ids=str)
def test_a_table_whose_boards_come_again_is_what_it_is_in_fractions(g: Race, compiled: bool) -> None:
    graph = compile_turn(g)
    solved = solve_table(g, graph, compiled=compiled)
    explicit = Explicit(g, solved.values, solved.tie, g.players)
    worth, best = explicit.worth(), explicit.best_reply()
    for (board, place), exact in worth.items():
        assert abs(Fraction(float(solved.values[board, place])) - exact) <= Fraction(float(solved.radius[board, place]))
        assert best[board, place] - exact <= Fraction(solved.gain_limit)
    assert solved.gain_limit < 1e-11
    assert solved.responses is None
    assert refuted(g, graph, solved) is None


def test_the_two_makes_of_a_backup_and_any_number_of_workers_say_the_same_of_a_larger_table() -> None:
    g = capped(Race(3, 12, 6))
    graph = compile_turn(g)
    plain, one, two = (
        solve_table(g, graph, compiled=compiled, workers=workers)
        for compiled, workers in ((False, 1), (True, 1), (True, 2))
    )
    assert np.nanmax(np.abs(plain.values - one.values)) < 1e-13
    assert np.nanmax(plain.radius) < 1e-11
    assert np.array_equal(one.values, two.values, equal_nan=True)
    assert np.array_equal(one.radius, two.radius, equal_nan=True)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_careless_policy_is_certified_with_what_leaving_it_gains(compiled: bool) -> None:
    g = RACES[0]
    graph = compile_turn(g)
    solved = solve_table(g, graph, compiled=compiled, tie=1.0)  # everybody holds at once
    explicit = Explicit(g, solved.values, solved.tie, g.players)
    worth, best = explicit.worth(), explicit.best_reply()
    assert solved.responses is not None
    gains = []
    for (board, place), exact in worth.items():
        radius = Fraction(float(solved.radius[board, place]))
        assert abs(Fraction(float(solved.values[board, place])) - exact) <= radius
        assert best[board, place] <= Fraction(float(solved.responses[board, place])) + radius
        gains.append(best[board, place] - exact)
    assert solved.gain_limit >= max(gains) > 0.05
    assert solved.gain == pytest.approx(float(max(gains)), abs=1e-12)


@dataclass(frozen=True)
class Alone(Race):
    """Nobody ever wins."""

    def turn(self, total: int = 0) -> Node:
        return End(0)


def test_a_seat_that_can_make_the_game_last_for_ever_leaves_nothing_certified() -> None:
    with pytest.raises(NotConverged, match="last for ever"):
        solve_table(Alone(), compile_turn(Alone()))


@pytest.mark.parametrize("compiled", [False, True])
def test_shares_that_still_move_are_certified_as_wide_as_that_needs(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hasty(rows: Any, boards: Any, sweep: Callable[[], None], *rest: Any) -> bool:
        """Stop long before nothing moves."""
        for _ in range(3):
            sweep()
        return True

    monkeypatch.setattr("rollwise.solver.values.table.iterate_to_fixed_point", hasty)
    g = RACES[0]
    graph = compile_turn(g)
    solved = solve_table(g, graph, compiled=compiled)
    assert 1e-4 < np.nanmax(solved.radius) < 1
    assert refuted(g, graph, solved) is None
    worth = Explicit(g, solved.values, solved.tie, g.players).worth()
    off = [abs(Fraction(float(solved.values[at])) - exact) for at, exact in worth.items()]
    assert max(off) > Fraction(1, 10**6)
    assert all(found <= Fraction(float(solved.radius[at])) for found, at in zip(off, worth, strict=True))


# --- moves that chase each other -------------------------------------------------------------------------------------


def test_a_question_says_how_often_each_move_is_drawn_and_what_that_gives_everybody() -> None:
    found, (take, shares) = opened(Potato()), potato_by_hand(0.4)
    for seat in range(3):
        told = found.ask(Position({"nothing": 0}, (), mover=seat), {}, QueryOptions(), lambda share: None)
        assert [move.move for move in told.moves] == ["take", "hand on"]
        assert [move.probability for move in told.moves] == pytest.approx([take, 1 - take], abs=1e-10)
        assert [move.value for move in told.moves] == pytest.approx([0.4, 0.4], abs=1e-11)
        assert told.shares[0] == pytest.approx(np.roll(shares, seat), abs=1e-11)


def test_where_no_mix_is_found_the_best_chances_are_certified_with_their_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.solver.values.response_cycles.MAX_NEWTON_STEPS", 0)
    monkeypatch.setattr("rollwise.solver.values.response_cycles.NEWTON_STARTS", 1)
    g = Potato()
    graph = compile_turn(g)
    solved = solve_table(g, graph)
    assert "no equilibrium" in solved.method
    assert solved.mixed.rows[:, 3].tolist() == [0.5, 0.5]

    def mover(own: float) -> float:
        """The mover's share, who takes it so often, while the others toss a coin: x = f(f is linear in x)."""

        def turn(x: float) -> float:
            second = 0.5 * 0.01 + 0.5 * (0.05 + 0.9 * x)
            return own * 0.4 + (1 - own) * 0.9 * (0.5 * 0.59 + 0.5 * (0.05 + 0.9 * second))

        return turn(0.0) / (1 - (turn(1.0) - turn(0.0)))

    assert solved.values[0, 0] == pytest.approx(mover(0.5), abs=1e-12)
    assert solved.gain == pytest.approx(max(mover(0.0), mover(1.0)) - mover(0.5), abs=1e-12)
    assert solved.gain > 0.01
    assert solved.gain_limit >= solved.gain
    assert solved.responses is not None
    assert refuted(g, graph, solved) is None


# --- what a rule costs ---------------------------------------------------------------------------------------------


def hold(state: Any, moves: Sequence[str]) -> str:
    """At once."""
    return moves[0]


def compared(g: TurnGame, rule: Callable[[Any, Any], str], found: Any = None) -> Any:
    return kind_of(g).compare(
        found or opened(g), FunctionPolicy(g, rule, "rule"), Position(g.first_board(), ()), Tools()
    )


class Asking(Race):
    """With the questions that a rule is shown."""

    def fields(self) -> list[Any]:
        return [
            Numbers("scores", "by place", 0, self.target - 1, self.players),
            Number("turn", "points gathered", 0, 1000, of="turn"),
        ]

    def describe(self, board: Any, state: Any) -> Any:
        yield {"scores": tuple(board.values()), "turn": state[0]}

    def locate(self, scores: Any = None, turn: int = 0) -> Position:
        held = scores or (0,) * self.players
        return Position({f"score{seat}": score for seat, score in enumerate(held)}, (turn,))


@pytest.mark.parametrize("target", [3, 4])
def test_a_rule_at_a_table_is_worth_what_it_is_in_fractions_while_the_others_play_the_solution(target: int) -> None:
    g = Asking(3, target, 3, target)
    solved = opened(g)
    values = solved.arrays.whole("values")
    found = compared(g, hold, solved)
    explicit = Explicit(g, values, solved.facts["tie"])
    policy = {board: explicit.line(board, explicit.chosen) for board in explicit.boards}
    at_once = {board: explicit.line(board, lambda b, options: options[0]) for board in explicit.boards}
    worth = explicit.solved({(b, p): policy[b] if p else at_once[b] for b in explicit.boards for p in range(3)})
    start = g.boards().index_of(**g.first_board())
    for seat, (value, lower, upper) in enumerate(found.rule):
        assert Fraction(lower) <= worth[start, seat] <= Fraction(upper)
        assert upper - lower < 1e-10
        assert value == pytest.approx(float(worth[start, seat]), abs=1e-13)
        assert found.best[seat][0] == pytest.approx(values[start, seat], abs=1e-15)
    cost = sum(b[0] - r[0] for b, r in zip(found.best, found.rule, strict=True)) / 3
    assert found.cost[0] == pytest.approx(cost, abs=1e-15)
    assert 0.001 < found.cost[1] <= cost <= found.cost[2]


def test_a_rule_that_plays_the_solution_costs_nothing_at_a_table() -> None:
    g = Asking(3, 6, 4, 6)
    solved = opened(g)

    def solution(state: Any, moves: Any) -> str:
        asked = solved.ask(g.locate(state["scores"], state["turn"]), {}, QueryOptions(), lambda share: None)
        best = max(move.value for move in asked.moves)
        return str(next(move.move for move in asked.moves if move.value >= best - solved.facts["tie"]))

    value, lower, upper = compared(g, solution, solved).cost
    assert abs(value) < 1e-14
    assert lower <= 0 <= upper < 1e-10


class Unsure(Asking):
    """Takes something as certain that is not quite."""

    @property
    def uncertain(self) -> float:
        return 1e-6


def test_what_a_game_takes_as_certain_is_in_what_a_rule_is_worth() -> None:
    for seat in range(3):
        (_, low, high), (_, lower, upper) = (compared(kind(3, 4, 3, 4), hold).rule[seat] for kind in (Asking, Unsure))
        assert lower <= low - 1e-6 < high + 1e-6 <= upper


def test_a_table_that_is_too_large_to_compare_is_refused_by_what_it_would_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    g = Asking(3, 4, 3, 4)
    monkeypatch.setattr(policy_at_table, "MAX_BYTES", policy_at_table.array_bytes(g.boards().size, 3))
    compared(g, hold)
    monkeypatch.setattr(policy_at_table, "MAX_BYTES", policy_at_table.array_bytes(g.boards().size, 3) - 1)
    with pytest.raises(TooLarge, match=r"comparing takes 64 boards of race.*: 0\.0 GB or more"):
        compared(g, hold)


def test_what_is_held_is_told_for_every_array_by_board() -> None:
    g = Asking(3, 12, 6, 12)
    graph = compile_turn(g)
    solve = TableSolve(g, graph)
    rule: Any = None
    others = policy_at_table.TableSolution(solve.values[: solve.space.size], PURE, 0.0)
    contest = policy_at_table.PolicyAtTable(PolicyTurn(g, graph), graph, rule, others, lambda share: None)
    arrays: list[Any] = [*contest.visited, contest.row_of, others.values]
    arrays += [solve.level_of, solve.root_of, solve.order_of, solve.radius, solve.widest]
    chances, waits = (np.zeros_like(others.values) for _ in range(2))
    arrays += [others.values, np.zeros_like(others.values), chances, waits]  # the solve's own, without endings
    counted = sum(array.nbytes for array in arrays)
    assert counted <= policy_at_table.array_bytes(solve.space.size, 3) <= 1.2 * counted
