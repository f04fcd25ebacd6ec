"""Limits on connections: their number, and the time that each may stay without a request.

No proxy stands before ``rollwise serve --lan``. In uvicorn ``timeout_keep_alive`` begins only after an answer, so that
silent and slow clients stay, and ``limit_concurrency`` refuses new clients instead of closing idle ones.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from operator import itemgetter

from h11 import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_TIMEOUT_S = 20.0  # for the head of a request to arrive whole
MAX_CONNECTIONS = 800
FILES_PER_CONNECTION = 3  # open files allowed for each connection; a table being sent is a file too


def connection_limit() -> int:
    """The largest number of connections that leaves enough open files for everything else."""
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows
        return MAX_CONNECTIONS
    files, _ = getrlimit(RLIMIT_NOFILE)
    return MAX_CONNECTIONS if files < 0 else min(MAX_CONNECTIONS, files // FILES_PER_CONNECTION)  # below 0: unlimited


class TimedConnection(H11Protocol):
    """A connection that closes unless its next request arrives in time.

    While an answer is under way the guard limits the time. Of too many connections the one that has been idle longest
    is closed; if none is idle, the new one.
    """

    most = connection_limit()
    timer: asyncio.TimerHandle | None = None  # closes the connection; None while a request is answered

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer; of too many connections close one."""
        super().connection_made(transport)
        self._start_timer()
        if len(self.connections) > self.most:
            self._longest_idle().close_idle()

    def data_received(self, data: bytes) -> None:
        """Feed a piece of a request."""
        super().data_received(data)
        self._start_timer()

    def send_400_response(self, msg: str) -> None:
        """Answer 400 to data that is no HTTP, if an answer can still be sent, and close the connection."""
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        with suppress(LocalProtocolError):  # to HEAD, or after an answer, none can be sent
            super().send_400_response(msg)
        self.transport.close()

    def on_response_complete(self) -> None:
        """Start the timer again after an answer."""
        super().on_response_complete()
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer of a closed connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def close_idle(self) -> None:
        """Close the connection once pending answers are sent."""
        self.connections.discard(self)  # now, or the next new connection would close it again
        self.transport.close()

    def _start_timer(self) -> None:
        """Start the timer while a request is expected, once for all pieces of it."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_timer()
        elif self.timer is None:
            self.timer = self.loop.call_later(HEAD_TIMEOUT_S, self.close_idle)

    def _stop_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _longest_idle(self) -> TimedConnection:
        silent = [(one.timer.when(), one) for one in self.connections if isinstance(one, TimedConnection) and one.timer]
        return min(silent, key=itemgetter(0))[1]
