"""What takes long: solves, one at a time and a short one beside it, and questions, two at a time, all in processes."""

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

from rollwise.answers.plan import SolvePlan
from rollwise.asking.again import command_of
from rollwise.asking.plan import plan_of
from rollwise.parsing.validate import the_game
from rollwise.solutions.games import Unsolved, is_kept, keep_lent
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.progress import Pace, time_left
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import Jsonable
from rollwise.web.processes import GRACE, PYTHON, begun
from rollwise.web.settings import Settings
from rollwise.web.workers import Busy, Workers

MOST_RUNNING = 2  # one of which may take long
MOST_WAITING = 4
KEPT = 3600.0  # seconds for which a job that is over is remembered
MOST_KEPT = 200
AGAIN = 30.0  # seconds for which a solve that failed, or was stopped, is not begun anew by itself
SHORT = 10.0  # seconds: a solve that is planned to take no longer waits for no longer one
UNHEARD = 20.0  # seconds after which a question for whose answer nobody waits is ended
LONGEST = 600.0  # and one for which somebody does
MOST_BYTES = 20_000_000  # of answers that are kept
AT_THE_END = 2.0  # seconds that the server waits for that when it ends; the solve may go on keeping after it
LOOK = 0.1  # seconds between looks for news
QUIET = 15.0  # seconds after which those who listen hear that there is no news
LAST = 2000  # bytes of what a process wrote last

State = Literal["planned", "waiting", "running", "done", "failed", "cancelled"]
ENDS = ("done", "failed", "cancelled")
SHARE, OVER = "share", "over"  # what pages are told of a solve: how far it is, and that it has ended
Event = tuple[str, dict[str, Any]]


class NoJob(RollwiseError):
    """There is no job of this name, or it is over for long."""


@dataclass(eq=False)
class Work(Jsonable):
    """What takes long; ``share`` is done of it, from 0 to 1.

    ``planned``: nobody has begun it. ``error`` says in one line why it failed. ``compiling``: machine code is being
    made, once per machine, and nothing moves meanwhile.
    """

    JSON = "job=id name?(game=name parameters) path? state share seconds compiling? place=in_line? left? message=error?"
    CALLED = "solve"

    name: str = field(default="", init=False)  # of the game that is solved, and its rule parameters
    parameters: dict[str, Any] = field(default_factory=dict, init=False)
    path: str = field(default="", init=False)  # where a question was asked
    id: str = field(default="", init=False)
    state: State = field(default="planned", init=False)
    share: float = field(default=0.0, init=False)
    compiling: bool = field(default=False, init=False)
    error: str = field(default="", init=False)
    began: float = field(default=inf, init=False)
    ended: float = field(default=inf, init=False)
    place: int = field(default=0, init=False)  # in the line of those that wait, from 1
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)  # may still end where work is stopped
    pace: Pace = field(default_factory=Pace, init=False)

    @property
    def is_short(self) -> bool:
        """Is it to begin beside one that takes long?"""
        return True

    @property
    def is_over(self) -> bool:
        """Is nothing more to come?"""
        return self.state in ENDS

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


@dataclass(eq=False)
class Late(Work):
    """A question that takes longer than a thread is held: the ``order`` for a process, a line of JSON, and its answer.

    ``heard``: when somebody last waited for it.
    """

    path: str = ""
    order: bytes = b""
    answer: dict[str, Any] = field(default_factory=dict)
    heard: float = field(default_factory=time.monotonic)
    CALLED = "question"


@dataclass(eq=False)
class Job(Work):
    """The solve of a ``game``, for a question with the fields ``asked``; ``allowed``: would this server begin it?"""

    game: TurnGame
    plan: SolvePlan
    allowed: bool = True
    asked: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.name, self.parameters = self.game.name, plain_parameters(self.game)

    @property
    def is_part(self) -> bool:
        """Is it no more of a game than what can still come of a position?"""
        return self.game.as_asked() is not self.game

    @property
    def takes(self) -> str:
        """The plan in words."""
        return self.plan.takes

    def refusal(self) -> Busy:
        """What to say where this server does not begin it: what it would take, and how to do it by hand."""
        why = f"{self.game} is not solved yet, and this server does not solve it: that takes {self.takes}"
        usual, asked = plain_parameters(the_game(self.name)), plain_parameters(self.game.as_asked())
        by_hand = (self.asked, "ask") if self.is_part else ({}, "solve")
        return Busy(why, wait=3600, hint=command_of(self.name, asked, usual, *by_hand))

    def require_allowed(self) -> None:
        """Raise Busy where this server does not begin it for whoever asks."""
        if not self.allowed:
            raise self.refusal()

    @property
    def is_short(self) -> bool:
        """Is it to begin beside one that takes long?"""
        return self.plan.seconds <= SHORT


def planned(game: TurnGame, settings: Settings, asked: Mapping[str, Any] | None = None) -> Job:
    """The solve of a game as nobody has begun it; ``asked``: see ``Job``."""
    cost = plan_of(game.part())
    allowed = settings.allow_solve == "all" or (settings.allow_solve == "small" and cost.is_small)
    return Job(game, cost, allowed, asked or {})


class Jobs:
    """All long work of a server. Any thread may ask; each that runs has a thread, which listens to its process."""

    def __init__(self, settings: Settings, workers: Workers) -> None:
        self.settings, self.workers = settings, workers
        self.command: Callable[[Any], list[str]] = solve_command
        self.is_ending = False  # those who listen are to go, and nothing is begun any more
        self._jobs: dict[str, Work] = {}  # by their names, in the order in which they were begun
        self._running: list[Work] = []  # those whose process has not ended yet
        self._spare: list[tuple[subprocess.Popen[bytes], ExitStack]] = []  # that wait for a further question
        self._lock = threading.RLock()

    # --- for whoever asks ---------------------------------------------------------------------------------------------

    async def needed(self, game: TurnGame, asked: Mapping[str, Any] | None = None) -> Job | None:
        """None where the game is solved. Else its job: under way, or just failed or stopped, or only planned."""
        job = self.of(game)
        if job is None and not await self.workers.run(is_kept, game):
            job = await self.workers.run(planned, game, self.settings, asked)
        return job

    async def start(self, game: TurnGame, asked: Mapping[str, Any] | None = None) -> Job:
        """The job that solves the game, begun now unless it is under way.

        Raises Busy where this server does not solve it, saying what it would take, and where too many wait.
        """
        before = self.of(game)
        if before is not None and not before.is_over:
            return before
        job: Job = await self.workers.run(planned, game, self.settings, asked)
        job.require_allowed()
        with self._lock:
            before = self.of(game)  # somebody may have been quicker
            if before is not None and not before.is_over:
                return before
            self._add(job, "too many games are waiting to be solved; ask again in a minute")
        return job

    def late(self, path: str, order: bytes) -> Late:
        """The job that answers this question, begun now unless it is under way; to be called where the server listens.

        Raises Busy where too many wait.
        """
        with self._lock:
            job = self.asked(order)
            if job is None:
                self._add(job := Late(path, order), "too many long questions are waiting; ask again in a minute")
                self._watch(job, asyncio.get_running_loop())
        return job

    def asked(self, order: bytes) -> Late | None:
        """The job of this question that waits, runs, or is over; one that was stopped is asked anew."""
        for job in reversed(list(self._jobs.values())):
            if isinstance(job, Late) and job.order == order and job.state != "cancelled":
                job.heard = time.monotonic()
                return job
        return None

    def forget(self, job: Work) -> None:
        """What failed is told once, and then tried again."""
        self._jobs.pop(job.id, None)

    def _watch(self, job: Late, loop: asyncio.AbstractEventLoop) -> None:
        """End a question where nobody waits for it any more, and where it takes too long."""
        if time.monotonic() - job.heard > UNHEARD:
            self.cancel(job.id)
        if job.seconds > LONGEST:
            with self._lock:
                self._end(job, "failed", f"this takes longer than {LONGEST / 60:g} minutes, so it was given up")
                self._stop(job)
        if not job.is_over:
            loop.call_later(LOOK, self._watch, job, loop)

    def _add(self, job: Work, too_many: str) -> None:
        if self.is_ending:
            raise Busy("the server is ending")
        if len([other for other in self._waiting() if type(other) is type(job)]) >= MOST_WAITING:
            raise Busy(too_many, status=429, wait=60)
        self._forget_old()
        job.id, job.state = secrets.token_hex(8), "waiting"
        self._jobs[job.id] = job
        self._line_up()

    def require_solved(self, game: TurnGame) -> None:
        """Raise Unsolved while a game is being solved, and Busy where it is not solved and will not be.

        Where a question wants a part of a game it raises that itself.
        """
        if game.part() is not game:
            return
        job = self.of(game)
        if job is not None and not job.is_over:
            raise Unsolved(game)
        if not is_kept(game):
            planned(game, self.settings).require_allowed()

    def of(self, game: TurnGame) -> Job | None:
        """The job of this game that waits or runs, or that has just failed or was stopped."""
        with self._lock:
            every = reversed(self._jobs.values())
            newest = next((job for job in every if isinstance(job, Job) and job.game == game), None)
        if newest is None or newest.state == "done" or time.monotonic() - newest.ended >= AGAIN:
            return None
        return newest

    def get(self, job_id: str) -> Work:
        """A job; raises NoJob."""
        job = self._jobs.get(job_id)
        if job is None:
            raise NoJob("there is no such solve, or it is over for long")
        return job

    def cancel(self, job_id: str) -> Work:
        """Stop a job, at once for all who wait for it; what is done is kept, and the next solve goes on from there."""
        job = self.get(job_id)
        with self._lock:
            if not job.is_over:
                self._stop(job)
        return job

    async def events(self, job_id: str) -> AsyncIterator[Event]:
        """What happens to a job: ``share`` as it grows, then one of ``done``, ``failed`` and ``cancelled``.

        ``quiet`` where nothing has happened for long, so that whoever listens knows that there is somebody to hear.
        """
        job, last, since = self.get(job_id), None, time.monotonic()
        while not job.is_over:
            if self.is_ending:
                return
            if isinstance(job, Late):
                job.heard = time.monotonic()
            left = "" if job.left is None else time_left(job.left)
            state = (job.state, job.share, job.place, job.compiling, left)
            if state != last or time.monotonic() - since > QUIET:
                yield ("quiet", {}) if state == last else ("share", job.plain())
                last, since = state, time.monotonic()
            await asyncio.sleep(LOOK)
        yield job.state, job.plain()

    def close(self) -> None:
        """Stop all of it, as the server ends. Who is solving has a moment, and ends by itself after that."""
        with self._lock:
            self.is_ending = True
            children = [job.child for job in self._running if job.child is not None]
            for job in self._jobs.values():
                if not job.is_over:
                    self._stop(job)
            spare, self._spare = self._spare, []
        for child in children:
            with suppress(subprocess.TimeoutExpired):
                child.wait(AT_THE_END)
        for _, ends in spare:
            ends.close()

    def _waiting(self) -> list[Work]:
        return [job for job in self._jobs.values() if job.state == "waiting"]

    def _line_up(self) -> None:
        """Begin those that may, two of a sort at most, of which one may take long; a short one waits for short ones."""
        for job in [] if self.is_ending else self._waiting():
            beside = [other for other in self._running if type(other) is type(job)]
            if len(beside) < MOST_RUNNING and (job.is_short or all(other.is_short for other in beside)):
                # no executor's thread: for that the process would wait at its end, as long as the solve takes to stop
                threading.Thread(target=self._work, args=(job,), daemon=True).start()
                job.state, job.began, job.place = "running", time.monotonic(), 0
                job.pace = Pace(job.plan.seconds if isinstance(job, Job) else 0.0)
                self._running.append(job)
        waiting = self._waiting()
        for place, job in enumerate(waiting, 1):
            before = [other for other in waiting[:place] if type(other) is type(job)]
            job.place = len([other for other in before if other.is_short or not job.is_short])

    def _forget_old(self) -> None:
        """Those that are over for long, and the oldest where they are many."""
        over = sorted((job for job in self._jobs.values() if job.is_over), key=lambda job: -job.ended)
        size = 0
        for place, job in enumerate(over):
            size += len(job.order) + len(job.answer.get("body", "")) if isinstance(job, Late) else 0
            if place >= MOST_KEPT or size > MOST_BYTES or job.ended < time.monotonic() - KEPT:
                del self._jobs[job.id]

    # --- the work -----------------------------------------------------------------------------------------------------

    def _work(self, job: Work) -> None:
        """One job, to its end; then the next."""
        try:
            self._run(job)
            if isinstance(job, Job):
                keep_lent(self.settings.keep, job.game)
        except Exception as error:  # no process, no memory, no place for what it says: the next may have more luck
            with self._lock:
                self._end(job, "failed", f"the {job.CALLED} could not be begun: {error}")
        finally:
            with self._lock:
                self._running.remove(job)
                self._line_up()

    def _run(self, job: Work) -> None:
        with tempfile.TemporaryFile() as errors, ExitStack() as ends:
            child, process = self._process(job, errors)
            ends.enter_context(process)
            try:
                with self._lock:
                    job.child = child
                    if job.is_over:  # stopped while it began
                        self._stop(job)
                last = self._listen(job, child)
                is_told = isinstance(job, Late) and ("done" in last or "message" in last)
                code = 0 if is_told else child.wait()
                if not is_told:
                    ends.close()
            finally:
                job.child = None
            with self._lock:
                if is_told and not job.is_over and not self.is_ending:  # it waits for a further question
                    self._spare.append((child, ends.pop_all()))
                if code == 0 and last.get("done"):
                    self._end(job, "done")
                else:
                    self._end(job, "failed", str(last.get("message") or _why(job.CALLED, code, errors)))

    def _process(self, job: Work, errors: IO[bytes]) -> tuple[subprocess.Popen[bytes], ExitStack]:
        """A process for a job, and what ends it. For a question one that is there, and what fails goes to the log."""
        with self._lock, suppress(IndexError):
            while isinstance(job, Late):
                child, ends = self._spare.pop()
                if child.poll() is None:
                    return child, ends
                ends.close()
        ends = ExitStack()
        return ends.enter_context(begun(self.command(job), None if isinstance(job, Late) else errors)), ends

    def _listen(self, job: Work, child: subprocess.Popen[bytes]) -> dict[str, Any]:
        """Tell the process what is wanted, and hear what it tells; its last line."""
        last: dict[str, Any] = {}
        assert child.stdin is not None
        assert child.stdout is not None
        if isinstance(job, Late):
            with suppress(OSError):  # it has ended
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
            if isinstance(job, Late):
                job.answer = last.get("answer") or job.answer
                if "done" in last or "message" in last:
                    break
        return last

    def _stop(self, job: Work) -> None:
        """Let a solve keep what it has done and end; end it where it does not. Told twice, it would keep nothing.

        While machine code is made it hears nothing, and has nothing new to keep; nor has a question.
        """
        if job.child is not None:  # else it waits, or is just beginning
            with suppress(OSError):
                at_once = job.compiling or isinstance(job, Late)
                job.child.send_signal(signal.SIGKILL if at_once else signal.SIGINT)
            ends = threading.Timer(GRACE, job.child.kill)
            ends.daemon = True
            ends.start()
        self._end(job, "cancelled")

    def _end(self, job: Work, state: State, error: str = "") -> None:
        if not job.is_over:
            job.state, job.error, job.ended, job.compiling = state, error, time.monotonic(), False
            job.share = 1.0 if state == "done" else job.share
            self._line_up()


def solve_command(job: Any) -> list[str]:
    """The process that solves, or that answers."""
    if isinstance(job, Late):
        return [*PYTHON, "-m", "rollwise.web.elsewhere"]
    return [*PYTHON, "-m", "rollwise.web.solving", job.name, json.dumps(job.parameters)]


def _why(called: str, code: int, errors: IO[bytes]) -> str:
    """Why a process ended that did not say so."""
    if code == -signal.SIGKILL:
        return f"the {called} was ended from outside, perhaps for want of memory"
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - LAST))
    line = errors.read().decode("utf-8", "replace").strip().rpartition("\n")[2].strip()
    return f"the {called} ended unexpectedly{f': {line[:300]}' if line else f', with code {code}'}"
