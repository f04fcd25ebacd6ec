"""Jobs in processes: solves, a long and a short one at the same time, and long questions, two at a time."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import tempfile
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
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
from rollwise.solver.model.jsonable import as_json, pick
from rollwise.web import limits
from rollwise.web.processes import CHILD, end_process, is_outcome, order_line, run_order, start_process
from rollwise.web.settings import Settings
from rollwise.web.workers import Busy, Workers

State = Literal["planned", "waiting", "running", "done", "failed", "cancelled"]


class NoJob(RollwiseError):
    """The job does not exist, or ended long ago."""


@dataclass(eq=False)
class Job:
    """A solve of a ``game``, or a question of a ``path``, of which ``share`` is done, from 0 to 1.

    ``order`` is the line for its process. ``refusal`` is why this server may not begin a solve, ``error`` the reason of
    a failure in one line. ``compiling``: machine code is compiled, once per machine, and the share does not grow. A job
    that was not started is ``planned``.
    """

    order: bytes
    kind: Literal["solve", "question"] = "solve"
    path: str = ""
    game: TurnGame | None = None
    plan: SolvePlan | None = None
    refusal: Busy | None = None
    name: str = ""  # of the game
    parameters: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    state: State = "planned"
    share: float = 0.0
    compiling: bool = False
    error: str = ""
    answer: dict[str, Any] = field(default_factory=dict)  # to a question
    began: float = inf
    ended: float = inf
    place: int | None = None  # among the waiting jobs of its kind, from 1
    pace: PaceEstimate = field(default_factory=PaceEstimate)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None  # from its start on, until its process has ended
    grace_s: float = 0.0  # from its stop on, for its process to end
    expiry: asyncio.TimerHandle | None = None  # stops a question that no client waits for

    @property
    def is_short(self) -> bool:
        """True if it may run beside a long one."""
        return self.plan is None or self.plan.seconds <= limits.SHORT_SOLVE_S

    @property
    def is_part(self) -> bool:
        """True if it solves only the part of a game that is reachable from a position."""
        return self.game is not None and self.game.whole_game() is not self.game

    @property
    def is_over(self) -> bool:
        """True if the job has ended."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def seconds(self) -> float:
        """Seconds that it has run."""
        return round(max(0.0, min(self.ended, time.monotonic()) - self.began), 1)

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds to run; None if it does not run, or compiles."""
        seconds = self.pace.seconds_left if self.state == "running" and not self.compiling else None
        return None if seconds is None else round(seconds, 1)

    def plain(self) -> dict[str, Any]:
        """The job as JSON."""
        of = {"game": self.name, "parameters": self.parameters} if self.name else {}
        late = {"compiling": self.compiling or None, "place": self.place, "left": self.seconds_left}
        shown = pick(self, "state", "share", "seconds")
        keys = {"job": self.id, **of, "path": self.path or None, **shown, **late, "message": self.error or None}
        return {name: value for name, value in keys.items() if value is not None}

    @property
    def time_left(self) -> str:
        """The same in words, empty for None."""
        return "" if self.seconds_left is None else format_time_left(self.seconds_left)

    def take(self, line: Mapping[str, Any]) -> None:
        """Take a line of its process."""
        self.share = max(self.share, float(line.get("share", 0.0)))
        self.compiling = bool(line.get("compiling", self.compiling)) and not self.is_over
        self.answer = line.get("answer") or self.answer
        if "share" in line:
            self.pace.share(self.share)
        self.news.set()

    async def wait(self, seconds: float) -> None:
        """Wait for news, for so many seconds at most."""
        self.news.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.news.wait(), seconds)


def plan_job(game: TurnGame, settings: Settings, fields: Mapping[str, Any] | None = None) -> Job:
    """A solve that is not started, with its estimated cost; ``fields`` are of the question that needs it."""
    name, parameters = game.name, dict(as_json(game.parameters() | game.solver_options()))
    order, plan = order_line("solve", name=name, parameters=parameters), plan_of(game.part())
    job = Job(order, game=game, plan=plan, name=name, parameters=parameters)
    if settings.allow_solve == "none" or (settings.allow_solve == "small" and not plan.is_small):
        why = f"{game} is not solved yet, and this server does not solve it: that takes {plan.takes}"
        usual, chosen = plain_parameters(parse_game(name)), plain_parameters(game.whole_game())
        by_hand = (fields or {}, "ask") if job.is_part else ({}, "solve")
        job.refusal = Busy(why, wait=3600, hint=command_of(name, chosen, usual, *by_hand))
    return job


class Jobs:
    """All jobs of a server. For its event loop alone, but for ``of`` and ``require_solved``."""

    def __init__(self, settings: Settings, workers: Workers) -> None:
        self.settings, self.workers = settings, workers
        self.command = CHILD
        self.is_ending = False  # event streams end, and no job is started any more
        self.by_id: dict[str, Job] = {}  # in the order of their start
        self._running: list[Job] = []  # with a process that has not ended
        self._idle: list[Process] = []  # for questions

    def of(self, game: TurnGame) -> Job | None:
        """Job of this game that waits or runs, or that has just failed or was stopped; else None."""
        newest = next((job for job in reversed(list(self.by_id.values())) if job.game == game), None)
        if newest is None or newest.state == "done" or time.monotonic() - newest.ended >= limits.RETRY_DELAY_S:
            return None
        return newest

    def require_solved(self, game: TurnGame) -> None:
        """Raise Unsolved while a game is being solved, and Busy if it is unsolved and this server may not solve it.

        A question about a part of a game raises Unsolved itself.
        """
        if game.part() is not game:
            return
        job = self.of(game)
        if job is not None and not job.is_over:
            raise Unsolved(game)
        if not is_solved(game) and (refusal := plan_job(game, self.settings).refusal):
            raise refusal

    async def unsolved_job(self, game: TurnGame, fields: Mapping[str, Any] | None = None) -> Job | None:
        """Job of an unsolved game: under way, just failed or stopped, or only planned; None for a solved game."""
        job = self.of(game)
        if job is None and not await self.workers.run(is_solved, game):
            job = await self.workers.run(plan_job, game, self.settings, fields)
        return job

    async def start(self, game: TurnGame, fields: Mapping[str, Any] | None = None) -> Job:
        """The job that solves the game, begun now unless it is under way.

        Raises Busy, with the estimated cost, if this server may not solve it, and if too many wait.
        """
        job = self.of(game)
        if job is None or job.is_over:
            planned: Job = await self.workers.run(plan_job, game, self.settings, fields)
            if planned.refusal:
                raise planned.refusal
            job = self.of(game)  # another request may have been quicker
            if job is None or job.is_over:
                self._add(job := planned, "too many games are waiting to be solved; ask again in a minute")
        return job

    def late(self, path: str, order: bytes) -> Job:
        """Job of this question, started now unless under way; raises Busy if too many wait."""
        job = self.find_question(order)
        if job is None:
            job = Job(order, "question", path)
            self._add(job, "too many long questions are waiting; ask again in a minute")
            self._keep(job)
        return job

    def find_question(self, order: bytes) -> Job | None:
        """Job of this question that waits, runs, or is over; None if there is none, or it was stopped."""
        for job in reversed(self.by_id.values()):
            if job.order == order and job.state != "cancelled":
                self._keep(job)
                return job
        return None

    def get(self, job_id: str) -> Job:
        """The job of this id; raises NoJob."""
        job = self.by_id.get(job_id)
        if job is None:
            raise NoJob("there is no such solve, or it is over for long")
        return job

    def cancel(self, job_id: str) -> Job:
        """Stop a job for all who wait for it; its progress is stored, and the next solve goes on from there."""
        job = self.get(job_id)
        self._stop(job)
        return job

    async def events(self, job: Job) -> AsyncIterator[str]:
        """Names of the events of a job: ``share`` as it grows, then one of ``done``, ``failed`` and ``cancelled``.

        ``quiet`` is a heartbeat after a time without news.
        """
        last, since = None, time.monotonic()
        while not (job.is_over or self.is_ending):
            self._keep(job)
            state = (job.state, job.share, job.place, job.compiling, job.time_left)
            if state != last or time.monotonic() - since > limits.HEARTBEAT_S:
                yield "quiet" if state == last else "share"
                last, since = state, time.monotonic()
            else:
                await job.wait(limits.TICK_S)
        if not self.is_ending:
            yield job.state

    def _add(self, job: Job, too_many: str) -> None:
        if self.is_ending:
            raise Busy("the server is ending")
        if len([other for other in self._waiting() if other.kind == job.kind]) >= limits.MAX_WAITING:
            raise Busy(too_many, status=429, wait=60)
        self._drop_old()
        job.id, job.state = secrets.token_hex(8), "waiting"
        self.by_id[job.id] = job
        self._start_waiting()

    def _waiting(self) -> list[Job]:
        return [job for job in self.by_id.values() if job.state == "waiting"]

    def _start_waiting(self) -> None:
        """Start waiting jobs: at most two of a kind, at most one of them long."""
        for job in [] if self.is_ending else self._waiting():
            beside = [other for other in self._running if other.kind == job.kind]
            if len(beside) < limits.MAX_RUNNING and (job.is_short or all(other.is_short for other in beside)):
                job.state, job.began, job.place = "running", time.monotonic(), None
                job.pace = PaceEstimate(job.plan.seconds if job.plan else 0.0)
                self._running.append(job)
                job.task = asyncio.create_task(self._run(job))
                job.task.add_done_callback(partial(self._start_next, job))  # one that is stopped may never run
                job.news.set()
        waiting = self._waiting()
        for place, job in enumerate(waiting, 1):
            before = [other for other in waiting[:place] if other.kind == job.kind]
            job.place = len([other for other in before if other.is_short or not job.is_short])
            job.news.set()

    def _start_next(self, job: Job, task: asyncio.Task[None]) -> None:
        self._running.remove(job)
        self._start_waiting()

    def _drop_old(self) -> None:
        """Drop finished jobs that are old, and the oldest beyond the limits."""
        over = sorted((job for job in self.by_id.values() if job.is_over), key=lambda job: -job.ended)
        oldest, size = time.monotonic() - limits.JOB_LIFETIME_S, 0
        for place, job in enumerate(over):
            size += len(job.order) + len(job.answer.get("body", ""))
            if place >= limits.MAX_FINISHED_JOBS or size > limits.MAX_ANSWER_BYTES or job.ended < oldest:
                del self.by_id[job.id]

    def _keep(self, job: Job) -> None:
        """Let a question go on, as a client waits for it."""
        if job.kind == "question":
            if job.expiry is not None:
                job.expiry.cancel()
            job.expiry = asyncio.get_running_loop().call_later(limits.ABANDONED_AFTER_S, self._stop, job)

    def _stop(self, job: Job) -> None:
        """Stop a job, once: if its process were told again, its progress would be lost.

        A solve stores its progress, but not while it compiles, when it handles no signal and has nothing to store.
        """
        if not job.is_over and job.task is not None:
            job.grace_s = 0.0 if job.compiling or job.kind == "question" else limits.STOP_GRACE_S
            job.task.cancel()
        self._end(job, "cancelled")

    def _end(self, job: Job, state: State, error: str = "") -> None:
        if not job.is_over:
            job.state, job.error, job.ended = state, error, time.monotonic()
            job.share, job.compiling, job.place = 1.0 if state == "done" else job.share, False, None
            job.news.set()
            self._start_waiting()

    def end_events(self) -> None:
        """End all event streams, before the server ends."""
        self.is_ending = True
        for job in self.by_id.values():
            job.news.set()

    async def close(self) -> None:
        """Stop all jobs as the server ends, and wait until a solve has stored its progress, or ``kill``."""
        self.end_events()
        for job in self.by_id.values():
            self._stop(job)
        ends = [job.task for job in self._running if job.task is not None]
        await asyncio.gather(*ends, *map(end_process, self._idle), return_exceptions=True)

    def kill(self) -> None:
        """Kill all processes of jobs, whatever they store."""
        for job in self._running:
            if job.task is not None:
                job.task.cancel()

    async def _run(self, job: Job) -> None:
        """Run one job to its end."""
        try:
            async with asyncio.timeout(limits.MAX_QUESTION_S if job.kind == "question" else None):
                error = await self._run_process(job)
            self._end(job, "failed" if error else "done", error)
        except asyncio.CancelledError:
            self._end(job, "cancelled")
        except TimeoutError:
            minutes = limits.MAX_QUESTION_S / 60
            self._end(job, "failed", f"this takes longer than {minutes:g} minutes, so it was given up")
        except Exception as error:  # no process, no memory, no disk: the next job may succeed
            self._end(job, "failed", f"the {job.kind} could not be begun: {error}")
        if job.game is not None:
            with suppress(OSError):
                await asyncio.to_thread(evict_solutions, self.settings.keep, job.game)

    async def _run_process(self, job: Job) -> str:
        """Run a job in a process, which is free for the next question after one; returns its error, if any."""
        with tempfile.TemporaryFile() as errors:
            child = await self._process_of(job, errors)
            line: dict[str, Any] = {}
            try:
                line = await run_order(child, job.order, job.take)
                code = 0 if is_outcome(line) else await child.wait()
            except asyncio.CancelledError:
                if job.grace_s:
                    with suppress(ProcessLookupError, TimeoutError):
                        child.send_signal(signal.SIGINT)
                        await asyncio.wait_for(child.wait(), job.grace_s)
                raise
            finally:
                if job.kind == "question" and is_outcome(line) and not self.is_ending:
                    self._idle.append(child)
                else:
                    await end_process(child)
            return "" if "done" in line else str(line.get("message") or _failure_message(job.kind, code, errors))

    async def _process_of(self, job: Job, errors: IO[bytes]) -> Process:
        """A process for a job; questions reuse idle ones, whose errors go to the log."""
        while job.kind == "question" and self._idle:
            child = self._idle.pop()
            if child.returncode is None:
                return child
        return await start_process(self.command, None if job.kind == "question" else errors)


def _failure_message(kind: str, code: int, errors: IO[bytes]) -> str:
    """Reason for the end of a process that sent no error itself."""
    if code == -signal.SIGKILL:
        return f"the {kind} was ended from outside, perhaps for want of memory"
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - limits.ERROR_TAIL_BYTES))
    line = errors.read().decode("utf-8", "replace").strip().rpartition("\n")[2].strip()
    return f"the {kind} ended unexpectedly{f': {line[:300]}' if line else f', with code {code}'}"
