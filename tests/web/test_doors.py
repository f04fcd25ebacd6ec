"""A solve is begun for whoever asks for it, and never for a page of another site that only has an address looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from rollwise.web.guard import may_begin
from tests.web.reading import Page
from tests.web.test_heads import READ

HOST = "192.168.1.20:8606"
UNSOLVED = "/pig?p.target=31&turn=3"
OWN, OTHER = {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "cross-site"}
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


@pytest.fixture
def asked(own_cache: object, client_of: Callable[..., TestClient]) -> TestClient:
    """The page, which has solved nothing and whose solves take a minute."""
    client = client_of()
    client.follow_redirects = False
    client.app.state.jobs.command = lambda job: [sys.executable, "-c", "import time; time.sleep(60)"]  # type: ignore[attr-defined]
    return client


def n_begun(client: TestClient) -> int:
    jobs: Any = client.app.state.jobs  # type: ignore[attr-defined]
    return len(jobs._jobs)


@pytest.mark.parametrize(("said", "begins"), SAID, ids=lambda told: str(told))
def test_who_asks_is_known_by_what_only_a_page_of_this_server_sends(said: dict[str, str], begins: bool) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in said.items()]
    assert may_begin("GET", headers, HOST) is begins
    assert not may_begin("HEAD", headers, HOST)
    assert not may_begin("OPTIONS", headers, HOST)
    assert may_begin("POST", headers, HOST)  # which the guard lets in from its own pages alone


def test_what_is_asked_here_is_solved_and_for_others_there_is_a_button(asked: TestClient) -> None:
    answer = asked.get(UNSOLVED, headers=OTHER)
    page = Page(answer.text)
    assert (answer.status_code, page.verdict.startswith("Not solved yet"), n_begun(asked)) == (200, True, 0)
    assert "of memory and" in page.by_id("answer").text
    (button,) = [form for form in page.all("form") if form.attributes["action"].startswith("/pig/solve")]
    pressed = asked.post(button.attributes["action"], headers={"Origin": "http://localhost:8606"})
    assert (pressed.status_code, n_begun(asked)) == (303, 1)
    page = Page(asked.get(UNSOLVED.replace("31", "32"), headers=OWN).text)
    assert (page.verdict.startswith("Being solved"), n_begun(asked)) == (True, 2)


def test_no_address_begins_a_solve_for_another_site_nor_for_whoever_wants_the_head_alone(asked: TestClient) -> None:
    for path in READ:
        url = f"{path}?p.target=31&turn=3&move=roll" + ("&thrown=4" if path.endswith("after") else "")
        assert asked.get(url, headers=OTHER).status_code < 500
        asked.head(url, headers=OWN)
        assert n_begun(asked) == 0, path
