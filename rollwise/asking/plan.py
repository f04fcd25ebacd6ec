"""``plan``: what solving a game will take, told before it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from rollwise.answers.plan import SolvePlan
from rollwise.reading.door import checked, the_game
from rollwise.solved.games import is_kept
from rollwise.solved.machine import rate
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of

REMEMBERED = 64  # games whose plans are known in this process


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
    boards, edges, seconds, memory, kept, unrecorded = _reckoned(made)
    return SolvePlan(boards, edges, float(f"{seconds * rate():.2g}"), memory, kept, is_kept(made), unrecorded)


@lru_cache(REMEMBERED)
def _reckoned(game: TurnGame) -> tuple[int, int, float, int, int, tuple[str, ...]]:
    """(boards, edges, seconds on the usual machine, memory, kept, unrecorded)."""
    from rollwise.solved.turns import turn_of
    from rollwise.solver.kinds.reckoning import PROGRAM

    game = replace(game)  # boards that are counted are not remembered with the game
    work = kind_of(game).plan(game, game.turn_size() or turn_of(game))
    return work.boards, work.edges, work.seconds, PROGRAM + work.memory, work.kept, work.unrecorded
