"""``python -m rollwise.web.elsewhere``: questions that would hold a thread of the server for too long, one by one.

It reads from standard input, a line of JSON each, what was asked, and tells what the same application answers here,
where nothing is late.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from queue import Empty, Queue
from typing import Any

from starlette.types import ASGIApp, Message

from rollwise.solver.game.errors import RollwiseError
from rollwise.web.app import make_app
from rollwise.web.late import body_of
from rollwise.web.processes import be_modest, end_when_nobody_listens, tell, tried
from rollwise.web.settings import BODY, MAY_BEGIN, Settings
from rollwise.web.solving import tell_shares

IDLE = 300.0  # seconds without a question after which the process ends


async def answered(app: ASGIApp, order: dict[str, Any]) -> dict[str, Any]:
    """What an application answers to a request, whole."""
    latin = {name: order[name].encode("latin-1") for name in ("query", "body")}
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in order["headers"]]
    scope = {"type": "http", "http_version": "1.1", "root_path": "", "query_string": latin["query"], "headers": headers}
    scope |= {name: order[name] for name in ("method", "path", "scheme")} | {MAY_BEGIN: False, BODY: latin["body"]}
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, body_of(scope), send)
    head = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent[0]["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return {"status": sent[0]["status"], "headers": head, "body": body.decode()}


def main() -> None:
    """Answer one question after another."""
    orders: Queue[bytes] = Queue()
    be_modest()
    end_when_nobody_listens(orders.put)
    app, shares = make_app(Settings(allow_solve="none"), is_inner=True), tell_shares()

    def answer() -> None:
        shares.share = 0.0
        try:
            tell(answer=asyncio.run(answered(app, json.loads(order))))
        except RollwiseError:
            raise
        except Exception as error:
            logging.getLogger("rollwise.web.faults").exception("a late question failed")
            raise RollwiseError("something went wrong here; the server's log says what") from error

    with suppress(Empty, KeyboardInterrupt):
        while order := orders.get(timeout=IDLE):
            tried(answer)


if __name__ == "__main__":
    main()
