"""Threads that run the same list of steps together (the kernels release the GIL), and repeated sweeps by them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from rollwise.solver.model.cancellation import TOKEN, raise_if_cancelled

Result = TypeVar("Result")
Part = Callable[[int, int], float]
GoesOn = Callable[[float], bool]


def run_in_parts(pool: Executor, work: Callable[[int, int], Result], cuts: Sequence[int]) -> list[Result]:
    """Results of the work on each part between two cuts: the first part runs here, the others in the pool."""
    raise_if_cancelled()
    first, *others = pairwise(cuts)
    futures = [pool.submit(work, low, high) for low, high in others]
    return [work(*first), *(future.result() for future in futures)]


class JointStep(Protocol):
    """A step that all workers run at once, each with its rank."""

    def run(self, rank: int, team: Team) -> None:
        """Run this worker's share; ``team.sync()`` waits for the others."""


class Team:
    """Workers in step: a step is a list of jobs dealt out, or one ``JointStep``; no worker starts a step early."""

    def __init__(self, workers: int) -> None:
        self.workers, self._token = max(1, workers), TOKEN.get()
        self._barrier = threading.Barrier(self.workers)
        self._stopped = threading.Event()
        self._error: BaseException | None = None

    def check_stopped(self) -> None:
        """Raise BrokenBarrierError if the work was stopped."""
        if self._stopped.is_set():
            raise threading.BrokenBarrierError
        self._token.raise_if_cancelled()

    def sync(self) -> None:
        """Wait until every worker is here; raises as ``check_stopped`` does."""
        self.check_stopped()
        if self.workers > 1:
            self._barrier.wait()

    def run(
        self, steps: Iterable[list[Callable[[], Any]] | JointStep], after: Callable[[int], None] = lambda step: None
    ) -> None:
        """Run the steps; one worker calls ``after(i)`` once step i is done. The error of any worker is raised here."""
        step_list = list(steps)
        try:
            if self.workers == 1:
                self._work(0, step_list, after)
            else:
                self._work_together(step_list, after)
        except threading.BrokenBarrierError:
            pass
        if self._error is not None:
            raise self._error

    def _work_together(self, steps: list[Any], after: Callable[[int], None]) -> None:
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                for rank in [pool.submit(self._work, rank, steps, after) for rank in range(self.workers)]:
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


class Sweeps:
    """A joint step of a team: sweeps over the same boards.

    A sweep runs its ``parts`` in order: each backs up the share of worker ``rank`` of ``workers``, and returns the
    largest change, where the stopping rule needs it. One worker calls the rule ``goes_on`` after each sweep, with the
    largest change, while the others wait; the rule may write the values from which the next sweep starts. With
    ``share`` False one worker does it all, since waiting for each other would take longer.
    """

    def __init__(self, parts: Sequence[Part], goes_on: GoesOn, share: bool = True) -> None:
        self.parts, self.goes_on, self.share = parts, goes_on, share
        self.is_over = False
        self._moved: dict[int, float] = {}  # by rank

    def run(self, rank: int, team: Team) -> None:
        """One worker's share of all sweeps."""
        workers, sync = (team.workers, team.sync) if self.share else (1, team.check_stopped)
        while rank < workers and not self.is_over:
            largest = 0.0
            for part in self.parts:
                self._moved[rank] = largest = max(largest, part(rank, workers))
                sync()
            if rank == 0:
                self.is_over = not self.goes_on(max(self._moved.values()))
            sync()


def sweep_until(sweep: Callable[[], None], goes_on: Callable[[], bool]) -> None:
    """Sweep as long as ``goes_on()`` is true; the sweep itself may use workers."""

    def whole(rank: int, workers: int) -> float:
        sweep()
        return 0.0

    Sweeps([whole], lambda moved: goes_on()).run(0, Team(1))
