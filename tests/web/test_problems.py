"""What goes wrong is told with a status, in a short line; a form and a record are read no further than their limits."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, MutableMapping
from typing import Any

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from rollwise.cache.errors import StoreError
from rollwise.parsing.validate import parse_game
from rollwise.solutions.lookup import Unsolved
from rollwise.solver.model.cancellation import raise_if_cancelled
from rollwise.solver.model.errors import BadInput, RollwiseError, StateError, TooLarge
from rollwise.web import endpoints, limits, play
from rollwise.web.app import make_app
from rollwise.web.jobs import NoJob
from rollwise.web.problems import MAX_MESSAGE_CHARS, json_response, status_of
from rollwise.web.records import (
    MAX_FORM_BYTES,
    MAX_FORM_FIELDS,
    TooLong,
    escape_textarea,
    is_partial,
    pack_record,
    parse_record,
    read_form,
)
from rollwise.web.sitting import parse_seats
from rollwise.web.workers import Busy
from tests.web.asking import ASKED, is_problem, post


def test_errors_have_their_status_and_seats_are_those_that_there_are() -> None:
    errors = [BadInput("x"), StateError("x"), NoJob("x"), TooLarge("x"), Busy("x", status=429), Busy("x")]
    errors += [Unsolved(parse_game("pig")), RollwiseError("x")]
    assert list(map(status_of, errors)) == [400, 400, 404, 413, 429, 503, 503, 500]
    said = {"0": (0,), "1,0,1": (0, 1), "none": (), "": (), "2,9,-1,x": (), "²,٣,001,0": (0,)}
    assert {each: parse_seats(each, 2) for each in said} == said


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

    monkeypatch.setattr(endpoints, "ask", fail)
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
    assert len(found.json()["message"]) == MAX_MESSAGE_CHARS
    found = post(client, "ask", {**ASKED, "x" * 5000: 1})
    is_problem(found, 400, field="x" * 60)
    assert len(found.json()["message"]) < 200
    assert json_response({"half a sign": "\ud800"}).body == b'{"half a sign":"?"}'


def works_for_ever(*asked: Any) -> None:
    while True:
        time.sleep(0.001)
        raise_if_cancelled()


@pytest.mark.parametrize("path", ["/api/ask", "/api/outcomes", "/api/why", "/api/review", "/api/throw", "/api/export"])
def test_who_has_hung_up_is_worked_for_no_longer(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, path.removeprefix("/api/"), works_for_ever)
    body = {"text": "pig"} if path == "/api/review" else ASKED
    app, out = make_app(), list[Any]()
    head = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode()}
    head |= {"query_string": b"", "root_path": ""}
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


def test_what_takes_too_long_is_given_up(client_of: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    client, said = client_of(timeout_s=0.1), "this takes longer than 0.1 seconds"
    monkeypatch.setattr(endpoints, "ask", works_for_ever)
    monkeypatch.setattr(play, "take_step", works_for_ever)
    for _ in range(3):  # more than there are workers
        is_problem(post(client, "ask", ASKED), 503, f"{said}, so it was given up")
    page = client.post("/play/pig", data={"start": "1"})
    assert (page.status_code, said in page.text, "<html" in page.text) == (503, True, True)


PIECE = 100_000


def request(body: bytes, *headers: tuple[bytes, bytes]) -> tuple[Request, list[int]]:
    """A request that brings this body piece by piece, and where each piece that was taken began."""
    taken: list[int] = []

    async def receive() -> MutableMapping[str, Any]:
        at = PIECE * len(taken)
        taken.append(at)
        return {"type": "http.request", "body": body[at : at + PIECE], "more_body": at + PIECE < len(body)}

    scope = {"type": "http", "method": "POST", "path": "/", "headers": list(headers)}
    return Request(scope, receive), taken


def read(body: bytes) -> dict[str, str]:
    """The fields of a form."""
    return asyncio.run(read_form(request(body)[0]))


def test_a_form_is_read_as_well_as_it_goes_and_no_further_than_its_limits() -> None:
    asked, taken = request(b"x" * 50 * PIECE)
    with pytest.raises(TooLong):
        asyncio.run(read_form(asked))
    assert taken[-1] <= MAX_FORM_BYTES
    assert read(b"a=" + b"x" * (MAX_FORM_BYTES - 2)) == {"a": "x" * (MAX_FORM_BYTES - 2)}
    assert len(read(b"&".join(b"a%d=1" % place for place in range(MAX_FORM_FIELDS)))) == MAX_FORM_FIELDS
    with pytest.raises(TooLong):
        read(b"a=1&" * (MAX_FORM_FIELDS + 1))
    assert read(b"a=1&b=&a=%C3%A9+x") == {"a": "é x", "b": ""}  # of a name said twice the last
    assert read(b"a=\xff1&b=%ff") == {"a": "\ufffd1", "b": "\ufffd"}
    part, back = (b"hx-request", b"true"), (b"hx-history-restore-request", b"true")
    assert [is_partial(request(b"", *headers)[0]) for headers in ([part], [part, back], [])] == [True, False, False]


def test_a_record_is_no_longer_than_a_page_can_carry_and_cannot_leave_its_text_field() -> None:
    longest = [{"a": "x" * (limits.MAX_RECORD_BYTES - len('[{"a":""}]'))}]
    assert len(pack_record(longest)) == limits.MAX_RECORD_BYTES
    assert parse_record(pack_record(longest)) == longest
    with pytest.raises(TooLong):
        pack_record([{"a": longest[0]["a"] + "x"}])
    with pytest.raises(TooLong):
        parse_record("é" * (limits.MAX_RECORD_BYTES // 2 + 1))
    assert escape_textarea('</textarea><b>&amp;"') == '&lt;/textarea>&lt;b>&amp;amp;"'
