"""What goes wrong is told with a status, in one short line, and logged where it is a fault of the server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from math import inf
from typing import Any

import pytest
from starlette.testclient import TestClient

from rollwise.cache.errors import StoreError
from rollwise.door import the_game
from rollwise.solver.game.errors import BadInput, RollwiseError, StateError, TooLarge
from rollwise.solver.game.giving_up import GivenUp, given_up_when, require_wanted
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import InMemory, Wanted, unheard
from rollwise.solver.turn.graph import compile_turn
from rollwise.stored import Unsolved
from rollwise.web import answering, play
from rollwise.web.app import make_app
from rollwise.web.jobs import NoJob
from rollwise.web.problems import LONGEST, as_json, status_of
from rollwise.web.workers import Busy
from tests.sizes import Size
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


def works_for_ever(*asked: Any) -> None:
    while True:
        time.sleep(0.001)
        require_wanted()


@pytest.mark.parametrize("path", ["/api/ask", "/api/outcomes", "/api/why", "/api/review", "/api/throw", "/api/export"])
def test_what_is_worked_out_for_somebody_who_has_hung_up_is_given_up(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, path.removeprefix("/api/"), works_for_ever)
    body = {"text": "pig"} if path == "/api/review" else ASKED
    app, out = make_app(), list[Any]()
    head = {"type": "http", "method": "POST", "path": path, "query_string": b"", "root_path": ""}
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    coming = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]

    async def receive() -> Any:
        return coming.pop() if coming else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        out.append(message)

    async def ask() -> None:
        await asyncio.wait_for(app({**head, "headers": headers}, receive, send), 20)
        for workers in (app.state.workers, app.state.exports):
            await asyncio.wait_for(workers.run(time.sleep, 0), 20)

    asyncio.run(ask())
    assert out[0]["status"] == 503


def test_whatever_takes_longer_than_the_limit_is_given_up_and_said_so(
    client_of: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(most_seconds=0.1)
    monkeypatch.setattr(answering, "ask", works_for_ever)
    monkeypatch.setattr(play, "stepped", works_for_ever)
    for _ in range(3):  # more than there are workers
        told = is_problem(client.post("/api/ask", json=ASKED), 503)
        assert told["message"].startswith("this takes longer than 0.1 seconds, so it was given up")
    page = client.post("/play/pig", data={"start": "1"})
    assert page.status_code == 503
    assert "this takes longer than 0.1 seconds" in page.text
    assert "<html" in page.text


def test_odds_that_are_not_kept_are_given_up_on_the_way() -> None:
    game = Size("bouncer", {"chips": 2}).game
    opened = kind_of(game).restore(game, compile_turn(game), InMemory({}), {"start": {}})

    def looks(most: float = inf) -> int:
        """How often it is looked whether anybody waits, until after so many looks nobody does."""
        looked = list[int]()
        with given_up_when(lambda: looked.append(1) or len(looked) >= most):  # type: ignore[func-returns-value]
            opened.ask(game.locate(last=5), {}, Wanted(), unheard)
        return len(looked)

    often = looks()
    assert often > 10
    for at in (1, often // 2, often - 1):
        with pytest.raises(GivenUp):
            looks(at)
