"""What tests of the page share: an application, asked as a browser on this machine would ask it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.cache.store import Store
from rollwise.web.app import make_app
from rollwise.web.jobs import Jobs
from rollwise.web.settings import Settings
from rollwise.web.workers import Workers
from tests.web.solves import SLOW

HERE = "http://localhost:8606"
PIG = {"target": 12}


@pytest.fixture
def client() -> Iterator[TestClient]:
    """The page, asked as ``localhost``; solves end with the test."""
    with TestClient(make_app(), base_url=HERE) as asked:
        yield asked


@pytest.fixture
def client_of() -> Iterator[Callable[..., TestClient]]:
    """The same with settings, ``client_of(allow_solve="none")``."""
    opened: list[TestClient] = []

    def client_of(**settings: object) -> TestClient:
        asked = TestClient(make_app(Settings(**settings)), base_url=HERE)  # type: ignore[arg-type]
        asked.__enter__()
        opened.append(asked)
        return asked

    yield client_of
    for asked in opened:
        asked.__exit__()


@pytest.fixture
def pig() -> dict[str, object]:
    """A question of a small game that is solved."""
    rollwise.solve("pig", PIG)
    return {"game": "pig", "params": PIG, "state": {"turn": 3}}


@pytest.fixture
def jobs(own_cache: Store) -> Iterator[Jobs]:
    """The solves of a server, none of them begun; nothing is solved."""
    workers = Workers()
    made = Jobs(Settings(), workers)
    yield made
    made.close()
    workers.close()


@pytest.fixture
def slow(jobs: Jobs, tmp_path: Path) -> Path:
    """Makes every solve take a minute; the file in which it says that it runs."""
    place = tmp_path / "process"
    jobs.command = lambda job: [sys.executable, "-c", SLOW, str(place)]
    return place
