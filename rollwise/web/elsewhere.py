"""``python -m rollwise.web.elsewhere``: questions that would hold a thread of the server for too long, one by one.

It reads from standard input, a line of JSON each, what was asked, and tells what the same application answers here,
where nothing is late. What fails here the server's log says, and ends the process.
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

from rollwise.solutions.games import is_kept
from rollwise.solver.model.game import TurnGame
from rollwise.web.app import make_app
from rollwise.web.jobs import Job, Jobs
from rollwise.web.processes import be_modest, end_when_nobody_listens, tell, tried
from rollwise.web.settings import BODY, MAY_BEGIN, Settings
from rollwise.web.solving import tell_shares

IDLE = 300.0  # seconds without a question after which the process ends


class NotHere(Exception):
    """A game has to be solved first, which is the server's to say and to begin."""


class NoJobs(Jobs):
    """Nothing is solved here."""

    async def needed(self, game: TurnGame, asked: Mapping[str, Any] | None = None) -> None:
        """See ``Jobs``; raises NotHere."""
        if not await self.workers.run(is_kept, game):
            raise NotHere

    async def start(self, game: TurnGame, asked: Mapping[str, Any] | None = None) -> Job:
        """See ``Jobs``; raises NotHere."""
        raise NotHere


async def answered(app: ASGIApp, order: dict[str, Any]) -> None:
    """Tell what an application answers to a request, whole; nothing where that is another page."""
    latin = {name: order[name].encode("latin-1") for name in ("query", "body")}
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in order["headers"]]
    scope = {"type": "http", "http_version": "1.1", "root_path": "", "query_string": latin["query"], "headers": headers}
    scope |= {name: order[name] for name in ("method", "path", "scheme")} | {MAY_BEGIN: False, BODY: latin["body"]}
    sent: list[Message] = []
    coming: list[Message] = [{"type": "http.request", "body": latin["body"], "more_body": False}]

    async def receive() -> Message:  # the body, and then nothing more
        return coming.pop() if coming else await asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        sent.append(message)

    try:
        await app(scope, receive, send)
    except NotHere:
        return
    if sent[0]["status"] == 303:  # to where a game is solved, and that is so only for now
        return
    head = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent[0]["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    tell(answer={"status": sent[0]["status"], "headers": head, "body": body.decode()})


def main() -> None:
    """Answer one question after another."""
    orders: Queue[bytes] = Queue()
    be_modest()
    end_when_nobody_listens(orders.put)
    app, shares = make_app(Settings(allow_solve="all"), is_inner=True), tell_shares()
    app.state.jobs = NoJobs(app.state.settings, app.state.workers)

    with suppress(Empty, KeyboardInterrupt):
        while order := json.loads(orders.get(timeout=IDLE)):
            shares.share = 0.0
            tried(partial(asyncio.run, answered(app, order)))


if __name__ == "__main__":
    main()
