"""Consent to large solves: each is announced before it begins, and the largest wait for a yes.

A door is the command line or a function of Python. Where none is open (in the processes of ``serve``, in the workers of
a cluster) the plan was looked at before.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from rollwise.answers.plan import SolvePlan
from rollwise.solver.model.errors import TooLarge


@dataclass(frozen=True)
class Door:
    """The entrance of a question: ``yes`` begins the largest solves too, and ``option`` is how users write that.

    ``announce`` takes the line of a solve and its refusal, empty for one that begins, and raises for a refusal.
    """

    yes: bool
    option: str
    announce: Callable[[str, str], None]


DOOR: ContextVar[Door | None] = ContextVar("door", default=None)


@contextmanager
def at_door(door: Door | None) -> Iterator[None]:
    """Solve at this door whatever the block needs; without a door that begins unannounced."""
    before = DOOR.set(door)
    try:
        yield
    finally:
        DOOR.reset(before)


@contextmanager
def from_python(yes: bool) -> Iterator[None]:
    """The door of Python for the block, unless a command, or another function, has opened one before."""
    here = Door(yes, "yes=True", (lambda line, refusal: None) if yes else warn)
    with at_door(here if yes else DOOR.get() or here):
        yield


def refuse(line: str, refusal: str) -> None:
    """Raise TooLarge for any solve that is announced."""
    raise TooLarge(refusal or line)


def warn(line: str, refusal: str) -> None:
    """Raise TooLarge for a refusal, else warn at the line of the program that asks."""
    if refusal:
        refuse(line, refusal)
    frame, level = sys._getframe(), 1
    while frame.f_back and f"{frame.f_globals.get('__name__')}.".startswith("rollwise."):
        frame, level = frame.f_back, level + 1
    warnings.warn(line, stacklevel=level)


def announce_work(what: str, plan: SolvePlan, reasons: Sequence[str] = (), *, exact: bool = False) -> None:
    """Announce work that is not small; ``reasons``: why it waits for a yes; ``exact``: it is for fractions alone."""
    door = DOOR.get()
    if door is None or plan.is_small:
        return
    line = "; ".join(filter(None, (f"{what} {plan.takes}", " and ".join(reasons))))
    without = f"leave out {door.option.replace('yes', 'exact')} (the interval is certified), or " if exact else ""
    door.announce(line, f"{line}; {without}say {door.option} to begin it" if reasons and not door.yes else "")
