"""See that the page of an installed rollwise comes up and answers, with what it needs beside it: python page_answers.py

It starts ``rollwise serve`` of this environment on a free port, asks for some places, and ends it. It needs nothing but
an installed rollwise, so it can be copied to where no checkout is.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request

ASKED = {  # a place, and what has to be in its answer
    "/": "<!doctype html>",
    "/static/rollwise.css": "--paper",
    "/static/vendor/htmx-2.0.11.min.js": "htmx",
    "/api/games": "shut-the-box",
    "/shut-the-box?roll=5,3": "Shut the Box",
}
PATIENCE = 60.0  # seconds: the first start of an environment compiles its bytecode


def main() -> None:
    """Start it, ask, end it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "rollwise", "serve", "--port", str(port)])
    try:
        _wait(port, server)
        for place, wanted in ASKED.items():
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{place}", timeout=PATIENCE) as answer:
                assert wanted in answer.read().decode(), f"{place} does not have {wanted!r}"
    finally:
        server.terminate()
        server.wait()
    print(f"the page answers: {', '.join(ASKED)}")


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    """Until it listens."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert server.poll() is None, f"the server ended with {server.returncode}"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nobody listens after {PATIENCE:.0f} s")


if __name__ == "__main__":
    main()
