"""Connections of a server that listens: answers come at once, and nobody holds a place for ever."""

from __future__ import annotations

import asyncio
import socket
from asyncio import StreamReader as Reader
from asyncio import StreamWriter as Writer
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from uvicorn.server import ServerState

from rollwise.web import connections, serving
from rollwise.web.connections import Patient, most_connections

ASKED = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
SHORT = [(b"content-length", b"2")]
LONG = 30  # seconds after which a test has failed


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Says ``ok``; in /slow later than any question is waited for, in /huge after more than is sent ahead."""
    if scope["path"] == "/slow":
        await asyncio.sleep(1.5 * connections.PATIENCE)
    huge = scope["path"] == "/huge"
    await send({"type": "http.response.start", "status": 200, "headers": [] if huge else SHORT})
    for _ in range(1000 if huge else 0):
        await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
    await send({"type": "http.response.body", "body": b"ok"})


class Server:
    """Such a server that listens, what it knows, and those who have opened a connection."""

    def __init__(self) -> None:
        self.config, self.state = serving.configured(app), ServerState()
        self.config.timeout_keep_alive = LONG
        self.config.load()
        self.place = serving.listener("127.0.0.1", 0)
        self.writers: list[Writer] = []

    def made(self) -> Patient:
        made = self.config.http_protocol_class(self.config, self.state, {})  # type: ignore[call-arg]
        assert isinstance(made, Patient)
        return made

    async def opened(self, said: bytes = b"") -> tuple[Reader, Writer]:
        """A connection on which this is said."""
        reader, writer = await asyncio.open_connection(*self.place.getsockname())
        self.writers.append(writer)
        writer.write(said)
        return reader, writer

    async def ends(self) -> None:
        """All are gone."""
        for writer in self.writers:
            writer.transport.abort()
        for connection in list(self.state.connections):
            connection.transport.abort()
        for task in list(self.state.tasks):
            task.cancel()
        await asyncio.sleep(0.01)


def run(talk: Callable[[Server], Awaitable[None]]) -> None:
    """Talk with a server."""

    async def whole() -> None:
        server = Server()
        listening = await asyncio.get_running_loop().create_server(server.made, sock=server.place)
        try:
            async with asyncio.timeout(LONG):
                await talk(server)
        finally:
            listening.close()
            await server.ends()

    asyncio.run(whole())


async def answer(reader: Reader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    return head.split(b" ")[1] + b" " + await reader.readexactly(2)


# --- at once ----------------------------------------------------------------------------------------------------------


def test_a_short_answer_is_sent_at_once() -> None:
    """Without this, each answer on a connection that is kept would wait for the last one to be confirmed, 40 ms."""

    async def talk(server: Server) -> None:
        reader, _ = await server.opened(ASKED)
        assert await answer(reader) == b"200 ok"
        (connection,) = server.state.connections
        taken = connection.transport.get_extra_info("socket")
        assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0

    run(talk)


# --- in time ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.5)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("said", [b"", b"GET / HT", ASKED[:-2]])
def test_a_connection_that_asks_nothing_whole_is_closed(said: bytes) -> None:
    async def talk(server: Server) -> None:
        reader, _ = await server.opened(said)
        assert await reader.read() == b""

    run(talk)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("said", [b"GET / HT", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n"])
def test_drops_of_a_question_hold_no_connection(said: bytes) -> None:
    """Of its head, or of a body that nobody reads any more."""

    async def talk(server: Server) -> None:
        reader, writer = await server.opened(said)

        async def drip() -> None:
            while True:
                writer.write(b"P")
                await asyncio.sleep(0.02)

        dripping = asyncio.create_task(drip())
        try:
            await reader.read()
        except ConnectionResetError:  # closed while another drop was on its way
            pass
        finally:
            dripping.cancel()

    run(talk)


@pytest.mark.usefixtures("short")
def test_a_connection_that_is_kept_is_closed_as_well() -> None:
    async def talk(server: Server) -> None:
        reader, writer = await server.opened(ASKED)
        assert await answer(reader) == b"200 ok"
        writer.write(b"GET / HT")
        assert await reader.read() == b""

    run(talk)


@pytest.mark.usefixtures("short")
def test_a_long_answer_is_waited_for() -> None:
    async def talk(server: Server) -> None:
        reader, writer = await server.opened(ASKED.replace(b"/ ", b"/slow "))
        assert await answer(reader) == b"200 ok"
        writer.write(ASKED)
        assert await answer(reader) == b"200 ok"
        writer.write(ASKED + ASKED.replace(b"/ ", b"/slow ") + ASKED)  # at once, without waiting
        assert [await answer(reader) for _ in range(3)] == [b"200 ok"] * 3

    run(talk)


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux looks at the time of what is sent")
def test_who_takes_nothing_of_an_answer_is_sent_it_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "UNREAD", 1)

    async def talk(server: Server) -> None:
        reader, writer = await server.opened(ASKED.replace(b"/ ", b"/huge "))
        await reader.readexactly(1)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        while server.state.connections:
            await asyncio.sleep(0.05)

    run(talk)


# --- so many ----------------------------------------------------------------------------------------------------------


def test_those_who_ask_nothing_give_way_to_those_who_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Patient, "most", 3)

    async def talk(server: Server) -> None:
        asks, _ = await server.opened(ASKED.replace(b"/ ", b"/slow "))
        while not server.state.tasks:
            await asyncio.sleep(0.01)
        silent = [await server.opened(b"GET") for _ in range(5)]
        reader, _ = await server.opened(ASKED)
        assert await answer(reader) == b"200 ok"
        for closed, _ in silent[:4]:
            assert await closed.read() == b""
        assert len(server.state.connections) == 3
        assert not asks.at_eof()

    run(talk)


def test_many_that_come_together_are_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Patient, "most", 3)

    async def talk(server: Server) -> None:
        opened = await asyncio.gather(*(server.opened(b"GET") for _ in range(8)))
        for reader, _ in opened:
            if len(server.state.connections) > 3:
                await reader.read()
        assert len(server.state.connections) == 3

    run(talk)


def test_a_connection_that_is_kept_gives_way_to_one_that_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Patient, "most", 1)

    async def talk(server: Server) -> None:
        kept, _ = await server.opened(ASKED)
        assert await answer(kept) == b"200 ok"
        reader, _ = await server.opened(ASKED)
        assert await answer(reader) == b"200 ok"
        assert await kept.read() == b""

    run(talk)


def test_nothing_is_waited_for_where_nobody_is() -> None:
    async def talk(server: Server) -> None:
        _, writer = await server.opened()
        while not server.state.connections:
            await asyncio.sleep(0.01)
        (connection,) = server.state.connections
        assert isinstance(connection, Patient)
        assert connection.waiting is not None
        writer.transport.abort()
        while server.state.connections:
            await asyncio.sleep(0.01)
        assert connection.waiting is None

    run(talk)


def test_a_head_is_bounded() -> None:
    async def talk(server: Server) -> None:
        reader, _ = await server.opened(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * (serving.MOST_OF_A_HEAD + 10))
        assert b" 400 " in await reader.readline()

    run(talk)


def test_no_other_protocol_is_spoken_and_no_caller_believed_to_be_another() -> None:
    config = serving.configured(app)
    config.load()
    assert (config.ws_protocol_class, config.proxy_headers) == (None, False)


def test_where_all_are_answered_a_further_one_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Patient, "most", 2)

    async def talk(server: Server) -> None:
        for n in range(2):
            await server.opened(ASKED.replace(b"/ ", b"/slow "))
            while len(server.state.tasks) <= n:
                await asyncio.sleep(0.01)
        reader, _ = await server.opened()
        assert await reader.read() == b""
        assert len(server.state.connections) == 2

    run(talk)


def test_connections_leave_files_for_other_things(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    for files, most in ((200, 66), (1024, 341), (10**6, connections.MOST), (resource.RLIM_INFINITY, connections.MOST)):
        monkeypatch.setattr(resource, "getrlimit", lambda which, files=files: (files, files))
        assert most_connections() == most


# --- what is said of it -----------------------------------------------------------------------------------------------


def test_nobody_fills_the_log_with_advice(caplog: pytest.LogCaptureFixture) -> None:
    """Upgrades and what is no HTTP are for the caller to mend, not for whoever runs the server."""
    upgrade = ASKED[:-2] + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"

    async def talk(server: Server) -> None:
        reader, _ = await server.opened(upgrade)
        assert await answer(reader) == b"200 ok"
        reader, _ = await server.opened(b"\0\0\r\n\r\n")
        assert b" 400 " in await reader.readline()

    run(talk)
    assert not caplog.records
