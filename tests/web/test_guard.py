"""Who may call, how much may come in, and what every answer bears."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from rollwise.web import guard
from rollwise.web.guard import Guard, bare_host
from rollwise.web.settings import Settings

Client = Callable[..., TestClient]
Headers = list[tuple[str, str]]
QUESTION = {"game": "dice-roulette"}


async def told(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads what comes and says so."""
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": f"{size} bytes".encode()})


async def fails(scope: Any, receive: Any, send: Any) -> None:
    raise RuntimeError("a secret")


def called(headers: Headers, **how: Any) -> int:
    """The status that a request with these very headers gets."""
    return int(sent(headers, **how)[0]["status"])


def sent(
    headers: Headers,
    *,
    method: str = "GET",
    path: str = "/",
    query: bytes = b"",
    pieces: list[bytes] | None = None,
    settings: Settings | None = None,
    app: Any = told,
    guarded: Guard | None = None,
) -> list[Any]:
    """All that is sent for a request with these very headers, whose body comes in ``pieces``."""
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    waiting = iter(pieces or [b""])
    left = len(pieces or [b""])
    out: list[Any] = []

    async def receive() -> Any:
        nonlocal left
        left -= 1
        piece = next(waiting, None)
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": left > 0}

    async def send(message: Any) -> None:
        out.append(message)

    asyncio.run((guarded or Guard(app, settings))(scope, receive, send))
    return [*out, {"left": left}]


# --- the name by which it is called -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8606",
        "127.0.0.1",
        "127.0.0.1:80",
        "192.168.1.20:8606",
        "[::1]",
        "[::1]:8606",
        "[fe80::1]",
    ],
)
def test_this_machine_and_any_address_may_be_called(host: str) -> None:
    assert called([("host", host)]) == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:8606", "", ":80"),
        *("::1", "[::1", "[localhost]", "[127.0.0.1]", "[::1]x", "localhost:", "localhost:x", "localhost:123456"),
        *("user@localhost", "localhost/x", "localhost#", "127.1", "0x7f.1", "[::1]:x", "localhost, evil.example"),
    ],
)
def test_any_other_name_is_refused(host: str) -> None:
    assert called([("host", host)]) == 400


def test_a_request_says_one_host() -> None:
    assert called([]) == 400
    assert called([("host", "localhost"), ("host", "localhost")]) == 400


def test_a_name_that_is_allowed_may_be_called_with_a_port_or_without() -> None:
    settings = Settings(allow_hosts=("Dice.local", "table.example:8080"))
    for host in ("dice.local", "DICE.local:8606", "table.example", "table.example:1"):
        assert called([("host", host)], settings=settings) == 200
    assert called([("host", "other.local")], settings=settings) == 400


def test_a_host_that_is_no_name_has_none() -> None:
    assert bare_host("dice.local:80") == "dice.local"
    assert bare_host("ho st") is None
    assert bare_host("höst") is None


# --- pages of other sites ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize(
    ("said", "status"),
    [
        ([], 200),
        ([("origin", "http://localhost:8606")], 200),
        ([("origin", "https://LOCALHOST:8606")], 200),  # a proxy before it speaks TLS
        ([("origin", "http://localhost")], 403),
        ([("origin", "http://localhost:1")], 403),
        ([("origin", "http://evil.example")], 403),
        ([("origin", "http://localhost:8606.evil.example")], 403),
        ([("origin", "null")], 403),
        ([("origin", "")], 403),
        ([("origin", "ftp://localhost:8606")], 403),
        ([("origin", "http://localhost:8606/")], 403),
        ([("origin", "http://evil.example/localhost:8606")], 403),
        ([("origin", "http://evil.example"), ("sec-fetch-site", "same-origin")], 403),
        ([("sec-fetch-site", "same-origin")], 200),
        ([("sec-fetch-site", "none")], 200),
        ([("sec-fetch-site", "same-site")], 403),
        ([("sec-fetch-site", "cross-site")], 403),
    ],
)
def test_nothing_is_done_for_a_page_of_another_site(method: str, said: list[tuple[str, str]], status: int) -> None:
    assert called([("host", "localhost:8606"), *said], method=method) == status


def test_reading_is_free_for_links_from_elsewhere() -> None:
    assert called([("host", "localhost"), ("sec-fetch-site", "cross-site")]) == 200
    assert called([("host", "localhost"), ("origin", "http://evil.example")]) == 200


def test_the_usual_port_may_be_left_out() -> None:
    assert called([("host", "dice.local"), ("origin", "https://dice.local")], method="POST", settings=LOCAL) == 200
    assert called([("host", "dice.local:443"), ("origin", "https://dice.local")], method="POST", settings=LOCAL) == 200
    assert called([("host", "dice.local:80"), ("origin", "https://dice.local")], method="POST", settings=LOCAL) == 403


LOCAL = Settings(allow_hosts=("dice.local",))


# --- how much ---------------------------------------------------------------------------------------------------------

HERE = [("host", "localhost")]


def test_a_body_that_says_it_is_too_large_is_not_read() -> None:
    *_, after = found = sent([*HERE, ("content-length", "1000001")], method="POST", pieces=[b"x"])
    assert found[0]["status"] == 413
    assert after["left"] == 1
    assert called([*HERE, ("content-length", "9" * 5000)], method="POST") == 413
    assert called([*HERE, ("content-length", "many")], method="POST") == 200


def test_a_body_that_grows_too_large_is_not_read_whole() -> None:
    pieces = [b"x" * 100_000] * 50
    *_, after = found = sent(HERE, method="POST", pieces=pieces)
    assert found[0]["status"] == 413
    assert after["left"] == 39
    assert (b"connection", b"close") in found[0]["headers"]


def test_a_body_may_be_as_large_as_is_said() -> None:
    found = sent(HERE, method="POST", pieces=[b"x" * 500_000] * 2)
    assert (found[0]["status"], found[1]["body"]) == (200, b"1000000 bytes")
    assert called(HERE, method="POST", pieces=[b"x" * 500_000, b"x" * 500_001]) == 413


@pytest.mark.parametrize("path", ["/api/review", "/api/throw"])
def test_a_record_is_smaller(path: str) -> None:
    assert called(HERE, method="POST", path=path, pieces=[b"x" * 200_000]) == 200
    assert called(HERE, method="POST", path=path, pieces=[b"x" * 200_001]) == 413


def test_a_body_that_is_cut_off_is_refused() -> None:
    async def receive() -> Any:
        return {"type": "http.disconnect"}

    with pytest.raises(guard.Refused, match="cut off"):
        asyncio.run(guard.whole_body({"path": "/", "headers": []}, receive))


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def receive() -> Any:
        await asyncio.sleep(60)

    monkeypatch.setattr(guard, "PATIENCE", 0.01)
    with pytest.raises(guard.Refused, match="did not come"):
        asyncio.run(guard.whole_body({"path": "/", "headers": []}, receive))


def test_an_address_is_not_endless() -> None:
    assert called(HERE, query=b"a" * 7_999) == 200
    assert called(HERE, query=b"a" * 8_000) == 413


def test_more_requests_than_can_be_answered_are_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "AT_ONCE", 0)
    start = sent(HERE)[0]
    assert start["status"] == 503
    assert (b"retry-after", b"2") in start["headers"]


def test_what_is_answered_counts_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "AT_ONCE", 1)
    for app, status in ((told, 200), (fails, 500)):
        guarded = Guard(app)
        assert [called(HERE, guarded=guarded) for _ in range(3)] == [status] * 3
        assert [called([], guarded=guarded) for _ in range(3)] == [400] * 3


# --- what goes out ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/", "/no-such-page/x/y", "/api/games", "/api/none", "/api/openapi.json", "/static/none.css", "/healthz"]
)
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    has_the_headers(client.get(path).headers)


def has_the_headers(found: Any) -> None:
    for name, value in guard.HEADERS.items():
        assert found.get_list(name) == [value]
    assert "unsafe" not in found["content-security-policy"]


def test_refusals_and_failures_have_the_headers_too(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    has_the_headers(client.get("/", headers={"host": "evil.example"}).headers)
    has_the_headers(client.post("/api/ask", headers={"origin": "http://evil.example"}, json=QUESTION).headers)
    has_the_headers(client.post("/api/ask", content=b"x" * 1_000_001).headers)
    has_the_headers(client.get(f"/?{'x' * 9000}").headers)
    has_the_headers(client.post("/api/ask", json=QUESTION).headers)


def test_what_fails_inside_is_told_in_one_line_without_what_it_was(caplog: pytest.LogCaptureFixture) -> None:
    for path in ("/x", "/api/x"):
        start, body, _ = sent(HERE, path=path, app=fails)
        names = {name.decode(): value.decode() for name, value in start["headers"]}
        assert start["status"] == 500
        assert {name.lower() for name in guard.HEADERS} <= names.keys()
        assert b"secret" not in body["body"]
        assert body["body"].strip().count(b"\n") == 0
    assert "a secret" in caplog.text


def test_what_fails_in_the_middle_of_an_answer_ends_it_there() -> None:
    """A second beginning would be a fault of its own, and the half answer would be taken for a whole one."""

    async def begins(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("a secret")

    with pytest.raises(RuntimeError, match="a secret"):
        sent(HERE, app=begins)


def test_no_answer_has_headers_of_its_own_in_place_of_ours() -> None:
    async def careless(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"X-Frame-Options", b"ALLOWALL"), (b"content-security-policy", b"default-src *"), (b"x-own", b"1")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    found = sent(HERE, app=careless)[0]["headers"]
    for name, value in guard.HEADERS.items():
        assert [said for key, said in found if key.lower() == name.lower().encode()] == [value.encode()]
    assert (b"x-own", b"1") in found


def test_a_refusal_has_a_head_too() -> None:
    for headers in ([], HERE):
        _, whole, _ = sent(headers, app=fails)
        start, head, _ = sent(headers, method="HEAD", app=fails)
        assert (whole["body"] != b"", head["body"]) == (True, b"")
        assert (b"content-length", str(len(whole["body"])).encode()) in start["headers"]


def test_a_head_is_sent_once_however_long_the_answer_is() -> None:
    async def long(scope: Any, receive: Any, send: Any) -> None:
        await told(scope, receive, send)
        await send({"type": "http.response.body", "body": b"more"})

    assert [message["type"] for message in sent(HERE, method="HEAD", app=long)[1:-1]] == ["http.response.body"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("http://localhost/pig?turn=3", "/pig?turn=3"),
        ("https://dice.example:8606/pig", "/pig"),
        ("http://localhost//evil.example/pig", "/evil.example/pig"),
        ("//evil.example", "/evil.example"),
        ("/\\evil.example", "/evil.example"),
        ("/pig?next=http://localhost/x", "/pig?next=http://localhost/x"),
        ("?turn=3", "?turn=3"),
    ],
)
def test_another_place_is_one_of_this_server(said: str, told: str) -> None:
    async def moved(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 303, "headers": [(b"Location", said.encode())]})

    assert dict(sent(HERE, app=moved)[0]["headers"])[b"Location"] == told.encode()


def test_answers_to_programs_are_kept_by_nobody(client: TestClient) -> None:
    assert client.get("/api/games").headers["cache-control"] == "no-store"


def test_other_connections_are_closed() -> None:
    out: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        out.append(message["type"])

    asyncio.run(Guard(told)({"type": "websocket"}, receive, send))
    assert out == ["websocket.close"]


# --- the log ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.INFO, logger=guard.LOG.name):
        yield caplog


def test_the_log_has_no_states(client: TestClient, log: pytest.LogCaptureFixture) -> None:
    client.get("/api/rules/pig?p.target=77")
    client.post("/api/ask", json={"game": "dice-roulette", "state": {"bet": "odd"}})
    said = "\n".join(log.messages)
    assert "GET /api/rules/pig 200 " in said
    assert "POST /api/ask 200 " in said
    assert "77" not in said
    assert "odd" not in said


def test_the_log_has_states_where_that_is_asked_for(client_of: Client, log: pytest.LogCaptureFixture) -> None:
    client = client_of(log_states=True)
    client.get("/api/rules/pig?p.target=77")
    client.post("/api/ask", json={"game": "dice-roulette", "state": {"bet": "odd"}})
    said = "\n".join(log.messages)
    assert "p.target=77" in said
    assert "odd" in said


def test_a_line_of_the_log_is_one_line(log: pytest.LogCaptureFixture) -> None:
    sent(HERE, path="/a\nb\x1b[31m", query=b"c\nd", settings=Settings(log_states=True))
    (said,) = log.messages
    assert "\n" not in said
    assert "\x1b" not in said


def test_a_line_of_the_log_is_short(log: pytest.LogCaptureFixture) -> None:
    sent(HERE, path="/" + "a" * 3000, query=b"c" * 3000, settings=Settings(log_states=True))
    (said,) = log.messages
    assert len(said) < 2 * guard.LONGEST_LOGGED + 50
