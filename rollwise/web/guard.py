"""Middleware before every request: allowed hosts and origins, limits of size and time, headers, the access log."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rollwise.web import limits
from rollwise.web.problems import FAULT_LOG, error_answer
from rollwise.web.settings import BODY, LOCALHOST, MAY_BEGIN, Settings
from rollwise.web.templating import VERSION_MARK

ACCESS_LOG = logging.getLogger("rollwise.web.access")

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
RAW_HEADERS = {name.lower().encode(): value.encode() for name, value in HEADERS.items()}
READ_METHODS = ("GET", "HEAD", "OPTIONS")
OWN_SITE = ("same-origin", "none")  # a page of this server, or a typed or bookmarked address
NAVIGATION_TARGETS = ("document", "empty")  # the latter by a service worker
RECORD_PATHS = ("/api/review", "/api/throw")
TABLE_PATHS = ("/api/export",)
ORIGIN_PATTERN = re.compile(rb"^(https?://[^/]*)?[/\\]+")  # the origin of a Location, up to its path
HOST_PATTERN = re.compile(r"(?:\[(?P<six>[^]]*:[^]]*)\]|(?P<name>[^][\s:/\\@?#%,]+))(?::\d{1,5})?")
CACHEABLE_STATUSES = (200, 206, 304)  # of a versioned file; an error may be over in a moment

RawHeaders = list[tuple[bytes, bytes]]


class Guard:
    """Middleware that admits requests, reads their bodies whole, adds headers to every answer, and logs it.

    A request that takes too long, or whose client has hung up, is cancelled unless its answer has begun.
    An error of the application becomes a 500 here, so that it has the headers too.
    """

    def __init__(self, app: ASGIApp, settings: Settings | None = None) -> None:
        self.app = app
        self.settings = settings or Settings()
        self.names = {LOCALHOST, *(bare_host(name) or name for name in self.settings.allow_hosts)}
        self.now = 0  # requests under way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":  # an upgrade to a websocket has no route
            await self.app(scope, receive, send)
            return
        began, status, body, is_over = time.perf_counter(), 0, b"", False
        limit: asyncio.Timeout | None = None

        async def with_headers(message: Message) -> None:
            nonlocal status, is_over
            if is_over:
                return
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _response_headers(scope, status, message.get("headers", []))
                if limit is not None and not limit.expired():
                    limit.reschedule(None)  # an answer that has begun has no limit
            elif scope["method"] == "HEAD":
                message, is_over = {"type": "http.response.body", "body": b""}, True
            await send(message)

        self.now += 1
        try:
            self._require_allowed(scope)
            body = await whole_body(scope, receive)
            seconds = limits.TABLE_TIMEOUT_S if scope["path"] in TABLE_PATHS else self.settings.timeout_s
            async with asyncio.timeout(seconds) as limit:
                hearing = asyncio.create_task(_wait_for_hang_up(receive, limit))
                try:
                    await self.app(_inner_scope(scope, body), _replay_body(body, hearing), with_headers)
                finally:
                    hearing.cancel()
        except Exception as error:
            is_late, limit = limit is not None and limit.expired() and not status, None
            if not (is_late or isinstance(error, HTTPException)):
                FAULT_LOG.exception("%s %s failed", scope["method"], _printable(scope["raw_path"]))
                if status:  # the answer has begun, and can only be broken off
                    raise
                error = HTTPException(500, "something went wrong here; see the server's log")
            await self._error_response(scope, error)(scope, receive, with_headers)
        finally:
            self.now -= 1
            line = f"{scope['method']} {_printable(scope['raw_path'])} {status}"
            question = f" {_printable(scope['query_string'] or body)}" if self.settings.log_states else ""
            ACCESS_LOG.info("%s %.0f ms%s", line, 1000 * (time.perf_counter() - began), question)

    def _error_response(self, scope: Scope, error: Exception) -> Response:
        """Answer to a refusal in one line, or as JSON under /api; to a request that took too long a page, or JSON."""
        if not isinstance(error, HTTPException):
            why = f"this takes longer than {self.settings.timeout_s:g} seconds, so it was given up"
            message = f"{why}; in a terminal 'rollwise' takes all the time it needs"
            return error_answer(Request(scope), 503, {"error": "Refused", "message": message})
        headers = {**(error.headers or {}), **({"Connection": "close"} if error.status_code == 413 else {})}
        if scope["path"].startswith("/api/"):
            answer = json.dumps({"error": "Refused", "message": error.detail})
            return Response(answer, error.status_code, headers, "application/json")
        return Response(f"{error.detail}\n", error.status_code, headers, "text/plain")

    def _require_allowed(self, scope: Scope) -> None:
        """Raise HTTPException for a request beyond the limits, to another host, or from another site."""
        if self.now > limits.MAX_REQUESTS:
            raise HTTPException(503, "too many questions at once; ask again in a moment", {"Retry-After": "2"})
        headers = Headers(scope=scope)
        require_host(headers.getlist("host"), self.names)
        if scope["method"] not in READ_METHODS:
            require_own_origin(headers)
        length = len(scope["raw_path"]) + len(scope["query_string"])
        if length > limits.MAX_URL_BYTES:
            raise HTTPException(413, f"an address has at most {limits.MAX_URL_BYTES:,} bytes, got {length:,}")


# --- hosts and origins ------------------------------------------------------------------------------------------------
# Not by Starlette's TrustedHostMiddleware: it knows names alone, and any address of this server is valid too (for
# phones, through a container); of two Host headers it takes the first; and its error cannot explain --allow-host.


def bare_host(host: str) -> str | None:
    """Name or address of a Host header, without its port; None for an invalid one.

    >>> bare_host("LocalHost:8606"), bare_host("[::1]:80"), bare_host("::1"), bare_host("a b")
    ('localhost', '::1', None, None)
    """
    parts = HOST_PATTERN.fullmatch(host) if host.isascii() else None
    if parts is None or (parts["six"] and not _is_address(parts["six"])):
        return None
    return str(parts["six"] or parts["name"]).lower()


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(name))
    return False


def require_host(hosts: list[str], names: Iterable[str]) -> None:
    """Raise HTTPException unless there is exactly one Host header, of an address or one of these names.

    Against DNS rebinding: a page of another site can let its name resolve to this machine, but sends that name.
    """
    if len(hosts) != 1:
        raise HTTPException(400, f"a request needs exactly one Host header, got {len(hosts)}")
    name = bare_host(hosts[0])
    if name is None or not (name in names or _is_address(name)):
        raise HTTPException(400, "this server is not known by that name; 'rollwise serve --allow-host NAME' allows one")


def require_own_origin(headers: Headers) -> None:
    """Raise HTTPException for a form or script of another site: browsers send it, but it has no effect here."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
    is_own = site in OWN_SITE if origin is None else _is_same_origin(origin, headers["host"])
    if not is_own:
        raise HTTPException(403, "this was sent by a page of another site")


def can_begin_solve(method: str, headers: Headers) -> bool:
    """True if an admitted request may begin long work that is stored, as a solve.

    Any page can load an address of this server, as an image. Browsers name the requesting site in a header, except to
    addresses without encryption; there a header that only pages of this server send is required.
    """
    if method != "GET":
        return method not in READ_METHODS
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in OWN_SITE
    return "hx-request" in headers or _is_same_origin(_referring_origin(headers), headers["host"])


def require_can_open(request: Request) -> None:
    """Raise 403 for a request that may not decode a record or take seconds: an image or frame of another site, but not
    navigation, or a request of this server's own pages."""
    headers = request.headers
    mode, is_own = headers.get("sec-fetch-mode"), headers.get("sec-fetch-site") in OWN_SITE
    goes_there = mode == "navigate" and headers.get("sec-fetch-dest") in NAVIGATION_TARGETS
    if not (mode is None or is_own or goes_there):
        raise HTTPException(403, "this was sent by a page of another site")


def origin_of(request: Request) -> str:
    """Origin of this server for the client; behind a proxy only the Referer has it."""
    before, host = _referring_origin(request.headers), request.headers["host"]
    return before if _is_same_origin(before, host) else f"{request.url.scheme}://{host}"


def _referring_origin(headers: Headers) -> str:
    """Origin of the page in the Referer header."""
    return "/".join(headers.get("referer", "").split("/", 3)[:3])


def _is_same_origin(origin: str, host: str) -> bool:
    """True if an origin is this host, port included; behind a proxy the scheme may differ."""
    usual = {"http": ":80", "https": ":443"}
    scheme, slashes, place = origin.partition("://")
    if not slashes or scheme not in usual:
        return False
    return place.lower().removesuffix(usual[scheme]) == host.lower().removesuffix(usual[scheme])


# --- requests ---------------------------------------------------------------------------------------------------------


async def whole_body(scope: Scope, receive: Receive) -> bytes:
    """Read the body; raises HTTPException as soon as it is too large, or if it does not arrive in time."""
    most = limits.MAX_RECORD_BYTES if scope["path"] in RECORD_PATHS else limits.MAX_BODY_BYTES
    too_large = HTTPException(413, f"a body has at most {most:,} bytes here")
    length = Headers(scope=scope).get("content-length", "")
    if length.isdecimal() and int(length[:20]) > most:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(limits.BODY_TIMEOUT_S):
            async for piece in Request(scope, receive).stream():
                body += piece
                if len(body) > most:
                    raise too_large
    except ClientDisconnect:
        raise HTTPException(400, "the body was cut off") from None
    except TimeoutError:
        raise HTTPException(400, f"the body did not come within {limits.BODY_TIMEOUT_S:.0f} seconds") from None
    return bytes(body)


async def _wait_for_hang_up(receive: Receive, limit: asyncio.Timeout) -> Message:
    """Wait until the client hangs up; then the time limit ends at once."""
    while (message := await receive())["type"] != "http.disconnect":
        pass
    if limit.when() is not None:
        limit.reschedule(0)
    return message


def _replay_body(body: bytes, hearing: asyncio.Task[Message]) -> Receive:
    """A receive function that yields the body, then the messages after it."""
    coming: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return coming.pop() if coming else await asyncio.shield(hearing)

    return receive


# --- answers ----------------------------------------------------------------------------------------------------------


def _response_headers(scope: Scope, status: int, headers: RawHeaders) -> RawHeaders:
    """Headers of an answer, with ours in place of its own; Location has no origin, which only a proxy may know."""
    sent: RawHeaders = []
    for name, value in headers:
        if name.lower() == b"location":
            value = ORIGIN_PATTERN.sub(b"/", value)
        elif name.lower() == b"allow" and b"HEAD" not in value:
            value = value.replace(b"GET", b"GET, HEAD")  # every GET route answers HEAD, see ``_inner_scope``
        if name.lower() not in RAW_HEADERS:
            sent.append((name, value))
    sent += RAW_HEADERS.items()
    is_lasting = scope["path"].startswith("/static/") and scope["query_string"] == f"v={VERSION_MARK}".encode()
    if scope["path"].startswith("/api/"):
        sent.append((b"cache-control", b"no-store"))
    elif is_lasting and status in CACHEABLE_STATUSES:
        sent.append((b"cache-control", b"public, max-age=31536000, immutable"))
    if Headers(raw=sent).get("content-type", "").startswith("text/html"):
        sent.append((b"rollwise", VERSION_MARK.encode()))  # compared by the page with its own
    return sent


def _inner_scope(scope: Scope, body: bytes) -> Scope:
    """Scope for the application: HEAD becomes GET, and begins no solve."""
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    begins = can_begin_solve(scope["method"], Headers(scope=scope))
    return {**scope, "method": method, MAY_BEGIN: begins, BODY: body}


def _printable(line: bytes) -> str:
    """Text for one line of a log, without control characters."""
    text = line.decode("utf-8", "replace")[: limits.MAX_LOGGED_CHARS]
    return "".join(sign if sign.isprintable() else "?" for sign in text)
