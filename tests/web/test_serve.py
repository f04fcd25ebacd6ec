"""``rollwise serve``: the address it says, the ports it takes, and how it ends."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.request import Request, urlopen

import pytest
import segno
from starlette.testclient import TestClient

from rollwise.solver.model.errors import BadInput
from rollwise.web import serving
from rollwise.web.app import make_app
from rollwise.web.processes import child_environment
from rollwise.web.settings import Settings
from tests.web.solves import PATIENCE, SLOW, fake

ROOT = Path(__file__).parents[2]
Said = Callable[..., str]


OPTIONS = (
    "--port 9000 --host ::1 --open --allow-host a.b --allow-host c --allow-solve none --log-states --keep '1.5 gb'"
)
HEARD = Settings("::1", 9000, False, ("a.b", "c"), "none", log_states=True, keep=1_500_000_000)


def test_every_option_is_heard(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    serve = Mock()
    monkeypatch.setattr(serving, "serve", serve)
    for options, settings in (
        ("", Settings("127.0.0.1", 8606, allow_solve="small")),  # this machine alone unless told otherwise
        (OPTIONS, HEARD),
        ("--lan", Settings("0.0.0.0", lan=True)),
    ):
        said(f"serve {options}")
        serve.assert_called_with(settings, open_page="--open" in options)
    monkeypatch.setenv("ROLLWISE_CACHE_LIMIT", "2GB")
    said("serve --keep 5GB")
    assert child_environment()["ROLLWISE_CACHE_LIMIT"] == "5GB"  # who solves for it keeps to that too


REFUSED = {
    "--allow-solve some": "--allow-solve is one of none, small, all, got 'some'",
    **{f"--keep {size}": f"--keep is a size like 2GB, 500MB or 0, got '{size}'" for size in ("2", "-1GB", "2GiB")},
    "--lan --host 1.2.3.4": "--lan listens at every address; leave out --host",
    **{f"--port {port}": f"{port} is not in the range" for port in (0, 65536)},
    "--allow-host a/b": "--allow-host is a name like dice.example.org, got 'a/b'",
    "--host 203.0.113.1": "the server cannot listen at 203.0.113.1: Cannot assign requested address",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_is_refused_in_one_line(said: Said, words: str) -> None:
    assert len(said(f"serve {words}", REFUSED[words], code=2).splitlines()) <= 2


def test_missing_packages_are_told_with_how_to_get_them(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "rollwise.web.serving", raising=False)
    monkeypatch.setitem(sys.modules, "segno", None)
    first, second = said("serve", code=2).splitlines()
    assert first == "error: the page needs further packages (segno is missing)"
    assert second == 'hint: pip install "rollwise[web]"'


def test_a_port_that_is_taken_is_told_with_the_next_free_one(said: Said) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        taken = listening.getsockname()[1]
        first, second = said(f"serve --port {taken}", code=2).splitlines()
        assert first == f"error: port {taken} is taken"
        free = int(second.removeprefix("hint: rollwise serve --port "))
        assert taken < free <= taken + serving.MAX_PORTS_TRIED
        serving.open_listener("127.0.0.1", free).close()
        assert serving.next_free_port("127.0.0.1", taken - 1) not in (None, taken)  # it looks beyond those taken


def test_what_the_system_refuses_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "bind", Mock(side_effect=PermissionError(13, "Permission denied")))
    with pytest.raises(BadInput, match="no permission to use port 80"):
        serving.open_listener("localhost", 80)
    monkeypatch.setattr(socket, "getaddrinfo", Mock(side_effect=socket.gaierror()))
    with pytest.raises(BadInput, match="there is no address 'localhost'"):
        serving.open_listener("localhost", 80)


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_the_address_is_said_in_one_line() -> None:
    for host, said in (("127.0.0.1", "http://127.0.0.1:80\n"), ("::1", "http://[::1]:80\n")):
        out = Terminal()
        serving.print_address(Settings(host, 80), out)
        assert out.getvalue() == said
    assert serving._reachable_host("0.0.0.0") != "0.0.0.0"  # which is a name for everything


@pytest.mark.parametrize("color", [True, False])
def test_phones_get_a_code_where_there_is_room(monkeypatch: pytest.MonkeyPatch, color: bool) -> None:
    monkeypatch.setattr(serving, "_reachable_host", lambda host: "192.168.1.20")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR" if color else "NO_COLOR", "1")

    def shown(columns: int, lines: int, out: io.StringIO) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("LINES", str(lines))
        serving.print_address(Settings("0.0.0.0", 8606, lan=True), out)
        return out.getvalue().splitlines()

    first, *code = shown(80, 40, Terminal())
    assert first == "http://192.168.1.20:8606"
    size = len(serving.qr_lines(first))
    assert len(code) == size
    assert all(line.startswith("\x1b[38;5;231;48;5;16m") == color for line in code)
    for columns, lines, out in ((20, 40, Terminal()), (80, size, Terminal()), (80, 40, io.StringIO())):
        assert len(shown(columns, lines, out)) == 1


def test_a_code_says_the_address() -> None:
    """The very modules that the library draws for this address."""
    lines = serving.qr_lines("http://192.168.1.20:8606")
    rows = [row for line in lines for row in ([sign in "█▀" for sign in line], [sign in "█▄" for sign in line])]
    made = segno.make("http://192.168.1.20:8606", error="l", micro=False)
    wanted = [[not module for module in row] for row in made.matrix_iter(border=serving.QR_BORDER)]
    assert rows[: len(wanted)] == wanted


def test_nothing_is_told_to_a_collector_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    with TestClient(make_app()):
        assert "telemetry" not in caplog.text  # where its packages are missing, trying to is a warning


def asked(url: str, body: Any = None) -> Any:
    """What a server answers."""
    data = None if body is None else json.dumps(body).encode()
    return urlopen(Request(url, data=data, headers={"Content-Type": "application/json"}), timeout=20)


HEARING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # Ctrl-C is heard even where the tests do not hear it
from rollwise.web import jobs
jobs.CHILD = (sys.executable, "-IS", "-c", "import time; time.sleep(60)")
from rollwise.cli import main
main()
"""


@pytest.mark.usefixtures("own_cache")
def test_it_serves_and_ends_at_ctrl_c_though_somebody_listens_and_something_is_solved() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    command = [sys.executable, "-c", HEARING, "serve", "--port", str(port)]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            assert address == f"http://127.0.0.1:{port}"
            with asked(f"{address}/healthz") as found:
                assert "server" not in found.headers
            with asked(f"{address}/api/solve", {"game": "pig", "params": {"target": 5}}) as begun:
                job = json.load(begun)["job"]
            with asked(f"{address}/api/jobs/{job}/events") as stream:
                assert stream.readline() == b"event: share\n"
                server.send_signal(signal.SIGINT)
                out, err = server.communicate(timeout=30)
                assert set(re.findall(rb"event: (\w+)", stream.read())) <= {b"share"}  # the stream ends whole
        finally:
            server.kill()
    *log, last = err.splitlines()
    assert (server.returncode, out, last) == (1, "", "stopped")
    paths = [("GET", "/healthz", "200"), ("POST", "/api/solve", "202"), ("GET", f"/api/jobs/{job}/events", "200")]
    assert [tuple(line.split()[1:4]) for line in log] == paths


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGINT, signal.SIGINT]])
@pytest.mark.usefixtures("own_cache")
def test_it_ends_when_it_is_told_to_and_at_once_when_told_twice(
    signals: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Told twice, uvicorn leaves out what is done at the end; and nothing that listens to a solve holds it up."""
    app = make_app()
    app.state.jobs.command = fake(SLOW, tmp_path / "process")
    server = serving.PageServer(serving.server_config(app))
    with serving.open_listener("127.0.0.1", 0) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        with asked(f"{address}/api/solve", {"game": "pig", "params": {"target": 5}}) as begun:
            job = json.load(begun)["job"]
        with asked(f"{address}/api/jobs/{job}/events") as stream:
            while b'"share": 0.25' not in stream.readline():
                pass
        with socket.create_connection(listening.getsockname()) as silent:
            silent.sendall(b"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")  # is waited for
            for number in signals:
                server.handle_exit(number, None)
            thread.join(PATIENCE)
    assert not thread.is_alive()
    assert app.state.jobs.get(job).state == "cancelled"
    assert (tmp_path / "process.kept").exists() == (len(signals) == 1)
