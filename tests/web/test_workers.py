"""Questions are worked out in threads, so many at once, and from solved games only."""

from __future__ import annotations

import asyncio
import time

import pytest

import rollwise
from rollwise.door import the_game
from rollwise.stored import Unsolved, is_kept, only_kept
from rollwise.web.workers import Busy, Gone, Workers

SMALL = {"target": 5}


@pytest.mark.usefixtures("own_cache")
def test_a_question_never_solves_in_the_server() -> None:
    with only_kept(), pytest.raises(Unsolved, match="is not solved"):
        rollwise.ask("pig", SMALL)
    assert not is_kept(the_game("pig", SMALL))
    rollwise.ask("pig", SMALL)
    with only_kept():
        assert rollwise.ask("pig", SMALL).best == ["roll"]


def test_questions_that_wait_are_bounded_and_none_is_counted_for_ever() -> None:
    async def ask() -> None:
        workers = Workers(at_once=1, most_waiting=2)
        begun = [asyncio.create_task(workers.run(time.sleep, 0.3)) for _ in range(3)]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy) as refused:
            await workers.run(time.sleep, 0)
        assert refused.value.status == 503
        for task in begun[1:]:
            task.cancel()
        await asyncio.sleep(0)
        await asyncio.gather(*begun, return_exceptions=True)
        await workers.run(time.sleep, 0)  # the next: those that hung up are over
        assert workers.now == 0
        with pytest.raises(ZeroDivisionError):
            await workers.run(lambda: 1 // 0)
        assert workers.now == 0
        workers.close()

    asyncio.run(ask())


def test_who_hangs_up_is_not_worked_for() -> None:
    async def ask() -> None:
        workers = Workers(at_once=1)
        made: list[int] = []
        first = asyncio.create_task(workers.run(time.sleep, 0.6))
        await asyncio.sleep(0.05)

        async def is_there() -> bool:
            return False

        with pytest.raises(Gone):
            await workers.run_while(is_there, made.append, 1)
        await first
        await workers.run(time.sleep, 0)
        assert (made, workers.now) == ([], 0)
        workers.close()

    asyncio.run(ask())
