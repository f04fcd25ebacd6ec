"""Checkpoints of long solves: their protocol, when one is written, and progress reports of a part of the work."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Report = Callable[[float], None]

INTERVAL_S = 5.0  # before the first checkpoint, and at least between two
SAVE_FACTOR = 25  # the wait for the next checkpoint, in times the duration of the last
ONCE_INTERVAL_S, ONCE_FACTOR = 1.0, 1  # where each number is written to disk only once


class Resumable(Protocol):
    """A solver that can be stopped and resumed from a checkpoint.

    ``written_once``: only the first ``done`` rows (of the checkpoint's state) of its arrays are stored; they never
    change afterwards, and stand in the solution under the same names.
    """

    written_once: bool

    def checkpoint(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Arrays and plain data that a later run resumes from."""

    def fits(self, arrays: Mapping[str, Array], state: Mapping[str, Any]) -> bool:
        """True if this is a checkpoint of this solver."""

    def resume(self, arrays: dict[str, Array], state: dict[str, Any]) -> None:
        """Continue from a checkpoint."""


Checkpointing = Callable[[Resumable], AbstractContextManager[Callable[[], None]]]


def without_checkpoints(solver: Resumable) -> AbstractContextManager[Callable[[], None]]:
    """``Checkpointing`` that stores nothing and resumes from nothing."""
    return nullcontext(lambda: None)


def is_level_checkpoint(
    arrays: Mapping[str, Array],
    state: Mapping[str, Any],
    reference: tuple[dict[str, Array], dict[str, Any]],
    level_of: Array,
) -> bool:
    """True for arrays and state like ``reference``, finite on the boards of levels from ``state['level']`` on."""
    model, model_state = reference
    if arrays.keys() != model.keys() or state.keys() != model_state.keys():
        return False
    if any((arrays[name].shape, arrays[name].dtype) != (model[name].shape, model[name].dtype) for name in model):
        return False
    numbers = [state[name] for name, value in model_state.items() if isinstance(value, float)]
    if not all(isinstance(number, float) and np.isfinite(number) and number >= 0 for number in numbers):
        return False
    level, methods = state["level"], state["methods"]
    if not isinstance(methods, list) or not all(isinstance(method, str) for method in methods):
        return False
    if level is None:
        return True
    if not isinstance(level, int) or level < 0:
        return False
    is_done = level_of >= level
    finite = all(bool(np.isfinite(array[is_done]).all()) for array in arrays.values())
    return finite and bool((arrays["radius"][is_done] >= 0).all())


class CheckpointTimer:
    """Timer of checkpoints: none before CHECKPOINT_INTERVAL_S, and none so often that it slows the solve noticeably."""

    def __init__(self, save: Callable[[], None], *, written_once: bool = False) -> None:
        self._save = save
        self._last = time.monotonic()
        self._wait = INTERVAL_S
        self._least, self._share = (ONCE_INTERVAL_S, ONCE_FACTOR) if written_once else (INTERVAL_S, SAVE_FACTOR)

    def save_if_due(self) -> None:
        """Save if the last checkpoint is old enough."""
        start = time.monotonic()
        if start - self._last > self._wait:
            self._save()
            self._last = time.monotonic()
            self._wait = max(self._least, self._share * (self._last - start))


def partial_report(report: Report, low: float, high: float) -> Report:
    """Progress report of a part of the work, from ``low`` to ``high`` of the whole.

    >>> partial_report(print, 0.5, 1.0)(0.5)
    0.75
    """
    return lambda share: report(low + (high - low) * share)
