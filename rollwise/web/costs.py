"""What a solve takes, and whether this server begins it."""

from __future__ import annotations

from rollwise.answers.plan import SolvePlan
from rollwise.answers.sizes import BYTES, in_thousands, time_in_words
from rollwise.asking.again import command_of
from rollwise.asking.plan import plan
from rollwise.reading.door import the_game
from rollwise.solved.identity import plain_parameters
from rollwise.solver.game.model import TurnGame
from rollwise.web.settings import Settings
from rollwise.web.workers import Busy

SECONDS = 20.0  # a small solve takes no longer
MEMORY = 1_000_000_000  # ... and no more bytes of memory


def planned(game: TurnGame) -> SolvePlan:
    """What a solve of this game takes."""
    return plan(game.name, params=plain_parameters(game))


def is_allowed(plan: SolvePlan, settings: Settings) -> bool:
    """Does this server begin such a solve for whoever asks?"""
    if settings.allow_solve == "small":
        return plan.seconds <= SECONDS and plan.memory <= MEMORY
    return settings.allow_solve == "all"


def cost(plan: SolvePlan) -> str:
    """A plan in words: ``about 40 seconds, 300 MB of memory and 20 MB on disk``."""
    memory, kept = in_thousands(plan.memory, BYTES), in_thousands(plan.kept, BYTES)
    return f"about {time_in_words(plan.seconds)}, {memory} of memory and {kept} on disk"


def require_allowed(game: TurnGame, plan: SolvePlan, settings: Settings) -> None:
    """Raise Busy for a solve that this server does not begin."""
    if not is_allowed(plan, settings):
        raise refusal(game, plan)


def refusal(game: TurnGame, plan: SolvePlan) -> Busy:
    """What to say of a solve that this server does not begin: what it would take, and how to do it by hand."""
    told = f"{game} is not solved yet, and this server does not solve it: that takes {cost(plan)}"
    usual = plain_parameters(the_game(game.name))
    return Busy(told, wait=3600, hint=command_of(game.name, plain_parameters(game), usual, {}, "solve"))
