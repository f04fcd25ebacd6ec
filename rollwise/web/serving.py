"""The server: its socket, its settings for uvicorn, and the printed address."""

from __future__ import annotations

import errno
import io
import logging
import os
import shutil
import socket
import sys
import webbrowser
from contextlib import suppress
from typing import Any, TextIO

import segno
import uvicorn

from rollwise.solutions.lookup import evict_solutions
from rollwise.solver.model.errors import BadInput
from rollwise.text.screen import screen
from rollwise.web import limits
from rollwise.web.app import make_app
from rollwise.web.connections import TimedConnection
from rollwise.web.guard import ACCESS_LOG, bare_host
from rollwise.web.settings import ALL_INTERFACES, LOOPBACK, Settings

MAX_PORT = 65535
MAX_PORTS_TRIED = 50  # in search of a free one
SWITCH_INTERVAL_S = 0.001  # between switches of Python threads
QR_BORDER = 2  # in modules of the QR code
QR_INK = "\x1b[38;5;231;48;5;16m{}\x1b[0m"  # white on black, whatever the colours of the terminal


class PageServer(uvicorn.Server):
    """A server that ends its event streams first, and waits for no solve to store its progress if told twice to end."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Handle a signal to end."""
        super().handle_exit(sig, frame)
        if self.force_exit:
            self.servers[0].get_loop().call_soon_threadsafe(self.config.app.state.jobs.kill)  # type: ignore[union-attr]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the server."""
        self.config.app.state.jobs.end_events()  # type: ignore[union-attr]
        await super().shutdown(sockets)


def serve(settings: Settings, *, open_page: bool = False) -> None:
    """Serve until a signal ends it; raises BadInput if the address cannot be used."""
    for name in settings.allow_hosts:
        if bare_host(name) is None:
            raise BadInput(f"--allow-host is a name like dice.example.org, got '{name}'", field="allow-host")
    with open_listener(settings.host, settings.port) as listening:
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
        ACCESS_LOG.setLevel(logging.INFO)  # a line for each request, beside errors
        evict_solutions(settings.keep)
        server = PageServer(server_config(make_app(settings)))
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        print_address(settings, sys.stdout)
        if open_page:
            webbrowser.open(server_url(LOOPBACK if settings.host == ALL_INTERFACES else settings.host, settings.port))
        server.run(sockets=[listening])


def server_config(app: Any) -> uvicorn.Config:
    """Configuration of uvicorn for an application."""
    return uvicorn.Config(
        app,
        http=TimedConnection,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        log_level="error",  # no warnings of clients that do not speak HTTP
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=limits.LISTEN_BACKLOG,
        timeout_graceful_shutdown=limits.SHUTDOWN_TIMEOUT_S,
        h11_max_incomplete_event_size=limits.MAX_HEAD_BYTES,
    )


def open_listener(host: str, port: int) -> socket.socket:
    """Open a listening socket; raises BadInput, with the next free port if this one is taken."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
    except (socket.gaierror, UnicodeError):
        raise BadInput(f"there is no address '{host}'", field="host") from None
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        made = socket.create_server((host, port), family=family, backlog=limits.LISTEN_BACKLOG, dualstack_ipv6=both)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            free = next_free_port(host, port)
            hint = f"rollwise serve --port {free}" if free else ""
            raise BadInput(f"port {port} is taken", hint=hint, field="port") from None
        if error.errno == errno.EACCES:
            raise BadInput(f"you have no permission to use port {port}", field="port") from None
        raise BadInput(f"the server cannot listen at {host}: {os.strerror(error.errno or 0)}", field="host") from None
    listening = socket.socket(fileno=made.detach())  # which knows its protocol: else asyncio does not set TCP_NODELAY
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # on Linux; connections inherit it
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * limits.UNREAD_TIMEOUT_S)
    return listening


def next_free_port(host: str, port: int) -> int | None:
    """The next free port; None if there is none near."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for other in range(port + 1, min(port + MAX_PORTS_TRIED, MAX_PORT) + 1):
        with suppress(OSError):
            socket.create_server((host, other), family=family).close()
            return other
    return None


# --- the printed address ----------------------------------------------------------------------------------------------


def server_url(host: str, port: int) -> str:
    """URL of a host and port.

    >>> server_url("127.0.0.1", 8606), server_url("::1", 8606)
    ('http://127.0.0.1:8606', 'http://[::1]:8606')
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def print_address(settings: Settings, stream: TextIO) -> None:
    """Print the address; with ``--lan`` also as a QR code, if the terminal has room for it."""
    reached = server_url(_reachable_host(settings.host), settings.port)
    print(reached, file=stream)
    if settings.lan and stream.isatty():
        on, size = screen(stream), shutil.get_terminal_size()
        lines = qr_lines(reached)
        if on.marks and len(lines[0]) <= size.columns and len(lines) + 2 <= size.lines:
            print("\n".join(QR_INK.format(line) if on.color else line for line in lines), file=stream)
    stream.flush()


def _reachable_host(host: str) -> str:
    """Address by which other devices reach this server."""
    if host != ALL_INTERFACES:
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(("192.0.2.1", 9))  # nothing is sent: only the route is looked up
        except OSError:  # no network
            return LOOPBACK
        return str(way.getsockname()[0])


def qr_lines(page: str) -> list[str]:
    """A QR code in half blocks."""
    blocks = io.StringIO()
    segno.make(page, error="l", micro=False).terminal(out=blocks, border=QR_BORDER, compact=True)
    return blocks.getvalue().splitlines()
