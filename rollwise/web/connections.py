"""Connections: so many at once, and none for ever that asks nothing.

A proxy can see to that, but none stands before ``rollwise serve --lan``, and uvicorn's settings do not: with them
``timeout_keep_alive`` begins after an answer alone, so that whoever never asks, or asks by drops, stays; and
``limit_concurrency`` refuses those who come, instead of closing those who ask nothing.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from operator import itemgetter

from h11 import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 20.0  # seconds for the head of a request to come whole
MOST = 800
OTHER_FILES = 3  # one in so many files that may be open is a connection; a table that is sent is a file too


def most_connections() -> int:
    """How many there may be, with files to spare for everything else."""
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows
        return MOST
    files, _ = getrlimit(RLIMIT_NOFILE)
    return MOST if files < 0 else min(MOST, files // OTHER_FILES)  # below 0: as many as anybody likes


class Patient(H11Protocol):
    """A connection that is closed unless a question comes in good time, each time one is waited for.

    While an answer is under way it is the guard who looks at the time. Where there are too many, the one that has kept
    the server waiting longest for a question is closed; where all have asked something, the new one.
    """

    most = most_connections()
    waiting: asyncio.TimerHandle | None = None  # closes it; None while a question is answered

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there."""
        super().connection_made(transport)
        self._look()
        if len(self.connections) > self.most:
            self._longest_waiting().give_up()

    def data_received(self, data: bytes) -> None:
        """A piece of a request."""
        super().data_received(data)
        self._look()

    def send_400_response(self, msg: str) -> None:
        """What came is no HTTP: that is said if it still can be, and no answer follows; then the connection closes."""
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        with suppress(LocalProtocolError):  # to HEAD, or behind an answer, nothing can be said
            super().send_400_response(msg)
        self.transport.close()

    def on_response_complete(self) -> None:
        """An answer is sent."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Close it, once what was answered before is sent."""
        self.connections.discard(self)  # now, or the next that comes would find it here again
        self.transport.close()

    def _look(self) -> None:
        """Begin to wait where a question is to come, once for all pieces of it."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait_no_more()
        elif self.waiting is None:
            self.waiting = self.loop.call_later(PATIENCE, self.give_up)

    def _wait_no_more(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    def _longest_waiting(self) -> Patient:
        silent = [(one.waiting.when(), one) for one in self.connections if isinstance(one, Patient) and one.waiting]
        return min(silent, key=itemgetter(0))[1]
