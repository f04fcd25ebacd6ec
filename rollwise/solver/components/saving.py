"""Long solves that can be stopped: what they keep, when it is worth keeping, and how their progress adds up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Report = Callable[[float], None]

EVERY = 5.0  # seconds before the first checkpoint
SHARE = 25  # a checkpoint waits so many times as long as the last one took
AGAIN, SHARE_ONCE = 1.0, 1  # the same where each number is written once: how often costs next to nothing


class Resumable(Protocol):
    """A solve that can be stopped and taken up again.

    ``written_once``: of the arrays of a checkpoint only so many rows are kept as its state says are ``done``; they stay
    as they are, and are part of what is kept in the end under the same names.
    """

    written_once: bool

    def checkpoint(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """All that is needed to go on from here: arrays, and plain data."""

    def fits(self, arrays: Mapping[str, Array], state: Mapping[str, Any]) -> bool:
        """Could this be a checkpoint of this solve?"""

    def resume(self, arrays: dict[str, Array], state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""


KeptSolve = Callable[[Resumable], AbstractContextManager[Callable[[], None]]]


def not_kept(solver: Resumable) -> AbstractContextManager[Callable[[], None]]:
    """Nothing is kept, and there is nothing to go on from."""
    return nullcontext(lambda: None)


def fits_levels(
    arrays: Mapping[str, Array],
    state: Mapping[str, Any],
    like: tuple[dict[str, Array], dict[str, Any]],
    level_of: Array,
) -> bool:
    """Could these be a checkpoint ``like`` one that a solve writes, with boards of levels from ``level`` on done?"""
    usual, plain = like
    if arrays.keys() != usual.keys() or state.keys() != plain.keys():
        return False
    if any((arrays[name].shape, arrays[name].dtype) != (usual[name].shape, usual[name].dtype) for name in usual):
        return False
    numbers = [state[name] for name, usually in plain.items() if isinstance(usually, float)]
    if not all(isinstance(number, float) and np.isfinite(number) and number >= 0 for number in numbers):
        return False
    level, methods = state["level"], state["methods"]
    if not isinstance(methods, list) or not all(isinstance(method, str) for method in methods):
        return False
    if level is None:
        return True
    if not isinstance(level, int) or level < 0:
        return False
    done = level_of >= level
    finite = all(bool(np.isfinite(array[done]).all()) for array in arrays.values())
    return finite and bool((arrays["radius"][done] >= 0).all())


class Saves:
    """When to save: not before EVERY seconds, and never so often that a solve would be noticeably slower for it."""

    def __init__(self, save: Callable[[], None], *, written_once: bool = False) -> None:
        self._save = save
        self._last = time.monotonic()
        self._wait = EVERY
        self._least, self._share = (AGAIN, SHARE_ONCE) if written_once else (EVERY, SHARE)

    def maybe(self) -> None:
        """Save if the last time is long enough ago."""
        began = time.monotonic()
        if began - self._last > self._wait:
            self._save()
            self._last = time.monotonic()
            self._wait = max(self._least, self._share * (self._last - began))


def part(report: Report, low: float, high: float) -> Report:
    """What a part of the work reports to, when the whole goes from ``low`` to ``high`` in the meantime.

    >>> part(print, 0.5, 1.0)(0.5)
    0.75
    """
    return lambda done: report(low + (high - low) * done)
