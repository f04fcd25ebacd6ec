"""Solves run once for everybody, each in a process of its own; they can be watched and stopped, and end in time."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.cache.errors import StoreError
from rollwise.cache.store import Store
from rollwise.door import the_game
from rollwise.solver.game.errors import RollwiseError
from rollwise.solver.game.model import TurnGame
from rollwise.stored import Unsolved, is_kept
from rollwise.web import jobs as jobs_module
from rollwise.web import solving
from rollwise.web.jobs import Job, Jobs, NoJob, solve_command
from rollwise.web.modest import processors
from rollwise.web.settings import Settings
from rollwise.web.workers import Busy, Workers
from tests.web.processes import IN_PROC, is_alive, until

Client = Callable[..., TestClient]
SMALL = {"target": 5}
QUESTION = {"game": "pig", "params": SMALL, "state": {"turn": 2}}
SLOW = """
import json, os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
print(json.dumps({"share": 0.25}), flush=True)
with open(sys.argv[1] + ".half", "w") as file:
    file.write(str(os.getpid()))
os.rename(sys.argv[1] + ".half", sys.argv[1])
try:
    time.sleep(60)
except KeyboardInterrupt:
    with open(sys.argv[1] + ".kept", "w") as file:
        file.write("kept")
    sys.exit(1)
"""
STUBBORN = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print('{"share": 0.5}', flush=True)
time.sleep(60)
"""


def pig(target: int) -> TurnGame:
    return the_game("pig", {"target": target})


@pytest.fixture
def jobs(own_cache: Store) -> Iterator[Jobs]:
    """The solves of a server, none of them begun; nothing is solved."""
    workers = Workers()
    made = Jobs(Settings(), workers)
    yield made
    made.close()
    workers.close()


@pytest.fixture
def slow(jobs: Jobs, tmp_path: Path) -> Path:
    """Makes every solve take a minute; the file in which it says that it runs."""
    place = tmp_path / "process"
    jobs.command = lambda job: [sys.executable, "-c", SLOW, str(place)]
    return place


def run(waited: Any) -> Any:
    return asyncio.run(waited)


def started(jobs: Jobs, target: int) -> Job:
    job: Job = run(jobs.start(pig(target)))
    return job


async def all_events(jobs: Jobs, job: Job) -> list[tuple[str, Any]]:
    return [event async for event in jobs.events(job.id)]


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


def test_one_solve_runs_at_a_time_and_few_wait(jobs: Jobs, slow: Path) -> None:
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


# --- stopping ---------------------------------------------------------------------------------------------------------


def test_a_solve_that_is_stopped_may_keep_what_it_has(jobs: Jobs, slow: Path) -> None:
    job = started(jobs, 5)
    until(slow.exists)
    jobs.cancel(job.id)
    assert run(all_events(jobs, job))[-1][0] == "cancelled"
    assert slow.with_name("process.kept").read_text() == "kept"
    again = run(jobs.wanted(pig(5)))
    assert again.state == "planned"


def test_a_real_solve_that_is_stopped_keeps_a_checkpoint(jobs: Jobs, own_cache: Store) -> None:
    game = pig(100)
    jobs.command = lambda job: [sys.executable, "-c", OFTEN, job.game.name, json.dumps(job.game.parameters())]
    job = run(jobs.start(game))
    until(lambda: job.share > 0 or job.is_over)
    jobs.cancel(job.id)
    assert run(all_events(jobs, job))[-1][0] == "cancelled"
    assert own_cache.all_keys()
    assert not is_kept(game)


OFTEN = """
import sys, time
from rollwise import progress
from rollwise.web import solving
progress.HEARING.append(lambda share: time.sleep(0.2))
sys.argv.append("1")
solving.main()
"""


def test_a_solve_that_waits_is_stopped_at_once(jobs: Jobs, slow: Path) -> None:
    started(jobs, 5)
    until(slow.exists)
    job = started(jobs, 6)
    assert jobs.cancel(job.id).state == "cancelled"
    assert jobs.cancel(job.id).state == "cancelled"


def test_a_solve_that_does_not_stop_is_ended(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "GRACE", 0.2)
    jobs.command = lambda job: [sys.executable, "-c", STUBBORN]
    job = started(jobs, 5)
    until(lambda: job.share == 0.5)
    jobs.cancel(job.id)
    assert run(all_events(jobs, job))[-1][0] == "cancelled"


KEEPING = """
import os, signal, sys, time
def heard(*signal):
    with open(sys.argv[1], "a") as file:
        file.write("stop ")
signal.signal(signal.SIGINT, heard)
print('{"share": 0.5}', flush=True)
while not os.path.exists(sys.argv[1] + ".go"):
    time.sleep(0.02)
"""


def test_a_solve_is_told_once_to_stop_however_often_that_is_asked(
    jobs: Jobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told again while it keeps what it has, it would keep nothing; and each time would wait for its end by itself."""
    monkeypatch.setattr(jobs_module, "AT_THE_END", 0.1)
    place = tmp_path / "told"
    jobs.command = lambda job: [sys.executable, "-c", KEEPING, str(place)]
    job = started(jobs, 5)
    until(lambda: job.share == 0.5)
    jobs.cancel(job.id)
    until(place.exists)
    threads = threading.active_count()
    for _ in range(20):
        assert jobs.cancel(job.id).state == "running"
    assert threading.active_count() <= threads
    jobs.close()
    place.with_name("told.go").write_text("")
    assert run(all_events(jobs, job))[-1][0] == "cancelled"
    assert place.read_text() == "stop "


def test_a_solve_that_is_stopped_while_it_begins_is_stopped(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch, slow: Path
) -> None:
    begin = subprocess.Popen

    def late(*words: Any, **how: Any) -> Any:
        child = begin(*words, **how)
        until(slow.exists)
        jobs.cancel(job.id)
        assert job.child is None
        return child

    monkeypatch.setattr(subprocess, "Popen", late)
    with jobs._news:  # the process is begun after the next line
        job = started(jobs, 5)
    assert run(all_events(jobs, job))[-1][0] == "cancelled"
    assert slow.with_name("process.kept").read_text() == "kept"


def test_a_solve_that_ends_as_the_server_does_is_waited_for(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    child: Any = SimpleNamespace(send_signal=print, kill=print, wait=waited.append)
    job = jobs._jobs["x"] = Job(pig(5), None, state="running", child=child)  # type: ignore[arg-type]
    monkeypatch.setattr(jobs._news, "notify_all", lambda: jobs._end(job, "cancelled"))
    jobs.close()
    assert jobs_module.AT_THE_END in waited


WITH_A_CHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
with open(sys.argv[1] + ".half", "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
os.rename(sys.argv[1] + ".half", sys.argv[1])
time.sleep(60)
"""


@IN_PROC
@pytest.mark.parametrize("who", ["outside", "the server"])
def test_what_a_solve_has_begun_ends_with_it(
    jobs: Jobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """It would keep the next solve waiting, for as long as it holds open what the first one says."""
    place = tmp_path / "process"
    monkeypatch.setattr(jobs_module, "GRACE", 0.1)
    jobs.command = lambda job: [sys.executable, "-c", WITH_A_CHILD, str(place)]
    job = started(jobs, 5)
    until(place.exists)
    parent, child = map(int, place.read_text().split())
    assert os.getsid(parent) == os.getsid(child) == parent  # Ctrl-C in a terminal reaches neither
    if who == "outside":
        os.kill(parent, signal.SIGKILL)
    else:
        jobs.cancel(job.id)
    until(lambda: job.is_over)
    assert job.state == ("failed" if who == "outside" else "cancelled")
    until(lambda: not is_alive(child))


# --- failing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ('print(\'{"failed": "too many dice"}\')', "too many dice"),
        ("import os; print('{\"failed\": \"' + os.environ['OMP_NUM_THREADS'] + '\"}')", str(processors())),
        ("print('no JSON'); print('{\"failed\": \"x\"}')", "x"),
        ("raise SystemExit('x' * 1000)", "the solve ended unexpectedly: " + "x" * 300),
        ("raise SystemExit('no such thing')", "the solve ended unexpectedly: no such thing"),
        ("import os; os._exit(3)", "the solve ended unexpectedly, with code 3"),
        ("import os; os.kill(os.getpid(), 9)", "the solve was ended from outside, perhaps for want of memory"),
    ],
)
def test_a_solve_that_fails_says_why_in_one_line(jobs: Jobs, program: str, why: str) -> None:
    jobs.command = lambda job: [sys.executable, "-c", program]
    job = started(jobs, 5)
    name, told = run(all_events(jobs, job))[-1]
    assert (name, told["message"]) == ("failed", why)
    assert run(jobs.wanted(pig(5))) is job  # whoever looks sees it, and begins it anew
    assert started(jobs, 5) is not job


def test_a_process_that_says_what_nobody_understands_is_ended(jobs: Jobs) -> None:
    jobs.command = lambda job: [sys.executable, "-c", "import time; print([1], flush=True); time.sleep(60)"]
    job = started(jobs, 5)
    until(lambda: job.is_over)
    assert job.state == "failed"


def test_a_process_that_cannot_be_begun_hinders_no_other(jobs: Jobs) -> None:
    jobs.command = lambda job: ["/no/such/program"]
    assert "could not be begun" in run(all_events(jobs, started(jobs, 5)))[-1][1]["message"]
    jobs.command = solve_command
    assert run(all_events(jobs, started(jobs, 6)))[-1][0] == "done"


def test_what_cannot_be_kept_is_no_solve(jobs: Jobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "file" / "in it"))
    name, told = run(all_events(jobs, started(jobs, 5)))[-1]
    assert name == "failed"
    assert "cannot be kept" in told["message"]


def test_what_is_over_is_forgotten_in_time(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.command = lambda job: [sys.executable, "-c", "print('{\"done\": true}')"]
    first = started(jobs, 5)
    until(lambda: first.is_over)
    assert jobs.get(first.id) is first
    monkeypatch.setattr(jobs_module, "KEPT", -1.0)
    second = started(jobs, 6)
    with pytest.raises(NoJob):
        jobs.get(first.id)
    until(lambda: second.is_over)
    monkeypatch.setattr(jobs_module, "KEPT", 3600.0)
    monkeypatch.setattr(jobs_module, "MOST_KEPT", 0)
    started(jobs, 7)
    with pytest.raises(NoJob):
        jobs.get(second.id)


def test_a_solve_that_failed_long_ago_is_planned_anew(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.command = lambda job: [sys.executable, "-c", "raise SystemExit(1)"]
    job = started(jobs, 5)
    until(lambda: job.is_over)
    assert run(jobs.wanted(pig(5))) is job
    monkeypatch.setattr(jobs_module, "AGAIN", -1.0)
    assert run(jobs.wanted(pig(5))).state == "planned"


def test_a_solve_is_found_when_an_older_one_of_its_game_is_forgotten(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, jobs.command = jobs.command, lambda job: [sys.executable, "-c", "raise SystemExit(1)"]
    first = started(jobs, 5)
    until(lambda: first.is_over)
    jobs.command = process
    second = started(jobs, 5)
    monkeypatch.setattr(jobs_module, "KEPT", -1.0)
    started(jobs, 6)
    with pytest.raises(NoJob):
        jobs.get(first.id)
    assert started(jobs, 5) is second


def lines_of(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception | None) -> list[Any]:
    """What the process of a solve does and says that ends with this error."""
    done: list[Any] = []

    def solve(*asked: Any) -> None:
        done.append(asked)
        if error is not None:
            raise error

    for name in ("be_modest", "end_when_nobody_listens"):
        monkeypatch.setattr(solving, name, lambda name=name: done.append(name))
    monkeypatch.setattr(solving, "solve", solve)
    monkeypatch.setattr(sys, "argv", ["", "pig", '{"target": 5}', "3"])
    solving.main()
    return [*done, *map(json.loads, capsys.readouterr().out.splitlines())]


def test_the_process_of_a_solve_lets_others_go_first_and_says_how_it_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = ["be_modest", "end_when_nobody_listens", ("pig", SMALL, 3)]
    for error, said in (
        (None, {"done": True}),
        (MemoryError(), {"failed": "there is not enough memory"}),
        (RollwiseError("too many dice"), {"failed": "too many dice"}),
        (StoreError("no room"), {"failed": "no room"}),
    ):
        assert lines_of(monkeypatch, capsys, error) == [*before, said]


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


# --- the end of the server --------------------------------------------------------------------------------------------


def test_solves_end_with_the_server(jobs: Jobs, slow: Path) -> None:
    job = started(jobs, 5)
    waits = started(jobs, 6)
    until(slow.exists)
    process = int(slow.read_text())
    jobs.close()
    until(lambda: job.is_over)
    assert (job.state, waits.state) == ("cancelled", "cancelled")
    assert not is_alive(process)
    with pytest.raises(Busy):
        started(jobs, 7)


SERVER = """
import asyncio, os, sys, time
from rollwise.door import the_game
from rollwise.web import jobs
from rollwise.web.settings import Settings
from rollwise.web.workers import Workers
made = jobs.Jobs(Settings(allow_solve="all"), Workers())
job = asyncio.run(made.start(the_game("pig", {"target": 5})))
while (job.child is None or job.share == 0) and not job.error:
    time.sleep(0.02)
print(job.error or job.child.pid, flush=True)
time.sleep(60)
"""
ENDLESS = """
import sys, time
from rollwise.web import modest, solving
def solve(*words):
    modest.tell(share=0.5)
    {how}
solving.solve = solve
sys.argv = ["", "pig", "{{}}", "1"]
modest.GRACE = 0.2
solving.main()
"""


@IN_PROC
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("how", ["time.sleep(60)", "import signal; signal.signal(2, signal.SIG_IGN); time.sleep(60)"])
def test_a_server_that_is_killed_leaves_no_solve_behind(how: str) -> None:
    command = f"jobs.solve_command = lambda job: [sys.executable, '-c', {ENDLESS.format(how=how)!r}]\nmade = "
    program = SERVER.replace("made = ", command, 1)
    server = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    with server.stdout:
        solve = int(server.stdout.readline())
    try:
        assert is_alive(solve)
        server.send_signal(signal.SIGKILL)
        server.wait()
        until(lambda: not is_alive(solve))
    finally:
        server.kill()
        server.wait()


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
