"""Solves of games that are not solved yet: one at a time and a short one beside it, each in a process of its own."""

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
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any, Literal

from rollwise.door import the_game
from rollwise.planning import SolvePlan
from rollwise.progress import Pace, left_told
from rollwise.quizzing.positions import command_of
from rollwise.solver.game.errors import RollwiseError
from rollwise.solver.game.jsonable import Jsonable
from rollwise.solver.game.model import TurnGame
from rollwise.stored import is_kept, keep_lent, plain_parameters
from rollwise.web.costs import cost, is_allowed, planned
from rollwise.web.modest import GRACE, PYTHON, end_what_is_left, environment, processors
from rollwise.web.settings import Settings
from rollwise.web.workers import Busy, Workers

MOST_WAITING = 4
KEPT = 3600.0  # seconds for which a job that is over is remembered
MOST_KEPT = 200
AGAIN = 30.0  # seconds for which a solve that failed, or was stopped, is not begun anew by itself
SHORT = 10.0  # seconds: a solve that is planned to take no longer waits for no longer one
AT_THE_END = 2.0  # seconds that the server waits for that when it ends; the solve may go on keeping after it
LOOK = 0.1  # seconds between looks for news
QUIET = 15.0  # seconds after which those who listen hear that there is no news
LAST = 2000  # bytes of what a process said last

State = Literal["planned", "waiting", "running", "done", "failed", "cancelled"]
OVER = ("done", "failed", "cancelled")
Event = tuple[str, dict[str, Any]]


class NoJob(RollwiseError):
    """There is no job of this name, or it is over for long."""


@dataclass(frozen=True)
class JobTold(Jsonable):
    """A solve that is under way; ``/api/jobs/JOB/events`` tells of it. ``share`` is done of it, from 0 to 1.

    ``left``: seconds that it will run yet, about; ``place``: in the line of those that wait, from 1.
    """

    JSON = "job game parameters state share seconds compiling? place? left? message?"

    job: str
    game: str
    parameters: dict[str, Any]
    state: State
    share: float
    seconds: float
    compiling: bool
    place: int | None
    left: float | None
    message: str


@dataclass
class Job:
    """The solve of a ``game`` with its rule parameters; ``share`` is what is done of it.

    ``planned``: nobody has begun it. ``allowed``: would this server begin it? ``error`` says in one line why it failed.
    ``compiling``: machine code is being made, once per machine, and nothing moves meanwhile.
    """

    game: TurnGame
    plan: SolvePlan
    allowed: bool = True
    id: str = ""
    state: State = "planned"
    share: float = 0.0
    compiling: bool = False
    error: str = ""
    asked: float = field(default_factory=time.monotonic)
    began: float | None = None
    ended: float | None = None
    place: int = 0  # in the line of those that wait, from 1
    child: subprocess.Popen[str] | None = None  # its process, which may still end where it is stopped
    pace: Pace = field(default_factory=Pace)

    @property
    def is_short(self) -> bool:
        """Is it to begin beside one that takes long?"""
        return self.plan.seconds <= SHORT

    @property
    def is_over(self) -> bool:
        """Is nothing more to come?"""
        return self.state in OVER

    @property
    def seconds(self) -> float:
        """So long it has run."""
        return 0.0 if self.began is None else (self.ended or time.monotonic()) - self.began

    @property
    def left(self) -> float | None:
        """So many seconds it will run yet, about; None where it does not run, or prepares."""
        return self.pace.left if self.state == "running" and not self.compiling else None

    @property
    def told(self) -> JobTold:
        """What those who wait for it are told."""
        return JobTold(
            self.id,
            self.game.name,
            plain_parameters(self.game),
            self.state,
            round(self.share, 4),
            round(self.seconds, 1),
            self.compiling and not self.is_over,
            self.place if self.state == "waiting" else None,
            None if self.left is None else round(self.left, 1),
            self.error,
        )

    def plain(self) -> dict[str, Any]:
        """The same as JSON."""
        return self.told.plain()


class Jobs:
    """All solves of a server. Any thread may ask; two threads run one solve after the other, one of them short ones."""

    def __init__(self, settings: Settings, workers: Workers) -> None:
        self.settings, self.workers = settings, workers
        self.command: Callable[[Job], list[str]] = solve_command
        self._jobs: dict[str, Job] = {}
        self._newest: dict[str, Job] = {}  # by game and parameters
        self._waiting: deque[Job] = deque()
        self._news = threading.Condition()
        self._runs = False  # are there threads that solve?
        self._is_closed = False
        self.is_ending = False  # those who listen are to go

    # --- for whoever asks ---------------------------------------------------------------------------------------------

    async def wanted(self, game: TurnGame) -> Job | None:
        """None where the game is solved. Else its job: under way, or just failed or stopped, or only planned."""
        found = self.of(game)
        if found is not None:
            return found
        if await self.workers.run(is_kept, game):
            return None
        plan = await self.workers.run(planned, game)
        return Job(game, plan, is_allowed(plan, self.settings))

    async def start(self, game: TurnGame) -> Job:
        """The job that solves the game, begun now unless it is under way.

        Raises Busy where this server does not solve it, saying what it would take, and where too many wait.
        """
        found = self.of(game)
        if found is not None and not found.is_over:
            return found
        plan = await self.workers.run(planned, game)
        require_allowed(game, plan, self.settings)
        with self._news:
            found = self.of(game)  # somebody may have been quicker
            if found is not None and not found.is_over:
                return found
            self._require_room()
            self._forget_old()
            job = Job(game, plan, id=secrets.token_hex(8), state="waiting")
            self._jobs[job.id] = self._newest[_key(game)] = job
            self._waiting.append(job)
            self._line_up()
            if not self._runs:
                self._runs = True
                for only_short in (False, True):
                    threading.Thread(target=self._run_all, args=(only_short,), daemon=True).start()
            self._news.notify_all()
            return job

    async def plan_told(self, game: TurnGame) -> dict[str, Any]:
        """What a solve takes, as JSON shows it."""
        plan = await self.workers.run(planned, game)
        is_solved = await self.workers.run(is_kept, game)
        told = {**plan.plain(), "solved": is_solved, "allowed": is_allowed(plan, self.settings)}
        return {"game": game.name, "parameters": plain_parameters(game), **told}

    def of(self, game: TurnGame) -> Job | None:
        """The job of this game that waits or runs, or that has just failed or was stopped."""
        found = self._newest.get(_key(game))
        if found is None or (found.is_over and not _has_just_ended(found)):
            return None
        return found

    def get(self, job_id: str) -> Job:
        """A job; raises NoJob."""
        found = self._jobs.get(job_id)
        if found is None:
            raise NoJob("there is no such solve, or it is over for long")
        return found

    def cancel(self, job_id: str) -> Job:
        """Stop a job, at once for all who wait for it; what is done is kept, and the next solve goes on from there."""
        job = self.get(job_id)
        with self._news:
            if not job.is_over:
                self._stop(job)
        return job

    async def events(self, job_id: str) -> AsyncIterator[Event]:
        """What happens to a job: ``share`` as it grows, then one of ``done``, ``failed`` and ``cancelled``.

        ``quiet`` where nothing has happened for long, so that whoever listens knows that there is somebody to hear.
        """
        job, told, since = self.get(job_id), None, time.monotonic()
        while True:
            left = "" if job.left is None else left_told(job.left)
            state = (job.state, job.share, job.place, job.compiling, left)
            if job.is_over:
                yield job.state, job.plain()
                return
            if self.is_ending:
                return
            if state != told:
                told, since = state, time.monotonic()
                yield "share", job.plain()
            elif time.monotonic() - since > QUIET:
                since = time.monotonic()
                yield "quiet", {}
            await asyncio.sleep(LOOK)

    def close(self) -> None:
        """Stop all of it, as the server ends. Who is solving has a moment, and ends by itself after that."""
        with self._news:
            self._is_closed = True
            children = [job.child for job in self._jobs.values() if job.child is not None]
            for job in self._jobs.values():
                if not job.is_over:
                    self._stop(job)
            self._news.notify_all()
        for child in children:
            with suppress(subprocess.TimeoutExpired):
                child.wait(AT_THE_END)

    # --- who may ------------------------------------------------------------------------------------------------------

    def _require_room(self) -> None:
        if self._is_closed:
            raise Busy("the server is ending")
        if len(self._waiting) >= MOST_WAITING:
            raise Busy("too many games are waiting to be solved; ask again in a minute", status=429, wait=60)

    def _line_up(self) -> None:
        """Say who is next; a short one waits for short ones alone."""
        n_short = 0
        for place, job in enumerate(self._waiting, 1):
            n_short += job.is_short
            job.place = n_short if job.is_short else place

    def _forget_old(self) -> None:
        """Those that are over for long, and the oldest where they are many."""
        over = sorted((job for job in self._jobs.values() if job.is_over), key=lambda job: job.ended or 0.0)
        old = [job for job in over if (job.ended or 0.0) < time.monotonic() - KEPT]
        for job in {id(job): job for job in [*old, *over[: max(0, len(over) - MOST_KEPT)]]}.values():
            del self._jobs[job.id]
            if self._newest.get(_key(job.game)) is job:
                del self._newest[_key(job.game)]

    # --- the solves ---------------------------------------------------------------------------------------------------

    def _run_all(self, only_short: bool) -> None:
        while True:
            with self._news:
                while (job := self._next(only_short)) is None and not self._is_closed:
                    self._news.wait()
                if job is None:
                    return
                self._waiting.remove(job)
                job.state, job.began, job.place = "running", time.monotonic(), 0
                job.pace = Pace(job.plan.seconds)
                self._line_up()
            try:
                self._run(job)
                keep_lent(self.settings.keep, job.game)
            except Exception as error:  # no process, no memory, no place for what it says: the next may have more luck
                with self._news:
                    self._end(job, "failed", f"the solve could not be begun: {error}")

    def _next(self, only_short: bool) -> Job | None:
        return next((job for job in self._waiting if job.is_short or not only_short), None)

    def _run(self, job: Job) -> None:
        """One solve, to its end."""
        with tempfile.TemporaryFile() as said:
            child = subprocess.Popen(
                self.command(job),
                stdin=subprocess.PIPE,  # its end tells the process that nobody listens any more
                stdout=subprocess.PIPE,
                stderr=said,
                env=environment(),
                text=True,
                start_new_session=True,  # Ctrl-C is for the server, which then stops the solve
            )
            with self._news:
                job.child = child
                if job.is_over:  # stopped while it began
                    self._stop(job)
            try:  # what it has begun itself could hold open what it says, long after it
                threading.Thread(target=end_what_is_left, args=(child,), daemon=True).start()
                last = self._listen(job, child)
                code = child.wait()
            finally:
                child.kill()  # where it has not ended
                for pipe in (child.stdin, child.stdout):
                    if pipe is not None:
                        pipe.close()
                child.wait()
                job.child = None
            with self._news:
                if code == 0 and last.get("done"):
                    self._end(job, "done")
                else:
                    self._end(job, "failed", str(last.get("failed") or _why(code, said)))

    def _listen(self, job: Job, child: subprocess.Popen[str]) -> dict[str, Any]:
        """Hear what the process tells; its last line."""
        last: dict[str, Any] = {}
        assert child.stdout is not None
        for line in child.stdout:
            with suppress(ValueError):
                last = json.loads(line)
            job.share = max(job.share, float(last.get("share", 0.0)))
            job.compiling = bool(last.get("compiling", job.compiling))
            if "share" in last:
                job.pace.share(job.share)
        return last

    def _stop(self, job: Job) -> None:
        """Let a solve keep what it has done and end; end it where it does not. Told twice, it would keep nothing.

        While machine code is made it hears nothing, and has nothing new to keep.
        """
        if job.child is not None:  # else it waits, or is just beginning
            with suppress(OSError):
                job.child.send_signal(signal.SIGKILL if job.compiling else signal.SIGINT)
            threading.Thread(target=_end_in_time, args=(job.child,), daemon=True).start()
        self._end(job, "cancelled")

    def _end(self, job: Job, state: State, error: str = "") -> None:
        if job.is_over:
            return
        if job.state == "waiting":
            self._waiting.remove(job)
            self._line_up()
        job.state, job.error, job.ended, job.compiling = state, error, time.monotonic(), False
        job.share = 1.0 if state == "done" else job.share


def _end_in_time(child: subprocess.Popen[str]) -> None:
    try:
        child.wait(GRACE)
    except subprocess.TimeoutExpired:
        child.kill()


def require_allowed(game: TurnGame, plan: SolvePlan, settings: Settings) -> None:
    """Raise Busy for a solve that this server does not begin."""
    if not is_allowed(plan, settings):
        raise refusal(game, plan)


def refusal(game: TurnGame, plan: SolvePlan) -> Busy:
    """What to say of a solve that this server does not begin: what it would take, and how to do it by hand."""
    told = f"{game} is not solved yet, and this server does not solve it: that takes {cost(plan)}"
    usual = plain_parameters(the_game(game.name))
    return Busy(told, wait=3600, hint=command_of(game.name, plain_parameters(game), usual, {}, "solve"))


def _key(game: TurnGame) -> str:
    """What tells one solve from another."""
    return json.dumps([game.name, plain_parameters(game)], sort_keys=True)


def _has_just_ended(job: Job) -> bool:
    """Without being done: whoever looks is to see that, and to begin it anew only if he says so."""
    return job.state != "done" and time.monotonic() - (job.ended or 0.0) < AGAIN


def solve_command(job: Job) -> list[str]:
    """The process that solves, with one processor fewer than there are."""
    parameters = json.dumps(plain_parameters(job.game))
    return [*PYTHON, "-m", "rollwise.web.solving", job.game.name, parameters, str(processors())]


def _why(code: int, said: IO[bytes]) -> str:
    """Why a process ended that did not say so."""
    if code == -signal.SIGKILL:
        return "the solve was ended from outside, perhaps for want of memory"
    said.seek(0, os.SEEK_END)
    said.seek(max(0, said.tell() - LAST))
    lines = said.read().decode("utf-8", "replace").split("\n")
    told = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"the solve ended unexpectedly{f': {told[:300]}' if told else f', with code {code}'}"
