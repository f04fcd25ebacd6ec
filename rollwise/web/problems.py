"""Answers to errors: JSON under /api, else a page."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from rollwise.cache.errors import StoreError
from rollwise.solutions.lookup import Unsolved
from rollwise.solver.model.errors import BadInput, RollwiseError, TooLarge
from rollwise.web.jobs import NoJob
from rollwise.web.templating import templates
from rollwise.web.workers import Busy

FAULT_LOG = logging.getLogger("rollwise.web.faults")
MAX_MESSAGE_CHARS = 600  # of a message
STATUS = {NoJob: 404, TooLarge: 413, Unsolved: 503, BadInput: 400}  # of the first matching class


def json_response(answer: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Strict JSON answer; NaN raises an error, and is never sent."""
    text = json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json", headers=dict(headers or {}))


def error_answer(
    request: Request, status: int, error: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> Response:
    """Answer an error as JSON to a program, as a page to a person."""
    error = {name: text[:MAX_MESSAGE_CHARS] for name, text in error.items()}
    if request.url.path.startswith("/api/"):
        return json_response(error, status, headers)
    view = {"problem": error, "status": status}
    return templates.TemplateResponse(request, "problem.html", view, status_code=status, headers=dict(headers or {}))


def status_of(error: RollwiseError) -> int:
    """HTTP status of an error."""
    if isinstance(error, Busy):
        return error.status
    return next((status for kind, status in STATUS.items() if isinstance(error, kind)), 500)


def rollwise_response(request: Request, error: Exception) -> Response:
    """Answer an error of rollwise."""
    assert isinstance(error, RollwiseError)
    status = status_of(error)
    if status == 500:
        FAULT_LOG.error("%s failed", request.url.path, exc_info=error)
    headers = {"Retry-After": str(error.wait)} if isinstance(error, Busy) else None
    return error_answer(request, status, error.plain(), headers)


def store_response(request: Request, error: Exception) -> Response:
    """Answer an unreadable cache."""
    FAULT_LOG.error("%s failed", request.url.path, exc_info=error)
    message = "the solved games cannot be read here; the server's log says why"
    return error_answer(request, 503, {"error": "StoreError", "message": message}, {"Retry-After": "10"})


def http_response(request: Request, error: Exception) -> Response:
    """Answer a refusal of the framework: no such page, wrong method, invalid body."""
    assert isinstance(error, HTTPException)
    cause = error.__cause__
    if isinstance(cause, BadInput):
        return rollwise_response(request, cause)
    name = HTTPStatus(error.status_code).phrase
    message = error.detail if error.detail and error.detail != name else f"{name.lower()}: {request.url.path}"
    return error_answer(
        request, error.status_code, {"error": name.title().replace(" ", ""), "message": message}, error.headers
    )


def validation_response(request: Request, error: Exception) -> Response:
    """Answer an invalid body with its first fault, as any other bad input."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = [str(part) for part in first["loc"] if part not in ("body", "query", "path")]
    where = ".".join(place)[:60]
    message = f"{where}: {first['msg']}" if where else f"the body: {first['msg']}"
    return error_answer(request, 400, BadInput(" ".join(message.split()), field=place[0][:60] if place else "").plain())


HANDLERS: dict[Any, Any] = {
    RollwiseError: rollwise_response,
    StoreError: store_response,
    HTTPException: http_response,
    RequestValidationError: validation_response,
}
