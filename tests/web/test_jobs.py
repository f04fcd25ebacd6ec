"""Solves run once for everybody, each in a process of its own; they can be watched, over HTTP too."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.progress import Pace
from rollwise.stored import Unsolved, is_kept
from rollwise.web import jobs as jobs_module
from rollwise.web.jobs import Job, Jobs, solve_command
from rollwise.web.templating import templates
from rollwise.web.unsolved import told
from rollwise.web.workers import Busy
from tests.web.processes import until
from tests.web.solves import SLOW, SMALL, all_events, pig, run, started

Client = Callable[..., TestClient]
QUESTION = {"game": "pig", "params": SMALL, "state": {"turn": 2}}


# --- one solve --------------------------------------------------------------------------------------------------------


def test_a_game_is_solved_in_a_process_of_its_own_and_told_as_it_goes(jobs: Jobs) -> None:
    wanted = run(jobs.wanted(pig(5)))
    assert (wanted.state, wanted.id, wanted.allowed, wanted.plan.boards) == ("planned", "", True, 25)
    job = started(jobs, 5)
    events = run(all_events(jobs, job))
    assert [name for name, _ in events[:-1]] == ["share"] * (len(events) - 1)
    assert events[-1][0] == "done"
    assert events[-1][1] | {"seconds": 0} == {
        **{"job": job.id, "game": "pig", "parameters": SMALL, "state": "done"},
        **{"share": 1.0, "seconds": 0},
    }
    shares = [told["share"] for _, told in events]
    assert shares == sorted(shares)
    assert is_kept(pig(5))
    assert run(jobs.wanted(pig(5))) is None


def test_a_solve_uses_one_processor_fewer_and_lets_others_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, used in ((8, "7"), (2, "1"), (1, "1"), (None, "1")):
        monkeypatch.setattr(os, "cpu_count", lambda there=there: there)
        assert solve_command(Job(pig(5), None))[-1] == used  # type: ignore[arg-type]
    asked = "import os\nfrom rollwise.web.modest import be_modest\nbe_modest()\nprint(os.nice(0))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert int(done.stdout) == min(19, os.nice(0) + 10)


def test_the_share_is_heard_while_it_runs(jobs: Jobs, slow: Path) -> None:
    job = started(jobs, 5)
    until(lambda: job.share == 0.25)
    assert (job.state, run(jobs.wanted(pig(5)))) == ("running", job)
    jobs.cancel(job.id)


COMPILES = """
import os, sys, time
print('{"share": 0.5}\\n{"share": 0.25}\\n{"compiling": true}', flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
"""


def test_a_share_never_shrinks_and_what_is_compiled_is_told_until_the_end(jobs: Jobs, tmp_path: Path) -> None:
    place = tmp_path / "go"
    jobs.command = lambda job: [sys.executable, "-c", COMPILES, str(place)]
    job = started(jobs, 5)
    until(lambda: job.compiling)
    assert (job.plain()["share"], job.plain()["compiling"]) == (0.5, True)
    place.write_text("")
    until(lambda: job.is_over)
    assert "compiling" not in job.plain()


def test_a_game_is_solved_once_for_any_number_of_visitors(jobs: Jobs, slow: Path) -> None:
    async def many() -> list[Job]:
        return await asyncio.gather(*(jobs.start(pig(5)) for _ in range(20)))

    assert len({job.id for job in run(many())}) == 1
    assert started(jobs, 6).id != started(jobs, 5).id


def test_one_solve_runs_at_a_time_and_few_wait(jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "SHORT", -1.0)  # all of them take long
    first = started(jobs, 5)
    until(slow.exists)
    later = [started(jobs, target) for target in (6, 7, 8, 9)]
    assert [job.state for job in later] == ["waiting"] * 4
    assert [job.place for job in later] == [1, 2, 3, 4]
    with pytest.raises(Busy) as refused:
        started(jobs, 10)
    assert (refused.value.status, refused.value.wait) == (429, 60)
    jobs.cancel(first.id)
    until(lambda: later[0].state == "running")
    assert [job.place for job in later[1:]] == [1, 2, 3]
    assert started(jobs, 10).state == "waiting"
    jobs.cancel(later[1].id)
    assert [job.place for job in later[2:]] == [1, 2]


def test_a_short_solve_begins_beside_a_long_one_and_waits_for_short_ones_alone(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "is_short", property(lambda job: job.game.parameters()["target"] < 10))
    first, second = started(jobs, 20), started(jobs, 21)
    until(lambda: first.share > 0)
    assert (second.state, second.place) == ("waiting", 1)
    short, later = started(jobs, 5), started(jobs, 6)
    until(lambda: short.share > 0)
    assert (first.state, short.state) == ("running", "running")
    assert [(job.state, job.place) for job in (second, later)] == [("waiting", 1), ("waiting", 1)]
    jobs.cancel(short.id)
    until(lambda: later.state == "running")
    assert second.state == "waiting"


def test_a_page_tells_how_much_is_done_the_time_that_is_left_and_the_place_in_the_line(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "SHORT", -1.0)
    now, job = 0.0, started(jobs, 5)
    started(jobs, 6)
    last = started(jobs, 7)
    until(lambda: job.share == 0.25)
    job.pace = Pace(100.0, lambda: now)

    def line(job: Job) -> str:
        part = templates.get_template("progress.html").render(waiting=told(job))
        return re.sub("<[^>]*>", "|", part).strip("|\n").partition("|")[0]

    assert line(job) == "25 % done, about 2 minutes left"
    job.pace.share(0.25)
    now, job.share = 130.0, 0.5
    job.pace.share(0.5)
    assert line(job) == "50 % done, about 4 minutes left"
    assert job.plain()["left"] == pytest.approx(237.5, abs=0.1)
    job.compiling = True
    assert line(job) == "Preparing"
    assert "left" not in job.plain()
    assert line(last) == "Waiting, 2nd in line"


# --- who may ----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("allow", ["none", "small"])
def test_a_solve_that_is_not_allowed_says_what_it_takes_and_how_to_do_it(client_of: Client, allow: str) -> None:
    asked = client_of(allow_solve=allow)
    large = {"game": "sixzee", "params": {"joker": False}} if allow == "small" else {"game": "pig", "params": SMALL}
    for path in ("/api/solve", "/api/ask"):
        refused = asked.post(path, json=large)
        assert refused.status_code == 503
        assert "about " in refused.json()["message"]
        hint = "rollwise solve sixzee -p joker=false" if allow == "small" else "rollwise solve pig -p target=5"
        assert refused.json()["hint"] == hint
        assert int(refused.headers["retry-after"]) > 0


@pytest.mark.usefixtures("own_cache")
def test_what_is_not_allowed_is_refused_before_its_turn_is_compiled(
    client_of: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = client_of(allow_solve="none")
    refused = asked.post("/api/ask", json=QUESTION)
    monkeypatch.setattr("rollwise.solver.turn.graph.compile_turn", None)
    again = asked.post("/api/ask", json=QUESTION)  # what it takes is known by now
    assert (again.status_code, again.json()) == (503, refused.json())


@pytest.mark.usefixtures("own_cache")
def test_everything_is_solved_where_that_is_allowed(client_of: Client) -> None:
    asked = client_of(allow_solve="all")
    asked.app.state.jobs.command = lambda job: [sys.executable, "-c", "import time; time.sleep(60)"]  # type: ignore[attr-defined]
    assert asked.post("/api/solve", json={"game": "421"}).status_code == 202


def test_a_worker_answers_from_what_is_kept(jobs: Jobs) -> None:
    with pytest.raises(Unsolved):
        run(jobs.workers.run(rollwise.ask, "pig", SMALL))


# --- over HTTP --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_cache")
def test_a_question_about_an_unsolved_game_is_answered_once_it_is_solved(client: TestClient) -> None:
    begun = client.post("/api/ask", json=QUESTION)
    assert begun.status_code == 202
    assert begun.headers["location"] == f"/api/jobs/{begun.json()['job']}/events"
    with client.stream("GET", begun.headers["location"]) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in stream.iter_lines() if line]
    assert lines[0] == "event: share"
    assert lines[-2] == "event: done"
    assert json.loads(lines[-1].removeprefix("data: "))["share"] == 1.0
    assert client.post("/api/ask", json=QUESTION).json()["best"] == ["roll"]


@pytest.mark.usefixtures("own_cache")
def test_a_state_that_cannot_be_is_refused_before_anything_is_solved(client: TestClient) -> None:
    refused = client.post("/api/ask", json={**QUESTION, "state": {"turn": 1}})
    assert (refused.status_code, refused.json()["field"]) == (400, "turn")


@pytest.mark.usefixtures("own_cache")
def test_a_solve_is_stopped_over_http(client: TestClient, tmp_path: Path) -> None:
    place = tmp_path / "process"
    client.app.state.jobs.command = lambda job: [sys.executable, "-c", SLOW, str(place)]  # type: ignore[attr-defined]
    name = client.post("/api/ask", json=QUESTION).json()["job"]
    until(place.exists)
    assert client.post("/api/solve", json={"game": "pig", "params": SMALL}).json()["job"] == name
    assert client.delete(f"/api/jobs/{name}").json()["job"] == name
    with client.stream("GET", f"/api/jobs/{name}/events") as stream:
        assert "event: cancelled" in list(stream.iter_lines())


@pytest.mark.usefixtures("own_cache")
def test_while_a_game_is_solved_no_question_of_it_is_looked_at(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look at a state its turn has to be compiled, and the solve does that already."""
    place = tmp_path / "process"
    client.app.state.jobs.command = lambda job: [sys.executable, "-c", SLOW, str(place)]  # type: ignore[attr-defined]
    name = client.post("/api/solve", json={"game": "pig", "params": SMALL}).json()["job"]
    monkeypatch.setattr("rollwise.solver.turn.graph.compile_turn", None)
    monkeypatch.setattr("rollwise.ask", None)
    for path in ("ask", "solve", "export"):
        asked = QUESTION if path != "solve" else {"game": "pig", "params": SMALL}
        found = client.post(f"/api/{path}", json=asked)
        assert (found.status_code, found.json()["job"]) == (202, name)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_job_that_there_is_not_is_not_found(client: TestClient, method: str) -> None:
    path = "/api/jobs/0123456789abcdef" + ("/events" if method == "GET" else "")
    missing = client.request(method, path)
    assert (missing.status_code, missing.json()["error"]) == (404, "NoJob")


def test_who_listens_hears_that_it_will_take_longer_though_nothing_moves(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = started(jobs, 5)
    until(lambda: job.share == 0.25)
    monkeypatch.setattr(jobs_module, "LOOK", 0.0)
    monkeypatch.setattr(Job, "left", property(lambda job: job.place))

    async def hear() -> list[float]:
        heard: list[float] = []
        async for _, plain in jobs.events(job.id):
            heard.append(plain["left"])
            job.place += 60
            jobs.is_ending = len(heard) == 3
        return heard

    assert run(hear()) == [0, 60, 120]


def test_who_listens_hears_that_there_is_no_news(jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "QUIET", 0.05)

    async def hear() -> list[str]:
        job = await jobs.start(pig(5))
        names: list[str] = []
        async for name, _ in jobs.events(job.id):
            names.append(name)
            if name == "quiet":
                jobs.is_ending = True  # the server ends: so does the listening
        return names

    names = run(hear())
    assert names[-1] == "quiet"
