from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.comparing.seen import Asked
from rollwise.solver.boards.table import TableSolve
from rollwise.solver.game.errors import TooLarge
from rollwise.solver.game.fields import Number, Numbers
from rollwise.solver.game.model import Position, TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Tools, Wanted
from rollwise.solver.play import at_table
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.played import PlayedTurn
from rollwise.solver.turn.vectors import UNMIXED
from tests.tables import Explicit
from tests.toys.seats import Race, opened


def compared(g: TurnGame, rule: Callable[[Any, Any], str], found: Any = None) -> Any:
    return kind_of(g).compare(found or opened(g), Asked(g, rule, "rule"), Position(g.first_board(), ()), Tools())


class Asking(Race):
    """With the questions that a rule is shown."""

    def fields(self) -> list[Any]:
        return [
            Numbers("scores", "by place", 0, self.target - 1, self.players),
            Number("turn", "points gathered", 0, 1000),
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
    values = solved.kept.whole("values")
    found = compared(g, lambda state, moves: moves[0], solved)  # hold at once
    explicit = Explicit(g, values, solved.facts["tie"])
    policy = {board: explicit.line(board, explicit.chosen) for board in explicit.boards}
    at_once = {board: explicit.line(board, lambda b, options: options[0]) for board in explicit.boards}
    worth = explicit.solved({(b, p): policy[b] if p else at_once[b] for b in explicit.boards for p in range(3)})
    start = g.boards().index_of(**g.first_board())
    for seat in range(3):
        value, lower, upper = found.rule[seat]
        assert Fraction(lower) <= worth[start, seat] <= Fraction(upper)
        assert upper - lower < 1e-10
        assert value == pytest.approx(float(worth[start, seat]), abs=1e-13)
        assert found.best[seat][0] == pytest.approx(values[start, seat], abs=1e-15)
    cost = sum(b[0] - r[0] for b, r in zip(found.best, found.rule, strict=True)) / 3
    assert found.cost[0] == pytest.approx(cost, abs=1e-15)
    assert found.cost[1] <= cost <= found.cost[2]
    assert found.cost[1] > 0.001


def test_a_rule_that_plays_the_solution_costs_nothing_at_a_table() -> None:
    g = Asking(3, 6, 4, 6)
    solved = opened(g)

    def solution(state: Any, moves: Any) -> str:
        position = g.locate(state["scores"], state["turn"])
        asked = solved.ask(position, {}, Wanted(), lambda share: None)
        best = max(move.value for move in asked.moves)
        return str(next(move.move for move in asked.moves if move.value >= best - solved.facts["tie"]))

    found = compared(g, solution, solved)
    assert abs(found.cost[0]) < 1e-14
    assert found.cost[1] <= 0 <= found.cost[2] < 1e-10


class Unsure(Asking):
    """Takes something as certain that is not quite."""

    @property
    def uncertain(self) -> float:
        return 1e-6


def test_what_a_game_takes_as_certain_is_in_what_a_rule_is_worth() -> None:
    for seat in range(3):
        (_, low, high), (_, lower, upper) = (
            compared(kind(3, 4, 3, 4), lambda state, moves: moves[0]).rule[seat] for kind in (Asking, Unsure)
        )
        assert lower <= low - 1e-6 < high + 1e-6 <= upper


def test_a_table_that_is_too_large_to_compare_is_refused_by_what_it_would_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    g = Asking(3, 4, 3, 4)
    monkeypatch.setattr(at_table, "MOST_BYTES", at_table.held(g.boards().size, 3))
    compared(g, lambda state, moves: moves[0])
    monkeypatch.setattr(at_table, "MOST_BYTES", at_table.held(g.boards().size, 3) - 1)
    with pytest.raises(TooLarge, match=r"comparing takes 64 boards of race.*: 0\.0 GB or more"):
        compared(g, lambda state, moves: moves[0])


def test_what_is_held_is_told_for_every_array_by_board() -> None:
    g = Asking(3, 12, 6, 12)
    graph = compile_turn(g)
    solve = TableSolve(g, graph)
    rule: Any = None
    others = at_table.Followed(solve.values[: solve.space.size], UNMIXED, 0.0)
    contest = at_table.AtTable(PlayedTurn(g, graph), graph, rule, others, lambda share: None)
    arrays: list[Any] = [*contest.visited, contest.row_of, others.values]
    arrays += [solve.level_of, solve.root_of, solve.order_of, solve.radius, solve.widest]
    chances, waits = (np.zeros_like(others.values) for _ in range(2))
    arrays += [others.values, np.zeros_like(others.values), chances, waits]  # the solve's own, without endings
    counted = sum(array.nbytes for array in arrays)
    assert counted <= at_table.held(solve.space.size, 3) <= 1.2 * counted
