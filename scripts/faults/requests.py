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

from scripts.faults.children import FRESH, ROOT, limit, scratch
from scripts.faults.counting import HANGS, LOST, TRACEBACKS, WRONG, Counts
from scripts.faults.harms import changed, harmed, json_of

FULL, QUICK = 3000, 150
HOST = "127.0.0.1"
PAUSE, SECONDS = 0.7, 60.0
ASKED: dict[str, Any] = {"game": "pig", "params": {"target": 12}, "state": {"mine": 4, "theirs": 5, "turn": 6}}
RECORD = {"record": [{"rollwise": 1, "game": "pig", "parameters": {"target": 12}, "rules_version": 1, "seats": 2}]}
POSTS = ("ask", "outcomes", "why", "solve", "export", "review", "throw", "plan", "jobs", "x")
PATHS = ["/", "/pig", "/play/pig", "/review", "/api/games", "/api/rules/pig", "/api/plan/pig", "/api/jobs/1/events"]
PATHS += ["/static/../../x", "/%2e%2e/%2e%2e/etc/passwd", "//x//", "/\x7f", "/%00", "/" + "a" * 9000, "/é", "*", "x:y"]
QUERIES = ["", "?", "?mine=", "?p.target=12&mine=4", "?p.target=1e9", "?mine=%00", "?mine=%1b[2J", "?%ff=%ff"]
QUERIES += ["?mine=" + "9" * 5000, "?p.target=30&p.target=40", "?turn=<script>", "?record=[]", "?" + "&x=1" * 2000]
METHODS = ["GET"] * 4 + ["POST"] * 4 + ["PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "X" * 300, "\0"]
HEADS = ["Host: evil.example", "Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "Cookie: \xff", "Host:"]
HEADS += ["Content-Length: -1", "Content-Length: x", "Content-Length: 99999999999", "X: " + "y" * 20_000, "no head"]
HEADS += ["Transfer-Encoding: chunked", "Expect: 100-continue", "Upgrade: websocket", "Content-Encoding: gzip"]
HEADS += ["Range: bytes=0-,0-,0-", "Accept-Language: " + "x," * 999]
KINDS = ["application/json"] * 6 + ["text/plain", "application/x-www-form-urlencoded", ""]


def request(draw: Random) -> bytes:
    """A whole request, or what looks like one."""
    told: Any = draw.choice((ASKED, ASKED, RECORD))
    for _ in range(draw.randint(1, 3)):
        told = changed(told, draw)[1]
    body = draw.choice([json_of(told)] * 8 + [harmed(json_of(told), draw)[1]] * 2 + [b"", b"x" * 1_100_000])
    path = f"/api/{draw.choice(POSTS)}" if draw.random() < 0.6 else draw.choice(PATHS) + draw.choice(QUERIES)
    head = [f"{draw.choice(METHODS)} {path} {draw.choice(['HTTP/1.1'] * 9 + ['HTTP/1.0', 'HTTP/9', ''])}"]
    head += [f"Host: {HOST}"] * (draw.random() > 0.05) + [draw.choice(HEADS)] * (draw.random() < 0.3)
    head += [f"Content-Type: {draw.choice(KINDS)}", f"Content-Length: {len(body)}", "Connection: close", "", ""]
    whole = "\r\n".join(head).encode("latin-1", "replace") + body
    return draw.randbytes(99) + b"\r\n\r\n" if draw.random() < 0.05 else whole


def answered(port: int, sent: bytes, pause: float = PAUSE) -> bytes:
    """What comes until the server hangs up, which is told that no more will come; raises TimeoutError."""
    found = b""
    with socket.create_connection((HOST, port), timeout=pause) as line, suppress(ConnectionError):
        line.sendall(sent)  # the server may have heard enough before all is sent
        try:
            found = line.recv(65536)
        except TimeoutError:
            line.shutdown(socket.SHUT_WR)
        line.settimeout(SECONDS)
        while piece := line.recv(65536):
            found += piece
    return found


@contextmanager
def server(log: Path) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A server of our own, ended by its number: its port, and its process."""
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    words = [*FRESH, "serve", "--port", str(port)]
    with log.open("wb") as said:
        process = subprocess.Popen(words, stdout=said, stderr=said, env=dict(os.environ), cwd=ROOT, preexec_fn=limit)
        try:
            for _ in range(600):
                with suppress(OSError):
                    socket.create_connection((HOST, port)).close()
                    break
                time.sleep(0.1)
            yield port, process
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def run(times: int, draw: Random) -> Counts:
    """Send so many."""
    counts, text, size = Counts("requests"), json.dumps(ASKED), 0
    head = f"POST /api/ask HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nConnection: close\r\n"
    known = f"{head}Content-Length: {len(text)}\r\n\r\n{text}".encode()
    with scratch("requests") as folder, server(folder / "log") as (port, process):
        while (right := answered(port, known, SECONDS))[9:12] == b"202":
            time.sleep(0.2)
        for number in range(times):
            sent = request(draw)
            counts.tried += 1
            try:
                _look(answered(port, sent), sent, counts)
                if (
                    number % 50 == 0
                    and answered(port, known, SECONDS).split(b"\r\n\r\n")[1] != right.split(b"\r\n\r\n")[1]
                ):
                    counts.add(WRONG, f"a question is answered otherwise after {sent[:200]!r}")
            except OSError as error:
                counts.add(HANGS if isinstance(error, TimeoutError) else LOST, f"{error!r} at {sent[:300]!r}")
            said, size = (folder / "log").read_text(errors="replace")[size:], (folder / "log").stat().st_size
            for trace in re.findall(r"Traceback .*?\n(?=\S)([^\n]*)", said, re.DOTALL):
                counts.add(TRACEBACKS, f"the server's log has {trace} near {sent[:300]!r}")
            if process.poll() is not None:
                counts.add(LOST, f"the server ended with code {process.returncode} at {sent[:300]!r}")
                break
    return counts


def _look(found: bytes, sent: bytes, counts: Counts) -> None:
    head, _, text = found.partition(b"\r\n\r\n")
    status = int(head[9:12]) if head[9:12].isdigit() else 0
    if b"Traceback" in found or status == 500:
        counts.add(TRACEBACKS, f"{found[-300:]!r} for {sent[:300]!r}")
    elif found and not 100 <= status < 600:
        counts.add(WRONG, f"{found[:200]!r} for {sent[:300]!r}")
    elif status >= 400 and b"application/json" in head and text:
        counts.refuse(json.loads(text).get("message", ""), f"{sent[:300]!r}")
