"""Reading: the head of each answer can be had alone, and nothing that has another place leads away from here."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.web import api, pages, play
from rollwise.web.app import make_app
from rollwise.web.settings import Settings
from tests.web.conftest import HERE, PIG

NAMES = {"game": "pig", "name": "pig", "job": "0123456789abcdef"}
OTHERS = ["/", "/no/such/page", "/healthz", "/static/rollwise.css", "/static/none.css", "/api/openapi.json", "/pig/"]


def paths(router: Any, prefix: str = "") -> Iterator[str]:
    """The paths of a router at which something is read."""
    for route in router.routes:
        if hasattr(route, "original_router"):
            yield from paths(route.original_router, prefix)
        elif "GET" in route.methods:
            yield prefix + re.sub(r"{(\w+)}", lambda found: NAMES[found[1]], route.path)


READ = [*OTHERS, *paths(api.router, "/api"), *paths(play.router), *paths(pages.router)]


@pytest.fixture(scope="module")
def asked() -> Iterator[TestClient]:
    rollwise.solve("pig", PIG)
    with TestClient(make_app(Settings(allow_hosts=("dice.example",))), base_url=HERE, follow_redirects=False) as asked:
        yield asked


@pytest.mark.parametrize("path", READ)
def test_the_head_of_whatever_is_read_can_be_had_alone(asked: TestClient, path: str) -> None:
    url = f"{path}?p.target=12"
    whole, head = asked.get(url), asked.head(url)
    assert (head.status_code, head.content) == (whole.status_code, b"")
    assert head.status_code != 405
    assert list(head.headers.items()) == list(whole.headers.items())


@pytest.mark.parametrize("path", ["/api/ask", "/api/jobs/x", "/pig/solve"])
def test_what_is_not_read_has_no_head(asked: TestClient, path: str) -> None:
    assert asked.head(path).status_code == 405


@pytest.mark.usefixtures("own_cache")
def test_the_head_of_events_waits_for_none_of_them(client_of: Callable[..., TestClient]) -> None:
    client = client_of()
    state: Any = client.app.state  # type: ignore[attr-defined]
    state.jobs.command = lambda job: [sys.executable, "-c", "import time; time.sleep(60)"]
    name = client.post("/api/ask", json={"game": "pig", "params": {"target": 5}}).json()["job"]
    head = client.head(f"/api/jobs/{name}/events")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"].startswith("text/event-stream")
    assert not state.jobs.get(name).is_over


def test_long_answers_are_sent_short(asked: TestClient) -> None:
    assert asked.get("/pig").headers["content-encoding"] == "gzip"
    assert "content-encoding" not in asked.get("/healthz").headers


def test_threads_of_questions_and_tables_end_with_the_server() -> None:
    app = make_app()
    with TestClient(app, base_url=HERE) as client:
        client.get("/healthz")
    for workers in (app.state.workers, app.state.exports):
        for thread in workers._threads:
            thread.join(10)
            assert not thread.is_alive()


# --- on to another place ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/pig/?turn=3", "/pig?turn=3"),
        ("/play/pig/", "/play/pig"),
        ("/Pig", "/pig"),
        ("/%5Cevil.example/", "/%5Cevil.example"),
    ],
)
def test_a_page_that_has_another_place_is_found_there_behind_a_proxy_too(
    asked: TestClient, path: str, place: str
) -> None:
    """A proxy is called by another protocol than this server, and perhaps at another port."""
    for host in ("localhost:8606", "dice.example"):
        found = asked.get(path, headers={"host": host})
        assert found.status_code in (303, 307)
        assert found.headers["location"] == place


def test_no_address_leads_elsewhere(asked: TestClient) -> None:
    for path in ("//evil.example/", "//evil.example/Pig", "/pig//evil.example/", "//evil.example/pig/"):
        assert "location" not in asked.get(HERE + path).headers
