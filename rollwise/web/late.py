"""Middleware for long questions: beyond a thread's time they go on as jobs in processes (``inner``).

The same request, sent again when the job is done, gets its answer.
"""

from __future__ import annotations

import time
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rollwise.solver.model.errors import RollwiseError
from rollwise.web import limits
from rollwise.web.guard import TABLE_PATHS, require_can_open
from rollwise.web.jobs import Job, Jobs
from rollwise.web.problems import error_answer, json_response, rollwise_response
from rollwise.web.processes import order_line
from rollwise.web.records import escape_textarea, is_partial
from rollwise.web.settings import BODY
from rollwise.web.templating import templates
from rollwise.web.unsolved import REVIEW, Waiting
from rollwise.web.workers import THREAD_BUDGET, ThreadBudget, ThreadTimeout

LATE_TARGET = "late"  # id of the element that waits for a whole page
ANSWER_HEADERS = ("host", "content-type", "hx-request", "hx-history-restore-request", "hx-target")


class LateAnswers:
    """Middleware that turns a question beyond a thread's time into a job, and answers with that job."""

    def __init__(self, app: ASGIApp, jobs: Jobs) -> None:
        self.app, self.jobs = app, jobs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        answer = await self._late_answer(scope, receive, send) if can_be_late(scope) else self.app
        if answer is not None:
            await answer(scope, receive, send)

    async def _late_answer(self, scope: Scope, receive: Receive, send: Send) -> ASGIApp | None:
        """The answer that is still to be sent, if any, to a question that the application may have answered in time."""
        request, order, began = Request(scope), question_order(scope), time.monotonic()
        if request.headers.get("hx-target") == LATE_TARGET:
            return Response(headers={"HX-Refresh": "true"})
        job = self.jobs.find_question(order)
        if job is not None and job.state == "done" and not job.answer:  # a game has to be solved, which is known now
            del self.jobs.by_id[job.id]
            return self.app
        if job is None:
            before = THREAD_BUDGET.set(ThreadBudget(limits.THREAD_LIMIT_S))
            try:
                await self.app(scope, receive, send)
                return None
            except ThreadTimeout:
                require_can_open(request)
            finally:
                THREAD_BUDGET.reset(before)
        try:
            job = self.jobs.late(request.url.path, order)
        except RollwiseError as error:
            return rollwise_response(request, error)
        while not job.is_over and (seconds := began + limits.THREAD_LIMIT_S - time.monotonic()) > 0:
            await job.wait(seconds)
        if job.state == "failed" or job.answer.get("status", 0) >= 500:
            self.jobs.by_id.pop(job.id, None)  # it is reported, and the next request starts it again
        return job_answer(request, job)


def can_be_late(scope: Scope) -> bool:
    """True if a request can be repeated in a process: no step of a game, no start of a solve, no table."""
    if scope["type"] != "http":
        return False
    path, is_read = scope["path"], scope["method"] == "GET"
    if path.startswith("/api/"):
        return not is_read and path not in TABLE_PATHS
    return path == REVIEW or (is_read and not path.startswith(("/play/", "/static/")))


def question_order(scope: Scope) -> bytes:
    """A request as an order for a process, with everything on which its answer depends."""
    headers = [(name, value) for name, value in Headers(scope=scope).items() if name in ANSWER_HEADERS]
    parts = {"method": scope["method"], "path": scope["path"], "scheme": scope.get("scheme", "http")}
    query, body = scope["query_string"].decode("latin-1"), scope[BODY].decode("latin-1")
    return order_line("question", headers=headers, query=query, body=body, **parts)


def job_answer(request: Request, job: Job) -> Response:
    """Answer of a job; JSON, or a page or part of one, on its progress or its error."""
    path, query = request.url.path, request.url.query
    if job.answer:
        return Response(job.answer["body"], job.answer["status"], job.answer["headers"])
    if path.startswith("/api/") and not job.is_over:
        return json_response(job.plain(), 202, {"Location": f"/api/jobs/{job.id}/events"})
    if job.is_over and not is_partial(request):
        return error_answer(request, 503, {"error": "Late", "message": job.error})
    view = {"waiting": Waiting(job), "action": f"{path}{'?' if query else ''}{query}", "game": LATE_TARGET}
    view |= {"in_answer": request.headers.get("hx-target") == "answer", "is_post": request.method == "POST"}
    view |= {"part": is_partial(request) and path != REVIEW}  # which waits for the answer and then asks again
    sent = parse_qsl(request.scope[BODY].decode("utf-8", "replace"), keep_blank_values=True)
    view["sent"] = {key: escape_textarea(value) for key, value in sent}
    status = 200 if job.is_over else 202
    return templates.TemplateResponse(request, "late.html", view, status, {"Cache-Control": "no-store"})
