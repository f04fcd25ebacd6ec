"""Unsolved games on pages: the state of a solve, its start, and the page that waits for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from rollwise.solutions.lookup import Unsolved
from rollwise.solutions.progress import format_time_left
from rollwise.solver.model.game import TurnGame
from rollwise.web.jobs import OVER, SHARE, BackgroundJob, Jobs, SolveJob
from rollwise.web.posted import is_partial
from rollwise.web.records import escape_textarea
from rollwise.web.settings import MAY_BEGIN
from rollwise.web.setup import rules_line_of
from rollwise.web.templating import templates
from rollwise.web.workers import Busy

REVIEW = "/review"
SOLVE_KEY = "solve"  # sent by the button that starts the solve
ORDINALS = ("", "1st", "2nd", "3rd", "4th", "5th")  # no more jobs can wait
AUTO_SOLVE_S = 3.0  # a shorter solve starts with the question


@dataclass(frozen=True)
class Waiting:
    """State of a solve for a template: ``state`` is that of its job, ``per_cent`` the share done.

    ``place`` in the queue and the time ``left`` are words. ``refused`` is the reason why this server may not solve it,
    ``hint`` the command to run instead. ``is_part``: only the part of the game after a position is solved.
    """

    state: str
    job: str
    takes: str
    per_cent: int = 0
    place: str = ""
    left: str = ""
    is_compiling: bool = False
    error: str = ""
    refused: str = ""
    hint: str = ""
    is_part: bool = False

    @property
    def is_under_way(self) -> bool:
        """True if the job waits or runs."""
        return self.state in ("waiting", "running")


async def waiting_for(request: Request, game: TurnGame, fields: Mapping[str, Any]) -> Waiting | None:
    """State of the solve that a question with these fields waits for; None if the game is solved.

    A short solve is started now if the request may do so; this is the one place where a GET starts one.
    """
    jobs: Jobs = request.app.state.jobs
    job = await jobs.unsolved_job(game, fields)
    if job is None:
        return None
    is_short = job.state == "planned" and job.allowed and job.plan.seconds <= AUTO_SOLVE_S
    if is_short and request.scope[MAY_BEGIN]:
        return await begin_solve(request, game, fields)
    return waiting_of(job)


async def begin_solve(request: Request, game: TurnGame, fields: Mapping[str, Any]) -> Waiting:
    """Start the solve; returns its state, or the reason of a refusal."""
    jobs: Jobs = request.app.state.jobs
    try:
        return waiting_of(await jobs.start(game, fields))
    except Busy as error:
        job = await jobs.unsolved_job(game, fields)
        takes, is_part = (job.takes, job.is_part) if job else ("", False)
        return Waiting("planned", "", takes, refused=str(error), hint=error.hint, is_part=is_part)


def waiting_of(job: BackgroundJob) -> Waiting:
    """State of a job for a template."""
    share, place = int(100 * job.share), ORDINALS[min(job.place, len(ORDINALS) - 1)]
    time_text = "" if job.seconds_left is None else format_time_left(job.seconds_left)
    takes, refused, hint, is_part = "", "", "", False
    if isinstance(job, SolveJob):
        refusal = None if job.allowed else job.refusal()
        refused, hint = (str(refusal), refusal.hint) if refusal else ("", "")
        takes, is_part = job.takes, job.is_part
    return Waiting(job.state, job.id, takes, share, place, time_text, job.compiling, job.error, refused, hint, is_part)


async def progress_news(jobs: Jobs, job_id: str) -> AsyncIterator[tuple[str, Waiting | None]]:
    """Events of a job for a page: SHARE, at last OVER; None is a heartbeat."""
    async for name, _ in jobs.events(job_id):
        yield SHARE if name in ("share", "quiet") else OVER, None if name == "quiet" else waiting_of(jobs.get(job_id))


async def waiting_page(request: Request, error: Unsolved, sent: Mapping[str, str]) -> Response:
    """Page that waits until a game can be played or reviewed, and then sends the form again."""
    game = error.game
    waiting = await (begin_solve if SOLVE_KEY in sent else waiting_for)(request, game, error.fields)
    if waiting is None:  # solved in between
        query = request.url.query
        return RedirectResponse(f"{request.url.path}{'?' if query else ''}{query}", 307)
    path = request.url.path
    is_play = path.startswith("/play/")
    view = {"title": game.title, "game": game.name, "rules": rules_line_of(game.whole_game()), "waiting": waiting}
    as_sent = {key: escape_textarea(value) for key, value in sent.items()}
    view |= {"action": path, "sent": as_sent, "is_play": is_play, "is_review": path == REVIEW}
    view["part"] = is_play and is_partial(request)  # a review is taken out of a whole page
    return templates.TemplateResponse(request, "play_waits.html", view, 503)
