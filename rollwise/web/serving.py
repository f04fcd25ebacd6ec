"""The server itself: where it listens, what it says when it begins, and how it ends."""

from __future__ import annotations

import errno
import io
import logging
import shutil
import socket
import sys
import webbrowser
from contextlib import suppress
from typing import Any, TextIO

import segno
import uvicorn

from rollwise.solutions.games import keep_lent
from rollwise.solver.model.errors import BadInput
from rollwise.text.screen import screen
from rollwise.web.app import make_app
from rollwise.web.connections import Patient
from rollwise.web.guard import LOG, bare_host
from rollwise.web.settings import EVERYWHERE, HERE, Settings

WAITING = 100  # connections that wait to be taken, and are taken together
UNREAD = 60  # seconds for which an answer is sent to somebody who takes nothing of it
LAST_PORT = 65535
LOOKED_AT = 50  # ports that are tried for a free one
TO_END = 1  # seconds that answers under way have when the server ends
MOST_OF_A_HEAD = 16_384  # bytes of a request before its body
SWITCH = 0.001  # seconds after which a thread that works lets another one listen
BORDER = 2  # of the QR code
INK = "\x1b[38;5;231;48;5;16m{}\x1b[0m"  # white blocks on black, whatever colours the terminal has


class PageServer(uvicorn.Server):
    """A server that, told to end, lets those go first who listen to what goes on."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        """A signal to end."""
        self.config.app.state.jobs.is_ending = True  # type: ignore[union-attr]
        super().handle_exit(sig, frame)


def serve(settings: Settings, *, open_page: bool = False) -> None:
    """Listen until somebody ends it. Raises BadInput, in one line, where nobody can listen."""
    for name in settings.allow_hosts:
        if bare_host(name) is None:
            raise BadInput(f"--allow-host is a name like dice.example.org, got '{name}'", field="allow-host")
    with listener(settings.host, settings.port) as listening:
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
        LOG.setLevel(logging.INFO)  # who called, a line each, beside what failed
        keep_lent(settings.keep)
        server = PageServer(configured(make_app(settings)))
        sys.setswitchinterval(SWITCH)
        welcome(settings, sys.stdout)
        if open_page:
            webbrowser.open(address(HERE if settings.host == EVERYWHERE else settings.host, settings.port))
        server.run(sockets=[listening])


def configured(app: Any) -> uvicorn.Config:
    """How connections of an application are served."""
    return uvicorn.Config(
        app,
        http=Patient,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        log_level="error",  # what somebody sends that is no HTTP, or wants it to be another protocol, is his affair
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=WAITING,
        timeout_graceful_shutdown=TO_END,
        h11_max_incomplete_event_size=MOST_OF_A_HEAD,
    )


def listener(host: str, port: int) -> socket.socket:
    """A socket that listens there; raises BadInput with the next free port where somebody else does."""
    try:
        places = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = places[0]
    except (socket.gaierror, UnicodeError):
        raise BadInput(f"there is no address '{host}'", field="host") from None
    listening = socket.socket(family, kind, protocol)  # without its protocol, short answers would wait for others
    try:
        if sys.platform != "win32":  # there it would let two listen at one port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # on Linux; each connection has it from here
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * UNREAD)
        listening.bind(place)
        listening.listen(WAITING)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            free = next_free(host, port)
            hint = f"rollwise serve --port {free}" if free else ""
            raise BadInput(f"port {port} is taken", hint=hint, field="port") from None
        if error.errno == errno.EACCES:
            raise BadInput(f"port {port} is not for you to listen at", field="port") from None
        raise BadInput(f"nobody can listen at {host}: {error.strerror}", field="host") from None
    return listening


def next_free(host: str, port: int) -> int | None:
    """The next port at which nobody listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for other in range(port + 1, min(port + LOOKED_AT, LAST_PORT) + 1):
        with suppress(OSError):
            socket.create_server((host, other), family=family).close()
            return other
    return None


# --- what it says first -----------------------------------------------------------------------------------------------


def address(host: str, port: int) -> str:
    """As a browser is told it.

    >>> address("127.0.0.1", 8606), address("::1", 8606)
    ('http://127.0.0.1:8606', 'http://[::1]:8606')
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def welcome(settings: Settings, stream: TextIO) -> None:
    """Say the address; for phones as a QR code too, where a terminal has room for it."""
    reached = address(_reached(settings.host), settings.port)
    print(reached, file=stream)
    if settings.lan and stream.isatty():
        on, size = screen(stream), shutil.get_terminal_size()
        lines = qr_lines(reached)
        if on.marks and len(lines[0]) <= size.columns and len(lines) + 2 <= size.lines:
            print("\n".join(INK.format(line) if on.color else line for line in lines), file=stream)
    stream.flush()


def _reached(host: str) -> str:
    """The address by which others reach what listens everywhere."""
    if host != EVERYWHERE:
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(("192.0.2.1", 9))  # nothing is sent: only the way there is looked up
        except OSError:  # no network
            return HERE
        return str(way.getsockname()[0])


def qr_lines(page: str) -> list[str]:
    """A QR code in half blocks."""
    blocks = io.StringIO()
    segno.make(page, error="l", micro=False).terminal(out=blocks, border=BORDER, compact=True)
    return blocks.getvalue().splitlines()
