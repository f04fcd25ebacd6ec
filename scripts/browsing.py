"""A page that is served and a browser that opens it: what the tests in a browser, the pictures and the timing share.

The server is a process of its own, on a free port of 127.0.0.1, and is ended by its own number. The browser is the
system's Chromium, or what ``ROLLWISE_CHROMIUM`` names, without a window and without anything that it would fetch.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright, ViewportSize

ROOT = Path(__file__).resolve().parents[1]
NAMED = "ROLLWISE_CHROMIUM"
ARGUMENTS = (  # --headless=new and others are playwright's own choice; these are what it does not say or may change
    "--headless=new",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
)
PHONE: ViewportSize = {"width": 320, "height": 640}
DESKTOP: ViewportSize = {"width": 1100, "height": 800}
PATIENCE = 60.0  # seconds until a server has to listen

Game = tuple[str, Mapping[str, Any]]


def chromium() -> str | None:
    """Where Chromium is; None where it is not."""
    return os.environ.get(NAMED) or shutil.which("chromium")


def missing() -> str | None:
    """Why no browser can be opened here; None where one can."""
    try:
        import playwright.sync_api  # noqa: F401
    except ModuleNotFoundError:
        return "playwright is not installed (it is in the extra 'test')"
    return None if chromium() else f"there is no chromium (apt-get install chromium, or {NAMED}=PATH)"


def opened(playwright: Playwright) -> Browser:
    """Chromium; its sandbox is left out for root only, whom it would refuse."""
    sandbox = os.name != "posix" or os.geteuid() != 0
    arguments = [*ARGUMENTS, *([] if sandbox else ["--no-sandbox"])]
    return playwright.chromium.launch(executable_path=chromium(), args=arguments, chromium_sandbox=sandbox)


def solve(games: list[Game], cache: Path) -> None:
    """Solve these games into a cache, in a process of its own."""
    program = "import json, sys, rollwise\nfor name, p in json.load(sys.stdin): rollwise.solve(name, params=p)"
    import json

    told = json.dumps([[name, dict(parameters)] for name, parameters in games])
    subprocess.run([sys.executable, "-c", program], input=told, text=True, env=_environment(cache), check=True)


class Server:
    """``rollwise serve`` in a process of its own, which can be ended and started again at the same address."""

    def __init__(self, cache: Path | None, options: Sequence[str] = ()) -> None:
        self.cache, self.options, self.port = cache, options, free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[Any] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "rollwise", "serve", "--port", str(self.port), *self.options]
        with tempfile.TemporaryFile("w+") as said:
            self.process = subprocess.Popen(
                command, env=_environment(self.cache), cwd=ROOT, stdout=said, stderr=subprocess.STDOUT
            )
            try:
                _wait_for(self.address, self.process)
            except ServerFailed as failed:
                self.stop()
                said.seek(0)
                raise ServerFailed(f"{failed}:\n{said.read()}") from None

    def stop(self) -> None:
        """End it, if it runs."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


@contextmanager
def served(cache: Path | None = None, *options: str) -> Iterator[str]:
    """``rollwise serve`` with these options, and this cache or the user's: its address, while it runs."""
    server = Server(cache, options)
    server.start()
    try:
        yield server.address
    finally:
        server.stop()


class ServerFailed(RuntimeError):
    """The server did not come up."""


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wait_for(address: str, process: subprocess.Popen[Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ServerFailed(f"the server ended with {process.returncode}")
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=5):
                return
        except urllib.error.HTTPError:  # it answers, whatever
            return
        except OSError:
            time.sleep(0.1)
    raise ServerFailed(f"the server did not answer within {PATIENCE:.0f} s")


def _environment(cache: Path | None) -> dict[str, str]:
    own = {} if cache is None else {"ROLLWISE_CACHE": str(cache)}
    return {**os.environ, "PYTHONPATH": str(ROOT), **own}
