"""Unsolved games on pages: the state of a solve, its start, and the page that waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from rollwise.solutions.lookup import Unsolved
from rollwise.solver.model.game import TurnGame
from rollwise.web import limits
from rollwise.web.jobs import Job, Jobs
from rollwise.web.records import escape_textarea, is_partial
from rollwise.web.settings import MAY_BEGIN
from rollwise.web.setup import rules_line
from rollwise.web.templating import templates
from rollwise.web.workers import Busy

REVIEW = "/review"
SOLVE_KEY = "solve"  # sent by the button that starts the solve
ORDINALS = ("", "1st", "2nd", "3rd", "4th", "5th")  # no more jobs can wait


@dataclass(frozen=True)
class Waiting:
    """A ``job`` that a page waits for, for its template; ``refusal`` is why this server does not begin it."""

    job: Job
    refusal: Busy | None = None

    @property
    def is_under_way(self) -> bool:
        """True if the job waits or runs."""
        return self.job.state in ("waiting", "running")

    @property
    def per_cent(self) -> int:
        """The share done."""
        return int(100 * self.job.share)

    @property
    def place(self) -> str:
        """The place in the queue in words."""
        return ORDINALS[min(self.job.place or 0, len(ORDINALS) - 1)]


async def waiting_for(request: Request, game: TurnGame, fields: Mapping[str, Any]) -> Waiting | None:
    """State of the solve that a question with these fields waits for; None if the game is solved.

    A short solve is started now if the request may do so; this is the one place where a GET starts one.
    """
    job = await request.app.state.jobs.unsolved_job(game, fields)
    if job is None:
        return None
    is_planned = job.state == "planned" and job.plan is not None and not job.refusal
    if is_planned and job.plan.seconds <= limits.AUTO_SOLVE_S and request.scope[MAY_BEGIN]:
        return await begin_solve(request, game, fields)
    return Waiting(job, job.refusal)


async def begin_solve(request: Request, game: TurnGame, fields: Mapping[str, Any]) -> Waiting | None:
    """Start the solve; returns its state, or the reason of a refusal; None if the game was solved meanwhile."""
    jobs: Jobs = request.app.state.jobs
    try:
        return Waiting(await jobs.start(game, fields))
    except Busy as error:
        job = await jobs.unsolved_job(game, fields)
        return None if job is None else Waiting(job, error)


async def waiting_page(request: Request, error: Unsolved, sent: Mapping[str, str]) -> Response:
    """Page that waits until a game can be played or reviewed, and then sends the form again."""
    game, path, query = error.game, request.url.path, request.url.query
    waiting = await (begin_solve if SOLVE_KEY in sent else waiting_for)(request, game, error.fields)
    if waiting is None:  # solved in between
        return RedirectResponse(f"{path}{'?' if query else ''}{query}", 307)
    is_play = path.startswith("/play/")
    view = {"title": game.title, "game": game.name, "rules": rules_line(game.whole_game()), "waiting": waiting}
    as_sent = {key: escape_textarea(value) for key, value in sent.items()}
    view |= {"action": path, "sent": as_sent, "is_play": is_play, "is_review": path == REVIEW}
    view["part"] = is_play and is_partial(request)  # a review is taken out of a whole page
    return templates.TemplateResponse(request, "play_waits.html", view, 503)
