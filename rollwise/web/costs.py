"""What a solve takes, and whether there is one to be done."""

from __future__ import annotations

from dataclasses import dataclass

from rollwise.cache.store import Store, StoreError
from rollwise.crowds import BYTES, in_thousands, time_told
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.stored import identity

SECONDS = 20.0  # a small solve takes no longer
MEMORY = 1_000_000_000  # ... and no more bytes of memory
SPEED = 5e7  # edges a second


@dataclass(frozen=True)
class SolvePlan:
    """What a solve takes, roughly."""

    boards: int
    edges: int
    seconds: float
    memory: int
    kept: int
    solved: bool


def is_kept(game: TurnGame) -> bool:
    """Can questions be answered without a solve before?"""
    if not kind_of(game).keeps:
        return True
    store = Store()
    try:
        return store.read(store.key(game.name, identity(game))) is not None
    except StoreError:
        return False


def planned(game: TurnGame) -> SolvePlan:
    """What a solve would take."""
    from rollwise.solver.turn.graph import compile_turn

    found = kind_of(game).plan(game, compile_turn(game))
    seconds = 2 + found.boards * found.edges / SPEED
    return SolvePlan(found.boards, found.edges, seconds, found.memory, found.kept, is_kept(game))


def is_small(plan: SolvePlan) -> bool:
    """Is this done while somebody waits?"""
    return plan.seconds <= SECONDS and plan.memory <= MEMORY


def cost(plan: SolvePlan) -> str:
    """A plan in words: ``about 40 seconds and 300 MB``."""
    return f"about {time_told(plan.seconds)} and {in_thousands(plan.memory, BYTES)}"
