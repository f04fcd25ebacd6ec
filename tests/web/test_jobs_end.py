"""Solves end: when they are told to, when something fails, and with the server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from rollwise.cache.store import Store
from rollwise.solutions.lookup import is_solved
from rollwise.web import jobs as jobs_module
from rollwise.web.jobs import Jobs, NoJob, SolveJob, process_command
from rollwise.web.processes import processor_limit
from rollwise.web.workers import Busy
from tests.web.solves import IN_PROC, heard, is_alive, pig, run, started, until


def runs(jobs: Jobs, program: str, *words: str) -> None:
    """Makes every solve this program."""
    jobs.command = lambda job: [sys.executable, "-c", program, *words]


def is_stopped(jobs: Jobs, job: SolveJob) -> None:
    """Whoever listens hears that it was stopped, and it ends."""
    assert heard(jobs, job)[-1][0] == "cancelled"
    until(lambda: job.child is None)
    assert job.state == "cancelled"


def test_a_solve_that_is_stopped_may_keep_what_it_has_and_one_that_waits_never_begins(jobs: Jobs, slow: Path) -> None:
    job = started(jobs, 5)
    until(slow.exists)
    waits = started(jobs, 6)
    for each in (waits, waits, job):
        assert jobs.cancel(each.id).state == "cancelled"  # at once, for whoever waits
    is_stopped(jobs, job)
    assert slow.with_name("process.kept").read_text() == "kept"


def test_a_solve_that_was_just_stopped_begins_again_only_when_somebody_says_so(
    unsolved: TestClient, slow: Path, jobs: Jobs
) -> None:
    unsolved.app.state.jobs = jobs  # type: ignore[attr-defined]
    own = {"Sec-Fetch-Site": "same-origin", "HX-Request": "true"}
    begun = unsolved.get("/pig/check?p.target=5", headers=own).text
    job = jobs.of(pig(5))
    assert job
    assert f"/pig/progress/{job.id}" in begun
    until(slow.exists)
    stop = unsolved.post(f"/pig/stop?p.target=5&job={job.id}", headers=own)
    for told in (stop, unsolved.get("/pig?p.target=5", headers=own)):
        assert "Solve it now" in told.text
    assert jobs.of(pig(5)) is job
    assert "/pig/progress/" in unsolved.post("/pig/solve?p.target=5", headers=own).text


OFTEN = """
import sys, time
from rollwise.web import solving
class Slow(solving.ShareReports):
    def __call__(self, share):
        super().__call__(share)
        time.sleep(0.2)
solving.ShareReports = Slow
solving.main()
"""


def test_a_real_solve_that_is_stopped_keeps_a_checkpoint(jobs: Jobs, own_cache: Store) -> None:
    game = pig(100)
    runs(jobs, OFTEN, game.name, json.dumps(game.parameters()))
    job = run(jobs.start(game))
    until(lambda: job.share > 0 or job.is_over)
    jobs.cancel(job.id)
    is_stopped(jobs, job)
    assert own_cache.all_keys()
    assert not is_solved(game)


STUBBORN = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print('{"share": 0.5%s}', flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(("says", "grace"), [("", 0.2), (', "compiling": true', 60.0)])
def test_a_solve_that_does_not_stop_is_ended_and_one_that_compiles_at_once(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch, says: str, grace: float
) -> None:
    monkeypatch.setattr(jobs_module, "STOP_GRACE_S", grace)
    runs(jobs, STUBBORN % says)
    job = started(jobs, 5)
    until(lambda: job.share == 0.5)
    jobs.cancel(job.id)
    is_stopped(jobs, job)


KEEPING = """
import os, signal, sys, time
def heard(*signal):
    with open(sys.argv[1], "a") as file:
        file.write("stop ")
signal.signal(signal.SIGINT, heard)
print('{"share": 0.5}', flush=True)
begun = time.monotonic()
while not os.path.exists(sys.argv[1] + ".go") and time.monotonic() < begun + 60:
    time.sleep(0.02)
"""


def test_a_solve_is_told_once_to_stop_however_often_that_is_asked(
    jobs: Jobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told again while it keeps what it has, it would keep nothing; and each time would wait for its end by itself."""
    monkeypatch.setattr(jobs_module, "SHUTDOWN_WAIT_S", 0.1)
    place = tmp_path / "told"
    runs(jobs, KEEPING, str(place))
    job = started(jobs, 5)
    until(lambda: job.share == 0.5)
    jobs.cancel(job.id)
    until(place.exists)
    threads = threading.active_count()
    for _ in range(20):
        assert jobs.cancel(job.id).state == "cancelled"
    assert threading.active_count() <= threads
    jobs.close()
    place.with_name("told.go").write_text("")
    until(lambda: job.child is None)
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
    with jobs._lock:  # the process is begun after the next line
        job = started(jobs, 5)
    assert heard(jobs, job)[-1][0] == "cancelled"
    until(slow.with_name("process.kept").exists)


WITH_A_CHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
with open(sys.argv[1] + ".half", "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
os.rename(sys.argv[1] + ".half", sys.argv[1])
time.sleep(60)
"""


@IN_PROC
@pytest.mark.parametrize(("who", "state"), [("outside", "failed"), ("the server", "cancelled")])
def test_what_a_solve_has_begun_ends_with_it(
    jobs: Jobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str, state: str
) -> None:
    """It would keep the next solve waiting, for as long as it holds open what the first one says."""
    place = tmp_path / "process"
    monkeypatch.setattr(jobs_module, "STOP_GRACE_S", 0.1)
    runs(jobs, WITH_A_CHILD, str(place))
    job = started(jobs, 5)
    until(place.exists)
    parent, child = map(int, place.read_text().split())
    assert os.getsid(parent) == os.getsid(child) == parent  # Ctrl-C in a terminal reaches neither
    if who == "outside":
        os.kill(parent, signal.SIGKILL)
    else:
        jobs.cancel(job.id)
    until(lambda: job.is_over)
    assert job.state == state
    until(lambda: not is_alive(child))


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ('print(\'{"message": "too many dice"}\')', "too many dice"),
        ("import os; print('{\"message\": \"' + os.environ['OMP_NUM_THREADS'] + '\"}')", processor_limit()),
        ("print('no JSON'); print('{\"message\": \"x\"}')", "x"),
        ("raise SystemExit('x' * 1000)", "the solve ended unexpectedly: " + "x" * 300),
        ("raise SystemExit('no such thing')", "the solve ended unexpectedly: no such thing"),
        ("import os; os._exit(3)", "the solve ended unexpectedly, with code 3"),
        ("import os; os.kill(os.getpid(), 9)", "the solve was ended from outside, perhaps for want of memory"),
    ],
)
def test_a_solve_that_fails_says_why_in_one_line(jobs: Jobs, program: str, why: str) -> None:
    runs(jobs, program)
    job = started(jobs, 5)
    name, told = heard(jobs, job)[-1]
    assert (name, told["message"]) == ("failed", why)
    assert run(jobs.unsolved_job(pig(5))) is job  # whoever looks sees it, and begins it anew
    assert started(jobs, 5) is not job


def test_a_process_that_says_what_nobody_understands_is_ended(jobs: Jobs) -> None:
    runs(jobs, "import time; print([1], flush=True); time.sleep(60)")
    job = started(jobs, 5)
    until(lambda: job.is_over)
    assert job.state == "failed"


def test_a_process_that_cannot_be_begun_or_that_cannot_keep_what_it_has_hinders_no_other(
    jobs: Jobs, own_cache: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.command = lambda job: ["/no/such/program"]
    assert "could not be begun" in heard(jobs, started(jobs, 5))[-1][1]["message"]
    jobs.command = process_command
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "file" / "in it"))
    name, told = heard(jobs, started(jobs, 6))[-1]
    assert (name, "is solved, but not stored: cannot" in told["message"]) == ("failed", True)
    monkeypatch.setenv("ROLLWISE_CACHE", str(own_cache.root))
    assert heard(jobs, started(jobs, 7))[-1][0] == "done"


def test_of_what_is_over_only_so_many_are_known(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    runs(jobs, "print('{\"done\": true}')")
    first = started(jobs, 5)
    until(lambda: first.is_over)
    assert jobs.get(first.id) is first
    monkeypatch.setattr(jobs_module, "MAX_FINISHED_JOBS", 0)
    started(jobs, 6)
    with pytest.raises(NoJob):
        jobs.get(first.id)


def test_a_solve_that_failed_long_ago_is_planned_anew_and_the_new_one_is_found(
    jobs: Jobs, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = jobs.command
    runs(jobs, "raise SystemExit(1)")
    first = started(jobs, 5)
    until(lambda: first.is_over)
    assert run(jobs.unsolved_job(pig(5))) is first
    monkeypatch.setattr(jobs_module, "RETRY_DELAY_S", -1.0)
    assert run(jobs.unsolved_job(pig(5))).state == "planned"
    jobs.command = process
    second = started(jobs, 5)
    monkeypatch.setattr(jobs_module, "JOB_LIFETIME_S", -1.0)
    started(jobs, 6)
    with pytest.raises(NoJob):  # the older one of its game is forgotten
        jobs.get(first.id)
    assert started(jobs, 5) is second


def test_solves_end_with_the_server(jobs: Jobs, slow: Path) -> None:
    job, waits = started(jobs, 5), started(jobs, 6)
    until(slow.exists)
    process = int(slow.read_text())
    jobs.close()
    until(lambda: job.is_over)
    assert (job.state, waits.state) == ("cancelled", "cancelled")
    assert not is_alive(process)
    with pytest.raises(Busy):
        started(jobs, 7)


KEEPS_SLOWLY = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
print('{"share": 0.5}', flush=True)
try:
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(0.3)
    open(sys.argv[1], "w").close()
"""


def test_a_server_that_ends_waits_for_what_its_solve_keeps(
    jobs: Jobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "SHUTDOWN_WAIT_S", 20.0)
    place = tmp_path / "kept"
    runs(jobs, KEEPS_SLOWLY, str(place))
    job = started(jobs, 5)
    until(lambda: job.share == 0.5)
    jobs.close()
    assert place.exists()
    until(lambda: job.child is None)
