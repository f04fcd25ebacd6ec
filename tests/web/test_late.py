"""Questions that take longer than a thread is held: they go on in a process, are answered there, or are ended."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from rollwise.solver.model.cancellation import raise_if_cancelled
from rollwise.web import endpoints, jobs as jobs_module, late, late_process, pages, workers
from rollwise.web.app import make_app
from rollwise.web.jobs import LateJob
from rollwise.web.workers import ThreadBudget, ThreadTimeout, Workers
from tests.web.asking import ASKED, is_problem, post
from tests.web.reading import Page
from tests.web.solves import IN_PROC, is_alive, until

HEADERS = [("host", "localhost"), ("content-type", "application/json")]
OWN = {"HX-Request": "true", "HX-Target": "answer"}
ANSWERS = """
import json, os, sys, time
for line in sys.stdin:
    print(json.dumps({"share": 0.25}), flush=True)
    while os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    body = json.dumps({"process": os.getpid(), "path": json.loads(line)["path"]})
    answer = {"status": 200, "headers": {"content-type": "application/json"}, "body": body}
    print(json.dumps({"answer": answer}), json.dumps({"done": True}), sep="\\n", flush=True)
"""


def long(*asked: Any) -> Any:
    """Work without end, which looks now and then whether somebody waits."""
    while True:
        time.sleep(0.001)
        raise_if_cancelled()


@pytest.fixture
def asked(
    solved: None, client_of: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch, hold: Path
) -> TestClient:
    """A page whose questions take long in a thread, and in a process as long as the file ``hold`` is there."""
    monkeypatch.setattr(late, "THREAD_LIMIT_S", 0.05)
    monkeypatch.setattr(endpoints, "ask", long)
    monkeypatch.setattr(pages, "_answer_view", long)
    client = client_of()
    client.app.state.jobs.command = lambda job: [sys.executable, "-c", ANSWERS, str(hold)]  # type: ignore[attr-defined]
    return client


@pytest.fixture
def hold(tmp_path: Path) -> Path:
    """What holds answers back."""
    place = tmp_path / "hold"
    place.touch()
    return place


def job_of(client: TestClient, name: str) -> LateJob:
    found = client.app.state.jobs.get(name)  # type: ignore[attr-defined]
    assert isinstance(found, LateJob)
    return found


def test_long_questions_hold_no_other_and_what_came_of_them_is_there_for_whoever_asks_again(
    asked: TestClient, hold: Path
) -> None:
    bodies = [ASKED | {"state": {"turn": turn}} for turn in range(2, 8)]  # more than there are threads, and processes
    begun = [post(asked, "ask", body) for body in bodies]
    assert [found.status_code for found in begun] == [202] * 6
    assert [found.json()["state"] for found in begun] == ["running"] * 2 + ["waiting"] * 4
    assert begun[5].json()["place"] == 4
    first = begun[0].json()
    assert (first["path"], "game" in first, begun[0].headers["location"]) == (
        *("/api/ask", False),
        f"/api/jobs/{first['job']}/events",
    )
    assert asked.get("/api/rules/pig").status_code == 200
    is_problem(post(asked, "ask", ASKED), 429, "too many long questions")
    assert post(asked, "ask", bodies[0]).json()["job"] == first["job"]
    hold.unlink()
    assert "event: done" in asked.get(begun[5].headers["location"]).text
    processes = {post(asked, "ask", body).json()["process"] for body in bodies}
    assert len(processes) <= 2  # each answers one question after another
    assert post(asked, "ask", bodies[0]).json()["path"] == "/api/ask"


@IN_PROC
@pytest.mark.parametrize(("limit", "state"), [("ABANDONED_AFTER_S", "cancelled"), ("MAX_QUESTION_S", "failed")])
def test_a_question_is_ended_where_nobody_waits_for_it_or_it_takes_too_long(
    asked: TestClient, monkeypatch: pytest.MonkeyPatch, limit: str, state: str
) -> None:
    job = job_of(asked, post(asked, "ask", ASKED).json()["job"])
    until(lambda: job.share == 0.25)
    assert job.child
    process = job.child.pid
    monkeypatch.setattr(jobs_module, limit, 0.1)
    until(lambda: job.is_over and not is_alive(process))
    assert job.state == state
    monkeypatch.setattr(jobs_module, limit, 60.0)
    if state == "failed":
        is_problem(post(asked, "ask", ASKED), 503, "so it was given up")
    again = post(asked, "ask", ASKED)
    assert (again.status_code, again.json()["job"] == job.id) == (202, False)


@IN_PROC
@pytest.mark.parametrize(("headers", "status", "times"), [({}, 503, 1), (OWN, 200, 2)])  # in the verdict too
def test_a_process_that_is_killed_is_told_in_a_line_and_the_question_can_be_asked_again(
    asked: TestClient, headers: dict[str, str], status: int, times: int
) -> None:
    def waits() -> LateJob:
        found = asked.get("/pig?p.target=12", headers=headers)
        assert found.status_code == 202
        return job_of(asked, re.findall(r"/progress/(\w+)", found.text)[0])

    job = waits()
    until(lambda: job.share == 0.25)
    assert job.child
    os.kill(job.child.pid, signal.SIGKILL)
    until(lambda: job.is_over)
    told = asked.get("/pig?p.target=12", headers=headers)
    assert (told.status_code, told.text.count("the question was ended from outside")) == (status, times)
    assert waits() is not job


def test_a_page_and_a_part_of_one_wait_show_how_far_it_is_and_then_ask_again(asked: TestClient, hold: Path) -> None:
    query = "/pig?p.target=12"
    (news,) = Page(asked.get(query), asked).find("div.news")
    assert news["sse-connect"].startswith("/late/progress/")
    assert news.find("progress")
    (again,) = news.find("#late")
    assert (again["hx-get"], news.links()[0]) == (query, query)
    assert asked.get(query, headers={"HX-Request": "true", "HX-Target": "late"}).headers["hx-refresh"] == "true"
    part = asked.get("/pig/check?p.target=12", headers=OWN).text
    assert "<html" not in part
    assert '<div id="verdict" hx-swap-oob="innerHTML">' in part  # no older one stands there
    assert 'hx-get="/pig/check?p.target=12" hx-trigger="sse:over" hx-target="closest .late"' in part
    hold.unlink()
    assert "event: over" in asked.get(news["sse-connect"]).text
    assert asked.get(query).json()["path"] == "/pig"


def test_an_answer_of_the_process_is_that_of_the_server(
    client: TestClient, client_of: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"record": "pig target=12\nA: 5 6 hold\nB: 6 1"}
    wanted, own = client.post("/review", data=record), client_of()
    monkeypatch.setattr(late, "THREAD_LIMIT_S", -1.0)  # at the first look
    monkeypatch.setattr("rollwise.web.report.review_record", long)
    (news,) = Page(own.post("/review", data=record), own).find("div.news")
    assert "event: over" in own.get(news["sse-connect"]).text
    found = own.post("/review", data=record)
    assert (found.status_code, found.text) == (200, wanted.text)


@pytest.mark.usefixtures("own_cache")
def test_where_a_game_has_to_be_solved_first_the_process_says_nothing_and_the_server_goes_on(
    asked: TestClient, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = make_app(is_inner=True)
    app.state.jobs = late_process.NoJobs(app.state.settings, app.state.workers)
    record = urlencode({"record": "pig target=5\nA: 5 6 hold\nB: 6 1"})
    asked_there = [("GET", "/pig", "p.target=5", ""), ("POST", "/review", "", record)]
    asked_there += [
        ("POST", "/api/solve", "", '{"game": "pig", "params": {"target": 5}}'),
        ("GET", "/pig/rules", "", ""),
    ]
    for method, path, query, body in asked_there:
        order = {"method": method, "path": path, "scheme": "http", "query": query, "body": body, "headers": HEADERS}
        asyncio.run(late_process.answer_request(app, order))
    assert [json.loads(line)["answer"]["status"] for line in capsys.readouterr().out.splitlines()] == [200]
    app.state.workers.close()
    app.state.exports.close()
    process = [sys.executable, "-c", "print(input() and '{\"done\": true}'); input()"]
    asked.app.state.jobs.command = lambda job: process  # type: ignore[attr-defined]
    job = job_of(asked, post(asked, "ask", ASKED).json()["job"])
    until(lambda: job.is_over)
    monkeypatch.setattr(endpoints, "ask", lambda *asked: "worked out here")
    assert post(asked, "ask", ASKED).json() == "worked out here"


def test_a_request_holds_threads_for_so_long_in_all_and_what_was_late_once_none() -> None:
    async def ask() -> None:
        pool, made = Workers(), list[int]()
        workers.THREAD_BUDGET.set(ThreadBudget(0.1))
        await pool.run(time.sleep, 0.06)
        began = time.monotonic()
        with pytest.raises(ThreadTimeout):
            await pool.run(long, late_key="a quiz")
        assert time.monotonic() - began < 0.09
        for name, count in (("", 1), ("a quiz", 1)):
            workers.THREAD_BUDGET.set(ThreadBudget(9.0))
            if name:
                with pytest.raises(ThreadTimeout):
                    await pool.run(made.append, 1, late_key=name)
            else:
                await pool.run(made.append, 1, late_key=name)
            assert len(made) == count
        pool.close()

    asyncio.run(ask())
