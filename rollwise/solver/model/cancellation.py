"""Cancellation of long work once its result is no longer needed: a thread cannot be ended, so the work polls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


class Cancelled(Exception):
    """The result of this work is no longer needed."""


@dataclass(frozen=True)
class Token:
    """Cancellation token of long work, cancelled once ``is_over()`` is true; ``on_share`` takes the share done."""

    is_over: Callable[[], bool] = lambda: False
    on_share: Callable[[float], None] = lambda share: None

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled once the work is cancelled. Every loop that may run long calls it."""
        if self.is_over():
            raise Cancelled("nobody waits for this any more")


_TOKEN: ContextVar[Token] = ContextVar("cancellation token", default=Token())  # noqa: B039  it is frozen


@contextmanager
def with_token(token: Token) -> Iterator[None]:
    """The work inside has this token."""
    before = _TOKEN.set(token)
    try:
        yield
    finally:
        _TOKEN.reset(before)


def current_token() -> Token:
    """The token of this work. Other threads do not have it: who starts one passes it on."""
    return _TOKEN.get()


def raise_if_cancelled() -> None:
    """Raise Cancelled once the current token is cancelled."""
    _TOKEN.get().raise_if_cancelled()


def no_progress(share: float) -> None:
    """A progress report without a listener, which only checks for cancellation."""
    raise_if_cancelled()
