"""``plan``: the time, memory and disk space that a solve will take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rollwise.answers.plan import SolvePlan
from rollwise.parsing.validate import check_arguments, parse_game
from rollwise.solutions.lookup import is_solved
from rollwise.solutions.plans import plan_solve
from rollwise.solver.model.game import TurnGame


@check_arguments
def plan(game: str, *, params: Mapping[str, Any] | None = None) -> SolvePlan:
    """The time and memory that solving a game will take; nothing is solved.

    Small turns are compiled for it, which takes a moment; the sizes of large ones are stored.

    >>> work = plan("pig", params={"target": 10})
    >>> work.boards, work.edges, work.seconds < 3
    (100, 70, True)
    """
    return plan_of(parse_game(game, params).part())


def plan_of(game: TurnGame) -> SolvePlan:
    """The plan of a game with its parameters, or of a part of one."""
    return replace(plan_solve(game), solved=is_solved(game))
