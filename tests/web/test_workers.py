"""Questions are worked out in threads, so many at once, and from solved games only."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

import rollwise
from rollwise.door import the_game
from rollwise.solver.game.giving_up import GivenUp, for_a_thread, require_wanted
from rollwise.solver.order.team import Team
from rollwise.stored import Unsolved, is_kept, only_kept
from rollwise.web.workers import Busy, Workers

SMALL = {"target": 5}


@pytest.mark.usefixtures("own_cache")
def test_a_question_never_solves_in_the_server() -> None:
    with pytest.raises(Unsolved, match="is not solved"):
        asyncio.run(Workers().run(rollwise.ask, "pig", SMALL))
    with only_kept(), pytest.raises(Unsolved, match="is not solved"):
        rollwise.ask("pig", SMALL)
    assert not is_kept(the_game("pig", SMALL))
    rollwise.ask("pig", SMALL)
    with only_kept():
        assert rollwise.ask("pig", SMALL).best == ["roll"]


def test_questions_that_wait_are_bounded_and_who_hangs_up_is_not_worked_for_nor_counted() -> None:
    async def ask() -> None:
        workers, made = Workers(at_once=1, most_waiting=2), list[int]()
        begun = [asyncio.create_task(workers.run(time.sleep, 0.3))]
        begun += [asyncio.create_task(workers.run(made.append, number)) for number in (1, 2)]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy) as refused:
            await workers.run(time.sleep, 0)
        assert refused.value.status == 503
        for task in begun[1:]:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        await workers.run(time.sleep, 0)  # the next: those that hung up are over
        assert (made, workers.now) == ([], 0)
        with pytest.raises(ZeroDivisionError):
            await workers.run(lambda: 1 // 0)
        assert workers.now == 0
        workers.close()

    asyncio.run(ask())


def counts(seen: list[int]) -> None:
    """Work without end, which looks now and then whether somebody waits."""
    while True:
        seen.append(1)
        time.sleep(0.001)
        require_wanted()


def counts_in_threads(seen: list[int]) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(for_a_thread(counts), seen).result()


def counts_in_step(seen: list[int]) -> None:
    class Counting:
        def run(self, rank: int, team: Team) -> None:
            while True:
                seen.append(rank)
                time.sleep(0.001)
                team.sync()

    Team(2).run([Counting()], lambda number: None)


@pytest.mark.parametrize("work", [counts, counts_in_threads, counts_in_step])
def test_running_work_is_given_up_when_whoever_asked_has_gone(work: Callable[[list[int]], None]) -> None:
    async def ask() -> None:
        workers, seen = Workers(at_once=1), list[int]()
        asked = asyncio.create_task(workers.run(work, seen))
        while len(seen) < 5:
            await asyncio.sleep(0.005)
        asked.cancel()
        assert await asyncio.wait_for(workers.run(lambda: "the next"), 20) == "the next"
        assert workers.now == 0
        workers.close()

    asyncio.run(ask())


ERRORS: list[BaseException] = [
    *(StopIteration(5), StopAsyncIteration(), SystemExit(3), KeyboardInterrupt(), GeneratorExit()),
    *(asyncio.CancelledError(), CancelledError(), GivenUp(), TimeoutError(), ZeroDivisionError()),
]


@pytest.mark.parametrize("error", ERRORS)
def test_no_exception_of_a_question_is_lost(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def ask() -> None:
        workers = Workers(at_once=1)
        with pytest.raises(Exception) as raised:  # noqa: PT011  whichever it is
            await asyncio.wait_for(workers.run(fail), 20)
        assert type(error) in (type(raised.value), type(raised.value.__cause__))
        assert await asyncio.wait_for(workers.run(lambda: "the next"), 20) == "the next"
        workers.close()

    asyncio.run(ask())
