"""``plan``: what solving a game will take, told before it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rollwise.answers.plan import SolvePlan
from rollwise.parsing.validate import checked, the_game
from rollwise.solutions.games import is_kept
from rollwise.solutions.plans import planned
from rollwise.solver.model.game import TurnGame


@checked
def plan(game: str, *, params: Mapping[str, Any] | None = None) -> SolvePlan:
    """What solving a game will take; nothing is solved.

    Small turns are compiled for it, which takes a moment; the games with large ones say how large they are.

    >>> work = plan("pig", params={"target": 10})
    >>> work.boards, work.edges, work.seconds < 3
    (100, 70, True)
    """
    return plan_of(the_game(game, params).part())


def plan_of(made: TurnGame) -> SolvePlan:
    """The same of a game that was made, or of a part of one."""
    return replace(planned(made), solved=is_kept(made))
