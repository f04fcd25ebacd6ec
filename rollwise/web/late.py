"""Questions that take longer than a thread is held: they go on as jobs, each asked anew in a process (``elsewhere``).

Whoever asks the same again, when that is done, gets what came of it.
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
from rollwise.web.guard import OF_TABLES, require_may_open
from rollwise.web.jobs import LOOK, Jobs, Late
from rollwise.web.posted import is_part
from rollwise.web.problems import as_json, problem, say_rollwise
from rollwise.web.records import in_textarea
from rollwise.web.settings import BODY
from rollwise.web.templating import templates
from rollwise.web.unsolved import REVIEW, waiting_of

SOON = 2.0  # seconds for which a question may hold a thread
PLACE = "late"  # what in a page waits for the page itself
TOLD = ("host", "content-type", "hx-request", "hx-history-restore-request", "hx-target")  # what answers depend on


class LateAnswers:
    """Lets a question hold a thread for so long; then it goes on as a job, and a page, or a program, is told so."""

    def __init__(self, app: ASGIApp, jobs: Jobs) -> None:
        self.app, self.jobs = app, jobs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or not may_be_late(scope):
            await self.app(scope, receive, send)
            return
        request, order, began = Request(scope), order_of(scope), time.monotonic()
        if request.headers.get("hx-target") == PLACE:
            await Response(headers={"HX-Refresh": "true"})(scope, receive, send)
            return
        job = self.jobs.asked(order)
        if job is not None and job.state == "done" and not job.answer:  # a game has to be solved, which is known now
            self.jobs.forget(job)
            await self.app(scope, receive, send)
            return
        if job is None:
            before = workers.HELD.set(workers.Held(SOON))
            try:
                await self.app(scope, receive, send)
                return
            except workers.HeldTooLong:
                require_may_open(request)
            finally:
                workers.HELD.reset(before)
        answer = await self._answer(request, order, began)
        await answer(scope, receive, send)

    async def _answer(self, request: Request, order: bytes, began: float) -> Response:
        """What a job has come to; where that is nothing yet, that it is under way."""
        try:
            job = self.jobs.late(request.url.path, order)
        except RollwiseError as error:
            return say_rollwise(request, error)
        while not job.is_over and time.monotonic() - began < SOON:
            await asyncio.sleep(LOOK / 10)
        if job.state == "failed" or job.answer.get("status", 0) >= 500:
            self.jobs.forget(job)
        if job.answer:
            return Response(job.answer["body"], job.answer["status"], job.answer["headers"])
        if request.url.path.startswith("/api/") and not job.is_over:
            return as_json(job.plain(), 202, {"Location": f"/api/jobs/{job.id}/events"})
        if job.is_over and not is_part(request):
            return problem(request, 503, {"error": "Late", "message": job.error})
        return waits(request, job)


def waits(request: Request, job: Late) -> Response:
    """The page, or the part of one, that waits for an answer and then asks again, or says why there is none."""
    path, query = request.url.path, request.url.query
    view = {"waiting": waiting_of(job), "action": f"{path}{'?' if query else ''}{query}", "game": PLACE}
    view |= {"in_answer": request.headers.get("hx-target") == "answer", "is_post": request.method == "POST"}
    view |= {"part": is_part(request) and path != REVIEW}
    sent = parse_qsl(request.scope[BODY].decode("utf-8", "replace"), keep_blank_values=True)
    view["sent"] = {key: in_textarea(value) for key, value in sent}
    status = 200 if job.is_over else 202
    return templates.TemplateResponse(request, "late.html", view, status, {"Cache-Control": "no-store"})


def may_be_late(scope: Scope) -> bool:
    """Can a request be asked again elsewhere? Not where a game is played or a solve is begun, nor is a table."""
    path, is_read = scope["path"], scope["method"] == "GET"
    if path.startswith("/api/"):
        return not is_read and path not in OF_TABLES
    return path == REVIEW or (is_read and not path.startswith(("/play/", "/static/")))


def order_of(scope: Scope) -> bytes:
    """A request as a line for a process: all that its answer depends on."""
    headers = [(name, value) for name, value in Headers(scope=scope).items() if name in TOLD]
    said = {"method": scope["method"], "path": scope["path"], "scheme": scope.get("scheme", "http"), "headers": headers}
    said |= {"query": scope["query_string"].decode("latin-1"), "body": scope[BODY].decode("latin-1")}
    return json.dumps(said).encode() + b"\n"
