"""Answers to long questions in a process, without a limit on time: those of the application, which begins no solve."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any

from starlette.types import ASGIApp, Message

from rollwise.solutions.lookup import Unsolved, is_solved
from rollwise.solver.model.game import TurnGame
from rollwise.web.app import make_app
from rollwise.web.jobs import Job, Jobs
from rollwise.web.settings import BODY, MAY_BEGIN, Settings


class NoJobs(Jobs):
    """Jobs of a process that begins no solve."""

    async def unsolved_job(self, game: TurnGame, fields: Mapping[str, Any] | None = None) -> None:
        """Raise Unsolved for an unsolved game."""
        if not await self.workers.run(is_solved, game):
            raise Unsolved(game)

    async def start(self, game: TurnGame, fields: Mapping[str, Any] | None = None) -> Job:
        """Raise Unsolved."""
        raise Unsolved(game)


@cache
def inner_app() -> ASGIApp:
    """The application, the same for all orders."""
    app = make_app(Settings(allow_solve="all"), is_inner=True)
    app.state.jobs = NoJobs(app.state.settings, app.state.workers)
    return app


def answer_order(headers: list[tuple[str, str]], query: str, body: str, **parts: str) -> dict[str, Any] | None:
    """The whole answer to a request; None where a game has to be solved first."""
    sent: list[Message] = []
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    request = {"type": "http", "http_version": "1.1", "root_path": "", "query_string": query.encode("latin-1")}
    content = body.encode("latin-1")
    coming: list[Message] = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive() -> Message:  # the body, then nothing more
        return coming.pop() if coming else await asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {**request, **parts, "headers": raw, MAY_BEGIN: False, BODY: content}
    asyncio.run(inner_app()(scope, receive, send))  # type: ignore[arg-type]
    if sent[0]["status"] in (303, 503):  # to the page of a solve, or unsolved: true only for now
        return None
    head = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent[0]["headers"]}
    text = b"".join(message.get("body", b"") for message in sent[1:]).decode()
    return {"status": sent[0]["status"], "headers": head, "body": text}
