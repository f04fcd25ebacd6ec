"""``python -m rollwise.web.late_process``: a process that answers long questions, one by one.

It reads requests from standard input, a line of JSON each, and writes the answers of the same application, here
without a limit on time. An unexpected error goes to the server's log and ends the process.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from queue import Empty, Queue
from typing import Any

from starlette.types import ASGIApp, Message

from rollwise.solutions.lookup import is_solved
from rollwise.solver.model.game import TurnGame
from rollwise.web.app import make_app
from rollwise.web.jobs import Jobs, SolveJob
from rollwise.web.processes import end_with_input, lower_priority, report_outcome, send_line
from rollwise.web.settings import BODY, MAY_BEGIN, Settings
from rollwise.web.solving import reporting

IDLE_TIMEOUT_S = 300.0  # without a question, after which the process ends


class NeedsSolve(Exception):
    """A game has to be solved first, which only the server begins."""


class NoJobs(Jobs):
    """Jobs of a process that begins no solve."""

    async def unsolved_job(self, game: TurnGame, fields: Mapping[str, Any] | None = None) -> None:
        """See ``Jobs``; raises NotHere."""
        if not await self.workers.run(is_solved, game):
            raise NeedsSolve

    async def start(self, game: TurnGame, fields: Mapping[str, Any] | None = None) -> SolveJob:
        """See ``Jobs``; raises NotHere."""
        raise NeedsSolve


async def answer_request(app: ASGIApp, order: dict[str, Any]) -> None:
    """Send an application's whole answer to a request; nothing for a redirect to a solve."""
    latin = {name: order[name].encode("latin-1") for name in ("query", "body")}
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in order["headers"]]
    scope = {"type": "http", "http_version": "1.1", "root_path": "", "query_string": latin["query"], "headers": headers}
    scope |= {name: order[name] for name in ("method", "path", "scheme")} | {MAY_BEGIN: False, BODY: latin["body"]}
    sent: list[Message] = []
    coming: list[Message] = [{"type": "http.request", "body": latin["body"], "more_body": False}]

    async def receive() -> Message:  # the body, then nothing more
        return coming.pop() if coming else await asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        sent.append(message)

    try:
        await app(scope, receive, send)
    except NeedsSolve:
        return
    if sent[0]["status"] == 303:  # to the page of a solve, true only for now
        return
    head = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent[0]["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    send_line(answer={"status": sent[0]["status"], "headers": head, "body": body.decode()})


def main() -> None:
    """Answer one question after another."""
    orders: Queue[bytes] = Queue()
    lower_priority()
    end_with_input(orders.put)
    app = make_app(Settings(allow_solve="all"), is_inner=True)
    app.state.jobs = NoJobs(app.state.settings, app.state.workers)

    with suppress(Empty, KeyboardInterrupt), reporting() as shares:
        while order := json.loads(orders.get(timeout=IDLE_TIMEOUT_S)):
            shares.share = 0.0
            report_outcome(partial(asyncio.run, answer_request(app, order)))


if __name__ == "__main__":
    main()
