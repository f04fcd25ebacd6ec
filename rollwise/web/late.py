"""Middleware for long questions: beyond a thread's time they go on as jobs in processes (``late_process``).

The same request, sent again when the job is done, gets its answer.
"""

from __future__ import annotations

import asyncio
import json
import time
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rollwise.solver.model.errors import RollwiseError
from rollwise.web import workers
from rollwise.web.guard import TABLE_PATHS, require_can_open
from rollwise.web.jobs import POLL_INTERVAL_S, Jobs, LateJob
from rollwise.web.posted import is_partial
from rollwise.web.problems import error_answer, json_response, rollwise_response
from rollwise.web.records import escape_textarea
from rollwise.web.settings import BODY
from rollwise.web.templating import templates
from rollwise.web.unsolved import REVIEW, waiting_of

THREAD_LIMIT_S = 2.0  # of a question in a thread
LATE_TARGET = "late"  # id of the element that waits for a whole page
ANSWER_HEADERS = ("host", "content-type", "hx-request", "hx-history-restore-request", "hx-target")


class LateAnswers:
    """Middleware that turns a question beyond a thread's time into a job, and answers with that job."""

    def __init__(self, app: ASGIApp, jobs: Jobs) -> None:
        self.app, self.jobs = app, jobs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not can_be_late(scope):
            await self.app(scope, receive, send)
            return
        request, order, began = Request(scope), order_line(scope), time.monotonic()
        if request.headers.get("hx-target") == LATE_TARGET:
            await Response(headers={"HX-Refresh": "true"})(scope, receive, send)
            return
        job = self.jobs.find_question(order)
        if job is not None and job.state == "done" and not job.answer:  # a game has to be solved, which is known now
            self.jobs.forget(job)
            await self.app(scope, receive, send)
            return
        if job is None:
            before = workers.THREAD_BUDGET.set(workers.ThreadBudget(THREAD_LIMIT_S))
            try:
                await self.app(scope, receive, send)
                return
            except workers.ThreadTimeout:
                require_can_open(request)
            finally:
                workers.THREAD_BUDGET.reset(before)
        answer = await self._answer(request, order, began)
        await answer(scope, receive, send)

    async def _answer(self, request: Request, order: bytes, began: float) -> Response:
        """Answer of a job, or a page or JSON on its progress."""
        try:
            job = self.jobs.late(request.url.path, order)
        except RollwiseError as error:
            return rollwise_response(request, error)
        while not job.is_over and time.monotonic() - began < THREAD_LIMIT_S:
            await asyncio.sleep(POLL_INTERVAL_S / 10)
        if job.state == "failed" or job.answer.get("status", 0) >= 500:
            self.jobs.forget(job)
        if job.answer:
            return Response(job.answer["body"], job.answer["status"], job.answer["headers"])
        if request.url.path.startswith("/api/") and not job.is_over:
            return json_response(job.plain(), 202, {"Location": f"/api/jobs/{job.id}/events"})
        if job.is_over and not is_partial(request):
            return error_answer(request, 503, {"error": "Late", "message": job.error})
        return late_page(request, job)


def late_page(request: Request, job: LateJob) -> Response:
    """Page, or part of one, that waits for an answer and then asks again, or shows an error."""
    path, query = request.url.path, request.url.query
    view = {"waiting": waiting_of(job), "action": f"{path}{'?' if query else ''}{query}", "game": LATE_TARGET}
    view |= {"in_answer": request.headers.get("hx-target") == "answer", "is_post": request.method == "POST"}
    view |= {"part": is_partial(request) and path != REVIEW}
    sent = parse_qsl(request.scope[BODY].decode("utf-8", "replace"), keep_blank_values=True)
    view["sent"] = {key: escape_textarea(value) for key, value in sent}
    status = 200 if job.is_over else 202
    return templates.TemplateResponse(request, "late.html", view, status, {"Cache-Control": "no-store"})


def can_be_late(scope: Scope) -> bool:
    """True if a request can be repeated in a process: no step of a game, no start of a solve, no table."""
    path, is_read = scope["path"], scope["method"] == "GET"
    if path.startswith("/api/"):
        return not is_read and path not in TABLE_PATHS
    return path == REVIEW or (is_read and not path.startswith(("/play/", "/static/")))


def order_line(scope: Scope) -> bytes:
    """A request as a line of JSON for a process, with everything on which its answer depends."""
    headers = [(name, value) for name, value in Headers(scope=scope).items() if name in ANSWER_HEADERS]
    line = {"method": scope["method"], "path": scope["path"], "scheme": scope.get("scheme", "http"), "headers": headers}
    line |= {"query": scope["query_string"].decode("latin-1"), "body": scope[BODY].decode("latin-1")}
    return json.dumps(line).encode() + b"\n"
