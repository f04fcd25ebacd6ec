"""What tests of the page share: an application, asked as a browser on this machine would ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.web.app import make_app
from rollwise.web.settings import Settings

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
