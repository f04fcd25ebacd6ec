"""Several threads may ask at once, as those of a server do: each gets the answers that one alone gets."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

import rollwise
from rollwise.solver.game.memory import keep_newest
from rollwise.solver.kinds import duel

PARAMS = {"target": 12}


@pytest.fixture
def hasty() -> Any:
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("hasty")
def test_many_threads_get_the_answers_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duel, "MOST_TURNS", 1)
    draw = Random(1)
    states = [{"mine": draw.randrange(12), "theirs": draw.randrange(12)} for _ in range(40)]
    alone = [rollwise.ask("pig", PARAMS, state=state).plain() for state in states]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(3):
            assert list(threads.map(lambda state: rollwise.ask("pig", PARAMS, state=state).plain(), states)) == alone


@pytest.mark.usefixtures("hasty")
def test_what_many_threads_keep_is_never_more_than_a_few_too_many() -> None:
    kept: dict[int, int] = {}

    def keep(start: int) -> None:
        for number in range(start, start + 2000):
            kept[number] = number
            keep_newest(kept, 3)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(keep, range(0, 8000, 2000)))
    assert len(kept) <= 3
