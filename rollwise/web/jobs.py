"""Jobs in processes: solves, a long and a short one at the same time, and long questions, two at a time."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from math import inf
from typing import IO, Any, Literal

from rollwise.parsing.validate import parse_game
from rollwise.questions.plan import plan_of
from rollwise.questions.question import command_of
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import Unsolved, evict_solutions, is_solved
from rollwise.solutions.plans import SolvePlan
from rollwise.solutions.progress import PaceEstimate, format_time_left
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import Jsonable, as_json
from rollwise.web.processes import PYTHON, STOP_GRACE_S, child_process
from rollwise.web.settings import Settings
from rollwise.web.workers import Busy, Workers

MAX_RUNNING = 2  # of each kind; one of them may be long
MAX_WAITING = 4
JOB_LIFETIME_S = 3600.0  # of a finished job
MAX_FINISHED_JOBS = 200
RETRY_DELAY_S = 30.0  # after a failed or stopped solve, before a request begins it again
SHORT_SOLVE_S = 10.0  # of planned time; such a solve need not wait for a longer one
ABANDONED_AFTER_S = 20.0  # after which a question without a waiting client is ended
MAX_QUESTION_S = 600.0  # after which any question is ended
MAX_ANSWER_BYTES = 20_000_000  # of stored answers
SHUTDOWN_WAIT_S = 2.0  # for solves when the server ends; they may go on storing after it
POLL_INTERVAL_S = 0.1  # between polls
HEARTBEAT_S = 15.0  # without news, before an event says so
ERROR_TAIL_BYTES = 2000  # of a process's stderr

State = Literal["planned", "waiting", "running", "done", "failed", "cancelled"]
ENDS = ("done", "failed", "cancelled")
SHARE, OVER = "share", "over"  # events for pages: progress, and the end
Event = tuple[str, dict[str, Any]]


class NoJob(RollwiseError):
    """The job does not exist, or ended long ago."""


@dataclass(eq=False)
class BackgroundJob(Jsonable):
    """A job of which ``share`` is done, from 0 to 1.

    ``error`` is the reason of a failure in one line. ``compiling``: machine code is being compiled, once per machine,
    and the share does not grow. A job that was not started is ``planned``.
    """

    JSON = (
        "job=id name?(game=name parameters) path? state share seconds compiling? place=rank? left=seconds_left? "
        "message=error?"
    )
    CALLED = "solve"

    name: str = field(default="", init=False)  # of the game to solve
    parameters: dict[str, Any] = field(default_factory=dict, init=False)
    path: str = field(default="", init=False)  # of a question
    id: str = field(default="", init=False)
    state: State = field(default="planned", init=False)
    share: float = field(default=0.0, init=False)
    compiling: bool = field(default=False, init=False)
    error: str = field(default="", init=False)
    began: float = field(default=inf, init=False)
    ended: float = field(default=inf, init=False)
    place: int = field(default=0, init=False)  # among the waiting jobs, from 1
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)  # may outlive a stopped job
    pace: PaceEstimate = field(default_factory=PaceEstimate, init=False)

    @property
    def is_short(self) -> bool:
        """True if it may run beside a long one."""
        return True

    @property
    def is_over(self) -> bool:
        """True if the job has ended."""
        return self.state in ENDS

    @property
    def seconds(self) -> float:
        """Seconds that it has run."""
        return round(max(0.0, min(self.ended, time.monotonic()) - self.began), 1)

    @property
    def rank(self) -> int | None:
        """Its place, from 1, among the waiting jobs of its class; None if it does not wait."""
        return self.place if self.state == "waiting" else None

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds to run; None if it does not run, or compiles."""
        seconds = self.pace.seconds_left if self.state == "running" and not self.compiling else None
        return None if seconds is None else round(seconds, 1)


@dataclass(eq=False)
class LateJob(BackgroundJob):
    """Job of a question beyond a thread's time: the ``order`` for a process, a line of JSON, and its answer."""

    path: str = ""
    order: bytes = b""
    answer: dict[str, Any] = field(default_factory=dict)
    last_request: float = field(default_factory=time.monotonic)
    CALLED = "question"


@dataclass(eq=False)
class SolveJob(BackgroundJob):
    """Solve of a ``game``, for a question with these ``fields``; ``allowed``: this server may begin it."""

    game: TurnGame
    plan: SolvePlan
    allowed: bool = True
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.name, self.parameters = self.game.name, dict(as_json(self.game.parameters() | self.game.solver_options()))

    @property
    def is_part(self) -> bool:
        """True if it solves only the part of a game that is reachable from a position."""
        return self.game.whole_game() is not self.game

    @property
    def takes(self) -> str:
        """The estimated cost in words."""
        return self.plan.takes

    def refusal(self) -> Busy:
        """The error if this server may not begin it: its estimated cost, and the command to run by hand."""
        why = f"{self.game} is not solved yet, and this server does not solve it: that takes {self.takes}"
        usual, parameters = plain_parameters(parse_game(self.name)), plain_parameters(self.game.whole_game())
        by_hand = (self.fields, "ask") if self.is_part else ({}, "solve")
        return Busy(why, wait=3600, hint=command_of(self.name, parameters, usual, *by_hand))

    def require_allowed(self) -> None:
        """Raise Busy if this server may not begin it."""
        if not self.allowed:
            raise self.refusal()

    @property
    def is_short(self) -> bool:
        """True if it may run beside a long one."""
        return self.plan.seconds <= SHORT_SOLVE_S


def plan_job(game: TurnGame, settings: Settings, fields: Mapping[str, Any] | None = None) -> SolveJob:
    """A solve that is not started, with its estimated cost; ``fields``: see ``SolveJob``."""
    cost = plan_of(game.part())
    allowed = settings.allow_solve == "all" or (settings.allow_solve == "small" and cost.is_small)
    return SolveJob(game, cost, allowed, fields or {})


class Jobs:
    """All jobs of a server; safe for threads. Each running job has a thread that reads from its process."""

    def __init__(self, settings: Settings, workers: Workers) -> None:
        self.settings, self.workers = settings, workers
        self.command: Callable[[Any], list[str]] = process_command
        self.is_ending = False  # event streams end, and no job is started any more
        self._jobs: dict[str, BackgroundJob] = {}  # by id, in the order of their start
        self._running: list[BackgroundJob] = []  # with a process that has not ended
        self._idle: list[tuple[subprocess.Popen[bytes], ExitStack]] = []  # idle processes for questions
        self._lock = threading.RLock()

    # --- requests -----------------------------------------------------------------------------------------------------

    async def unsolved_job(self, game: TurnGame, fields: Mapping[str, Any] | None = None) -> SolveJob | None:
        """Job of an unsolved game: under way, just failed or stopped, or only planned; None for a solved game."""
        job = self.of(game)
        if job is None and not await self.workers.run(is_solved, game):
            job = await self.workers.run(plan_job, game, self.settings, fields)
        return job

    async def start(self, game: TurnGame, fields: Mapping[str, Any] | None = None) -> SolveJob:
        """The job that solves the game, begun now unless it is under way.

        Raises Busy, with the estimated cost, if this server may not solve it, and if too many wait.
        """
        before = self.of(game)
        if before is not None and not before.is_over:
            return before
        job: SolveJob = await self.workers.run(plan_job, game, self.settings, fields)
        job.require_allowed()
        with self._lock:
            before = self.of(game)  # another thread may have been quicker
            if before is not None and not before.is_over:
                return before
            self._add(job, "too many games are waiting to be solved; ask again in a minute")
        return job

    def late(self, path: str, order: bytes) -> LateJob:
        """Job of this question, started now unless under way; raises Busy if too many wait. For the event loop only."""
        with self._lock:
            job = self.find_question(order)
            if job is None:
                self._add(job := LateJob(path, order), "too many long questions are waiting; ask again in a minute")
                self._watch(job, asyncio.get_running_loop())
        return job

    def find_question(self, order: bytes) -> LateJob | None:
        """Job of this question that waits, runs, or is over; None if there is none, or it was stopped."""
        for job in reversed(list(self._jobs.values())):
            if isinstance(job, LateJob) and job.order == order and job.state != "cancelled":
                job.last_request = time.monotonic()
                return job
        return None

    def forget(self, job: BackgroundJob) -> None:
        """Drop a job whose failure was reported, so that the next request starts it again."""
        self._jobs.pop(job.id, None)

    def _watch(self, job: LateJob, loop: asyncio.AbstractEventLoop) -> None:
        """End a question without waiting clients, or beyond its time."""
        if time.monotonic() - job.last_request > ABANDONED_AFTER_S:
            self.cancel(job.id)
        if job.seconds > MAX_QUESTION_S:
            with self._lock:
                self._end(job, "failed", f"this takes longer than {MAX_QUESTION_S / 60:g} minutes, so it was given up")
                self._stop(job)
        if not job.is_over:
            loop.call_later(POLL_INTERVAL_S, self._watch, job, loop)

    def _add(self, job: BackgroundJob, too_many: str) -> None:
        if self.is_ending:
            raise Busy("the server is ending")
        if len([other for other in self._waiting() if type(other) is type(job)]) >= MAX_WAITING:
            raise Busy(too_many, status=429, wait=60)
        self._drop_old()
        job.id, job.state = secrets.token_hex(8), "waiting"
        self._jobs[job.id] = job
        self._start_waiting()

    def require_solved(self, game: TurnGame) -> None:
        """Raise Unsolved while a game is being solved, and Busy if it is unsolved and this server may not solve it.

        A question about a part of a game raises Unsolved itself.
        """
        if game.part() is not game:
            return
        job = self.of(game)
        if job is not None and not job.is_over:
            raise Unsolved(game)
        if not is_solved(game):
            plan_job(game, self.settings).require_allowed()

    def of(self, game: TurnGame) -> SolveJob | None:
        """Job of this game that waits or runs, or that has just failed or was stopped; else None."""
        with self._lock:
            every = reversed(self._jobs.values())
            newest = next((job for job in every if isinstance(job, SolveJob) and job.game == game), None)
        if newest is None or newest.state == "done" or time.monotonic() - newest.ended >= RETRY_DELAY_S:
            return None
        return newest

    def get(self, job_id: str) -> BackgroundJob:
        """The job of this id; raises NoJob."""
        job = self._jobs.get(job_id)
        if job is None:
            raise NoJob("there is no such solve, or it is over for long")
        return job

    def cancel(self, job_id: str) -> BackgroundJob:
        """Stop a job for all who wait for it; its progress is stored, and the next solve goes on from there."""
        job = self.get(job_id)
        with self._lock:
            if not job.is_over:
                self._stop(job)
        return job

    async def events(self, job_id: str) -> AsyncIterator[Event]:
        """Events of a job: ``share`` as it grows, then one of ``done``, ``failed`` and ``cancelled``.

        ``quiet`` is a heartbeat after a time without news.
        """
        job, last, since = self.get(job_id), None, time.monotonic()
        while not job.is_over:
            if self.is_ending:
                return
            if isinstance(job, LateJob):
                job.last_request = time.monotonic()
            remaining = "" if job.seconds_left is None else format_time_left(job.seconds_left)
            state = (job.state, job.share, job.place, job.compiling, remaining)
            if state != last or time.monotonic() - since > HEARTBEAT_S:
                yield ("quiet", {}) if state == last else ("share", job.plain())
                last, since = state, time.monotonic()
            await asyncio.sleep(POLL_INTERVAL_S)
        yield job.state, job.plain()

    def close(self) -> None:
        """Stop all jobs as the server ends; a solve has a moment to store its progress."""
        with self._lock:
            self.is_ending = True
            children = [job.child for job in self._running if job.child is not None]
            for job in self._jobs.values():
                if not job.is_over:
                    self._stop(job)
            spare, self._idle = self._idle, []
        for child in children:
            with suppress(subprocess.TimeoutExpired):
                child.wait(SHUTDOWN_WAIT_S)
        for _, ends in spare:
            ends.close()

    def _waiting(self) -> list[BackgroundJob]:
        return [job for job in self._jobs.values() if job.state == "waiting"]

    def _start_waiting(self) -> None:
        """Start waiting jobs: at most two of a kind, at most one of them long."""
        for job in [] if self.is_ending else self._waiting():
            beside = [other for other in self._running if type(other) is type(job)]
            if len(beside) < MAX_RUNNING and (job.is_short or all(other.is_short for other in beside)):
                # no executor's thread: at its end the process would wait for it, as long as the solve takes to stop
                threading.Thread(target=self._run_job, args=(job,), daemon=True).start()
                job.state, job.began, job.place = "running", time.monotonic(), 0
                job.pace = PaceEstimate(job.plan.seconds if isinstance(job, SolveJob) else 0.0)
                self._running.append(job)
        waiting = self._waiting()
        for place, job in enumerate(waiting, 1):
            before = [other for other in waiting[:place] if type(other) is type(job)]
            job.place = len([other for other in before if other.is_short or not job.is_short])

    def _drop_old(self) -> None:
        """Drop finished jobs that are old, and the oldest beyond the limits."""
        over = sorted((job for job in self._jobs.values() if job.is_over), key=lambda job: -job.ended)
        size = 0
        for place, job in enumerate(over):
            size += len(job.order) + len(job.answer.get("body", "")) if isinstance(job, LateJob) else 0
            if place >= MAX_FINISHED_JOBS or size > MAX_ANSWER_BYTES or job.ended < time.monotonic() - JOB_LIFETIME_S:
                del self._jobs[job.id]

    # --- processes ----------------------------------------------------------------------------------------------------

    def _run_job(self, job: BackgroundJob) -> None:
        """Run one job to its end, then start the next."""
        try:
            self._run_process(job)
            if isinstance(job, SolveJob):
                evict_solutions(self.settings.keep, job.game)
        except Exception as error:  # no process, no memory, no disk: the next job may succeed
            with self._lock:
                self._end(job, "failed", f"the {job.CALLED} could not be begun: {error}")
        finally:
            with self._lock:
                self._running.remove(job)
                self._start_waiting()

    def _run_process(self, job: BackgroundJob) -> None:
        with tempfile.TemporaryFile() as errors, ExitStack() as ends:
            child, process = self._open_process(job, errors)
            ends.enter_context(process)
            try:
                with self._lock:
                    job.child = child
                    if job.is_over:  # stopped while it started
                        self._stop(job)
                last = self._read_progress(job, child)
                is_answered = isinstance(job, LateJob) and ("done" in last or "message" in last)
                code = 0 if is_answered else child.wait()
                if not is_answered:
                    ends.close()
            finally:
                job.child = None
            with self._lock:
                if is_answered and not job.is_over and not self.is_ending:  # free for the next question
                    self._idle.append((child, ends.pop_all()))
                if code == 0 and last.get("done"):
                    self._end(job, "done")
                else:
                    self._end(job, "failed", str(last.get("message") or _failure_message(job.CALLED, code, errors)))

    def _open_process(self, job: BackgroundJob, errors: IO[bytes]) -> tuple[subprocess.Popen[bytes], ExitStack]:
        """A process for a job, and the stack that ends it; questions reuse idle ones, whose errors go to the log."""
        with self._lock, suppress(IndexError):
            while isinstance(job, LateJob):
                child, ends = self._idle.pop()
                if child.poll() is None:
                    return child, ends
                ends.close()
        ends = ExitStack()
        return ends.enter_context(child_process(self.command(job), None if isinstance(job, LateJob) else errors)), ends

    def _read_progress(self, job: BackgroundJob, child: subprocess.Popen[bytes]) -> dict[str, Any]:
        """Send the question to the process, if it is one, and read its progress; returns its last line."""
        last: dict[str, Any] = {}
        assert child.stdin is not None
        assert child.stdout is not None
        if isinstance(job, LateJob):
            with suppress(OSError):  # the process has ended
                child.stdin.write(job.order)
                child.stdin.flush()
        for line in child.stdout:
            with suppress(ValueError):
                last = json.loads(line)
            with self._lock:
                job.share = max(job.share, float(last.get("share", 0.0)))
                job.compiling = bool(last.get("compiling", job.compiling)) and not job.is_over
                if "share" in last:
                    job.pace.share(job.share)
            if isinstance(job, LateJob):
                job.answer = last.get("answer") or job.answer
                if "done" in last or "message" in last:
                    break
        return last

    def _stop(self, job: BackgroundJob) -> None:
        """Interrupt a solve, which then stores its progress; kill it if it does not end. A second signal would lose it.

        Kill it at once while it compiles, when it handles no signal and has nothing to store, and so any question.
        """
        if job.child is not None:  # else it waits, or is just starting
            with suppress(OSError):
                at_once = job.compiling or isinstance(job, LateJob)
                job.child.send_signal(signal.SIGKILL if at_once else signal.SIGINT)
            ends = threading.Timer(STOP_GRACE_S, job.child.kill)
            ends.daemon = True
            ends.start()
        self._end(job, "cancelled")

    def _end(self, job: BackgroundJob, state: State, error: str = "") -> None:
        if not job.is_over:
            job.state, job.error, job.ended, job.compiling = state, error, time.monotonic(), False
            job.share = 1.0 if state == "done" else job.share
            self._start_waiting()


def process_command(job: Any) -> list[str]:
    """Command line of the process of a job."""
    if isinstance(job, LateJob):
        return [*PYTHON, "-m", "rollwise.web.late_process"]
    return [*PYTHON, "-m", "rollwise.web.solving", job.name, json.dumps(job.parameters)]


def _failure_message(called: str, code: int, errors: IO[bytes]) -> str:
    """Reason for the end of a process that sent no error itself."""
    if code == -signal.SIGKILL:
        return f"the {called} was ended from outside, perhaps for want of memory"
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - ERROR_TAIL_BYTES))
    line = errors.read().decode("utf-8", "replace").strip().rpartition("\n")[2].strip()
    return f"the {called} ended unexpectedly{f': {line[:300]}' if line else f', with code {code}'}"
