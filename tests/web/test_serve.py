"""``rollwise serve``: the address it says, the ports it takes, and how it ends."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rollwise.commands import serve as command
from rollwise.solver.game.errors import BadInput
from rollwise.web import serving, settings
from rollwise.web.settings import Settings, bytes_said

ROOT = Path(__file__).parents[2]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def taken() -> Iterator[int]:
    """A port at which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Settings, bool]]:
    """How the server was begun; nothing listens."""
    found: list[tuple[Settings, bool]] = []
    monkeypatch.setattr(serving, "serve", lambda settings, open_page: found.append((settings, open_page)))
    return found


# --- options ----------------------------------------------------------------------------------------------------------


def test_it_listens_to_this_machine_alone_unless_told_otherwise(run: Run, begun: list[Any]) -> None:
    assert run("serve")[0] == 0
    assert begun == [(Settings(), False)]
    assert (Settings().host, Settings().port, Settings().allow_solve) == ("127.0.0.1", 8606, "small")


def test_every_option_is_heard(run: Run, begun: list[Any]) -> None:
    words = "serve --port 9000 --host ::1 --open --allow-host a.b --allow-host c --allow-solve none --log-states --keep"
    assert run(*words.split(), "1.5 gb")[0] == 0
    hosts, size = ("a.b", "c"), 1_500_000_000
    assert begun == [(Settings("::1", 9000, False, hosts, "none", log_states=True, keep=size), True)]
    begun.clear()
    run("serve", "--lan")
    assert begun == [(Settings("0.0.0.0", lan=True), False)]


def test_the_command_and_the_settings_say_the_same() -> None:
    assert (command.PORT, command.HERE, command.ALLOWED) == (settings.PORT, settings.HERE, settings.ALLOWED)
    assert bytes_said(command.KEEP) == Settings().keep


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--allow-solve some", "--allow-solve is one of none, small, all, got 'some'"),
        *(
            (f"--keep {size}", f"--keep is a size like 2GB, 500MB or 0, got '{size}'")
            for size in ("2", "many", "-1GB", "2GiB")
        ),
        ("--lan --host 1.2.3.4", "--lan listens at every address; leave out --host"),
        ("--port 0", "0 is not in the range"),
        ("--port 65536", "65536 is not in the range"),
        ("--allow-host a/b", "--allow-host is a name like dice.example.org, got 'a/b'"),
        ("--host 203.0.113.1", "nobody can listen at 203.0.113.1"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(run: Run, words: str, said: str) -> None:
    code, out, err = run("serve", *words.split())
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) <= 2


def test_missing_packages_are_told_with_how_to_get_them(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "rollwise.web.serving", raising=False)
    monkeypatch.setitem(sys.modules, "segno", None)
    code, _, err = run("serve")
    assert code == 2
    assert err.splitlines() == [
        "error: the page needs further packages (segno is missing)",
        'hint: pip install "rollwise[web]"',
    ]


# --- ports ------------------------------------------------------------------------------------------------------------


def test_a_port_that_is_taken_is_told_with_the_next_free_one(run: Run, taken: int) -> None:
    code, out, err = run("serve", "--port", str(taken))
    assert (code, out) == (2, "")
    first, second = err.splitlines()
    assert first == f"error: port {taken} is taken"
    free = int(second.removeprefix("hint: rollwise serve --port "))
    assert taken < free <= taken + serving.LOOKED_AT
    serving.listener("127.0.0.1", free).close()


def test_a_free_port_is_looked_for_beyond_those_taken(taken: int) -> None:
    free = serving.next_free("127.0.0.1", taken - 1)
    assert free is not None
    assert free != taken


def test_an_address_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*asked: Any, **how: Any) -> Any:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    with pytest.raises(BadInput, match="there is no address 'nowhere'"):
        serving.listener("nowhere", 1)


def test_a_port_that_is_not_for_everybody_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(self: Any, place: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", forbidden)
    with pytest.raises(BadInput, match="port 80 is not for you"):
        serving.listener("127.0.0.1", 80)


# --- what is said first -----------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_the_address_is_said_in_one_line() -> None:
    for host, said in (("127.0.0.1", "http://127.0.0.1:80\n"), ("::1", "http://[::1]:80\n")):
        out = Terminal()
        serving.welcome(Settings(host, 80), out)
        assert out.getvalue() == said


@pytest.mark.parametrize("color", [True, False])
def test_phones_get_a_code_where_there_is_room(monkeypatch: pytest.MonkeyPatch, color: bool) -> None:
    monkeypatch.setattr(serving, "_reached", lambda host: "192.168.1.20")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR" if color else "NO_COLOR", "1")
    lan = Settings("0.0.0.0", 8606, lan=True)

    def shown(columns: int, lines: int, out: io.StringIO) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("LINES", str(lines))
        serving.welcome(lan, out)
        return out.getvalue().splitlines()

    first, *code = shown(80, 40, Terminal())
    assert first == "http://192.168.1.20:8606"
    size = len(serving.qr_lines(first))
    assert len(code) == size
    assert all(line.startswith("\x1b[38;5;231;48;5;16m") == color for line in code)
    assert len(shown(20, 40, Terminal())) == 1
    assert len(shown(80, size, Terminal())) == 1
    assert len(shown(80, 40, io.StringIO())) == 1


def test_a_code_says_the_address() -> None:
    """The very modules that the library draws for this address."""
    import segno

    lines = serving.qr_lines("http://192.168.1.20:8606")
    rows = [row for line in lines for row in ([sign in "█▀" for sign in line], [sign in "█▄" for sign in line])]
    made = segno.make("http://192.168.1.20:8606", error="l", micro=False)
    wanted = [[not module for module in row] for row in made.matrix_iter(border=serving.BORDER)]
    assert rows[: len(wanted)] == wanted


def test_the_address_in_the_network_is_no_name_for_everything() -> None:
    assert serving._reached("0.0.0.0") != "0.0.0.0"
    assert serving._reached("127.0.0.1") == "127.0.0.1"


# --- the whole --------------------------------------------------------------------------------------------------------


HEARING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # Ctrl-C is heard even where the tests do not hear it
from rollwise.cli import main
main()
"""


class Running:
    """A server in a process of its own."""

    def __init__(self, *words: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.port = listening.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, "-c", HEARING, "serve", "--port", str(self.port), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()

    def asked(self, path: str, body: Any = None) -> Any:
        """What it answers."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=data, headers=headers)
        return urllib.request.urlopen(request, timeout=20)

    def ended(self, sign: int) -> tuple[int, str, str, float]:
        """Exit code, what it said, and how long it took to end."""
        began = time.monotonic()
        self.process.send_signal(sign)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err, time.monotonic() - began


@pytest.mark.usefixtures("own_cache")
def test_it_serves_and_ends_at_ctrl_c_though_somebody_listens_and_something_is_solved() -> None:
    server = Running("--allow-solve", "all")
    try:
        assert server.said == f"http://127.0.0.1:{server.port}\n"
        with server.asked("/healthz") as found:
            assert "server" not in found.headers
        with server.asked("/api/solve", {"game": "sixzee"}) as begun:
            job = json.load(begun)["job"]
        with server.asked(f"/api/jobs/{job}/events") as stream:
            assert stream.readline() == b"event: share\n"
            code, out, err, _ = server.ended(signal.SIGINT)
            assert b"event: done" not in stream.read()
    finally:
        server.process.kill()
        server.process.communicate()
    *log, last = err.splitlines()
    assert (code, out, last) == (1, "", "stopped")
    assert [line.split()[1:4] for line in log] == [
        ["GET", "/healthz", "200"],
        ["POST", "/api/solve", "202"],
        ["GET", f"/api/jobs/{job}/events", "200"],
    ]


@pytest.mark.usefixtures("own_cache")
def test_it_ends_when_it_is_told_to() -> None:
    server = Running()
    try:
        with server.asked("/healthz"):
            pass
        code, _, err, _ = server.ended(signal.SIGTERM)
    finally:
        server.process.kill()
        server.process.communicate()
    assert code in (0, -signal.SIGTERM)
    assert "Traceback" not in err
