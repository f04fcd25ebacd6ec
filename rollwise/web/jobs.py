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
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import IO, Any, Literal

from rollwise.answers.plan import SolvePlan
from rollwise.solved.games import is_kept, keep_lent
from rollwise.solved.identity import plain_parameters
from rollwise.solved.progress import Pace, time_left
from rollwise.solver.game.errors import RollwiseError
from rollwise.solver.game.jsonable import Jsonable
from rollwise.solver.game.model import TurnGame
from rollwise.web.costs import is_allowed, planned, require_allowed
from rollwise.web.modest import GRACE, PYTHON, begun, processors
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


@dataclass(eq=False)
class Job(Jsonable):
    """The solve of a ``game``; ``share`` is done of it, from 0 to 1.

    ``planned``: nobody has begun it. ``allowed``: would this server begin it? ``error`` says in one line why it failed.
    ``compiling``: machine code is being made, once per machine, and nothing moves meanwhile.
    """

    JSON = "job=id game=name parameters state share seconds compiling? place=in_line? left? message=error?"

    game: TurnGame
    plan: SolvePlan
    allowed: bool = True
    id: str = ""
    state: State = "planned"
    share: float = 0.0
    compiling: bool = False
    error: str = ""
    began: float = inf
    ended: float = inf
    place: int = 0  # in the line of those that wait, from 1
    child: subprocess.Popen[bytes] | None = None  # its process, which may still end where it is stopped
    pace: Pace = field(default_factory=Pace)

    @property
    def name(self) -> str:
        """What the game is called."""
        return self.game.name

    @property
    def parameters(self) -> dict[str, Any]:
        """Its rule parameters."""
        return plain_parameters(self.game)

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
        return round(max(0.0, min(self.ended, time.monotonic()) - self.began), 1)

    @property
    def in_line(self) -> int | None:
        """Its place in the line of those that wait; None where it does not wait."""
        return self.place if self.state == "waiting" else None

    @property
    def left(self) -> float | None:
        """So many seconds it will run yet, about; None where it does not run, or prepares."""
        left = self.pace.left if self.state == "running" and not self.compiling else None
        return None if left is None else round(left, 1)


class Jobs:
    """All solves of a server. Any thread may ask; two threads run one solve after the other, one of them short ones."""

    def __init__(self, settings: Settings, workers: Workers) -> None:
        self.settings, self.workers = settings, workers
        self.command: Callable[[Job], list[str]] = solve_command
        self._jobs: dict[str, Job] = {}
        self._newest: dict[TurnGame, Job] = {}
        self._news = threading.Condition()
        self._is_closed = False
        self.is_ending = False  # those who listen are to go
        for only_short in (False, True):
            threading.Thread(target=self._run_all, args=(only_short,), daemon=True).start()

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
            if self._is_closed:
                raise Busy("the server is ending")
            if len(self._waiting()) >= MOST_WAITING:
                raise Busy("too many games are waiting to be solved; ask again in a minute", status=429, wait=60)
            self._forget_old()
            job = Job(game, plan, id=secrets.token_hex(8), state="waiting")
            self._jobs[job.id] = self._newest[game] = job
            self._line_up()
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
        found = self._newest.get(game)
        if found is None or found.state == "done" or time.monotonic() - found.ended >= AGAIN:
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
            left = "" if job.left is None else time_left(job.left)
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

    def _waiting(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.state == "waiting"]

    def _line_up(self) -> None:
        """Say who is next; a short one waits for short ones alone."""
        n_short = 0
        for place, job in enumerate(self._waiting(), 1):
            n_short += job.is_short
            job.place = n_short if job.is_short else place

    def _forget_old(self) -> None:
        """Those that are over for long, and the oldest where they are many."""
        over = sorted((job for job in self._jobs.values() if job.is_over), key=lambda job: -job.ended)
        for place, job in enumerate(over):
            if place >= MOST_KEPT or job.ended < time.monotonic() - KEPT:
                del self._jobs[job.id]
                if self._newest.get(job.game) is job:
                    del self._newest[job.game]

    # --- the solves ---------------------------------------------------------------------------------------------------

    def _run_all(self, only_short: bool) -> None:
        while True:
            with self._news:
                while (job := self._next(only_short)) is None and not self._is_closed:
                    self._news.wait()
                if job is None:
                    return
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
        return next((job for job in self._waiting() if job.is_short or not only_short), None)

    def _run(self, job: Job) -> None:
        """One solve, to its end."""
        with tempfile.TemporaryFile() as said:
            try:
                with begun(self.command(job), said) as child:
                    with self._news:
                        job.child = child
                        if job.is_over:  # stopped while it began
                            self._stop(job)
                    last = self._listen(job, child)
                    code = child.wait()
            finally:
                job.child = None
            with self._news:
                if code == 0 and last.get("done"):
                    self._end(job, "done")
                else:
                    self._end(job, "failed", str(last.get("failed") or _why(code, said)))

    def _listen(self, job: Job, child: subprocess.Popen[bytes]) -> dict[str, Any]:
        """Hear what the process tells; its last line."""
        last: dict[str, Any] = {}
        assert child.stdout is not None
        for line in child.stdout:
            with suppress(ValueError):
                last = json.loads(line)
            with self._news:
                job.share = max(job.share, float(last.get("share", 0.0)))
                job.compiling = bool(last.get("compiling", job.compiling)) and not job.is_over
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
            ends = threading.Timer(GRACE, job.child.kill)
            ends.daemon = True
            ends.start()
        self._end(job, "cancelled")

    def _end(self, job: Job, state: State, error: str = "") -> None:
        if not job.is_over:
            job.state, job.error, job.ended, job.compiling = state, error, time.monotonic(), False
            job.share = 1.0 if state == "done" else job.share
            self._line_up()


def solve_command(job: Job) -> list[str]:
    """The process that solves, with one processor fewer than there are."""
    return [*PYTHON, "-m", "rollwise.web.solving", job.name, json.dumps(job.parameters), str(processors())]


def _why(code: int, said: IO[bytes]) -> str:
    """Why a process ended that did not say so."""
    if code == -signal.SIGKILL:
        return "the solve was ended from outside, perhaps for want of memory"
    said.seek(max(0, said.seek(0, os.SEEK_END) - LAST))
    told = said.read().decode("utf-8", "replace").strip().rpartition("\n")[2].strip()
    return f"the solve ended unexpectedly{f': {told[:300]}' if told else f', with code {code}'}"
