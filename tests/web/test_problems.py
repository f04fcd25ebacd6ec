"""What goes wrong is told with a status, in one short line, and logged where it is a fault of the server."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from starlette.testclient import TestClient

from rollwise.cache.errors import StoreError
from rollwise.door import the_game
from rollwise.solver.game.errors import BadInput, RollwiseError, StateError, TooLarge
from rollwise.stored import Unsolved
from rollwise.web import answering
from rollwise.web.app import make_app
from rollwise.web.jobs import NoJob
from rollwise.web.problems import LONGEST, as_json, status_of
from rollwise.web.workers import Busy, Gone
from tests.web.problems import is_problem

ASKED = {"game": "pig", "params": {"target": 12}}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (BadInput("x"), 400),
        (StateError("x"), 400),
        (NoJob("x"), 404),
        (TooLarge("x"), 413),
        (Busy("x", status=429), 429),
        (Busy("x"), 503),
        (Unsolved(the_game("pig")), 503),
        (RollwiseError("x"), 500),
    ],
)
def test_an_error_has_its_status(error: RollwiseError, status: int) -> None:
    assert status_of(error) == status


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*asked: Any) -> Any:
        raise error

    monkeypatch.setattr(answering, "ask", fail)


def test_what_nobody_has_foreseen_is_logged(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing(monkeypatch, RollwiseError("the values do not meet"))
    assert client.post("/api/ask", json=ASKED).status_code == 500
    assert "the values do not meet" in caplog.text
    caplog.clear()
    failing(monkeypatch, BadInput("there is no such field"))
    is_problem(client.post("/api/ask", json=ASKED), 400)
    assert "there is no such field" not in caplog.text


def test_where_the_cache_lies_is_told_to_the_log_alone(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing(monkeypatch, StoreError("/home/somebody/kept cannot be read"))
    found = client.post("/api/ask", json=ASKED)
    is_problem(found, 503, error="StoreError")
    assert "somebody" not in found.text
    assert "somebody" in caplog.text
    assert int(found.headers["retry-after"]) > 0


def test_no_message_is_longer_than_anybody_reads(client: TestClient) -> None:
    told = is_problem(client.get(f"/api/{'x' * 5000}"), 404)
    assert len(told["message"]) == LONGEST
    told = is_problem(client.post("/api/ask", json={**ASKED, "x" * 5000: 1}), 400, field="x" * 60)
    assert len(told["message"]) < 200


def test_what_no_text_can_hold_is_never_a_failure() -> None:
    assert as_json({"half a sign": "\ud800"}).body == b'{"half a sign":"?"}'


def test_for_somebody_who_has_hung_up_nothing_is_worked_out_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    answered, out = threading.Event(), []
    monkeypatch.setattr(answering, "ask", lambda *asked: answered.wait(30))
    head = {"type": "http", "method": "POST", "path": "/api/ask", "query_string": b"", "root_path": ""}
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    coming = [{"type": "http.request", "body": json.dumps(ASKED).encode(), "more_body": False}]

    async def receive() -> Any:
        return coming.pop() if coming else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        out.append(message)

    try:
        asyncio.run(make_app()({**head, "headers": headers}, receive, send))
        assert (out[0]["status"], out[1]["body"]) == (503, b"")
        assert not answered.is_set()
    finally:
        answered.set()


def test_a_table_hears_that_nobody_waits_for_it(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[threading.Event] = []

    def export(body: Any, jobs: Any, gone: threading.Event) -> Any:
        heard.append(gone)
        raise Gone

    monkeypatch.setattr(answering, "export", export)
    assert client.post("/api/export", json={**ASKED, "format": "csv"}).status_code == 503
    assert heard[0].is_set()
