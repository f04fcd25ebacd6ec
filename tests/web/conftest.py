"""What tests of the page share: an application, asked as a browser on this machine would ask it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from rollwise.cache.store import Store
from rollwise.parsing.validate import parse_game
from rollwise.solutions.lookup import load_or_solve
from rollwise.web import limits
from rollwise.web.app import make_app
from rollwise.web.jobs import Jobs
from rollwise.web.settings import Settings
from rollwise.web.workers import Workers
from tests.web.playing import begin
from tests.web.reading import Page
from tests.web.solves import SLOW, fake

HERE = "http://localhost:8606"
limits.THREAD_LIMIT_S = 60.0  # where machine code is made for the first time, any question takes longer than it may
SOLVED: list[tuple[str, dict[str, Any]]] = [
    ("pig", {"target": 12}),
    ("pig", {"target": 10}),
    ("zilch", {"goal": 500, "opening": 350, "players": 1}),
    ("bluff", {"chips": 2}),
    ("bluff", {"chips": 1}),
    ("mexico", {"players": 3, "lives": 1}),
    ("mexico", {"lives": 1}),
    ("shut-the-box", {}),
    *((name, {}) for name in ("big-six", "dice-roulette", "drop-dead", "high-dice", "six-by-6", "slam")),
]


@pytest.fixture(scope="session")
def solved() -> None:
    """Small games that pages are asked about; nobody solves them twice."""
    for name, parameters in SOLVED:
        load_or_solve(parse_game(name, parameters), quiet=True)


@pytest.fixture(scope="session")
def client(solved: None) -> Iterator[TestClient]:
    """The page as it is unless told otherwise, the same for all tests that change nothing of it."""
    with TestClient(make_app(), base_url=HERE) as asked:
        yield asked


@pytest.fixture(scope="session")
def pages(solved: None) -> Iterator[TestClient]:
    """The same of a server that solves nothing."""
    with TestClient(make_app(Settings(allow_solve="none")), base_url=HERE) as asked:
        yield asked


@pytest.fixture
def client_of() -> Iterator[Callable[..., TestClient]]:
    """A page of this test alone, with settings: ``client_of(allow_solve="none")``."""
    opened: list[TestClient] = []

    def client_of(**settings: Any) -> TestClient:
        asked = TestClient(make_app(Settings(**settings)), base_url=HERE)
        asked.__enter__()
        opened.append(asked)
        return asked

    yield client_of
    for asked in opened:
        asked.__exit__()


@pytest.fixture
def unsolved(own_cache: Store, client_of: Callable[..., TestClient]) -> TestClient:
    """The page of a server that may solve, and has solved nothing."""
    return client_of()


@pytest.fixture
def pig(client: TestClient) -> Callable[..., Page]:
    """Begins a short game of Pig."""
    return lambda **said: begin(client, "pig", **{"p_target": "12", "seed": "5", **said})


@pytest.fixture
def anyio_backend() -> str:
    """What runs the tests that are coroutines."""
    return "asyncio"


@pytest.fixture
async def jobs(own_cache: Store, anyio_backend: str) -> AsyncIterator[Jobs]:
    """The jobs of a server, none of them begun; nothing is solved."""
    workers = Workers()
    made = Jobs(Settings(), workers)
    yield made
    await made.close()
    workers.close()


@pytest.fixture
def slow(jobs: Jobs, tmp_path: Path) -> Path:
    """Makes every solve take a minute; the file in which it says that it runs."""
    place = tmp_path / "process"
    jobs.command = fake(SLOW, place)
    return place
