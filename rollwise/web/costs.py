"""What a solve takes, and whether this server begins it."""

from __future__ import annotations

from rollwise.crowds import BYTES, in_thousands, time_told
from rollwise.planning import SolvePlan, plan
from rollwise.solver.game.model import TurnGame
from rollwise.stored import plain_parameters
from rollwise.web.settings import Settings

SECONDS = 20.0  # a small solve takes no longer
MEMORY = 1_000_000_000  # ... and no more bytes of memory


def planned(game: TurnGame) -> SolvePlan:
    """What a solve of this game takes."""
    return plan(game.name, plain_parameters(game))


def is_allowed(plan: SolvePlan, settings: Settings) -> bool:
    """Does this server begin such a solve for whoever asks?"""
    if settings.allow_solve == "small":
        return plan.seconds <= SECONDS and plan.memory <= MEMORY
    return settings.allow_solve == "all"


def cost(plan: SolvePlan) -> str:
    """A plan in words: ``about 40 seconds, 300 MB of memory and 20 MB on disk``."""
    memory, kept = in_thousands(plan.memory, BYTES), in_thousands(plan.kept, BYTES)
    return f"about {time_told(plan.seconds)}, {memory} of memory and {kept} on disk"
