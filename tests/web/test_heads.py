"""What goes out: the headers of every answer, heads that are had alone, other places, and the log."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from rollwise.web import api, guard, limits, pages, play
from rollwise.web.app import make_app
from rollwise.web.settings import Settings
from rollwise.web.templating import VERSION_MARK
from tests.web.calling import HERE, fails, sent, told
from tests.web.conftest import HERE as PLACE
from tests.web.solves import SLEEPS, fake

Client = Callable[..., TestClient]
NAMES = {"game": "pig", "name": "pig", "job": "0123456789abcdef"}
OTHERS = ["/", "/no/such/page", "/healthz", "/static/rollwise.css", "/static/none.css", "/api/openapi.json", "/pig/"]
QUESTION = {"game": "dice-roulette", "state": {"bet": "odd"}}


def paths(router: Any, prefix: str = "") -> Iterator[str]:
    """The paths of a router at which something is read."""
    for route in router.routes:
        if hasattr(route, "original_router"):
            yield from paths(route.original_router, prefix)
        elif "GET" in route.methods:
            yield prefix + re.sub(r"{(\w+)}", lambda found: NAMES[found[1]], route.path)


READ = [*OTHERS, *paths(api.router, "/api"), *paths(play.router), *paths(pages.router)]


def has_the_headers(found: Any) -> None:
    for name, value in guard.HEADERS.items():
        assert found.headers.get_list(name) == [value]
    assert "unsafe" not in found.headers["content-security-policy"]


@pytest.mark.parametrize("path", READ)
def test_heads_can_be_had_alone_and_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    url = f"{path}?p.target=12"
    whole, head = (client.request(how, url, follow_redirects=False) for how in ("GET", "HEAD"))
    assert (head.status_code, head.content) == (whole.status_code, b"")
    assert head.status_code != 405
    assert list(head.headers.items()) == list(whole.headers.items())
    has_the_headers(whole)
    is_html = whole.headers.get("content-type", "").startswith("text/html")
    assert whole.headers.get("rollwise") == (VERSION_MARK if is_html else None)
    assert path.endswith("openapi.json") or not path.startswith("/api") or head.headers["cache-control"] == "no-store"


def test_refusals_and_failures_have_the_headers_too_and_what_is_not_read_has_no_head(client: TestClient) -> None:
    has_the_headers(client.get("/", headers={"host": "evil.example"}))
    has_the_headers(client.post("/api/ask", headers={"origin": "http://evil.example"}, json=QUESTION))
    has_the_headers(client.post("/api/ask", content=b"x" * 1_000_001))
    has_the_headers(client.get(f"/?{'x' * 9000}"))
    has_the_headers(client.post("/api/ask", json=QUESTION))
    assert [client.head(path).status_code for path in ("/api/ask", "/api/jobs/x", "/pig/solve")] == [405] * 3
    allowed = {path: client.put(path).headers["allow"] for path in ("/", "/api/games", "/api/ask", "/static/site.css")}
    assert list(allowed.values()) == ["GET, HEAD", "GET, HEAD", "POST", "GET, HEAD"]


def test_the_head_of_events_waits_for_none_of_them(unsolved: TestClient) -> None:
    jobs: Any = unsolved.app.state.jobs  # type: ignore[attr-defined]
    jobs.command = fake(SLEEPS)
    name = unsolved.post("/api/ask", json={"game": "pig", "params": {"target": 5}}).json()["job"]
    head = unsolved.head(f"/api/jobs/{name}/events")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"].startswith("text/event-stream")
    assert not jobs.get(name).is_over


def test_threads_of_questions_and_tables_end_with_the_server() -> None:
    app = make_app()
    with TestClient(app, base_url=PLACE) as client:
        client.get("/healthz")
    for thread in (*app.state.workers.pool._threads, *app.state.exports.pool._threads):
        thread.join(10)
        assert not thread.is_alive()


def test_what_fails_inside_is_told_in_one_line_without_what_it_was(caplog: pytest.LogCaptureFixture) -> None:
    """A second beginning would be a fault of its own, and the half answer would be taken for a whole one."""
    for path in ("/x", "/api/x"):
        caplog.clear()
        begun, body, _ = sent(HERE, path=path, app=fails)
        assert begun["status"] == 500
        assert {name.lower() for name in guard.HEADERS} <= {name.decode() for name, _ in begun["headers"]}
        assert b"secret" not in body["body"]
        assert body["body"].strip().count(b"\n") == 0
        assert "a secret" in caplog.text

    async def begins(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("a secret")

    with pytest.raises(RuntimeError, match="a secret"):
        sent(HERE, app=begins)


def headed(*headers: tuple[bytes, bytes]) -> Any:
    """An application whose answer has these headers."""

    async def headed(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 303, "headers": list(headers)})

    return headed


def test_no_answer_has_headers_of_its_own_in_place_of_ours_and_a_head_is_sent_once() -> None:
    own = [(b"X-Frame-Options", b"ALLOWALL"), (b"content-security-policy", b"default-src *"), (b"x-own", b"1")]
    found = sent(HERE, app=headed(*own))[0]["headers"]
    for name, value in guard.HEADERS.items():
        assert [said for key, said in found if key.lower() == name.lower().encode()] == [value.encode()]
    assert (b"x-own", b"1") in found

    async def long(scope: Any, receive: Any, send: Any) -> None:
        await told(scope, receive, send)
        await send({"type": "http.response.body", "body": b"more"})

    assert [message["type"] for message in sent(HERE, method="HEAD", app=long)[1:-1]] == ["http.response.body"]
    for headers in ([], HERE):
        whole = sent(headers, app=fails)[1]["body"]
        begun, head, _ = sent(headers, method="HEAD", app=fails)
        assert (whole != b"", head["body"]) == (True, b"")
        assert (b"content-length", str(len(whole)).encode()) in begun["headers"]


PLACES = {
    "http://localhost/pig?turn=3": "/pig?turn=3",
    "https://dice.example:8606/pig": "/pig",
    "http://localhost//evil.example/pig": "/evil.example/pig",
    "//evil.example": "/evil.example",
    "/\\evil.example": "/evil.example",
    "/pig?next=http://localhost/x": "/pig?next=http://localhost/x",
    "?turn=3": "?turn=3",
}


@pytest.mark.parametrize("said", PLACES)
def test_another_place_is_one_of_this_server(said: str) -> None:
    found = dict(sent(HERE, app=headed((b"Location", said.encode())))[0]["headers"])
    assert found[b"Location"] == PLACES[said].encode()


def test_a_page_that_has_another_place_is_found_there_behind_a_proxy_too(client_of: Client) -> None:
    """A proxy is called by another protocol than this server, and perhaps at another port."""
    client = client_of(allow_hosts=("dice.example",))
    for path, place in (
        ("/pig/?turn=3", "/pig?turn=3"),
        ("/play/pig/", "/play/pig"),
        ("/Pig", "/pig"),
        ("/%5Cevil.example/", "/%5Cevil.example"),
    ):
        for host in ("localhost:8606", "dice.example"):
            found = client.get(path, headers={"host": host}, follow_redirects=False)
            assert (found.status_code in (303, 307), found.headers["location"]) == (True, place)
    for path in ("//evil.example/", "//evil.example/Pig", "/pig//evil.example/", "//evil.example/pig/"):
        assert "location" not in client.get(PLACE + path, follow_redirects=False).headers


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.INFO, logger=guard.ACCESS_LOG.name):
        yield caplog


@pytest.mark.parametrize("log_states", [False, True])
def test_the_log_has_states_only_where_asked(
    client_of: Client, log: pytest.LogCaptureFixture, log_states: bool
) -> None:
    client = client_of(log_states=log_states)
    client.get("/api/rules/pig?p.target=77")
    client.post("/api/ask", json=QUESTION)
    said = "\n".join(log.messages)
    assert ("p.target=77" in said, "odd" in said) == (log_states, log_states)
    if not log_states:
        assert "GET /api/rules/pig 200 " in said
        assert "POST /api/ask 200 " in said
        assert "77" not in said


def test_a_line_of_the_log_is_one_short_line(log: pytest.LogCaptureFixture) -> None:
    settings = Settings(log_states=True)
    sent(HERE, path="/a\nb\x1b[31m", query_string=b"c\nd", settings=settings)
    sent(HERE, path="/" + "a" * 3000, query_string=b"c" * 3000, settings=settings)
    strange, long = log.messages
    assert "\n" not in strange
    assert "\x1b" not in strange
    assert len(long) < 2 * limits.MAX_LOGGED_CHARS + 50


def test_static_files_are_kept_for_good_only_by_their_version_and_long_answers_sent_short(client: TestClient) -> None:
    for place in ("/", "/play/pig", "/kept", "/no/such/page"):
        named = re.findall(r'"(/static/[^"]+)"', client.get(place).text)
        assert {name.partition("?")[2] for name in named} == {f"v={VERSION_MARK}"}, place
        for name in named:
            assert "immutable" in client.get(name).headers["cache-control"], name
    assert "cache-control" not in client.get(f"/static/none.js?v={VERSION_MARK}").headers
    for other in ("", "?v=0.0.1-0123456789ab", f"?v={VERSION_MARK}&w=1"):
        assert "cache-control" not in client.get(f"/static/kept.js{other}").headers
    for place in (f"/kept?v={VERSION_MARK}", f"/sw.js?v={VERSION_MARK}"):
        assert client.get(place).headers["cache-control"] == "no-cache"
    assert client.get("/sw.js").headers["content-type"].startswith("text/javascript")
    found = client.get("/static/manifest.webmanifest")
    assert found.headers["content-type"] == "application/manifest+json"
    icons = [icon["src"] for icon in json.loads(found.text)["icons"]]
    assert [client.get(icon).status_code for icon in icons] == [200]
    assert client.get("/pig?p.target=12").headers["content-encoding"] == "gzip"
    assert "content-encoding" not in client.get("/healthz").headers
