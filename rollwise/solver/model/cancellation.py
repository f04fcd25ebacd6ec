"""Cancellation of long work once its result is no longer needed: a thread cannot be ended, so the work polls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Result = TypeVar("Result")
_CANCELLED: ContextVar[Callable[[], bool] | None] = ContextVar("is the work cancelled?", default=None)


class Cancelled(Exception):
    """The result of this work is no longer needed."""


@contextmanager
def cancel_when(is_over: Callable[[], bool]) -> Iterator[None]:
    """Cancel the work inside once ``is_over()`` is true."""
    token = _CANCELLED.set(is_over)
    try:
        yield
    finally:
        _CANCELLED.reset(token)


def raise_if_cancelled() -> None:
    """Raise Cancelled once the work is cancelled. Every loop that may run long calls it."""
    is_over = _CANCELLED.get()
    if is_over is not None and is_over():
        raise Cancelled("nobody waits for this any more")


def no_progress(share: float) -> None:
    """A progress report without a listener, which only checks for cancellation."""
    raise_if_cancelled()


def with_cancellation(work: Callable[..., Result]) -> Callable[..., Result]:
    """The same work for another thread, with the cancellation of this one."""
    is_over = _CANCELLED.get()
    if is_over is None:
        return work

    def cancellable(*arguments: Any) -> Result:
        with cancel_when(is_over):
            return work(*arguments)

    return cancellable
