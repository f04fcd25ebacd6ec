"""Large solves are told of before they begin, at every door, and the largest wait for a yes.

A door is the command line or a function of Python. Where none stands open (the processes of ``serve``, the workers of a
cluster) whoever orders a solve has looked at its plan already.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
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

    ``announce``: tells of a solve, (what it takes, why it is not begun or nothing), and raises where it is not begun.
    """

    yes: bool
    option: str
    announce: Callable[[str, str], None]


_DOOR: ContextVar[Door | None] = ContextVar("door", default=None)


@contextmanager
def at_door(door: Door | None) -> Iterator[None]:
    """Whatever is solved in here was asked for at this door; without one it begins untold."""
    before = _DOOR.set(door)
    try:
        yield
    finally:
        _DOOR.reset(before)


@contextmanager
def from_python(yes: bool) -> Iterator[None]:
    """Whatever is solved in here was asked for by a program; what a command, or another function, asks is theirs."""
    before = _DOOR.get()
    here = Door(yes, "yes=True", (lambda line, refusal: None) if yes else _warn)
    with at_door(here if yes or before is None else before):
        yield


def only_small() -> AbstractContextManager[None]:
    """Inside nothing is solved that is not small, or kept: TooLarge is raised."""
    return at_door(Door(False, "yes=True", _refuse))


def _refuse(line: str, refusal: str) -> None:
    raise TooLarge(refusal or line)


def _warn(line: str, refusal: str) -> None:
    """Raise TooLarge, or warn the line of the program that asked, once."""
    if refusal:
        raise TooLarge(refusal)
    frame, level = sys._getframe(), 1
    while frame.f_back and f"{frame.f_globals.get('__name__')}.".startswith("rollwise."):
        frame, level = frame.f_back, level + 1
    warnings.warn(line, stacklevel=level)


def door() -> Door | None:
    """The door that stands open here."""
    return _DOOR.get()


def announce(game: TurnGame, plan: SolvePlan | None = None) -> None:
    """Announce a solve that is not small, at the door where it was asked for, which raises to stop it.

    ``plan``: that of its fractions, where these are what is begun.
    """
    from rollwise.asking.plan import plan_of
    from rollwise.cache.store import Store
    from rollwise.solved.identity import identity

    if _DOOR.get() is None:
        return
    if plan is not None:
        without = "leave out --exact (the interval is certified), or "
        announce_work(f"{game} has fractions that are not known yet: they take", plan, too_much(plan), without)
        return
    store, plan = Store(), plan_of(game)
    done = store.checkpoint(store.key(game.name, identity(game))).done() or 0.0
    what = f"is solved to {100 * done:.0f} %: the rest takes" if done else "is not solved yet: that takes"
    plan = replace(plan, seconds=(1 - done) * plan.seconds)
    announce_work(f"{game} {what}", plan, too_much(plan))


def missing_yes() -> str:
    """The option that would begin what is not begun unasked here; empty where it is begun."""
    door = _DOOR.get()
    return "" if door is None or door.yes else door.option


def announce_work(what: str, plan: SolvePlan, reasons: Sequence[str] = (), without: str = "") -> None:
    """Announce work, ``what`` in words, that is not small.

    ``reasons``: why it waits for a yes; ``without``: how it can be done without.
    """
    door = _DOOR.get()
    if door is None or plan.is_small:
        return
    line = "; ".join(filter(None, (f"{what} {plan.takes}", " and ".join(reasons))))
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
