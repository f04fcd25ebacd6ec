"""What is said when something is wrong: JSON where that was asked for, else a page."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from rollwise.cache.errors import StoreError
from rollwise.solutions.games import Unsolved
from rollwise.solver.model.errors import BadInput, RollwiseError, TooLarge
from rollwise.web.jobs import NoJob
from rollwise.web.templating import templates
from rollwise.web.workers import Busy

FAULTS = logging.getLogger("rollwise.web.faults")
LONGEST = 600  # characters of a message
STATUS = {NoJob: 404, TooLarge: 413, Unsolved: 503, BadInput: 400}  # the first that fits


def as_json(answer: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """JSON as the standard has it: a number that is none is a fault, and never sent."""
    text = json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json", headers=dict(headers or {}))


def problem(
    request: Request, status: int, error: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> Response:
    """An error, as errors say themselves, to a program or to a person."""
    error = {name: text[:LONGEST] for name, text in error.items()}
    if request.url.path.startswith("/api/"):
        return as_json(error, status, headers)
    view = {"problem": error, "status": status}
    return templates.TemplateResponse(request, "problem.html", view, status_code=status, headers=dict(headers or {}))


def status_of(error: RollwiseError) -> int:
    """What an error is over HTTP."""
    if isinstance(error, Busy):
        return error.status
    return next((status for kind, status in STATUS.items() if isinstance(error, kind)), 500)


def say_rollwise(request: Request, error: Exception) -> Response:
    """An error with a line for whoever asks."""
    assert isinstance(error, RollwiseError)
    status = status_of(error)
    if status == 500:
        FAULTS.error("%s failed", request.url.path, exc_info=error)
    headers = {"Retry-After": str(error.wait)} if isinstance(error, Busy) else None
    return problem(request, status, error.plain(), headers)


def say_store(request: Request, error: Exception) -> Response:
    """The cache cannot be read."""
    FAULTS.error("%s failed", request.url.path, exc_info=error)
    message = "the solved games cannot be read here; the server's log says why"
    return problem(request, 503, {"error": "StoreError", "message": message}, {"Retry-After": "10"})


def say_http(request: Request, error: Exception) -> Response:
    """What the framework refuses: no such page, another method, a body that is none."""
    assert isinstance(error, HTTPException)
    cause = error.__cause__
    if isinstance(cause, BadInput):
        return say_rollwise(request, cause)
    name = HTTPStatus(error.status_code).phrase
    message = error.detail if error.detail and error.detail != name else f"{name.lower()}: {request.url.path}"
    return problem(
        request, error.status_code, {"error": name.title().replace(" ", ""), "message": message}, error.headers
    )


def say_invalid(request: Request, error: Exception) -> Response:
    """A body that is not as the interface has it: the first thing that is wrong, as any other bad input."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = [str(part) for part in first["loc"] if part not in ("body", "query", "path")]
    where = ".".join(place)[:60]
    message = f"{where}: {first['msg']}" if where else f"the body: {first['msg']}"
    return problem(request, 400, BadInput(" ".join(message.split()), field=place[0][:60] if place else "").plain())


def say_problems(app: FastAPI) -> None:
    """Have all errors of an application said so."""
    app.add_exception_handler(RollwiseError, say_rollwise)
    app.add_exception_handler(StoreError, say_store)
    app.add_exception_handler(HTTPException, say_http)
    app.add_exception_handler(RequestValidationError, say_invalid)
