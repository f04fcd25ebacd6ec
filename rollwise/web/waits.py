"""A game that is not solved yet is to be played or reviewed: the page that waits for it, and then goes on."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from rollwise.solver.game.model import TurnGame
from rollwise.web.posted import is_part
from rollwise.web.setup import rules_of
from rollwise.web.templating import templates
from rollwise.web.unsolved import begun, waiting_for

REVIEW = "/review"
SOLVE = "solve"  # what the button says that begins the solve


async def waits(request: Request, game: TurnGame, sent: Mapping[str, str]) -> Response:
    """What is said meanwhile; what was sent stands ready to be sent again."""
    waiting = await (begun if SOLVE in sent else waiting_for)(request, game)
    if waiting is None:  # solved in between
        query = request.url.query
        return RedirectResponse(f"{request.url.path}{'?' if query else ''}{query}", 307)
    path = request.url.path
    is_play = path.startswith("/play/")
    view = {"title": game.title, "game": game.name, "rules": rules_of(game), "waiting": waiting}
    view |= {"action": path, "sent": dict(sent), "is_play": is_play, "is_review": path == REVIEW}
    view["part"] = is_play and is_part(request)  # a review is taken out of a whole page
    return templates.TemplateResponse(request, "play_waits.html", view, 503)
