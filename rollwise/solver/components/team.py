"""Two or more threads that go through the same list of steps together (the kernels release the GIL)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from rollwise.solver.model.cancellation import for_a_thread, require_wanted

Found = TypeVar("Found")


def shared_out(pool: Executor, work: Callable[[int, int], Found], cuts: Sequence[int]) -> list[Found]:
    """The work on each part from one cut to the next: the first is done here, the others by the pool meanwhile."""
    require_wanted()
    first, *others = pairwise(cuts)
    waiting = [pool.submit(work, low, high) for low, high in others]
    return [work(*first), *(each.result() for each in waiting)]


class Together(Protocol):
    """A job that all workers do at once, each with its rank."""

    def run(self, rank: int, team: Team) -> None:
        """Do this worker's share; ``team.sync()`` waits for the others."""


class Team:
    """Workers in step: a step is a list of jobs shared out, or one ``Together``; nobody is a step ahead."""

    def __init__(self, workers: int) -> None:
        self.workers = max(1, workers)
        self._barrier = threading.Barrier(self.workers)
        self._stopped = threading.Event()
        self._error: BaseException | None = None

    def heed(self) -> None:
        """Raise BrokenBarrierError if the work was stopped."""
        if self._stopped.is_set():
            raise threading.BrokenBarrierError
        require_wanted()

    def sync(self) -> None:
        """Wait until every worker is here; raises as ``heed`` does."""
        self.heed()
        if self.workers > 1:
            self._barrier.wait()

    def run(
        self, steps: Iterable[list[Callable[[], Any]] | Together], after: Callable[[int], None] = lambda step: None
    ) -> None:
        """Do the steps; one worker calls ``after(i)`` once step i is done. Any worker's error comes out here."""
        listed = list(steps)
        try:
            if self.workers == 1:
                self._work(0, listed, after)
            else:
                self._work_together(listed, after)
        except threading.BrokenBarrierError:
            pass
        if self._error is not None:
            raise self._error

    def _work_together(self, steps: list[Any], after: Callable[[int], None]) -> None:
        work = for_a_thread(self._work)
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                for rank in [pool.submit(work, rank, steps, after) for rank in range(self.workers)]:
                    rank.result()
            except (KeyboardInterrupt, RuntimeError):  # RuntimeError: a thread cannot be started, for which others wait
                self._stop(None)
                raise

    def _stop(self, error: BaseException | None) -> None:
        if error is not None and self._error is None and not isinstance(error, threading.BrokenBarrierError):
            self._error = error
        self._stopped.set()
        self._barrier.abort()

    def _work(self, rank: int, steps: list[Any], after: Callable[[int], None]) -> None:
        try:
            for number, step in enumerate(steps):
                if isinstance(step, list):
                    for job in step[rank :: self.workers]:
                        if self._stopped.is_set():
                            return
                        job()
                else:
                    step.run(rank, self)
                self.sync()
                if rank == 0:
                    after(number)
                self.sync()
        except BaseException as error:
            self._stop(error)
            if self.workers == 1:
                raise
