"""Games that are not solved yet: what pages say of a solve, when one begins, and the page that waits for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from rollwise.solutions.games import Unsolved
from rollwise.solutions.progress import time_left
from rollwise.solver.model.game import TurnGame
from rollwise.web.jobs import OVER, SHARE, Job, Jobs, Work
from rollwise.web.posted import is_part
from rollwise.web.records import in_textarea
from rollwise.web.settings import MAY_BEGIN
from rollwise.web.setup import rules_of
from rollwise.web.templating import templates
from rollwise.web.workers import Busy

REVIEW = "/review"
SOLVE = "solve"  # what the button says that begins the solve
PLACES = ("", "1st", "2nd", "3rd", "4th", "5th")  # no more can wait
SOON = 3.0  # seconds: a solve that takes no longer is begun when a question is asked


@dataclass(frozen=True)
class Waiting:
    """What a page says of a game that is not solved: ``state`` is that of its job, ``per_cent`` what is done.

    ``place`` in the line and the time that is ``left`` are words. ``refused`` says why this server does not solve it,
    and ``hint`` what to do instead. ``is_part``: what waits is no more than what can still come of a position.
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
        """Does somebody work on it, or will?"""
        return self.state in ("waiting", "running")


async def waiting_for(request: Request, game: TurnGame, asked: Mapping[str, Any]) -> Waiting | None:
    """What a game waits for before it can be asked with these fields; None where it is solved.

    A short solve is begun now, where the request may do so; this is the one place where reading begins one.
    """
    jobs: Jobs = request.app.state.jobs
    job = await jobs.needed(game, asked)
    if job is None:
        return None
    is_short = job.state == "planned" and job.allowed and job.plan.seconds <= SOON
    if is_short and request.scope[MAY_BEGIN]:
        return await begun(request, game, asked)
    return waiting_of(job)


async def begun(request: Request, game: TurnGame, asked: Mapping[str, Any]) -> Waiting:
    """The same once its solve is begun; where it cannot be, why not."""
    jobs: Jobs = request.app.state.jobs
    try:
        return waiting_of(await jobs.start(game, asked))
    except Busy as error:
        job = await jobs.needed(game, asked)
        takes, is_part = (job.takes, job.is_part) if job else ("", False)
        return Waiting("planned", "", takes, refused=str(error), hint=error.hint, is_part=is_part)


def waiting_of(job: Work) -> Waiting:
    """A job as a page shows it."""
    share, place = int(100 * job.share), PLACES[min(job.place, len(PLACES) - 1)]
    left = "" if job.left is None else time_left(job.left)
    takes, refused, hint, is_part = "", "", "", False
    if isinstance(job, Job):
        refusal = None if job.allowed else job.refusal()
        refused, hint = (str(refusal), refusal.hint) if refusal else ("", "")
        takes, is_part = job.takes, job.is_part
    return Waiting(job.state, job.id, takes, share, place, left, job.compiling, job.error, refused, hint, is_part)


async def progress(jobs: Jobs, job_id: str) -> AsyncIterator[tuple[str, Waiting | None]]:
    """What happens to a job, as SHARE and at last OVER; None where there is no news."""
    async for name, _ in jobs.events(job_id):
        yield SHARE if name in ("share", "quiet") else OVER, None if name == "quiet" else waiting_of(jobs.get(job_id))


async def waits(request: Request, error: Unsolved, sent: Mapping[str, str]) -> Response:
    """The page that waits until a game can be played or reviewed; what was sent stands ready to be sent again."""
    game = error.game
    waiting = await (begun if SOLVE in sent else waiting_for)(request, game, error.fields)
    if waiting is None:  # solved in between
        query = request.url.query
        return RedirectResponse(f"{request.url.path}{'?' if query else ''}{query}", 307)
    path = request.url.path
    is_play = path.startswith("/play/")
    view = {"title": game.title, "game": game.name, "rules": rules_of(game.as_asked()), "waiting": waiting}
    as_sent = {key: in_textarea(value) for key, value in sent.items()}
    view |= {"action": path, "sent": as_sent, "is_play": is_play, "is_review": path == REVIEW}
    view["part"] = is_play and is_part(request)  # a review is taken out of a whole page
    return templates.TemplateResponse(request, "play_waits.html", view, 503)
