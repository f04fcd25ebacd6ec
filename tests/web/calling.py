"""Requests word by word, and applications that stand behind a guard: what tests of the guard share."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from rollwise.web.guard import Guard
from rollwise.web.settings import Settings

Headers = list[tuple[str, str]]
HERE = [("host", "localhost")]


async def told(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads what comes and says so."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": f"{size} bytes".encode()})


async def fails(scope: Any, receive: Any, send: Any) -> None:
    """An application that does not answer."""
    raise RuntimeError("a secret")


def sent(
    headers: Headers,
    *,
    app: Any = told,
    settings: Settings | None = None,
    pieces: Sequence[bytes] = (b"",),
    path: str = "/",
    **said: Any,
) -> list[Any]:
    """All that is sent for a request with these very headers, whose body comes in ``pieces``; what was not read."""
    scope = {
        **{"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""},
        "headers": [(name.encode(), value.encode()) for name, value in headers],
        **said,
    }
    coming = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    coming[-1]["more_body"] = False
    out: list[Any] = []

    async def receive() -> Any:
        return coming.pop(0) if coming else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        out.append(message)

    guard = app if isinstance(app, Guard) else Guard(app, settings)
    asyncio.run(guard(scope, receive, send))
    return [*out, coming]


def called(headers: Headers, **how: Any) -> int:
    """The status that a request with these very headers gets."""
    return int(sent(headers, **how)[0]["status"])
