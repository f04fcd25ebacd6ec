"""Processes and threads that the server starts: what they say, whom they let go first, and that nothing outlives it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.cache.errors import StoreError
from rollwise.parsing.validate import parse_game
from rollwise.solutions import lookup
from rollwise.solutions.lookup import Unsolved, cache_only, is_solved
from rollwise.solutions.progress import Progress
from rollwise.solver.components.team import Team
from rollwise.solver.markov_chains.blocks import _each_block
from rollwise.solver.model.cancellation import Cancelled, raise_if_cancelled
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.turn.kernel_compiles import KERNEL_COMPILES
from rollwise.web import processes, solving
from rollwise.web.workers import Busy, Workers
from tests.web.solves import IN_PROC, SMALL, is_alive, until

Said = pytest.CaptureFixture[str]


def lines(capsys: Said) -> list[Any]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_shares_are_told_now_and_then(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    shares, now = solving.ShareReports(), 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for share, seconds in ((0.1, 0.0), (0.2, 0.1), (0.3, 0.3), (0.3, 1.0), (0.2, 1.0), (0.4, 1.0)):
        now += seconds
        shares(share)
    assert lines(capsys) == [{"share": 0.1}, {"share": 0.3}, {"share": 0.4}]


def test_what_is_compiled_and_done_is_told_and_what_is_not_kept_is_no_solve(
    capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solve(game: Any, *how: Any, **named: Any) -> None:
        KERNEL_COMPILES.notify(True)
        KERNEL_COMPILES.notify(False)
        with Progress(str(game), quiet=True) as progress:
            progress.share(0.5)

    monkeypatch.setattr(lookup, "load_or_solve", solve)
    monkeypatch.setattr(lookup, "is_solved", lambda game: False)
    with pytest.raises(StoreError, match="solved, but not stored"):
        solving.solve("pig", SMALL)
    assert lines(capsys) == [{"compiling": True}, {"compiling": False}, {"share": 0.5}]


def test_the_share_of_a_question_in_a_thread_is_told_by_the_process_that_answers_it(capsys: Said) -> None:
    def ask() -> None:
        with Progress("pig", quiet=True) as progress:
            progress.share(0.5)

    with solving.reporting():
        asyncio.run(Workers(n_threads=1).run(ask))
    asyncio.run(Workers(n_threads=1).run(ask))
    assert lines(capsys) == [{"share": 0.5}]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (None, {"done": True}),
        (MemoryError(), {"error": "TooLarge", "message": "there is not enough memory"}),
        (RollwiseError("too many dice"), {"error": "RollwiseError", "message": "too many dice"}),
        (StoreError("no room"), {"error": "StoreError", "message": "no room"}),
    ],
)
def test_the_process_of_a_solve_lets_others_go_first_and_says_how_it_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: Said, error: Exception | None, said: Any
) -> None:
    done: list[Any] = []

    def solve(*asked: Any) -> None:
        done.append(asked)
        if error is not None:
            raise error

    for name in ("lower_priority", "end_with_input"):
        monkeypatch.setattr(processes, name, lambda name=name: done.append(name))
    monkeypatch.setattr(solving, "solve", solve)
    monkeypatch.setattr(sys, "argv", ["", "pig", json.dumps(SMALL)])
    solving.main()
    assert [*done, *lines(capsys)] == ["lower_priority", "end_with_input", ("pig", SMALL), said]


def test_that_nobody_reads_is_no_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = (tmp_path / "gone").open("w")
    gone.close()
    monkeypatch.setattr(sys, "stdout", gone)
    processes.send_line(share=0.5)


def test_the_very_rollwise_of_the_server_is_found_and_no_file_beside_the_user_takes_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    here, other = processes.child_environment()["PYTHONPATH"].split(os.pathsep)
    assert (Path(here) / "rollwise" / "__init__.py").samefile(rollwise.__file__)
    assert other == "/elsewhere"
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')")
    done = subprocess.run([*processes.PYTHON, "-c", "import json"], cwd=tmp_path, check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_a_process_says_is_read_though_it_ended_before_it_heard_what_was_wanted() -> None:
    with processes.child_process([sys.executable, "-c", "print(1)"], subprocess.DEVNULL) as child:
        child.wait()
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"x")
        with pytest.raises(BrokenPipeError):
            child.stdin.flush()
        said = child.stdout.read()
    assert said == b"1\n"


SERVER = """
import asyncio, os, sys, time
from rollwise.parsing.validate import parse_game
from rollwise.web import jobs
from rollwise.web.settings import Settings
from rollwise.web.workers import Workers
jobs.solve_command = lambda job: [sys.executable, '-c', {endless!r}]
made = jobs.Jobs(Settings(allow_solve="all"), Workers())
job = asyncio.run(made.start(parse_game("pig", {{"target": 5}})))
while (job.child is None or job.share == 0) and not job.error:
    time.sleep(0.02)
print(job.error or job.child.pid, flush=True)
time.sleep(60)
"""
ENDLESS = """
import sys, time
from rollwise.web import processes, solving
def solve(*words):
    processes.tell(share=0.5)
    {how}
solving.solve = solve
sys.argv = ["", "pig", "{{}}"]
processes.GRACE = 0.2
solving.main()
"""


@IN_PROC
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("how", ["time.sleep(60)", "import signal; signal.signal(2, signal.SIG_IGN); time.sleep(60)"])
def test_a_server_that_is_killed_leaves_no_solve_behind(how: str) -> None:
    program = SERVER.format(endless=ENDLESS.format(how=how))
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


@pytest.mark.usefixtures("own_cache")
def test_a_question_never_solves_in_the_server() -> None:
    with pytest.raises(Unsolved, match="is not solved"):
        asyncio.run(Workers().run(partial(rollwise.ask, "pig", params=SMALL)))
    with cache_only(), pytest.raises(Unsolved, match="is not solved"):
        rollwise.ask("pig", params=SMALL)
    assert not is_solved(parse_game("pig", SMALL))
    rollwise.ask("pig", params=SMALL)
    with cache_only():
        assert rollwise.ask("pig", params=SMALL).best == ["roll"]


def test_questions_that_wait_are_bounded_and_who_hangs_up_is_not_worked_for_nor_counted() -> None:
    async def ask() -> None:
        workers, made = Workers(n_threads=1, max_waiting=2), list[int]()
        begun = [asyncio.create_task(workers.run(time.sleep, 0.3))]
        begun += [asyncio.create_task(workers.run(made.append, number)) for number in (1, 2)]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy) as refused:
            await workers.run(time.sleep, 0)
        assert refused.value.status == 503
        for task in begun[1:]:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        await workers.run(time.sleep, 0)  # the next: those that hung up are over
        assert (made, workers.now) == ([], 0)
        with pytest.raises(ZeroDivisionError):
            await workers.run(lambda: 1 // 0)
        assert workers.now == 0
        workers.close()

    asyncio.run(ask())


def counts(seen: list[int]) -> None:
    """Work without end, which looks now and then whether somebody waits."""
    while True:
        seen.append(1)
        time.sleep(0.001)
        raise_if_cancelled()


def counts_in_threads(seen: list[int]) -> None:
    def count(first: int) -> None:
        seen.append(first)
        time.sleep(0.001)

    _each_block(count, range(20_000))


def counts_in_step(seen: list[int]) -> None:
    class Counting:
        def run(self, rank: int, team: Team) -> None:
            while True:
                seen.append(rank)
                time.sleep(0.001)
                team.sync()

    Team(2).run([Counting()], lambda number: None)


@pytest.mark.parametrize("work", [counts, counts_in_threads, counts_in_step])
def test_running_work_is_given_up_when_whoever_asked_has_gone(work: Callable[[list[int]], None]) -> None:
    async def ask() -> None:
        workers, seen = Workers(n_threads=1), list[int]()
        asked = asyncio.create_task(workers.run(work, seen))
        while len(seen) < 5:
            await asyncio.sleep(0.005)
        asked.cancel()
        assert await asyncio.wait_for(workers.run(lambda: "the next"), 20) == "the next"
        assert workers.now == 0
        workers.close()

    asyncio.run(ask())


ERRORS: list[BaseException] = [
    *(StopIteration(5), StopAsyncIteration(), SystemExit(3), KeyboardInterrupt(), GeneratorExit()),
    *(asyncio.CancelledError(), CancelledError(), Cancelled(), TimeoutError(), ZeroDivisionError()),
]


@pytest.mark.parametrize("error", ERRORS)
def test_no_exception_of_a_question_is_lost(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def ask() -> None:
        workers = Workers(n_threads=1)
        with pytest.raises(Exception) as raised:  # noqa: PT011  whichever it is
            await asyncio.wait_for(workers.run(fail), 20)
        assert type(error) in (type(raised.value), type(raised.value.__cause__))
        assert await asyncio.wait_for(workers.run(lambda: "the next"), 20) == "the next"
        workers.close()

    asyncio.run(ask())
