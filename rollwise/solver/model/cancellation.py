"""Cancellation of long work once its result is no longer needed: a thread cannot be ended, so the work polls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Cancelled(Exception):
    """The result of this work is no longer needed."""


class Token:
    """Cancellation token of long work, cancelled once ``is_over()`` is true; ``on_share`` takes the share done."""

    def __init__(
        self, is_over: Callable[[], bool] = lambda: False, on_share: Callable[[float], None] = lambda share: None
    ) -> None:
        self.is_over, self.on_share = is_over, on_share

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled once the work is cancelled. Every loop that may run long calls it."""
        if self.is_over():
            raise Cancelled("nobody waits for this any more")


# Other threads have the default: who starts one passes the token on.
TOKEN: ContextVar[Token] = ContextVar("cancellation token", default=Token())  # noqa: B039  never changes


@contextmanager
def with_token(token: Token) -> Iterator[None]:
    """The work inside has this token."""
    before = TOKEN.set(token)
    try:
        yield
    finally:
        TOKEN.reset(before)


def raise_if_cancelled() -> None:
    """Raise Cancelled once the current token is cancelled."""
    TOKEN.get().raise_if_cancelled()


def no_progress(share: float) -> None:
    """A progress report without a listener, which only checks for cancellation."""
    raise_if_cancelled()
