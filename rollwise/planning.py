"""``plan``: what solving a game will take, told before it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rollwise.crowds import BYTES, COUNTS, in_thousands, time_told
from rollwise.door import checked, the_game
from rollwise.solver.game.jsonable import Jsonable
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.stored import is_kept

REMEMBERED = 64  # games whose plans are known in this process


@dataclass(frozen=True)
class SolvePlan(Jsonable):
    """What a solve will take, reckoned and not tried.

    ``boards`` that can be (about so many, where there are a million or more) and ``edges`` of the compiled turn;
    ``seconds`` on two cores that have nothing else to do, honest within a factor of three or so, without compiling the
    turn and, the first time on a machine, the program's own loops; bytes of ``memory``, those of the program among
    them, and bytes ``kept`` in the cache, both about. ``solved``: is it in the cache, or does a question need no solve
    before it?
    """

    boards: int
    edges: int
    seconds: float
    memory: int
    kept: int
    solved: bool


@checked
def plan(game: str, params: Mapping[str, Any] | None = None) -> SolvePlan:
    """What solving a game will take; nothing is solved.

    The turn has to be compiled for it, which takes seconds at Zilch and a moment elsewhere.

    >>> told = plan("pig", {"target": 10})
    >>> told.boards, told.edges, told.seconds < 3
    (100, 70, True)
    """
    made = the_game(game, params)
    return SolvePlan(*_reckoned(made), is_kept(made))


def plan_lines(plan: SolvePlan) -> list[str]:
    """What a solve will take, and whether it is done."""
    boards, room = in_thousands(plan.boards, COUNTS), in_thousands(plan.memory, BYTES)
    if not plan.seconds:
        return [f"{boards} boards, {plan.edges:,} edges a turn: nothing is solved before a question"]
    kept = f"{in_thousands(plan.kept, BYTES)} in the cache"
    done = "it is solved: answers come from the cache" if plan.solved else "it is not solved yet"
    return [f"{boards} boards, {plan.edges:,} edges a turn: about {time_told(plan.seconds)}, {room}, {kept}", done]


@lru_cache(REMEMBERED)
def _reckoned(game: TurnGame) -> tuple[int, int, float, int, int]:
    """(boards, edges, seconds, memory, kept)."""
    from rollwise.solver.kinds.reckoning import PROGRAM
    from rollwise.solver.turn.graph import compile_turn

    told = kind_of(game).plan(game, compile_turn(game))
    return told.boards, told.edges, float(f"{told.seconds:.2g}"), PROGRAM + told.memory, told.kept
