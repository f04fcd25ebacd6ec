"""Limits on connections: their number, and the time that each may stay without a request.

No proxy stands before ``rollwise serve --lan``. In uvicorn ``timeout_keep_alive`` begins only after an answer, so that
silent and slow clients stay, and ``limit_concurrency`` refuses new clients instead of closing idle ones.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from h11 import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol

from rollwise.web import limits


def connection_limit() -> int:
    """The largest number of connections that leaves enough open files for everything else."""
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows
        return limits.MAX_CONNECTIONS
    most = getrlimit(RLIMIT_NOFILE)[0] // limits.FILES_PER_CONNECTION
    return limits.MAX_CONNECTIONS if most < 0 else min(limits.MAX_CONNECTIONS, most)  # below 0: unlimited


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
        self._set_timer()
        if len(self.connections) > self.most:
            idle = [one for one in self.connections if isinstance(one, TimedConnection) and one.timer]
            min(idle, key=lambda one: one.timer.when() if one.timer else 0.0).close_idle()

    def data_received(self, data: bytes) -> None:
        """Feed a piece of a request."""
        super().data_received(data)
        self._set_timer()

    def on_response_complete(self) -> None:
        """Start the timer again after an answer."""
        super().on_response_complete()
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer of a closed connection."""
        self._set_timer(is_lost=True)
        super().connection_lost(exc)

    def _set_timer(self, *, is_lost: bool = False) -> None:
        """Have the timer run while a request is expected, once for all pieces of it."""
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self.timer is None and not (is_answering or is_lost):
            self.timer = self.loop.call_later(limits.HEAD_TIMEOUT_S, self.close_idle)
        elif self.timer is not None and (is_answering or is_lost):
            self.timer.cancel()
            self.timer = None

    def close_idle(self) -> None:
        """Close the connection once pending answers are sent."""
        self.connections.discard(self)  # now, or the next new connection would close it again
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Answer 400 to data that is no HTTP, if an answer can still be sent, and close the connection."""
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        with suppress(LocalProtocolError):  # to HEAD, or after an answer, none can be sent
            super().send_400_response(msg)
        self.transport.close()
