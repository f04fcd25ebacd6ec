"""Jobs are run once for everybody, each in a process; they are watched, stopped, fail in words, end with the server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import select
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from starlette.testclient import TestClient

from rollwise.solutions.progress import PaceEstimate
from rollwise.web import limits
from rollwise.web.jobs import Job, Jobs, NoJob
from rollwise.web.processes import child_environment
from rollwise.web.templating import templates
from rollwise.web.unsolved import Waiting
from rollwise.web.workers import Busy
from tests.web.asking import is_problem, post
from tests.web.solves import DONE, IN_PROC, PATIENCE, SLEEPS, SMALL, begun, ended, fake, is_alive, pig, until

pytestmark = pytest.mark.anyio
Client = Callable[..., TestClient]
RULES = {"game": "pig", "params": SMALL}
QUESTION = {**RULES, "state": {"turn": 2}}
OWN = {"Sec-Fetch-Site": "same-origin", "HX-Request": "true"}


# --- one queue for everybody ------------------------------------------------------------------------------------------


async def test_one_long_solve_runs_at_a_time_once_for_any_number_of_visitors_and_few_wait(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SHORT_SOLVE_S", -1.0)  # all of them take long
    planned = await jobs.unsolved_job(pig(5))
    assert planned
    assert planned.plan
    assert (planned.state, planned.id, planned.refusal, planned.plan.boards) == ("planned", "", None, 25)
    (first,) = set(await asyncio.gather(*(begun(jobs, 5) for _ in range(20))))
    await until(first, lambda: first.share)
    assert (first.state, await jobs.unsolved_job(pig(5))) == ("running", first)
    later = [await begun(jobs, target) for target in (6, 7, 8, 9)]
    assert [(job.state, job.place) for job in later] == [("waiting", place) for place in (1, 2, 3, 4)]
    with pytest.raises(Busy) as refused:
        await begun(jobs, 10)
    assert (refused.value.status, refused.value.wait) == (429, 60)
    jobs.cancel(first.id)
    await until(later[0], lambda: later[0].state == "running")
    assert [job.place for job in later] == [None, 1, 2, 3]
    assert (await begun(jobs, 10)).state == "waiting"
    jobs.cancel(later[1].id)
    assert [job.place for job in later] == [None, None, 1, 2]


async def test_a_short_solve_begins_beside_a_long_one_and_waits_for_short_ones_alone(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "is_short", property(lambda job: job.game.parameters()["target"] < 10))
    long, second, short, later = [await begun(jobs, target) for target in (20, 21, 5, 6)]
    assert [job.state for job in (long, short)] == ["running"] * 2
    assert [(job.state, job.place) for job in (second, later)] == [("waiting", 1)] * 2
    jobs.cancel(short.id)
    await until(later, lambda: later.state == "running")
    assert second.state == "waiting"


async def test_a_page_tells_how_much_is_done_the_time_that_is_left_and_the_place_in_the_line(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SHORT_SOLVE_S", -1.0)
    now, (job, _, last) = 0.0, [await begun(jobs, target) for target in (5, 6, 7)]
    await until(job, lambda: job.share)
    job.pace = PaceEstimate(100.0, lambda: now)

    def line(job: Job) -> str:
        part = templates.get_template("progress.html").render(waiting=Waiting(job))
        return re.sub("<[^>]*>", "|", part).strip("|\n").partition("|")[0]

    assert line(job) == "25 % done, about 2 minutes left"
    job.pace.share(0.25)
    now = 130.0
    job.take({"share": 0.5})
    assert line(job) == "50 % done, about 4 minutes left"
    assert job.plain()["left"] == pytest.approx(237.5, abs=0.1)
    job.take({"share": 0.25, "compiling": True})
    assert (line(job), job.plain()["share"], job.plain()["compiling"]) == ("Preparing", 0.5, True)
    assert "left" not in job.plain()
    assert line(last) == "Waiting, 2nd in line"
    jobs.cancel(job.id)
    assert "compiling" not in job.plain()


async def test_who_listens_hears_that_it_takes_longer_though_nothing_moves_and_that_there_is_no_news(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, told, names = await begun(jobs, 5), list[Any](), list[str]()
    await until(job, lambda: job.share)
    monkeypatch.setattr(limits, "TICK_S", 0.0)
    monkeypatch.setattr(Job, "seconds_left", property(lambda job: 60.0 * len(told)))
    async for name in jobs.events(job):
        told.append((name, job.plain()["left"]))
        jobs.is_ending = len(told) == 3  # the server ends: so does the listening
    assert told == [("share", 0), ("share", 60), ("share", 120)]
    jobs.is_ending = False
    monkeypatch.setattr(Job, "seconds_left", None)
    monkeypatch.setattr(limits, "HEARTBEAT_S", 0.01)
    async for name in jobs.events(job):
        names.append(name)
        jobs.is_ending = name == "quiet"
    assert names == ["share", "quiet"]


async def test_of_what_is_over_only_so_many_are_known_and_a_failure_is_soon_forgotten(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.command = fake("raise SystemExit(1)")
    first = await begun(jobs, 5)
    assert (await ended(first), await jobs.unsolved_job(pig(5))) == ("failed", first)
    monkeypatch.setattr(limits, "RETRY_DELAY_S", -1.0)
    again = await jobs.unsolved_job(pig(5))
    assert again
    assert again.state == "planned"
    jobs.command = fake(SLEEPS)
    second = await begun(jobs, 5)
    for name, most, target in (("JOB_LIFETIME_S", -1.0, 6), ("MAX_FINISHED_JOBS", 0, 7)):
        monkeypatch.setattr(limits, name, most)
        over = await begun(jobs, target)
        with pytest.raises(NoJob):
            jobs.get(first.id)
        monkeypatch.undo()
        first = over
        jobs.cancel(over.id)
    assert await begun(jobs, 5) is second


# --- over HTTP --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize(
    ("allow", "large", "words"),
    [
        ("none", RULES, "pig -p target=5"),
        ("small", {"game": "sixzee", "params": {"joker": False}}, "sixzee -p joker=false"),
    ],
)
def test_a_solve_that_is_not_allowed_says_what_it_takes_and_how_to_do_it(
    client_of: Client, monkeypatch: pytest.MonkeyPatch, allow: str, large: object, words: str
) -> None:
    asked = client_of(allow_solve=allow)
    first = post(asked, "ask", large)
    is_problem(first, 503, "about ", hint=f"rollwise solve {words}")
    assert int(first.headers["retry-after"]) > 0
    monkeypatch.setattr("rollwise.solver.turn.graph.compile_turn", None)  # what it takes is known by now
    for path in ("solve", "ask"):
        again = post(asked, path, large)
        assert (again.status_code, again.json()) == (503, first.json())
    everything = client_of(allow_solve="all")
    everything.app.state.jobs.command = fake(SLEEPS)  # type: ignore[attr-defined]
    assert post(everything, "solve", large).status_code == 202


def test_a_question_about_an_unsolved_game_is_answered_once_it_is_solved(unsolved: TestClient) -> None:
    is_problem(post(unsolved, "ask", {**QUESTION, "state": {"turn": 1}}), 400, field="turn")  # before it is solved
    job = post(unsolved, "ask", QUESTION)
    assert job.status_code == 202
    assert job.headers["location"] == f"/api/jobs/{job.json()['job']}/events"
    events = unsolved.get(job.headers["location"])
    assert events.headers["content-type"].startswith("text/event-stream")
    names, told = (re.findall(rf"^{word}: (.*)$", events.text, re.MULTILINE) for word in ("event", "data"))
    assert (set(names[:-1]), names[-1]) == ({"share"}, "done")
    shares = [json.loads(line)["share"] for line in told]
    assert (shares, shares[-1]) == (sorted(shares), 1.0)
    assert json.loads(told[-1]).items() >= {"job": job.json()["job"], "parameters": SMALL, "state": "done"}.items()
    assert post(unsolved, "ask", QUESTION).json()["best"] == ["roll"]


def test_while_a_game_is_solved_no_question_of_it_is_looked_at_and_it_is_stopped_over_http(
    unsolved: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look at a state its turn has to be compiled, and the solve does that already."""
    unsolved.app.state.jobs.command = fake(SLEEPS)  # type: ignore[attr-defined]
    name = post(unsolved, "solve", RULES).json()["job"]
    monkeypatch.setattr("rollwise.solver.turn.graph.compile_turn", None)
    monkeypatch.setattr("rollwise.ask", None)
    for path, asked in (("ask", QUESTION), ("solve", RULES), ("export", QUESTION)):
        found = post(unsolved, path, asked)
        assert (found.status_code, found.json()["job"]) == (202, name)
    assert unsolved.delete(f"/api/jobs/{name}").json()["job"] == name
    assert "event: cancelled" in unsolved.get(f"/api/jobs/{name}/events").text
    for missing in (unsolved.get("/api/jobs/0123/events"), unsolved.delete("/api/jobs/0123")):
        is_problem(missing, 404, error="NoJob")


def test_a_solve_that_was_just_stopped_begins_again_only_when_somebody_says_so(unsolved: TestClient) -> None:
    jobs: Jobs = unsolved.app.state.jobs  # type: ignore[attr-defined]
    jobs.command = fake(SLEEPS)
    page = unsolved.get("/pig/check?p.target=5", headers=OWN).text
    (job,) = jobs.by_id.values()
    assert f"/pig/progress/{job.id}" in page
    stop = unsolved.post(f"/pig/stop?p.target=5&job={job.id}", headers=OWN)
    for told in (stop, unsolved.get("/pig?p.target=5", headers=OWN)):
        assert "Solve it now" in told.text
    assert list(jobs.by_id) == [job.id]
    assert "/pig/progress/" in unsolved.post("/pig/solve?p.target=5", headers=OWN).text


def test_a_form_of_a_game_with_a_large_turn_compiles_no_turn(
    unsolved: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.solver.turn.graph._Builder.number", Mock(side_effect=AssertionError("compiled")))
    for where in ("zilch", "zilch/form?p.goal=9950", "ten-thousand/form?p.goal=9950"):
        assert "Solve it now" in unsolved.get(f"/{where}").text
    assert unsolved.get("/api/plan/zilch?p.goal=4900").json()["edges"] == 243_364


# --- stops and failures -----------------------------------------------------------------------------------------------


async def test_solves_that_are_stopped_while_they_begin_hold_no_place(jobs: Jobs, slow: Path) -> None:
    stopped = [jobs.cancel((await begun(jobs, target)).id) for target in (5, 6)]
    stopped.append(await begun(jobs, 7))
    await asyncio.sleep(0)  # its process is about to be started
    jobs.cancel(stopped[2].id)
    assert [await ended(job) for job in stopped] == ["cancelled"] * 3
    job = await begun(jobs, 8)
    await until(job, lambda: job.share)
    assert job.state == "running"


async def test_a_solve_that_is_stopped_keeps_what_it_has_told_once_however_often_that_is_asked(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told again while it keeps what it has, it would keep nothing."""
    monkeypatch.setattr(limits, "SHORT_SOLVE_S", -1.0)
    job, waits = await begun(jobs, 5), await begun(jobs, 6)
    await until(job, lambda: job.share)
    for each in (waits, waits, job, job, job):
        assert jobs.cancel(each.id).state == "cancelled"  # at once, for whoever waits
    assert [name async for name in jobs.events(job)] == ["cancelled"]
    assert await ended(job) == "cancelled"
    assert slow.with_name("process.kept").read_text() == "heard\n"


STUBBORN = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print('{"share": 0.5%s}', flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(("says", "grace"), [("", 0.1), (', "compiling": true', 60.0)])
async def test_a_solve_that_does_not_stop_is_ended_and_one_that_compiles_at_once(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch, says: str, grace: float
) -> None:
    monkeypatch.setattr(limits, "STOP_GRACE_S", grace)
    jobs.command = fake(STUBBORN % says)
    job = await begun(jobs, 5)
    await until(job, lambda: job.share)
    jobs.cancel(job.id)
    assert await ended(job) == "cancelled"


WITH_A_CHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-IS", "-c", "import time; time.sleep(60)"])
with open(sys.argv[1], "w") as file:
    file.write(f"{os.getpid()} {child.pid} {os.environ['OMP_NUM_THREADS']}")
print('{"share": 0.5}', flush=True)
time.sleep(60)
"""


@IN_PROC
async def test_what_a_solve_has_begun_ends_with_it(jobs: Jobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STOP_GRACE_S", 0.1)
    jobs.command = fake(WITH_A_CHILD, tmp_path / "process")
    job = await begun(jobs, 5)
    await until(job, lambda: job.share)
    parent, child, threads = map(int, (tmp_path / "process").read_text().split())
    assert os.getsid(parent) == os.getsid(child) == parent  # Ctrl-C in a terminal reaches neither
    assert str(threads) == child_environment()["OMP_NUM_THREADS"]
    watched = os.pidfd_open(child)
    jobs.cancel(job.id)
    await ended(job)
    assert not is_alive(parent)
    assert select.select([watched], [], [], PATIENCE)[0]
    os.close(watched)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ('print(\'{"message": "too many dice"}\')', "too many dice"),
        ("print('no JSON'); print('{\"message\": \"x\"}')", "x"),
        ("raise SystemExit('x' * 1000)", "the solve ended unexpectedly: " + "x" * 300),
        ("raise SystemExit('no such thing')", "the solve ended unexpectedly: no such thing"),
        ("import os; os._exit(3)", "the solve ended unexpectedly, with code 3"),
        ("import os; os.kill(os.getpid(), 9)", "the solve was ended from outside, perhaps for want of memory"),
        ("import time; print([1], flush=True); time.sleep(60)", "could not be begun"),  # it is ended
    ],
)
async def test_a_solve_that_fails_says_why_in_one_line_and_hinders_no_other(jobs: Jobs, program: str, why: str) -> None:
    jobs.command = fake(program)
    job = await begun(jobs, 5)
    assert [name async for name in jobs.events(job)][-1] == "failed"
    assert why in job.plain()["message"]
    assert await jobs.unsolved_job(pig(5)) is job  # whoever looks sees it, and begins it anew
    jobs.command = ["/no/such/program"]
    again = await begun(jobs, 5)
    assert again is not job
    assert (await ended(again), "could not be begun" in again.error) == ("failed", True)
    jobs.command = fake(DONE)
    assert await ended(await begun(jobs, 5)) == "done"


# --- the end of the server --------------------------------------------------------------------------------------------


@IN_PROC
@pytest.mark.parametrize("is_killed", [False, True])
async def test_solves_end_with_the_server_which_waits_for_what_they_keep_unless_it_is_told_twice(
    jobs: Jobs, slow: Path, is_killed: bool
) -> None:
    job, waits = await begun(jobs, 5), await begun(jobs, 6)
    await until(job, lambda: job.share)
    events = jobs.events(job)
    assert await anext(events) == "share"
    if is_killed:
        asyncio.get_running_loop().call_soon(asyncio.get_running_loop().call_soon, jobs.kill)
    await jobs.close()
    assert (job.state, waits.state) == ("cancelled", "cancelled")
    assert [name async for name in events] == []  # the listening ends
    assert not is_alive(int(slow.read_text()))
    assert slow.with_name("process.kept").exists() or is_killed
    with pytest.raises(Busy):
        await begun(jobs, 7)


def test_a_solve_uses_one_processor_fewer_or_as_many_as_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, setting, used in ((8, "", "7"), (2, "", "1"), (1, "", "1"), (8, "5", "5")):
        monkeypatch.setenv("ROLLWISE_WORKERS", setting)
        monkeypatch.setattr("rollwise.web.processes.count_processors", lambda there=there: there)
        environment = child_environment()
        assert [environment[name] for name in ("ROLLWISE_WORKERS", "OMP_NUM_THREADS")] == [used, used]
