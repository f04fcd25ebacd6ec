"""Connections of a server that listens: answers come at once, and nobody holds a place for ever."""

from __future__ import annotations

import asyncio
import socket
from asyncio import StreamReader as Reader, StreamWriter as Writer
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
from uvicorn.server import ServerState

from rollwise.web import limits, serving
from rollwise.web.connections import TimedConnection, connection_limit

pytestmark = pytest.mark.anyio
ASKED = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
SLOW = ASKED.replace(b"/ ", b"/slow ")
SHORT = [(b"content-length", b"2")]
LONG = 30  # seconds after which a test has failed


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Says ``ok``; in /slow later than any question is waited for, in /huge after more than is sent ahead."""
    if scope["path"] == "/slow":
        await asyncio.sleep(1.5 * limits.HEAD_TIMEOUT_S)
    huge = scope["path"] == "/huge"
    await send({"type": "http.response.start", "status": 200, "headers": [] if huge else SHORT})
    for _ in range(1000 if huge else 0):
        await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
    await send({"type": "http.response.body", "body": b"ok"})


class Server:
    """Such a server that listens, what it knows, and those who have opened a connection."""

    def __init__(self) -> None:
        self.config, self.state = serving.server_config(app), ServerState()
        self.config.timeout_keep_alive = LONG
        self.config.load()
        self.place = serving.open_listener("127.0.0.1", 0)
        self.writers: list[Writer] = []

    def made(self) -> TimedConnection:
        made = self.config.http_protocol_class(self.config, self.state, {})  # type: ignore[call-arg]
        assert isinstance(made, TimedConnection)
        return made

    async def opened(self, said: bytes = b"") -> tuple[Reader, Writer]:
        """A connection on which this is said."""
        reader, writer = await asyncio.open_connection(*self.place.getsockname())
        self.writers.append(writer)
        writer.write(said)
        return reader, writer

    async def asked(self, said: bytes = ASKED) -> Reader:
        """A connection on which this was asked and answered."""
        reader, _ = await self.opened(said)
        assert await answer(reader) == b"200 ok"
        return reader


@pytest.fixture
async def server(anyio_backend: str) -> AsyncIterator[Server]:
    """A server that listens, for so many seconds at most."""
    server = Server()
    listening = await asyncio.get_running_loop().create_server(server.made, sock=server.place)
    async with asyncio.timeout(LONG), listening:
        yield server
        for gone in (*server.writers, *server.state.connections):
            gone.transport.abort()
        for task in list(server.state.tasks):
            task.cancel()
        await become(lambda: not server.state.connections)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is short."""
    monkeypatch.setattr(limits, "HEAD_TIMEOUT_S", 0.2)
    monkeypatch.setattr(limits, "UNREAD_TIMEOUT_S", 1)


async def answer(reader: Reader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    return head.split(b" ")[1] + b" " + await reader.readexactly(2)


async def become(is_so: Callable[[], object]) -> None:
    """Wait for it."""
    while not is_so():
        await asyncio.sleep(0.01)


async def test_a_short_answer_is_sent_at_once(server: Server) -> None:
    """Without this, each answer on a connection that is kept would wait for the last one to be confirmed, 40 ms."""
    await server.asked()
    (connection,) = server.state.connections
    taken = connection.transport.get_extra_info("socket")
    assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


async def test_a_body_that_is_no_http_fails_nothing_whatever_was_answered_by_then(soon: None, server: Server) -> None:
    failed: list[Any] = []

    async def noted(*values: Any) -> None:
        try:
            await app(*values)
        except Exception as error:
            failed.append(error)
            raise

    asyncio.get_running_loop().set_exception_handler(lambda loop, context: failed.append(context))
    server.config.loaded_app = noted
    for head in (ASKED.replace(b"GET", b"HEAD"), ASKED.replace(b"GET / ", b"POST /slow ")):
        reader, _ = await server.opened(head[:-2] + b"Transfer-Encoding: chunked\r\n\r\n" + b"x" * 20_000)
        assert (await reader.read()).startswith((b"HTTP/1.1 400", b"HTTP/1.1 200"))
        await become(lambda: not server.state.tasks)
    assert failed == []


async def test_a_connection_that_asks_nothing_whole_is_closed_though_it_was_answered_before(
    soon: None, server: Server
) -> None:
    async def closed(before: bytes, said: bytes) -> None:
        reader, writer = await server.opened(before)
        assert not before or await answer(reader) == b"200 ok"
        writer.write(said)
        assert await reader.read() == b""

    halves = (b"", b"GET / HT", ASKED[:-2])
    await asyncio.gather(*(closed(b"", said) for said in halves), closed(ASKED, halves[1]))


async def test_drops_of_a_question_hold_no_connection(soon: None, server: Server) -> None:
    """Of its head, or of a body that nobody reads any more."""

    async def drip(writer: Writer) -> None:
        while True:
            writer.write(b"P")
            await asyncio.sleep(0.02)

    for said in (b"GET / HT", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n"):
        reader, writer = await server.opened(said)
        drops = asyncio.create_task(drip(writer))
        with suppress(ConnectionResetError):  # closed while another drop was on its way
            await reader.read()
        drops.cancel()


async def test_a_long_answer_is_waited_for(soon: None, server: Server) -> None:
    reader, writer = await server.opened(SLOW)
    assert await answer(reader) == b"200 ok"
    writer.write(ASKED + SLOW + ASKED)  # at once, without waiting
    assert [await answer(reader) for _ in range(3)] == [b"200 ok"] * 3


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux looks at the time of what is sent")
async def test_who_takes_nothing_of_an_answer_is_sent_it_no_longer(soon: None, server: Server) -> None:
    reader, writer = await server.opened(ASKED.replace(b"/ ", b"/huge "))
    await reader.readexactly(1)
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    await become(lambda: not server.state.connections)


async def test_those_who_ask_nothing_give_way_to_those_who_come(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TimedConnection, "most", 3)
    slow, _ = await server.opened(SLOW)
    await become(lambda: server.state.tasks)
    silent = [await server.opened(b"GET") for _ in range(5)]
    kept = await server.asked()
    for closed, _ in silent[:4]:
        assert await closed.read() == b""
    assert len(server.state.connections) == 3
    assert not slow.at_eof()
    together = await asyncio.gather(*(server.opened(b"GET") for _ in range(8)))
    assert await kept.read() == b""
    await become(lambda: sum(reader.at_eof() for reader, _ in together) == 6)
    assert len(server.state.connections) == 3


async def test_where_all_are_answered_a_further_one_is_closed(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TimedConnection, "most", 2)
    for n in range(2):
        await server.opened(SLOW)
        await become(lambda n=n: len(server.state.tasks) > n)  # type: ignore[misc]
    reader, _ = await server.opened()
    assert await reader.read() == b""
    assert len(server.state.connections) == 2


async def test_nothing_is_waited_for_where_nobody_is(server: Server) -> None:
    _, writer = await server.opened()
    await become(lambda: server.state.connections)
    (connection,) = server.state.connections
    assert isinstance(connection, TimedConnection)
    assert connection.timer is not None
    writer.transport.abort()
    await become(lambda: not server.state.connections)
    assert connection.timer is None


def test_connections_leave_files_for_other_things(monkeypatch: pytest.MonkeyPatch) -> None:
    resource, most = pytest.importorskip("resource"), limits.MAX_CONNECTIONS
    for files, n_connections in ((200, 66), (1024, 341), (10**6, most), (resource.RLIM_INFINITY, most)):
        monkeypatch.setattr(resource, "getrlimit", lambda which, files=files: (files, files))
        assert connection_limit() == n_connections


async def test_a_head_is_bounded_and_nobody_fills_the_log_with_advice(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """Upgrades and what is no HTTP are for the caller to mend, not for whoever runs the server."""
    await server.asked(ASKED[:-2] + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n")
    for said in (b"\0\0\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * (limits.MAX_HEAD_BYTES + 10)):
        reader, _ = await server.opened(said)
        assert b" 400 " in await reader.readline()
    assert not caplog.records
    assert (server.config.ws_protocol_class, server.config.proxy_headers) == (None, False)  # no caller is another
