"""The pages on which questions are asked."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

import rollwise
from rollwise.web.templating import templates

router = APIRouter()


@router.get("/")
def home(request: Request) -> Response:
    """All games."""
    return templates.TemplateResponse(request, "home.html", {"games": rollwise.list_games()})
