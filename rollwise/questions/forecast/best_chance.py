"""The best chance to reach a target score, for comparison with the policy that maximises the mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rollwise.games.objectives.reaching import ReachSheet
from rollwise.games.sheets import SheetGame
from rollwise.questions.question import reachable
from rollwise.solutions.lookup import StoredSolution, answer_from_solution, is_solved
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.rounding import outward_interval

MAX_QUICK_SHEETS = 10_000  # number of sheets that are solved within two seconds or so
Bounds = tuple[float, float, float]  # value, lower, upper


def with_target(game: TurnGame) -> ReachSheet | None:
    """The same game with a target as its objective; None where the game has no such variant."""
    if not isinstance(game, SheetGame) or isinstance(game, ReachSheet):
        return None
    reach_game = type(game).of(**{**game.parameters(), "objective": "reach"})
    return reach_game if isinstance(reach_game, ReachSheet) else None


def is_quick(game: ReachSheet, board: Mapping[str, int]) -> bool:
    """True if the best chance from this board on is stored, or solved within seconds."""
    return is_solved(game.part()) or game.n_below(board) <= MAX_QUICK_SHEETS


def best_chances(
    game: ReachSheet, fields: Mapping[str, Any], position: Position, targets: Sequence[int]
) -> dict[int, Bounds]:
    """By target, the best chance from a position before a throw; the position may belong to either objective."""
    board = {name: number for name, number in position.board.items() if name != "needed"}

    def read(solved: StoredSolution) -> dict[int, Bounds]:
        space = solved.game.boards()
        boards = [{**board, "needed": max(target - int(position.points), 0)} for target in targets]
        values, radius = solved.solution.read(np.array([space.index_of(**each) for each in boards]))
        bounds = [outward_interval(*pair) for pair in zip(values.tolist(), radius.tolist(), strict=True)]
        return {
            target: (mid, max(0.0, low), min(1.0, high))
            for target, (mid, low, high) in zip(targets, bounds, strict=True)
        }

    start = Position({**board, "needed": 0}, position.state)
    return answer_from_solution(game, reachable(game, fields, start), read)
