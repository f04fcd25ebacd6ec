"""Large solves are told of before they begin, at every door, and the largest wait for a yes.

A door is the command line or a function of Python. Where none is open (in the processes of ``serve``, in the workers of
a cluster) whoever ordered the solve has looked at its plan.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rollwise.answers.sizes import BYTES, in_thousands
from rollwise.solver.game.errors import TooLarge

if TYPE_CHECKING:
    from rollwise.answers.plan import SolvePlan
    from rollwise.solver.game.model import TurnGame

UNASKED_SECONDS, UNASKED_BYTES = 100.0, 2e9  # of time and of memory: a solve that takes more waits for a yes,
FREE_SHARE = 0.8  # and one that takes more than this part of the memory, or the disk, that is free


@dataclass(frozen=True)
class Door:
    """Where a solve was asked for: ``yes`` begins the largest too, which users say by ``option``.

    ``announce`` tells (what a solve takes, why it is not begun, or nothing), and raises where it is not begun.
    """

    yes: bool
    option: str
    announce: Callable[[str, str], None]


DOOR: ContextVar[Door | None] = ContextVar("door", default=None)


@contextmanager
def at_door(door: Door | None) -> Iterator[None]:
    """Whatever is solved in here was asked for at this door; without one it begins untold."""
    before = DOOR.set(door)
    try:
        yield
    finally:
        DOOR.reset(before)


@contextmanager
def from_python(yes: bool) -> Iterator[None]:
    """Whatever is solved in here was asked for by a program, unless a command, or another function, asks for it."""
    here = Door(yes, "yes=True", (lambda line, refusal: None) if yes else warn)
    with at_door(here if yes else DOOR.get() or here):
        yield


def refuse(line: str, refusal: str) -> None:
    """Raise TooLarge for whatever is announced."""
    raise TooLarge(refusal or line)


def warn(line: str, refusal: str) -> None:
    """Raise TooLarge for what is refused, else warn the line of the program that asks, once."""
    if refusal:
        refuse(line, refusal)
    frame, level = sys._getframe(), 1
    while frame.f_back and f"{frame.f_globals.get('__name__')}.".startswith("rollwise."):
        frame, level = frame.f_back, level + 1
    warnings.warn(line, stacklevel=level)


def announce(game: TurnGame, plan: SolvePlan | None = None) -> None:
    """Announce a solve at the door where it was asked for, which raises to stop it; ``plan``: that of its fractions."""
    if DOOR.get() is None:
        return
    from rollwise.asking.plan import plan_of
    from rollwise.cache.store import Store
    from rollwise.solved.identity import identity

    if plan is not None:
        what = "has fractions that are not known yet: they take"
    else:
        store, plan = Store(), plan_of(game)
        done = store.checkpoint(store.key(game.name, identity(game))).done() or 0.0
        plan = replace(plan, seconds=(1 - done) * plan.seconds)
        what = f"is solved to {100 * done:.0f} %: the rest takes" if done else "is not solved yet: that takes"
    announce_work(f"{game} {what}", plan, too_much(plan))


def announce_work(what: str, plan: SolvePlan, reasons: Sequence[str] = ()) -> None:
    """Announce work that is not small; ``reasons``: why it waits for a yes."""
    door = DOOR.get()
    if door is None or plan.is_small:
        return
    line = "; ".join(filter(None, (f"{what} {plan.takes}", " and ".join(reasons))))
    without = "leave out --exact (the interval is certified), or " if " fractions " in what else ""
    door.announce(line, f"{line}; {without}say {door.option} to begin it" if reasons and not door.yes else "")


def too_much(plan: SolvePlan) -> list[str]:
    """Why a solve is not begun unasked."""
    from rollwise.cache.store import Store
    from rollwise.solved.room import free_disk, free_memory

    found = ["that is long"] if plan.seconds > UNASKED_SECONDS else []
    found += ["that is much memory"] if plan.memory > UNASKED_BYTES else []
    for needed, free, what in (
        (plan.memory, free_memory(), "memory"),
        (2 * plan.kept, free_disk(Store().root), "disk"),  # a checkpoint stands beside it
    ):
        if free is not None and needed > FREE_SHARE * free:
            found.append(f"only {in_thousands(free, BYTES)} of {what} is free")
    return found
