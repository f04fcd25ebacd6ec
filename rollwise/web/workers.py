"""Questions are worked out in threads of their own, so many at once, while the server goes on listening."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, TypeVar

from rollwise.solutions.games import cache_only
from rollwise.solver.model.cancellation import GivenUp, given_up_when
from rollwise.solver.model.errors import RollwiseError

Result = TypeVar("Result")
AT_ONCE = 4
MOST_WAITING = 200


class Busy(RollwiseError):
    """There is no room for a further question, or for a further solve; ``wait``: seconds after which to ask again."""

    def __init__(self, message: str, *, status: int = 503, wait: int = 1, **named: str) -> None:
        super().__init__(message, **named)
        self.status, self.wait = status, wait


class HeldTooLong(Exception):
    """A question takes longer than it may hold a thread."""


@dataclass
class Held:
    """The seconds for which a request may hold a thread yet."""

    left: float = inf


HELD: ContextVar[Held] = ContextVar("for how long a thread may be held", default=Held())  # noqa: B039  never changes


class Workers:
    """A pool of threads, and those who wait for one. A question of a game that is not solved raises ``Unsolved``."""

    def __init__(self, at_once: int = AT_ONCE, most_waiting: int = MOST_WAITING) -> None:
        self.most = at_once + most_waiting
        self.pool = ThreadPoolExecutor(at_once)
        self._open: set[Future[Any]] = set()
        self._late: set[str] = set()  # what has taken too long before

    @property
    def now(self) -> int:
        """So many questions wait or are worked out."""
        return len(self._open)

    async def run(self, ask: Callable[..., Result], *args: Any, late_once: str = "", **named: Any) -> Result:
        """What ``ask`` gives. Raises Busy where too many wait, and HeldTooLong where ``HELD`` is over.

        What was late once under a name, ``late_once``, is so ever after, and holds no thread.

        Of a question that is cancelled what waits is not begun, and what is under way is given up when it next looks.
        """
        if self.now >= self.most:
            raise Busy("too many questions are waiting; ask again in a moment")
        over = threading.Event()
        held = HELD.get()
        if held.left < inf and late_once in self._late:
            raise HeldTooLong
        future = self.pool.submit(_work_out, over, held, partial(ask, *args, **named))
        self._open.add(future)
        future.add_done_callback(self._open.discard)  # however it ends, also by being cancelled while it waits
        try:
            return await asyncio.wrap_future(future)
        except HeldTooLong:
            self._late |= {late_once} - {""}
            raise
        finally:
            over.set()

    def close(self) -> None:
        """Nobody is answered any more; the process ends once those under way have looked whether they are wanted."""
        self.pool.shutdown(wait=False, cancel_futures=True)


def _work_out(over: threading.Event, held: Held, ask: Callable[[], Result]) -> Result:
    """Result a question from what is kept, unless nobody waits for it any more, or it takes too long."""
    began = time.monotonic()
    try:
        with cache_only(), given_up_when(lambda: over.is_set() or time.monotonic() - began > held.left):
            return ask()
    except GivenUp:
        if over.is_set() or time.monotonic() - began <= held.left:
            raise
        raise HeldTooLong from None
    except BaseException as error:  # a future would lose some, or take them for something else; others end a server
        if isinstance(error, Exception) and not isinstance(error, StopIteration | CancelledError):
            raise
        raise RuntimeError(f"a question ended in {error!r}") from error
    finally:
        held.left -= time.monotonic() - began
