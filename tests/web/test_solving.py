"""Processes and threads that the server starts: what they say, whom they let go first, and that nothing outlives it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

import rollwise
from rollwise.cache.errors import StoreError
from rollwise.cache.store import Store
from rollwise.parsing.validate import parse_game
from rollwise.solutions import lookup
from rollwise.solutions.lookup import Unsolved, cache_only, is_solved
from rollwise.solutions.progress import Progress
from rollwise.solver.components.team import Team
from rollwise.solver.markov_chains.blocks import _each_block
from rollwise.solver.model.cancellation import Cancelled, Token, raise_if_cancelled, with_token
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.turn.kernel_compiles import KERNEL_COMPILES
from rollwise.web import child, limits, processes
from rollwise.web.workers import Busy, Workers
from tests.web.solves import PATIENCE, SMALL, fake

pytestmark = pytest.mark.anyio
Said = pytest.CaptureFixture[str]
SOLVE = {"kind": "solve", "name": "pig", "parameters": SMALL}


def lines(capsys: Said) -> list[Any]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# --- processes --------------------------------------------------------------------------------------------------------


def test_shares_are_told_now_and_then(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    shares, now = child.ShareReports(), 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for share, seconds in ((0.1, 0.0), (0.2, 0.1), (0.3, 0.3), (0.3, 1.0), (0.2, 1.0), (0.4, 1.0)):
        now += seconds
        shares(share)
    assert lines(capsys) == [{"share": 0.1}, {"share": 0.3}, {"share": 0.4}]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (None, {"error": "StoreError", "message": "pig(target=5) is solved, but not stored: is there room for it?"}),
        (MemoryError(), {"error": "TooLarge", "message": "there is not enough memory"}),
        (RollwiseError("too many dice"), {"error": "RollwiseError", "message": "too many dice"}),
        (StoreError("no room"), {"error": "StoreError", "message": "no room"}),
    ],
)
@pytest.mark.usefixtures("own_cache")
def test_what_is_compiled_and_done_is_told_and_how_it_ends(
    capsys: Said, monkeypatch: pytest.MonkeyPatch, error: Exception | None, said: Any
) -> None:
    def solve(game: Any, *how: Any, **named: Any) -> None:
        KERNEL_COMPILES.notify(True)
        KERNEL_COMPILES.notify(False)
        with Progress(str(game), quiet=True) as progress:
            progress.share(0.5)
        if error is not None:
            raise error

    monkeypatch.setattr(lookup, "load_or_solve", solve)
    child.obey(SOLVE)
    assert lines(capsys) == [{"compiling": True}, {"compiling": False}, {"share": 0.5}, said]


def test_a_solve_is_done_and_kept_or_said_not_to_be_kept(
    capsys: Said, own_cache: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    child.obey(SOLVE)
    assert lines(capsys)[-1] == {"done": True}
    assert is_solved(parse_game("pig", SMALL))
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "file" / "in it"))
    child.obey({**SOLVE, "parameters": {"target": 6}})
    assert "is solved, but not stored: cannot" in lines(capsys)[-1]["message"]


def test_a_solve_that_is_interrupted_keeps_a_checkpoint(own_cache: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*share: float) -> None:
        raise KeyboardInterrupt

    def exits(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(child.ShareReports, "__call__", interrupt)
    monkeypatch.setattr(os, "_exit", exits)
    with pytest.raises(SystemExit, match="1"):
        child.obey(SOLVE)
    assert own_cache.all_keys()
    assert not is_solved(parse_game("pig", SMALL))


def test_that_nobody_reads_is_no_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = (tmp_path / "gone").open("w")
    gone.close()
    monkeypatch.setattr(sys, "stdout", gone)
    child.send_line(share=0.5)


LIVES_ON = """
import os, signal, time
from rollwise.web import child, limits
limits.STOP_GRACE_S = 0.1
def run(how):
    where = "/proc/self/oom_score_adj"  # only Linux says who goes first where memory runs out
    is_last = os.path.exists(where) and open(where).read().strip() != child.OOM_SCORE
    if how == "stubborn":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    child.send_line(share=0.5, niceness=os.nice(0), is_last=is_last)
    time.sleep(60)
child.run = run
child.main()
"""


@pytest.mark.parametrize("how", ["", "stubborn"])
async def test_a_process_lets_others_go_first_and_ends_with_its_input_as_when_the_server_is_killed(how: str) -> None:
    process = await processes.start_process([sys.executable, "-c", LIVES_ON], subprocess.DEVNULL)
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps({"how": how}).encode() + b"\n")
    said = json.loads(await process.stdout.readline())
    assert said == {"share": 0.5, "niceness": min(19, os.nice(0) + child.NICENESS_STEP), "is_last": False}
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 1


def test_a_process_without_orders_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("lower_priority", "write_to_terminal"):
        monkeypatch.setattr(child, name, lambda: None)
    monkeypatch.setattr(child, "incoming_orders", Queue)
    monkeypatch.setattr(limits, "IDLE_TIMEOUT_S", 0.0)
    child.main()


def test_the_very_rollwise_of_the_server_is_found_and_no_file_beside_the_user_takes_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    here, other = processes.child_environment()["PYTHONPATH"].split(os.pathsep)
    assert (Path(here) / "rollwise" / "__init__.py").samefile(rollwise.__file__)
    assert other == "/elsewhere"
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')")
    done = subprocess.run([*processes.CHILD[:2], "-c", "import json"], cwd=tmp_path, check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


async def test_what_a_process_says_is_read_though_it_ended_before_it_heard_what_was_wanted() -> None:
    process = await processes.start_process(fake("print('{\"done\": 1}')"), subprocess.DEVNULL)
    assert await processes.run_order(process, b"x" * 10**6) == {"done": 1}
    await processes.end_process(process)


# --- threads ----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_cache")
async def test_a_question_never_solves_in_the_server() -> None:
    with pytest.raises(Unsolved, match="is not solved"):
        await Workers().run(partial(rollwise.ask, "pig", params=SMALL))
    assert not is_solved(parse_game("pig", SMALL))
    rollwise.ask("pig", params=SMALL)
    with cache_only():
        assert rollwise.ask("pig", params=SMALL).best == ["roll"]


async def test_the_share_of_a_question_in_a_thread_is_told_by_the_process_that_answers_it(capsys: Said) -> None:
    def ask() -> None:
        with Progress("pig", quiet=True) as progress:
            progress.share(0.5)

    with with_token(Token(on_share=child.ShareReports())):
        await Workers(n_threads=1).run(ask)
    await Workers(n_threads=1).run(ask)
    assert lines(capsys) == [{"share": 0.5}]


async def test_questions_that_wait_are_bounded_and_who_hangs_up_is_not_worked_for_nor_counted() -> None:
    workers, made, begins, goes_on = (
        Workers(n_threads=1, max_waiting=2),
        list[int](),
        asyncio.Event(),
        threading.Event(),
    )
    loop = asyncio.get_running_loop()

    def holds() -> None:
        loop.call_soon_threadsafe(begins.set)
        goes_on.wait(PATIENCE)

    begun = [asyncio.create_task(workers.run(holds))]
    begun += [asyncio.create_task(workers.run(made.append, number)) for number in (1, 2)]
    await begins.wait()
    with pytest.raises(Busy) as refused:
        await workers.run(time.sleep, 0)
    assert refused.value.status == 503
    for task in begun[1:]:
        task.cancel()
    await asyncio.gather(*begun[1:], return_exceptions=True)  # before the thread goes on, and finds them in its queue
    await asyncio.sleep(0)
    goes_on.set()
    await begun[0]
    await workers.run(time.sleep, 0)  # the next: those that hung up are over
    assert (made, workers.now) == ([], 0)
    with pytest.raises(ZeroDivisionError):
        await workers.run(lambda: 1 // 0)
    assert workers.now == 0
    workers.close()


def counts(see: Callable[[], None]) -> None:
    """Work without end, which looks now and then whether somebody waits."""
    while True:
        see()
        raise_if_cancelled()


def counts_in_threads(see: Callable[[], None]) -> None:
    _each_block(lambda first: see(), range(20_000))


def counts_in_step(see: Callable[[], None]) -> None:
    class Counting:
        def run(self, rank: int, team: Team) -> None:
            while True:
                see()
                team.sync()

    Team(2).run([Counting()], lambda number: None)


@pytest.mark.parametrize("work", [counts, counts_in_threads, counts_in_step])
async def test_running_work_is_given_up_when_whoever_asked_has_gone(work: Callable[..., None]) -> None:
    workers, begins, loop = Workers(n_threads=1), asyncio.Event(), asyncio.get_running_loop()

    def see() -> None:
        if not begins.is_set():
            loop.call_soon_threadsafe(begins.set)
        time.sleep(0.001)

    asked = asyncio.create_task(workers.run(work, see))
    await asyncio.wait_for(begins.wait(), PATIENCE)
    asked.cancel()
    assert await asyncio.wait_for(workers.run(lambda: "the next"), PATIENCE) == "the next"
    assert workers.now == 0
    workers.close()


ERRORS: list[BaseException] = [
    *(StopIteration(5), StopAsyncIteration(), SystemExit(3), KeyboardInterrupt(), GeneratorExit()),
    *(asyncio.CancelledError(), CancelledError(), Cancelled(), TimeoutError(), ZeroDivisionError()),
]


@pytest.mark.parametrize("error", ERRORS)
async def test_no_exception_of_a_question_is_lost(error: BaseException) -> None:
    def fail() -> None:
        raise error

    workers = Workers(n_threads=1)
    with pytest.raises(Exception) as raised:  # noqa: PT011  whichever it is
        await asyncio.wait_for(workers.run(fail), PATIENCE)
    assert type(error) in (type(raised.value), type(raised.value.__cause__))
    assert await asyncio.wait_for(workers.run(lambda: "the next"), PATIENCE) == "the next"
    workers.close()
