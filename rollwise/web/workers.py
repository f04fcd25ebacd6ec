"""Thread pool for questions, with limits on their number and time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from math import inf
from typing import Any, TypeVar

from rollwise.solutions.lookup import cache_only
from rollwise.solver.model.cancellation import TOKEN, Cancelled, Token, with_token
from rollwise.solver.model.errors import RollwiseError
from rollwise.web import limits

Result = TypeVar("Result")


class Busy(RollwiseError):
    """The server takes no further question or solve now; ``wait``: seconds after which to ask again."""

    def __init__(self, message: str, *, status: int = 503, wait: int = 1, **named: str) -> None:
        super().__init__(message, **named)
        self.status, self.wait = status, wait


class ThreadTimeout(Exception):
    """A question has used up its thread budget."""


class ThreadBudget:
    """Seconds left to a request in threads."""

    def __init__(self, seconds_left: float = inf) -> None:
        self.seconds_left = seconds_left

    def run(self, token: Token, ask: Callable[[], Result]) -> Result:
        """Answer a question from the cache until it is cancelled; raises ThreadTimeout when the budget is used up."""
        end = time.monotonic() + self.seconds_left
        expiring = Token(lambda: token.is_over() or time.monotonic() > end, token.on_share)
        try:
            with cache_only(), with_token(expiring):
                return ask()
        except Cancelled:
            if token.is_over() or time.monotonic() <= end:
                raise
            raise ThreadTimeout from None
        except BaseException as error:  # futures lose some of these or misread them; others would end the server
            if isinstance(error, Exception) and not isinstance(error, StopIteration | CancelledError):
                raise
            raise RuntimeError(f"a question ended in {error!r}") from error
        finally:
            self.seconds_left = end - time.monotonic()


THREAD_BUDGET: ContextVar[ThreadBudget] = ContextVar("thread budget", default=ThreadBudget())  # noqa: B039  never changes


class Workers:
    """A pool of threads and its queue. Questions read only the cache: an unsolved game raises ``Unsolved``."""

    def __init__(self, n_threads: int = limits.MAX_THREADS, max_waiting: int = limits.MAX_QUEUED) -> None:
        self.max_open = n_threads + max_waiting
        self.pool = ThreadPoolExecutor(n_threads)
        self.now = 0  # questions that wait or run
        self._late: set[str] = set()  # keys of questions that were too long before

    async def run(self, ask: Callable[..., Result], *args: Any, late_key: str = "", **named: Any) -> Result:
        """Run ``ask`` in a thread. Raises Busy if too many wait, and ThreadTimeout when ``THREAD_BUDGET`` is used up.

        A question that was too long once raises ThreadTimeout at once from then on, by its ``late_key``.
        A cancelled question does not start, or stops at its next check of the cancellation.
        """
        if self.now >= self.max_open:
            raise Busy("too many questions are waiting; ask again in a moment")
        over, budget = threading.Event(), THREAD_BUDGET.get()
        if budget.seconds_left < inf and late_key in self._late:
            raise ThreadTimeout
        token = Token(over.is_set, TOKEN.get().on_share)
        self.now += 1
        try:
            future = self.pool.submit(budget.run, token, partial(ask, *args, **named))
            return await asyncio.wrap_future(future)
        except ThreadTimeout:
            self._late |= {late_key} - {""}
            raise
        finally:
            self.now -= 1
            over.set()

    def close(self) -> None:
        """Cancel all questions; running ones end at their next check of the cancellation."""
        self.pool.shutdown(wait=False, cancel_futures=True)
