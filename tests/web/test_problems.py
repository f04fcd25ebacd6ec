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
from tests.web.asking import ASKED, is_problem, post


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


@pytest.mark.parametrize(
    ("error", "status", "is_logged"),
    [
        (RollwiseError("the values do not meet in /home/somebody"), 500, True),  # which nobody has foreseen
        (BadInput("there is no such field in /home/somebody"), 400, False),
        (StoreError("/home/somebody/kept cannot be read"), 503, True),  # where the cache lies
    ],
)
def test_faults_of_the_server_are_told_to_the_log_and_where_things_lie_to_it_alone(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    error: RollwiseError, status: int, is_logged: bool,
) -> None:  # fmt: skip
    def fail(*asked: Any) -> Any:
        raise error

    monkeypatch.setattr(answering, "ask", fail)
    found = post(client, "ask", ASKED)
    is_problem(found, status)
    assert (str(error) in caplog.text) == is_logged
    if status == 503:
        is_problem(found, 503, error="StoreError")
        assert "somebody" not in found.text
        assert int(found.headers["retry-after"]) > 0


def test_no_message_is_longer_than_anybody_reads_and_no_text_is_a_failure(client: TestClient) -> None:
    found = client.get(f"/api/{'x' * 5000}")
    is_problem(found, 404)
    assert len(found.json()["message"]) == LONGEST
    found = post(client, "ask", {**ASKED, "x" * 5000: 1})
    is_problem(found, 400, field="x" * 60)
    assert len(found.json()["message"]) < 200
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
    client, said = client_of(most_seconds=0.1), "this takes longer than 0.1 seconds"
    monkeypatch.setattr(answering, "ask", works_for_ever)
    monkeypatch.setattr(play, "stepped", works_for_ever)
    for _ in range(3):  # more than there are workers
        is_problem(post(client, "ask", ASKED), 503, f"{said}, so it was given up")
    page = client.post("/play/pig", data={"start": "1"})
    assert (page.status_code, said in page.text, "<html" in page.text) == (503, True, True)


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
