"""Plans: time, memory and disk of solves, reckoned before they begin, and announced at the door of the question."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from rollwise.answers.plan import SolvePlan
from rollwise.answers.sizes import BYTES, in_thousands
from rollwise.cache.store import Store
from rollwise.parsing.consent import DOOR, announce_work
from rollwise.solutions import room
from rollwise.solutions.identity import identity
from rollwise.solutions.machine import rate
from rollwise.solutions.turns import turn_of
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import TurnGame

REMEMBERED = 64  # games whose plans are known in this process
UNASKED_SECONDS, UNASKED_BYTES = 100.0, 2e9  # of time and of memory: a solve that takes more waits for a yes,
FREE_SHARE = 0.8  # and one that takes more than this part of the memory, or the disk, that is free


def planned(game: TurnGame) -> SolvePlan:
    """The plan of solving a game, or a part of one; whether it is solved is not looked up."""
    boards, edges, seconds, memory, kept, unrecorded = _reckoned(game)
    return SolvePlan(boards, edges, float(f"{seconds * rate():.2g}"), memory, kept, False, unrecorded)


@lru_cache(REMEMBERED)
def _reckoned(game: TurnGame) -> tuple[int, int, float, int, int, tuple[str, ...]]:
    """(boards, edges, seconds on the usual machine, memory, kept, unrecorded)."""
    from rollwise.solver.kinds.cost_model import PROGRAM

    game = replace(game)  # boards that are counted are not remembered with the game
    work = kind_of(game).plan(game, game.turn_size() or turn_of(game))
    return work.boards, work.edges, work.seconds, PROGRAM + work.memory, work.kept, work.unrecorded


def announce(game: TurnGame, plan: SolvePlan | None = None) -> None:
    """Announce a solve at the door of the question, which raises to stop it; ``plan``: that of its fractions."""
    if DOOR.get() is None:
        return
    if exact := plan is not None:
        what = "has fractions that are not known yet: they take"
    else:
        store, plan = Store(), planned(game)
        done = store.checkpoint(store.key(game.name, identity(game))).done() or 0.0
        plan = replace(plan, seconds=(1 - done) * plan.seconds)
        what = f"is solved to {100 * done:.0f} %: the rest takes" if done else "is not solved yet: that takes"
    announce_work(f"{game} {what}", plan, too_much(plan), exact=exact)


def too_much(plan: SolvePlan) -> list[str]:
    """Reasons not to begin a solve without a yes."""
    found = ["that is long"] if plan.seconds > UNASKED_SECONDS else []
    found += ["that is much memory"] if plan.memory > UNASKED_BYTES else []
    for needed, free, what in (
        (plan.memory, room.free_memory(), "memory"),
        (2 * plan.kept, room.free_disk(Store().root), "disk"),  # a checkpoint stands beside it
    ):
        if free is not None and needed > FREE_SHARE * free:
            found.append(f"only {in_thousands(free, BYTES)} of {what} is free")
    return found
