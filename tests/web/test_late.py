"""Questions that take longer than a thread is held: they go on in a process, are answered there, or are ended."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from starlette.testclient import TestClient

from rollwise.solver.model.cancellation import raise_if_cancelled
from rollwise.web import child, endpoints, inner, limits, pages
from rollwise.web.app import make_app
from rollwise.web.jobs import Job, Jobs
from rollwise.web.workers import THREAD_BUDGET, ThreadBudget, ThreadTimeout, Workers
from tests.web.asking import ASKED, is_problem
from tests.web.conftest import HERE
from tests.web.reading import Page
from tests.web.solves import IN_PROC, ended, fake

pytestmark = pytest.mark.anyio
FORM = "application/x-www-form-urlencoded"
OWN = {"HX-Request": "true", "HX-Target": "answer"}
ANSWERS = """
import json, os, sys
for line in sys.stdin:
    print(json.dumps({"share": 0.25}), flush=True)
    open(sys.argv[1]).close()  # a pipe: the answer is held back until somebody opens its other end
    body = json.dumps({"process": os.getpid(), "path": json.loads(line)["path"]})
    answer = {"status": 200, "headers": {"content-type": "application/json"}, "body": body}
    print(json.dumps({"answer": answer}), json.dumps({"done": True}), sep="\\n", flush=True)
"""


def long(*asked: Any) -> Any:
    """Work without end, which looks now and then whether somebody waits."""
    while True:
        time.sleep(0.001)
        raise_if_cancelled()


class Asked:
    """A page whose questions take long in a thread, and in a process until they are let go."""

    def __init__(self, hold: Path) -> None:
        os.mkfifo(hold)
        self.hold, self.app = hold, make_app()
        self.jobs: Jobs = self.app.state.jobs
        self.jobs.command = fake(ANSWERS, hold)
        self.client = httpx2.AsyncClient(transport=httpx2.ASGITransport(self.app), base_url=HERE)
        self.get = self.client.get

    async def post(self, body: Any = ASKED) -> httpx2.Response:
        return await self.client.post("/api/ask", json=body)

    def job(self, came: httpx2.Response) -> Job:
        """The job that an answer names."""
        (name,) = set(re.findall(r"/progress/(\w+)|/jobs/(\w+)/", came.text + came.headers.get("location", "")))
        return self.jobs.get("".join(name))

    def let_go(self) -> int:
        """Let answers come, from now on all at once."""
        return os.open(self.hold, os.O_RDWR)


@pytest.fixture
async def asked(
    solved: None, anyio_backend: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Asked]:
    """Such a page."""
    monkeypatch.setattr(limits, "THREAD_LIMIT_S", 0.05)
    monkeypatch.setattr(endpoints, "ask", long)
    monkeypatch.setattr(pages, "_answer_view", long)
    asked = Asked(tmp_path / "hold")
    async with asked.app.router.lifespan_context(asked.app), asked.client:
        yield asked


async def test_long_questions_hold_no_other_and_what_came_of_them_is_there_for_whoever_asks_again(asked: Asked) -> None:
    bodies = [ASKED | {"state": {"turn": turn}} for turn in range(2, 8)]  # more than there are threads, and processes
    begun = [await asked.post(body) for body in bodies]
    assert [found.status_code for found in begun] == [202] * 6
    assert [found.json()["state"] for found in begun] == ["running"] * 2 + ["waiting"] * 4
    assert begun[5].json()["place"] == 4
    first = begun[0].json()
    assert (first["path"], "game" in first, asked.job(begun[0]).id) == ("/api/ask", False, first["job"])
    assert (await asked.get("/api/rules/pig")).status_code == 200
    is_problem(await asked.post(), 429, "too many long questions")
    assert (await asked.post(bodies[0])).json()["job"] == first["job"]
    asked.let_go()
    assert "event: done" in (await asked.get(begun[5].headers["location"])).text
    answers = [(await asked.post(body)).json() for body in bodies]
    assert len({answer["process"] for answer in answers}) <= 2  # each answers one question after another
    assert answers[0]["path"] == "/api/ask"


@IN_PROC
@pytest.mark.parametrize(("limit", "state"), [("ABANDONED_AFTER_S", "cancelled"), ("MAX_QUESTION_S", "failed")])
async def test_a_question_is_ended_where_nobody_waits_for_it_or_it_takes_too_long(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, limit: str, state: str
) -> None:
    monkeypatch.setattr(limits, limit, 0.3)
    job = asked.job(await asked.post())
    assert (await ended(job), asked.jobs._idle) == (state, [])
    monkeypatch.setattr(limits, limit, 60.0)
    if state == "failed":
        is_problem(await asked.post(), 503, "so it was given up")
    again = await asked.post()
    assert (again.status_code, again.json()["job"] == job.id) == (202, False)


@pytest.mark.parametrize(("headers", "status", "times"), [({}, 503, 1), (OWN, 200, 2)])  # in the verdict too
async def test_a_process_that_is_killed_is_told_in_a_line_and_the_question_can_be_asked_again(
    asked: Asked, headers: dict[str, str], status: int, times: int
) -> None:
    asked.jobs.command = fake("import os, signal; input(); os.kill(os.getpid(), signal.SIGKILL)")
    told = await asked.get("/pig?p.target=12", headers=headers)
    if told.status_code == 202:  # it has not begun yet
        await ended(asked.job(told))
        told = await asked.get("/pig?p.target=12", headers=headers)
    assert (told.status_code, told.text.count("the question was ended from outside")) == (status, times)
    asked.jobs.command = fake(ANSWERS, asked.hold)
    assert (await asked.get("/pig?p.target=12", headers=headers)).status_code == 202


async def test_a_page_and_a_part_of_one_wait_show_how_far_it_is_and_then_ask_again(
    asked: Asked, client: TestClient
) -> None:
    query = "/pig?p.target=12"
    (news,) = Page(await asked.get(query), client).find("div.news")
    assert news["sse-connect"].startswith("/late/progress/")
    assert news.find("progress")
    (again,) = news.find("#late")
    assert (again["hx-get"], news.links()[0]) == (query, query)
    assert (await asked.get(query, headers={"HX-Request": "true", "HX-Target": "late"})).headers["hx-refresh"] == "true"
    part = (await asked.get("/pig/check?p.target=12", headers=OWN)).text
    assert "<html" not in part
    assert '<div id="verdict" hx-swap-oob="innerHTML">' in part  # no older one stands there
    assert 'hx-get="/pig/check?p.target=12" hx-trigger="sse:over" hx-target="closest .late"' in part
    asked.let_go()
    assert "event: over" in (await asked.get(news["sse-connect"])).text
    assert (await asked.get(query)).json()["path"] == "/pig"


RECORD = {"record": "pig target=12\nA: 5 6 hold\nB: 6 1"}


@pytest.mark.thorough
def test_an_answer_comes_from_a_process(
    client: TestClient, client_of: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, own = client.post("/review", data=RECORD), client_of()
    monkeypatch.setattr(limits, "THREAD_LIMIT_S", -1.0)  # at the first look
    monkeypatch.setattr("rollwise.web.report.review_record", long)
    (news,) = Page(own.post("/review", data=RECORD), own).find("div.news")
    assert "event: over" in own.get(news["sse-connect"]).text
    found = own.post("/review", data=RECORD)
    assert (found.status_code, found.text) == (200, wanted.text)


@pytest.fixture
def answered(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., list[Any]]]:
    """What a process says to a request that it gets as an order."""

    def answered(method: str, path: str, query: str = "", body: str = "", kind: str = FORM) -> list[Any]:
        how = {"method": method, "path": path, "scheme": "http", "query": query, "body": body}
        child.obey({"kind": "question", **how, "headers": [("host", "localhost:8606"), ("content-type", kind)]})
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    yield answered
    inner.inner_app().state.workers.close()  # type: ignore[attr-defined]
    inner.inner_app.cache_clear()


def test_an_answer_of_the_process_is_that_of_the_server(client: TestClient, answered: Callable[..., list[Any]]) -> None:
    wanted = client.post("/review", data=RECORD)
    *_, told, done = answered("POST", "/review", body=urlencode(RECORD))
    answer = told["answer"]
    assert (answer["status"], answer["body"], done) == (200, wanted.text, {"done": True})


@pytest.mark.usefixtures("own_cache")
def test_where_a_game_has_to_be_solved_first_the_process_says_nothing(answered: Callable[..., list[Any]]) -> None:
    record = urlencode({"record": "pig target=5\nA: 5 6 hold\nB: 6 1"})
    rules = '{"game": "pig", "params": {"target": 5}}'
    assert answered("GET", "/pig", "p.target=5") == [{"answer": None}, {"done": True}]
    assert answered("POST", "/review", body=record) == [{"answer": None}, {"done": True}]
    assert answered("POST", "/api/solve", body=rules, kind="application/json") == [{"answer": None}, {"done": True}]
    assert answered("GET", "/pig/rules")[0]["answer"]["status"] == 200


async def test_where_the_process_says_nothing_the_server_goes_on(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    asked.jobs.command = fake("print(input() and '{\"done\": true}'); input()")
    came = await asked.post()
    if came.status_code == 202:
        await ended(asked.job(came))
        monkeypatch.setattr(endpoints, "ask", lambda *asked: "worked out here")
        came = await asked.post()
    assert came.json() == "worked out here"


async def test_a_request_holds_threads_for_so_long_in_all_and_what_was_late_once_none() -> None:
    pool, made = Workers(), list[int]()
    THREAD_BUDGET.set(ThreadBudget(0.1))
    await pool.run(time.sleep, 0.06)
    began = time.monotonic()
    with pytest.raises(ThreadTimeout):
        await pool.run(long, late_key="a quiz")
    assert time.monotonic() - began < 0.09
    THREAD_BUDGET.set(ThreadBudget(9.0))
    await pool.run(made.append, 1)
    with pytest.raises(ThreadTimeout):
        await pool.run(made.append, 2, late_key="a quiz")
    assert made == [1]
    pool.close()
