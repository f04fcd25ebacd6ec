"""A server of our own on this machine, and hostile requests: heads, bodies, paths and JSON that nobody should send."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from scripts.faults.asking import scratch
from scripts.faults.children import FRESH, limit
from scripts.faults.counting import HANGS, LOST, TRACEBACKS, WRONG, Counts

FULL, QUICK = 3000, 150
HOST = "127.0.0.1"
SECONDS = 15.0
ASKED: dict[str, Any] = {"game": "pig", "params": {"target": 12}, "state": {"mine": 4, "theirs": 5, "turn": 6}}
POSTS = ("ask", "outcomes", "why", "solve", "export", "review", "throw", "plan", "jobs", "x")
PATHS = ["/", "/pig", "/play/pig", "/review", "/api/games", "/api/rules/pig", "/api/plan/pig", "/api/jobs/1/events"]
PATHS += ["/static/../../x", "/%2e%2e/%2e%2e/etc/passwd", "//x//", "/\x7f", "/%00", "/" + "a" * 9000, "/é", "*", "x:y"]
QUERIES = ["", "?", "?mine=", "?p.target=12&mine=4", "?p.target=1e9", "?mine=%00", "?mine=%1b[2J", "?%ff=%ff", "?a" * 999]
QUERIES += ["?mine=" + "9" * 5000, "?p.target=30&p.target=40", "?turn=<script>", "?resume=1&record=[]", "?" + "&x=1" * 2000]
METHODS = ["GET"] * 4 + ["POST"] * 4 + ["PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "X" * 300, "\x00"]
HEADS = ["", "Host: evil.example\r\n", "Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n", "Cookie: \xff\r\n"]
HEADS += ["Content-Length: -1\r\n", "Content-Length: x\r\n", "Content-Length: 99999999999\r\n", "X: " + "y" * 20_000 + "\r\n"]
HEADS += ["Transfer-Encoding: chunked\r\n", "Expect: 100-continue\r\n", "Upgrade: websocket\r\n", "no head\r\n", "Host:\r\n"]
HEADS += ["Content-Encoding: gzip\r\n", "Range: bytes=0-,0-,0-\r\n", "Accept-Language: " + "x," * 999 + "\r\n"]
ODD: list[Any] = [None, True, -1, 1.5, 10**30, "", "x", "\x00", "\x1b[2J", "9" * 3000, [], [[]], {}, {"x": {}}, "x" * 50_000]
ODD += [[1] * 2000, {str(n): n for n in range(300)}, "../x", "<script>", "\ud800", ["pig\nA: " + " ".join("5" * 500)]]
NAMES = ("game", "params", "state", "move", "record", "text", "dice", "seed", "format", "each", "anyway", "x", "grades")


def body(draw: Random) -> bytes:
    """JSON of a question with something else in it, or none."""
    asked = json.loads(json.dumps(ASKED))
    for _ in range(draw.randint(1, 3)):
        inside = draw.choice([asked, asked, asked.get("state"), asked.get("params")])
        if isinstance(inside, dict):
            inside[draw.choice([*inside, *NAMES])] = draw.choice(ODD)
    text = json.dumps(asked).encode()
    if draw.random() < 0.2:
        start = draw.randrange(len(text))
        text = text[:start] + draw.choice([b"\xff", b"[" * 5000, b"\0", b"NaN", b"1e999", b""]) + text[start + 2 :]
    return draw.choice([text] * 8 + [b"", b"x" * 1_100_000, draw.randbytes(200)])


def request(draw: Random) -> bytes:
    """A whole request, or what looks like one."""
    if draw.random() < 0.05:
        return draw.randbytes(draw.randint(1, 300)) + b"\r\n\r\n"
    method, sent = draw.choice(METHODS), body(draw)
    path = f"/api/{draw.choice(POSTS)}" if draw.random() < 0.6 else draw.choice(PATHS) + draw.choice(QUERIES)
    host = "" if draw.random() < 0.05 else f"Host: {HOST}\r\n"
    kind = draw.choice(["application/json"] * 6 + ["text/plain", "application/x-www-form-urlencoded", ""])
    odd = draw.choice(HEADS) if draw.random() < 0.3 else ""
    version = draw.choice(["HTTP/1.1"] * 9 + ["HTTP/1.0", "HTTP/9", ""])
    head = f"{method} {path} {version}\r\n{host}{odd}Content-Type: {kind}\r\nContent-Length: {len(sent)}\r\n"
    return f"{head}Connection: close\r\n\r\n".encode("latin-1", "replace") + sent


def answered(port: int, sent: bytes) -> bytes:
    """What comes until the server hangs up; raises TimeoutError."""
    with socket.create_connection((HOST, port), timeout=SECONDS) as line:
        with suppress(OSError):  # it has heard enough
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
        found = b""
        with suppress(ConnectionError):
            while piece := line.recv(65536):
                found += piece
        return found


@contextmanager
def server(folder: Path) -> Iterator[tuple[int, Path, subprocess.Popen[bytes]]]:
    """A server of our own, ended by its number: its port, what it has said, and its process."""
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    log = folder / "log"
    with log.open("wb") as said:
        process = subprocess.Popen(
            [*FRESH, "serve", "--port", str(port)], stdout=said, stderr=said, env=dict(os.environ), preexec_fn=limit
        )
        try:
            for _ in range(600):
                with suppress(OSError):
                    socket.create_connection((HOST, port)).close()
                    break
                time.sleep(0.1)
            yield port, log, process
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def run(times: int, draw: Random) -> Counts:
    """Send so many."""
    counts = Counts("requests")
    text = json.dumps(ASKED)
    good = f"POST /api/ask HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nConnection: close\r\n"
    known = f"{good}Content-Length: {len(text)}\r\n\r\n{text}".encode()
    with scratch("requests") as folder, server(folder) as (port, log, process):
        while b" 202 " in (right := answered(port, known))[:20]:
            time.sleep(0.2)
        said, size = "", 0
        for number in range(times):
            sent = request(draw)
            counts.tried += 1
            try:
                _look(answered(port, sent), sent, counts)
                if number % 50 == 0 and answered(port, known).partition(b"\r\n\r\n")[2] != right.partition(b"\r\n\r\n")[2]:
                    counts.add(WRONG, f"the same question is answered otherwise after {sent[:200]!r}")
            except TimeoutError:
                counts.add(HANGS, f"no answer to {sent[:300]!r}")
            except OSError as error:
                counts.add(LOST, f"{error!r} at {sent[:200]!r}")
            said, size = log.read_text(errors="replace")[size:], log.stat().st_size
            for trace in re.findall(r"Traceback .*?\n(?=\S)([^\n]*)", said, re.DOTALL):
                counts.add(TRACEBACKS, f"the server's log: {trace} near {sent[:300]!r}")
            if process.poll() is not None:
                counts.add(LOST, f"the server ended with code {process.returncode} at {sent[:300]!r}")
                break
    return counts


def _look(found: bytes, sent: bytes, counts: Counts) -> None:
    head, _, text = found.partition(b"\r\n\r\n")
    status = int(head.split()[1]) if head[9:12].isdigit() else 0
    if b"Traceback" in found or status == 500:
        counts.add(TRACEBACKS, f"{found[-300:]!r} for {sent[:300]!r}")
    elif status >= 400 and b"application/json" in head and text:
        told = json.loads(text)
        if "\n" in told.get("message", "\n") or len(told["message"]) > 900:
            counts.add(WRONG, f"{text[:300]!r} for {sent[:300]!r}")
    elif not 100 <= status < 600 and found:
        counts.add(WRONG, f"{found[:200]!r} for {sent[:300]!r}")
