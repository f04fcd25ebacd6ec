"""Long work that is given up when nobody waits for it any more: threads cannot be ended, so the work looks itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Found = TypeVar("Found")
_IS_OVER: ContextVar[Callable[[], bool] | None] = ContextVar("nobody waits for this any more", default=None)


class GivenUp(Exception):
    """Nobody waits for this any more."""


@contextmanager
def given_up_when(is_over: Callable[[], bool]) -> Iterator[None]:
    """Work inside is given up once this is true."""
    before = _IS_OVER.set(is_over)
    try:
        yield
    finally:
        _IS_OVER.reset(before)


def require_wanted() -> None:
    """Raise GivenUp where nobody waits for what is worked out here. Asked in every loop that may run long."""
    is_over = _IS_OVER.get()
    if is_over is not None and is_over():
        raise GivenUp("nobody waits for this any more")


def no_progress(share: float) -> None:
    """A report that nobody listens to: only whether somebody still waits is looked at."""
    require_wanted()


def for_a_thread(work: Callable[..., Found]) -> Callable[..., Found]:
    """The same work for another thread, where it is given up as it would be here."""
    is_over = _IS_OVER.get()
    if is_over is None:
        return work

    def looking(*given: Any) -> Found:
        with given_up_when(is_over):
            return work(*given)

    return looking
