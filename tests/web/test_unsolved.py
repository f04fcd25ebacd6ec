"""A page of a game that is not solved: it is solved at once, or on a press of a button, and what is told meanwhile."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from rollwise.solutions.lookup import load_or_solve
from rollwise.web import limits
from tests.web.playing import begin, opened, posted, refused
from tests.web.solves import DONE, SLEEPS, fake, pig

HERE = {"Origin": "http://localhost:8606"}


@pytest.fixture
def solve(unsolved: TestClient, tmp_path: Path) -> Callable[[int], None]:
    """Has a solve of Pig, whose process waits for it, done by this one."""
    os.mkfifo(tmp_path / "solved")
    unsolved.app.state.jobs.command = fake(f"open({str(tmp_path / 'solved')!r}).close(); {DONE}")  # type: ignore[attr-defined]

    def solve(target: int) -> None:
        load_or_solve(pig(target), quiet=True, evictable=True)
        (tmp_path / "solved").write_text("")

    return solve


def test_a_game_that_is_soon_solved_is_solved_when_it_is_asked(
    unsolved: TestClient, solve: Callable[[int], None]
) -> None:
    typed: Any = {"Sec-Fetch-Site": "none"}  # the address was typed
    page = opened(unsolved, "/pig?p.target=7", **typed)
    assert page.verdict.startswith("Being solved")
    assert page.find("progress")
    solve(7)
    told = unsolved.get(page.one("div.news")["sse-connect"]).text
    assert told.count("event: over") == 1
    assert "<progress" in told
    assert opened(unsolved, "/pig?p.target=7", **typed).is_answered


def test_a_game_that_takes_longer_waits_for_a_button_and_can_be_stopped(
    unsolved: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "AUTO_SOLVE_S", 0.0)
    page = opened(unsolved, "/pig?p.target=9")
    assert page.verdict.startswith("Not solved yet")
    assert "That takes about" in page.verdict
    jobs: Any = unsolved.app.state.jobs  # type: ignore[attr-defined]
    jobs.command = fake(SLEEPS)
    for way, verdict in (("solve", "Being solved"), ("stop", "Not solved yet")):
        (action,) = [form.action for form in page.forms if form.action.startswith(f"/pig/{way}")]
        answer = unsolved.post(action, headers=HERE, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/pig?p.target=9")
        page = opened(unsolved, "/pig?p.target=9")
        assert page.verdict.startswith(verdict)


def test_a_game_to_be_played_is_solved_when_somebody_says_so_and_begins_as_it_was_said(
    unsolved: TestClient, solve: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "AUTO_SOLVE_S", -1.0)
    page = begin(unsolved, "pig", p_target="13", seed="6")
    assert (page.status, page.has("solve")) == (503, True)
    page = page.press("solve")
    assert (page.status, page.has("solve")) == (503, False)  # it is under way
    review = posted(unsolved, "/review", {"record": "pig target=13\nA: 5 hold\nB: 6"})
    (events,) = set(re.findall(r"/pig/progress/\w+", page.html))
    solve(13)
    told = set(re.findall(r"^event: (\w+)", unsolved.get(events).text, re.MULTILINE))  # which end when the solve does
    assert "over" in told
    for waits in (page, review):
        heard = re.findall(r'sse-close="(\w+)"|sse-swap="(\w+)"|sse:(\w+)', waits.html)
        assert {"".join(names) for names in heard} >= told
    form = next(form for form in page.forms if form.action == "/play/pig")
    assert form.fields == {"start": "1", "p.target": "13", "seed": "6"}
    assert page.press_at("/play/pig").record[0]["parameters"] == {"target": 13}


def test_a_typed_record_that_waits_or_is_wrong_stands_as_it_was_typed(
    unsolved: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "AUTO_SOLVE_S", -1.0)
    for target, status in (("13", 503), ("<&", 400)):
        typed = f"pig target={target}\nSeat 0: 5 hold\nSeat 1: 6"
        page = posted(unsolved, "/review", {"record": typed})
        (record,) = {form.fields["record"] for form in page.forms if form.action == "/review"}
        assert (record, page.status) == (typed, status)
        if status == 503:  # and the page can be loaded again, as after a new version of the server
            again = opened(unsolved, page.came.headers["HX-Replace-Url"], 503)
            assert [each.text for each in again.find("textarea") if each["name"] == "record"] == [typed]


def test_rules_that_cannot_be_are_told_where_they_are_said(client: TestClient) -> None:
    for query in ("p.target=x", "p.nothing=3", "mine=-4", "nothing=1", "p.target=" + "9" * 900):
        assert refused(opened(client, f"/play/pig?{query}", 400)), query
    page = opened(client, "/play/pig").press("start", p_target="0", seed="5")
    assert refused(page)
    fields = page.form_of("start").fields
    assert (fields["p.target"], fields["seed"]) == ("0", "5")
    for path in ("/play/whist", "/play/whist?mine=1"):
        opened(client, path, 404)
    assert posted(client, "/play/whist", {"start": "1"}).status == 404
