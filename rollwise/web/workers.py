"""Questions are worked out in threads of their own, so many at once, while the server goes on listening."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from rollwise.solver.game.errors import RollwiseError
from rollwise.solver.game.giving_up import given_up_when
from rollwise.stored import only_kept

Told = TypeVar("Told")
AT_ONCE = 2
MOST_WAITING = 200
NOT_CARRIED = (StopIteration, CancelledError)  # a future would lose these, or take them for something else


class Busy(RollwiseError):
    """There is no room for a further question, or for a further solve; ``wait``: seconds after which to ask again."""

    def __init__(self, message: str, *, status: int = 503, wait: int = 1, **named: str) -> None:
        super().__init__(message, **named)
        self.status, self.wait = status, wait


class Workers:
    """A pool of threads, and those who wait for one. A question of a game that is not solved raises ``Unsolved``."""

    def __init__(self, at_once: int = AT_ONCE, most_waiting: int = MOST_WAITING) -> None:
        self.most = at_once + most_waiting
        self._counting = threading.Lock()
        self.now = 0  # questions that wait or are worked out
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(at_once)]
        for thread in self._threads:  # of no executor's: a server that ends does not wait for a long question
            thread.start()

    async def run(self, ask: Callable[..., Told], *args: Any, **named: Any) -> Told:
        """What ``ask`` gives. Raises Busy where too many wait.

        Of a question that is cancelled what waits is not begun, and what is under way is given up when it next looks.
        """
        over = threading.Event()
        try:
            return await asyncio.wrap_future(self._begun(over, partial(ask, *args, **named)))
        finally:
            over.set()

    def _begun(self, over: threading.Event, ask: Callable[[], Told]) -> Future[Told]:
        with self._counting:
            if self.now >= self.most:
                raise Busy("too many questions are waiting; ask again in a moment")
            self.now += 1
        future: Future[Told] = Future()
        future.add_done_callback(self._over)  # however it ends: worked out, failed, or cancelled while it waited
        self._waiting.put(partial(_work_out, future, over, ask))
        return future

    def _over(self, future: Future[Any]) -> None:
        with self._counting:
            self.now -= 1

    def _work(self) -> None:
        while (work := self._waiting.get()) is not None:
            work()

    def close(self) -> None:
        """Nobody is answered any more."""
        for _ in self._threads:
            self._waiting.put(None)


def _work_out(future: Future[Told], over: threading.Event, ask: Callable[[], Told]) -> None:
    """Let a question be answered from what is kept, unless nobody waits for it any more."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        with only_kept(), given_up_when(over.is_set):
            told = ask()
    except BaseException as error:  # whoever asked hears of it
        if not isinstance(error, Exception) or isinstance(error, NOT_CARRIED):
            lost = RuntimeError(f"a question ended in {error!r}")
            lost.__cause__, error = error, lost
        future.set_exception(error)
    else:
        future.set_result(told)
