"""The best chance of so many points, beside that of who plays for the mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rollwise.asking.question import reachable
from rollwise.games.objectives.reaching import ReachSheet
from rollwise.games.sheets import SheetGame
from rollwise.solutions.games import StoredSolution, is_kept, with_solved
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.rounding import around

AT_ONCE = 10_000  # sheets that are solved within two seconds or so
Bounds = tuple[float, float, float]  # value, lower, upper


def for_a_target(game: TurnGame) -> ReachSheet | None:
    """The same game played for a target; None where there is none."""
    if not isinstance(game, SheetGame) or isinstance(game, ReachSheet):
        return None
    made = type(game).of(**{**game.parameters(), "objective": "reach"})
    return made if isinstance(made, ReachSheet) else None


def at_once(game: ReachSheet, board: Mapping[str, int]) -> bool:
    """Is the best chance from this board on solved already, or in a moment?"""
    return is_kept(game.part()) or game.n_below(board) <= AT_ONCE


def best_chances(
    game: ReachSheet, fields: Mapping[str, Any], position: Position, targets: Sequence[int]
) -> dict[int, Bounds]:
    """By target the best chance from a position before a throw, of the game with a target or of that for the mean."""
    board = {name: number for name, number in position.board.items() if name != "needed"}

    def read(solved: StoredSolution) -> dict[int, Bounds]:
        space = solved.game.boards()
        wanted = [{**board, "needed": max(target - int(position.points), 0)} for target in targets]
        values, radius = solved.opened.read(np.array([space.index_of(**each) for each in wanted]))
        bounds = [around(*pair) for pair in zip(values.tolist(), radius.tolist(), strict=True)]
        return {
            target: (v, max(0.0, low), min(1.0, high)) for target, (v, low, high) in zip(targets, bounds, strict=True)
        }

    start = Position({**board, "needed": 0}, position.state)
    return with_solved(game, reachable(game, fields, start), read)
