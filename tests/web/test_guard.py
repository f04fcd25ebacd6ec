"""Who may call, how much may come in, and for whom a solve is begun."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.datastructures import Headers as StarletteHeaders
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from rollwise.web import guard, limits
from rollwise.web.guard import Guard, bare_host, can_begin_solve
from rollwise.web.settings import Settings
from tests.web.calling import HERE, Headers, called, fails, sent, told
from tests.web.playing import opened
from tests.web.solves import SLEEPS, fake
from tests.web.test_heads import READ

LOCAL = Settings(allow_hosts=("Dice.local", "table.example:8080"))


OURS = (
    *("localhost", "LOCALHOST:8606", "127.0.0.1", "127.0.0.1:80", "192.168.1.20:8606"),
    *("[::1]", "[::1]:8606", "[fe80::1]"),
)
OTHERS = (
    *("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:8606", "", ":80"),
    *("::1", "[::1", "[localhost]", "[127.0.0.1]", "[::1]x", "localhost:", "localhost:x", "localhost:123456"),
    *("user@localhost", "localhost/x", "localhost#", "127.1", "0x7f.1", "[::1]:x", "localhost, evil.example"),
)


def test_this_machine_and_any_address_may_be_called_and_no_other_name() -> None:
    for hosts, settings, status in (
        (OURS, None, 200),
        (OTHERS, None, 400),
        (("dice.local", "DICE.local:8606", "table.example", "table.example:1"), LOCAL, 200),  # with a port or without
        (("other.local",), LOCAL, 400),
    ):
        for host in hosts:
            assert called([("host", host)], settings=settings) == status, host
    for headers in ([], [*HERE, *HERE]):  # a request says one host
        assert called(headers) == 400
    assert [bare_host(host) for host in ("dice.local:80", "ho st", "höst")] == ["dice.local", None, None]


ORIGINS = {
    "http://localhost:8606": 200,
    "https://LOCALHOST:8606": 200,  # a proxy before it speaks TLS
    **dict.fromkeys(("http://localhost", "http://localhost:1", "http://evil.example", "null", ""), 403),
    **dict.fromkeys(("http://localhost:8606.evil.example", "ftp://localhost:8606", "http://localhost:8606/"), 403),
    "http://evil.example/localhost:8606": 403,
}
SITES = {"same-origin": 200, "none": 200, "same-site": 403, "cross-site": 403}


def test_nothing_is_done_for_a_page_of_another_site_but_reading_is_free() -> None:
    cases: list[tuple[Headers, int]] = [([], 200)]
    cases += [([("origin", origin)], status) for origin, status in ORIGINS.items()]
    cases += [([("sec-fetch-site", site)], status) for site, status in SITES.items()]
    cases += [([("origin", "http://evil.example"), ("sec-fetch-site", "same-origin")], 403)]
    for said, status in cases:
        headers = [("host", "localhost:8606"), *said]
        assert [called(headers, method=how) for how in ("POST", "PUT", "DELETE", "PATCH")] == [status] * 4, said
        assert called(headers) == 200


@pytest.mark.parametrize(("port", "status"), [("", 200), (":443", 200), (":80", 403)])
def test_the_usual_port_may_be_left_out(port: str, status: int) -> None:
    headers = [("host", f"dice.local{port}"), ("origin", "https://dice.local")]
    assert called(headers, method="POST", settings=LOCAL) == status


@pytest.mark.parametrize("path", ["/", "/api/review", "/api/throw"])
def test_a_body_may_be_so_large_and_a_record_is_smaller(path: str) -> None:
    most = limits.MAX_BODY_BYTES if path == "/" else limits.MAX_RECORD_BYTES
    assert most == (1_000_000 if path == "/" else 200_000)
    begun, body, _ = sent(HERE, method="POST", path=path, pieces=[b"x" * (most // 2)] * 2)
    assert (begun["status"], body["body"]) == (200, f"{most} bytes".encode())
    assert called(HERE, method="POST", path=path, pieces=[b"x" * (most // 2), b"x" * (most // 2 + 1)]) == 413


def test_a_body_that_is_too_large_is_not_read_whole() -> None:
    for length, status, n_unread in (("1000001", 413, 1), ("9" * 5000, 413, 1), ("many", 200, 0)):
        begun, *_, unread = sent([*HERE, ("content-length", length)], method="POST", pieces=[b"x"])
        assert (begun["status"], len(unread)) == (status, n_unread), length
    begun, *_, unread = sent(HERE, method="POST", pieces=[b"x" * 100_000] * 50)
    assert (begun["status"], len(unread)) == (413, 39)
    assert (b"connection", b"close") in begun["headers"]


@pytest.mark.parametrize(("seconds", "why"), [(0, "cut off"), (60, "did not come")])
def test_a_body_that_is_cut_off_or_does_not_come_is_refused(
    monkeypatch: pytest.MonkeyPatch, seconds: float, why: str
) -> None:
    async def receive() -> Any:
        await asyncio.sleep(seconds)
        return {"type": "http.disconnect"}

    monkeypatch.setattr(limits, "BODY_TIMEOUT_S", 0.05)
    with pytest.raises(HTTPException, match=why):
        asyncio.run(guard.whole_body({"type": "http", "path": "/", "headers": []}, receive))


def test_an_address_is_not_endless() -> None:
    assert [called(HERE, query_string=b"a" * n) for n in (7_999, 8_000)] == [200, 413]


def test_more_requests_than_can_be_answered_are_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_REQUESTS", 0)
    begun = sent(HERE)[0]
    assert begun["status"] == 503
    assert (b"retry-after", b"2") in begun["headers"]
    monkeypatch.setattr(limits, "MAX_REQUESTS", 1)
    for app, status in ((told, 200), (fails, 500)):  # what is answered counts no more
        guarded = Guard(app)
        assert [called(HERE, app=guarded) for _ in range(3)] == [status] * 3
        assert [called([], app=guarded) for _ in range(3)] == [400] * 3


def test_other_connections_are_closed(pages: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect), pages.websocket_connect("/pig"):
        pass


HOST = "192.168.1.20:8606"
OWN: Any = {"Sec-Fetch-Site": "same-origin"}
OTHER: Any = {"Sec-Fetch-Site": "cross-site"}
SAID: list[tuple[dict[str, str], bool]] = [
    (OWN, True),
    ({"Sec-Fetch-Site": "none"}, True),
    ({"Sec-Fetch-Site": "same-site"}, False),
    (OTHER, False),
    ({"Sec-Fetch-Site": ""}, False),
    (OTHER | {"HX-Request": "true", "Referer": f"http://{HOST}/pig"}, False),
    # a browser that says nothing of it, as on a phone that calls an address without encryption
    ({}, False),
    ({"HX-Request": "true"}, True),
    ({"Referer": f"http://{HOST}/pig?turn=2"}, True),
    ({"Referer": f"http://{HOST}"}, True),
    ({"Referer": "http://192.168.1.20:3000/pig"}, False),
    ({"Referer": "http://evil.example/?http://192.168.1.20:8606/"}, False),
    ({"Referer": f"http://evil.example@{HOST}/"}, False),
    ({"Referer": f"http://{HOST}.evil.example/"}, False),
    ({"Referer": "/pig"}, False),
]


def test_who_asks_is_known_by_what_only_a_page_of_this_server_sends() -> None:
    for said, begins in SAID:
        headers = StarletteHeaders({"host": HOST, **said})
        told = [can_begin_solve(method, headers) for method in ("GET", "HEAD", "OPTIONS", "POST")]
        assert told == [begins, False, False, True], said  # the guard lets POST in from its own pages alone


def test_what_an_address_carries_is_unpacked_by_going_there_and_in_no_picture_of_another_site(
    pages: TestClient,
) -> None:
    for site, mode, dest, status in (
        ("cross-site", "navigate", "document", 400),  # it is damaged
        ("cross-site", "navigate", "iframe", 403),
        ("cross-site", "no-cors", "image", 403),
        ("same-site", "cors", "empty", 403),
        ("same-origin", "cors", "empty", 400),
    ):
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
        assert pages.get("/review?r=eA", headers=headers).status_code == status, (site, mode, dest)


def test_a_solve_is_begun_for_whoever_asks_here_and_for_no_page_of_another_site(unsolved: TestClient) -> None:
    jobs: Any = unsolved.app.state.jobs  # type: ignore[attr-defined]
    jobs.command = fake(SLEEPS)
    for path in READ:
        url = f"{path}?p.target=31&turn=3&move=roll" + ("&thrown=4" if path.endswith("after") else "")
        assert unsolved.get(url, headers=OTHER, follow_redirects=False).status_code < 500
        unsolved.head(url, headers=OWN, follow_redirects=False)  # nor for whoever wants the head alone
        assert not jobs.by_id, path
    page = opened(unsolved, "/pig?p.target=31&turn=3", **OTHER)
    assert page.verdict.startswith("Not solved yet")
    assert "of memory and" in page.verdict
    (action,) = [form.action for form in page.forms if form.action.startswith("/pig/solve")]
    pressed = unsolved.post(action, headers={"Origin": "http://localhost:8606"}, follow_redirects=False)
    assert (pressed.status_code, len(jobs.by_id)) == (303, 1)
    page = opened(unsolved, "/pig?p.target=32&turn=3", **OWN)
    assert (page.verdict.startswith("Being solved"), len(jobs.by_id)) == (True, 2)
