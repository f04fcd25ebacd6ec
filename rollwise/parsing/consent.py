"""Consent to large solves: each is announced before it begins, and the largest wait for a yes.

The command line and public functions set the consent. Where none is set (in the processes of ``serve``, in the workers
of a cluster) the plan was checked before.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from rollwise.solver.model.errors import TooLarge


@dataclass(frozen=True)
class Consent:
    """Consent of a user: ``yes`` lets the largest solves begin too; ``option`` is how users write that.

    ``announce`` takes the line of a solve and its refusal, empty for one that begins, and raises for a refusal.
    """

    yes: bool
    option: str
    announce: Callable[[str, str], None]


CONSENT: ContextVar[Consent | None] = ContextVar("consent", default=None)


@contextmanager
def with_consent(consent: Consent | None) -> Iterator[None]:
    """Solve under this consent inside the block; with None solves begin unannounced."""
    token = CONSENT.set(consent)
    try:
        yield
    finally:
        CONSENT.reset(token)


@contextmanager
def python_consent(yes: bool) -> Iterator[None]:
    """The consent of a Python call for the block, unless a command or an outer function has set one."""
    consent = Consent(yes, "yes=True", (lambda line, refusal: None) if yes else warn_caller)
    with with_consent(consent if yes else CONSENT.get() or consent):
        yield


def raise_too_large(line: str, refusal: str) -> None:
    """Raise TooLarge for any announced solve."""
    raise TooLarge(refusal or line)


def warn_caller(line: str, refusal: str) -> None:
    """Raise TooLarge for a refusal, else warn at the line of the calling program."""
    if refusal:
        raise_too_large(line, refusal)
    frame, level = sys._getframe(), 1
    while frame.f_back and f"{frame.f_globals.get('__name__')}.".startswith("rollwise."):
        frame, level = frame.f_back, level + 1
    warnings.warn(line, stacklevel=level)
