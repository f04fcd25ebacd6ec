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
from unittest.mock import Mock

import pytest
from starlette.testclient import TestClient

from rollwise.solutions.lookup import is_solved
from rollwise.solutions.progress import PaceEstimate
from rollwise.solver.components.processors import WORKERS_VARIABLE
from rollwise.web import jobs as jobs_module, processes
from rollwise.web.jobs import Jobs, SolveJob
from rollwise.web.templating import templates
from rollwise.web.unsolved import waiting_of
from rollwise.web.workers import Busy
from tests.web.asking import is_problem, post
from tests.web.solves import SLOW, SMALL, heard, pig, run, started, until

Client = Callable[..., TestClient]
RULES = {"game": "pig", "params": SMALL}
QUESTION = {**RULES, "state": {"turn": 2}}


def test_a_game_is_solved_in_a_process_of_its_own_and_told_as_it_goes(jobs: Jobs) -> None:
    wanted = run(jobs.unsolved_job(pig(5)))
    assert (wanted.state, wanted.id, wanted.allowed, wanted.plan.boards) == ("planned", "", True, 25)
    job = started(jobs, 5)
    *before, (last, said) = heard(jobs, job)
    assert {name for name, _ in before} <= {"share"}
    done = {"job": job.id, "game": "pig", "parameters": SMALL, "state": "done", "share": 1.0}
    assert (last, said | {"seconds": 0}) == ("done", {**done, "seconds": 0})
    shares = [told["share"] for _, told in before]
    assert shares == sorted(shares)
    assert is_solved(pig(5))
    assert run(jobs.unsolved_job(pig(5))) is None


def test_a_solve_uses_one_processor_fewer_or_as_many_as_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(WORKERS_VARIABLE, raising=False)
    for there, used in ((8, "7"), (2, "1"), (1, "1")):
        monkeypatch.setattr(processes, "count_processors", lambda there=there: there)
        assert (processes.child_environment()[WORKERS_VARIABLE], processes.child_environment()["OMP_NUM_THREADS"]) == (
            used,
            used,
        )
    monkeypatch.setenv(WORKERS_VARIABLE, "5")
    assert processes.child_environment()[WORKERS_VARIABLE] == "5"


def test_a_form_of_a_game_with_a_large_turn_compiles_no_turn(
    unsolved: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.solver.turn.graph._Builder.number", Mock(side_effect=AssertionError("compiled")))
    for where in ("zilch", "zilch/form?p.goal=9950", "ten-thousand/form?p.goal=9950"):
        assert "Solve it now" in unsolved.get(f"/{where}").text
    assert unsolved.get("/api/plan/zilch?p.goal=4900").json()["edges"] == 243_364


def test_a_solve_lets_others_go_first_and_goes_first_where_memory_runs_out() -> None:
    asked = """
import os
from rollwise.web.processes import OOM_SCORE, lower_priority
lower_priority()
print(os.nice(0))
where = "/proc/self/oom_score_adj"  # only Linux says who goes first
print(not os.path.exists(where) or open(where).read().strip() == OOM_SCORE)
"""
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(min(19, os.nice(0) + 10)), "True"]


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
    assert (job.state, run(jobs.unsolved_job(pig(5)))) == ("running", job)
    place.write_text("")
    until(lambda: job.is_over)
    assert "compiling" not in job.plain()


def test_one_solve_runs_at_a_time_once_for_any_number_of_visitors_and_few_wait(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "SHORT_SOLVE_S", -1.0)  # all of them take long

    async def many() -> list[SolveJob]:
        return await asyncio.gather(*(jobs.start(pig(5)) for _ in range(20)))

    (first,) = {job.id: job for job in run(many())}.values()
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
    monkeypatch.setattr(SolveJob, "is_short", property(lambda job: job.game.parameters()["target"] < 10))
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
    monkeypatch.setattr(jobs_module, "SHORT_SOLVE_S", -1.0)
    now, (job, _, last) = 0.0, [started(jobs, target) for target in (5, 6, 7)]
    until(lambda: job.share == 0.25)
    job.pace = PaceEstimate(100.0, lambda: now)

    def line(job: SolveJob) -> str:
        part = templates.get_template("progress.html").render(waiting=waiting_of(job))
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


@pytest.mark.usefixtures("own_cache")
def test_everything_is_solved_where_that_is_allowed(client_of: Client) -> None:
    asked = client_of(allow_solve="all")
    asked.app.state.jobs.command = lambda job: ["sleep", "60"]  # type: ignore[attr-defined]
    assert post(asked, "solve", {"game": "421"}).status_code == 202


def test_a_question_about_an_unsolved_game_is_answered_once_it_is_solved(unsolved: TestClient) -> None:
    is_problem(post(unsolved, "ask", {**QUESTION, "state": {"turn": 1}}), 400, field="turn")  # before it is solved
    begun = post(unsolved, "ask", QUESTION)
    assert begun.status_code == 202
    assert begun.headers["location"] == f"/api/jobs/{begun.json()['job']}/events"
    events = unsolved.get(begun.headers["location"])
    assert events.headers["content-type"].startswith("text/event-stream")
    lines = [line for line in events.text.splitlines() if line]
    assert (lines[0], lines[-2]) == ("event: share", "event: done")
    assert json.loads(lines[-1].removeprefix("data: "))["share"] == 1.0
    assert post(unsolved, "ask", QUESTION).json()["best"] == ["roll"]


def test_while_a_game_is_solved_no_question_of_it_is_looked_at_and_it_is_stopped_over_http(
    unsolved: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look at a state its turn has to be compiled, and the solve does that already."""
    place = tmp_path / "process"
    unsolved.app.state.jobs.command = lambda job: [sys.executable, "-c", SLOW, str(place)]  # type: ignore[attr-defined]
    name = post(unsolved, "solve", RULES).json()["job"]
    monkeypatch.setattr("rollwise.solver.turn.graph.compile_turn", None)
    monkeypatch.setattr("rollwise.ask", None)
    for path, asked in (("ask", QUESTION), ("solve", RULES), ("export", QUESTION)):
        found = post(unsolved, path, asked)
        assert (found.status_code, found.json()["job"]) == (202, name)
    until(place.exists)
    assert unsolved.delete(f"/api/jobs/{name}").json()["job"] == name
    assert "event: cancelled" in unsolved.get(f"/api/jobs/{name}/events").text


def test_a_job_that_there_is_not_is_not_found(client: TestClient) -> None:
    path = "/api/jobs/0123456789abcdef"
    for missing in (client.get(f"{path}/events"), client.delete(path)):
        is_problem(missing, 404, error="NoJob")


def test_who_listens_hears_that_it_will_take_longer_though_nothing_moves_and_that_there_is_no_news(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = started(jobs, 5)
    until(lambda: job.share == 0.25)
    monkeypatch.setattr(jobs_module, "POLL_INTERVAL_S", 0.0)
    monkeypatch.setattr(SolveJob, "seconds_left", property(lambda job: job.place))

    async def hear() -> list[float]:
        told: list[float] = []
        async for _, plain in jobs.events(job.id):
            told.append(plain["left"])
            job.place += 60
            jobs.is_ending = len(told) == 3  # the server ends: so does the listening
        return told

    assert run(hear()) == [0, 60, 120]
    monkeypatch.setattr(SolveJob, "seconds_left", None)
    monkeypatch.setattr(jobs_module, "HEARTBEAT_S", 0.05)
    jobs.is_ending = False

    async def hear_nothing() -> list[str]:
        names: list[str] = []
        async for name, _ in jobs.events(job.id):
            names.append(name)
            jobs.is_ending = name == "quiet"
        return names

    assert run(hear_nothing())[-1] == "quiet"
