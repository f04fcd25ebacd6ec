"""Questions are worked out in threads of their own, so many at once, while the server goes on listening."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from rollwise.solved.games import only_kept
from rollwise.solver.game.errors import RollwiseError
from rollwise.solver.game.giving_up import given_up_when

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
        self._open: set[Future[Any]] = set()
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(at_once)]
        for thread in self._threads:  # of no executor's: a server that ends does not wait for a long question
            thread.start()

    @property
    def now(self) -> int:
        """So many questions wait or are worked out."""
        return len(self._open)

    async def run(self, ask: Callable[..., Told], *args: Any, **named: Any) -> Told:
        """What ``ask`` gives. Raises Busy where too many wait.

        Of a question that is cancelled what waits is not begun, and what is under way is given up when it next looks.
        """
        if self.now >= self.most:
            raise Busy("too many questions are waiting; ask again in a moment")
        over, future = threading.Event(), Future[Told]()
        self._open.add(future)
        future.add_done_callback(self._open.discard)  # however it ends, also by being cancelled while it waits
        self._waiting.put(partial(_work_out, future, over, partial(ask, *args, **named)))
        try:
            return await asyncio.wrap_future(future)
        finally:
            over.set()

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
