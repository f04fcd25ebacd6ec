"""``plan``: the time, memory and disk space that a solve will take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rollwise.arguments import check_arguments
from rollwise.parsing.validate import parse_game
from rollwise.solutions.lookup import is_solved
from rollwise.solutions.plans import SolvePlan, plan_solve
from rollwise.solver.model.game import TurnGame
from rollwise.text.numbers import BYTES, COUNTS, in_thousands, time_in_words


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


def plan_lines(plan: SolvePlan) -> list[str]:
    """The cost of a solve, and whether it is done."""
    boards, memory = in_thousands(plan.boards, COUNTS), in_thousands(plan.memory, BYTES)
    if not plan.seconds:
        return [f"{boards} boards, {plan.edges:,} edges a turn: nothing is solved in advance"]
    disk = f"{in_thousands(plan.kept, BYTES)} in the cache"
    done = "it is solved: answers come from the cache" if plan.solved else "it is not solved yet"
    slow = [f"slow transition: {result}" for result in plan.unrecorded]
    takes = f"{boards} boards, {plan.edges:,} edges a turn: about {time_in_words(plan.seconds)}, {memory}, {disk}"
    return [takes, *slow, done]
