"""What stands before every request: who may call, how much may come in, and the headers that go out."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Iterable
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rollwise.web.problems import FAULTS, problem
from rollwise.web.settings import BODY, LOCALHOST, MAY_BEGIN, Settings
from rollwise.web.templating import MARK

LOG = logging.getLogger("rollwise.web.access")

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # A form of a page that sends no referrer at all is sent with Origin "null", and would be refused here.
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
READS = ("GET", "HEAD", "OPTIONS")
OWN_SITE = ("same-origin", "none")  # a page of this server, or an address that was typed or kept
GOES_THERE = ("document", "empty")  # the latter through a service worker
LONGEST_URL = 8_000  # bytes of path and query
MOST_BYTES = 1_000_000  # of a body
MOST_OF_A_RECORD = 200_000  # bytes of a record, as JSON or as text
OF_RECORDS = ("/api/review", "/api/throw")
OF_TABLES, FOR_A_TABLE = ("/api/export",), 3600.0  # a table takes its time, of so many seconds at most
PATIENCE = 30.0  # seconds for a body to come
AT_ONCE = 500  # requests that are answered at once, streams included
LONGEST_LOGGED = 500  # characters of what was asked, in the log
ELSEWHERE = re.compile(rb"^(https?://[^/]*)?[/\\]+")  # the start of an address, up to its path

HOST = re.compile(r"(?:\[(?P<six>[^]]*:[^]]*)\]|(?P<name>[^][\s:/\\@?#%,]+))(?::\d{1,5})?")
NO_STORE = (b"cache-control", b"no-store")
FOR_GOOD = (b"cache-control", b"public, max-age=31536000, immutable")

RawHeaders = list[tuple[bytes, bytes]]


class Guard:
    """Lets requests in that may come, hands their bodies on whole, adds the headers to every answer, and logs it.

    What takes too long, or is asked by somebody who has hung up, is cancelled, unless its answer has begun.
    What the application fails with becomes a 500 of the same form here, so that it has the headers too.
    """

    def __init__(self, app: ASGIApp, settings: Settings | None = None) -> None:
        self.app = app
        self.settings = settings or Settings()
        self.names = {LOCALHOST, *(bare_host(name) or name for name in self.settings.allow_hosts)}
        self.now = 0  # requests that are being answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http":
            await self._answered(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, status, body = time.perf_counter(), 0, b""
        limit: asyncio.Timeout | None = None
        is_over = False

        async def with_headers(message: Message) -> None:
            nonlocal status, is_over
            if is_over:
                return
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _as_sent(scope, status, message.get("headers", []))
                if limit is not None and not limit.expired():
                    limit.reschedule(None)  # an answer that has begun takes its time
            elif scope["method"] == "HEAD":
                message, is_over = {"type": "http.response.body", "body": b""}, True
            await send(message)

        self.now += 1
        try:
            self._require_allowed(scope)
            body = await whole_body(scope, receive)
            seconds = FOR_A_TABLE if scope["path"] in OF_TABLES else self.settings.most_seconds
            async with asyncio.timeout(seconds) as limit:
                hearing = asyncio.create_task(_hung_up(receive, limit))
                try:
                    await self.app(_as_read(scope, body), _again(body, hearing), with_headers)
                finally:
                    hearing.cancel()
        except HTTPException as error:
            await _say(scope, receive, with_headers, error)
        except Exception:
            is_late, limit = limit is not None and limit.expired(), None
            if is_late and not status:  # where whoever asked has hung up, nobody reads this
                why = f"this takes longer than {self.settings.most_seconds:g} seconds, so it was given up"
                message = f"{why}; in a terminal 'rollwise' takes all the time it needs"
                page = problem(Request(scope), 503, {"error": "Refused", "message": message})
                await page(scope, receive, with_headers)
                return
            FAULTS.exception("%s %s failed", scope["method"], _printable(scope["raw_path"]))
            if status:  # the answer has begun: all that is left is to end it there
                raise
            refusal = HTTPException(500, "something went wrong here; the server's log says what")
            await _say(scope, receive, with_headers, refusal)
        finally:
            self.now -= 1
            question = f" {_printable(scope['query_string'] or body)}" if self.settings.log_states else ""
            took = 1000 * (time.perf_counter() - began)
            LOG.info("%s %s %d %.0f ms%s", scope["method"], _printable(scope["raw_path"]), status, took, question)

    def _require_allowed(self, scope: Scope) -> None:
        """Raise HTTPException for a request that is not to be let in, whatever it asks."""
        if self.now > AT_ONCE:
            raise HTTPException(503, "too many questions at once; ask again in a moment", {"Retry-After": "2"})
        host = require_host(Headers(scope=scope).getlist("host"), self.names)
        if scope["method"] not in READS:
            require_own_origin(scope["headers"], host)
        length = len(scope["raw_path"]) + len(scope["query_string"])
        if length > LONGEST_URL:
            raise HTTPException(413, f"an address has at most {LONGEST_URL:,} bytes, got {length:,}")


# --- who calls --------------------------------------------------------------------------------------------------------
# Not by Starlette's TrustedHostMiddleware. That knows names alone, and we are called by any address as well (by phones,
# through a container); it takes the first where a request says two hosts; and it cannot say how a name is allowed.


def bare_host(host: str) -> str | None:
    """The name or address of a Host header, without its port; None for what is none.

    >>> bare_host("LocalHost:8606"), bare_host("[::1]:80"), bare_host("::1"), bare_host("a b")
    ('localhost', '::1', None, None)
    """
    parts = HOST.fullmatch(host) if host.isascii() else None
    if parts is None or (parts["six"] and not _is_address(parts["six"])):
        return None
    return str(parts["six"] or parts["name"]).lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def require_host(hosts: list[str], names: Iterable[str]) -> str:
    """The Host header; raises HTTPException unless there is one, and it is an address or one of these names.

    A page of another site can have its name lead to this machine; what it then asks still bears that name.
    """
    if len(hosts) != 1:
        raise HTTPException(400, f"a request says one Host, got {len(hosts)}")
    name = bare_host(hosts[0])
    if name is None or not (name in names or _is_address(name)):
        raise HTTPException(400, "this server is not known by that name; 'rollwise serve --allow-host NAME' allows one")
    return hosts[0]


def require_own_origin(raw: RawHeaders, host: str) -> None:
    """Raise HTTPException for what a page of another site sends: it may do so, but here nothing is done for it."""
    headers = Headers(raw=raw)
    origin = headers.get("origin")
    is_own = headers.get("sec-fetch-site", "none") in OWN_SITE if origin is None else _same_place(origin, host)
    if not is_own:
        raise HTTPException(403, "this was sent by a page of another site")


def may_begin(method: str, raw: RawHeaders, host: str) -> bool:
    """May a request that was let in begin what takes long and is kept, as a solve?

    Any page can have an address of this server looked at, by a picture. Browsers say who does; to an address without
    encryption they say nothing of it, and then what only a page of this server sends has to be there.
    """
    if method != "GET":
        return method not in READS
    headers = Headers(raw=raw)
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in OWN_SITE
    return "hx-request" in headers or _same_place(_before(headers), host)


def may_open(raw: RawHeaders) -> bool:
    """May what an address carries be unpacked, or what takes seconds be worked out? For who goes there, and for our own
    pages, but in no picture or frame of another site's."""
    headers = Headers(raw=raw)
    mode, is_own = headers.get("sec-fetch-mode"), headers.get("sec-fetch-site") in OWN_SITE
    return mode is None or is_own or (mode == "navigate" and headers.get("sec-fetch-dest") in GOES_THERE)


def require_may_open(request: Request) -> None:
    """Refuse with 403 what ``may_open`` does not allow."""
    if not may_open(request.headers.raw):
        raise HTTPException(403, "this was sent by a page of another site")


def origin_of(raw: RawHeaders, scheme: str) -> str:
    """What this server is called by whoever asks; of a proxy before it only the page that they come from knows."""
    headers = Headers(raw=raw)
    before = _before(headers)
    return before if _same_place(before, headers["host"]) else f"{scheme}://{headers['host']}"


def _before(headers: Headers) -> str:
    """The origin of the page that somebody comes from."""
    return "/".join(headers.get("referer", "").split("/", 3)[:3])


def _same_place(origin: str, host: str) -> bool:
    """Is this origin the very host, port included? Behind a proxy the scheme may be another."""
    usual = {"http": ":80", "https": ":443"}
    scheme, slashes, place = origin.partition("://")
    if not slashes or scheme not in usual:
        return False
    return place.lower().removesuffix(usual[scheme]) == host.lower().removesuffix(usual[scheme])


# --- what comes in ----------------------------------------------------------------------------------------------------


async def whole_body(scope: Scope, receive: Receive) -> bytes:
    """The body; raises HTTPException for one that is too large, before it is read whole, or that does not come."""
    most = MOST_OF_A_RECORD if scope["path"] in OF_RECORDS else MOST_BYTES
    too_large = HTTPException(413, f"a body has at most {most:,} bytes here")
    length = Headers(scope=scope).get("content-length", "")
    if length.isdecimal() and int(length[:20]) > most:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            async for piece in Request(scope, receive).stream():
                body += piece
                if len(body) > most:
                    raise too_large
    except ClientDisconnect:
        raise HTTPException(400, "the body was cut off") from None
    except TimeoutError:
        raise HTTPException(400, f"the body did not come within {PATIENCE:.0f} seconds") from None
    return bytes(body)


async def _hung_up(receive: Receive, limit: asyncio.Timeout) -> Message:
    """That whoever asks hangs up, when that is so; what is limited in time then ends at once."""
    while (message := await receive())["type"] != "http.disconnect":
        pass
    if limit.when() is not None:
        limit.reschedule(0)
    return message


def _again(body: bytes, hearing: asyncio.Task[Message]) -> Receive:
    """The body once more, then what is heard after it."""
    coming: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return coming.pop() if coming else await asyncio.shield(hearing)

    return receive


# --- what goes out ----------------------------------------------------------------------------------------------------

LASTING = (200, 206, 304)  # of a file that is kept for good; an error may be over in a moment
_OURS = {name.lower().encode(): value.encode() for name, value in HEADERS.items()}


def _as_sent(scope: Scope, status: int, headers: RawHeaders) -> RawHeaders:
    """With our headers in place of its own; another place is told without protocol and host.

    By those only a proxy knows what it is called by.
    """

    def told(name: bytes, value: bytes) -> bytes:
        if name.lower() == b"allow" and b"HEAD" not in value:
            return value.replace(b"GET", b"GET, HEAD")  # whatever is read has a head, see ``_as_read``
        return ELSEWHERE.sub(b"/", value) if name.lower() == b"location" else value

    kept = [(name, value) for name, value in headers if name.lower() not in _OURS]
    here = [(name, told(name, value)) for name, value in kept]
    is_versioned = scope["path"].startswith("/static/") and scope["query_string"] == f"v={MARK}".encode()
    is_lasting = is_versioned and status in LASTING
    caching = [NO_STORE] if scope["path"].startswith("/api/") else [FOR_GOOD] if is_lasting else []
    is_html = Headers(raw=kept).get("content-type", "").startswith("text/html")
    version = [(b"rollwise", MARK.encode())] if is_html else []  # which a page holds against its own
    return [*here, *_OURS.items(), *caching, *version]


def _as_read(scope: Scope, body: bytes) -> Scope:
    """As the application knows it: whoever wants the head alone reads as others do, and begins nothing."""
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    begins = may_begin(scope["method"], scope["headers"], Headers(scope=scope)["host"])
    return {**scope, "method": method, MAY_BEGIN: begins, BODY: body}


async def _say(scope: Scope, receive: Receive, send: Send, error: HTTPException) -> None:
    """An error, in one line, or as JSON where JSON was asked for; whatever else comes is not waited for."""
    headers = {**(error.headers or {}), **({"Connection": "close"} if error.status_code == 413 else {})}
    line, media = f"{error.detail}\n", "text/plain"
    if scope["path"].startswith("/api/"):
        line, media = json.dumps({"error": "Refused", "message": error.detail}), "application/json"
    await Response(line, error.status_code, headers, media)(scope, receive, send)


def _printable(line: bytes) -> str:
    """One line of a log, and no signs that a terminal would obey."""
    text = line.decode("utf-8", "replace")[:LONGEST_LOGGED]
    return "".join(sign if sign.isprintable() else "?" for sign in text)
