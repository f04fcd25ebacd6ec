"""Ask a server on this machine as many people would: python scripts/load.py

It starts ``rollwise serve`` with a cache of its own, has six games solved in it, and then asks 2,000 questions over 50
connections, each of which asks once a second, while a slow solve runs as a job, five clients hang up in the middle of
their questions, and one sends what nobody should. Printed are how long answers took, what went wrong, and the memory of
the server before and after:

    a page of another site: 200, no solve
    meanwhile sixzee: running, 20 %
    the server has run 9.1 s, and waited 3.0 s for a processor that others had
    hostile 52  answered in 312 ms at most
    asks 2000  lost 0  errors 0  hung up 390  p50 4 ms  p95 24 ms  max 139 ms
    memory 83 MB before, 91 MB after

The exit code is 1 where an answer was lost or was an error. Nothing but this machine is asked, and never more than
``--most`` seconds long.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
HOST = "127.0.0.1"
ASKS = 2_000
CONNECTIONS = 50
EVERY = 1.0  # seconds between questions of one connection
MOST = 600.0  # seconds in all
HANGING_UP = 5
SLOW = {"game": "sixzee"}  # what is solved meanwhile
LONG = {"game": "pig", "state": {"mine": 60}}  # a table of some thousand rows
Question = dict[str, Any]
MIX: list[tuple[Question, dict[str, list[int]]]] = [  # questions, with values that are drawn for some of their fields
    ({"game": "pig"}, {"mine": [*range(90)], "theirs": [*range(90)], "turn": [*range(2, 10)]}),
    ({"game": "shut-the-box", "state": {"open": [1, 2, 3, 5, 8]}}, {}),
    ({"game": "sevens"}, {}),
    ({"game": "ten-thousand", "params": {"goal": 2000}}, {"mine": [0, 500, 1000], "dice": [6]}),
    ({"game": "mexico", "params": {"players": 3}}, {}),
    ({"game": "high-dice"}, {}),
]


GAME = {"rollwise": 1, "game": "pig", "parameters": {"target": 100}, "rules_version": 1, "seed": 1, "seats": 2}
PLAYED = {"thrown": [5], "seat": 0}
HERE = {"state": {"mine": 0, "theirs": 0, "turn": 0}, "seat": 0, "choice": "roll"}


def hostile() -> list[tuple[str, Question, int | None]]:
    """What nobody should send: path, body, and the status that must come; None: whoever sent it hangs up at once."""
    no_end = [GAME, {"result": [1, 0]}]
    odd = [[GAME, PLAYED | {"then": 5}], *([GAME | {"next": HERE | {"thrown": dice}}] for dice in (5, [[4], [4]]))]
    dice, turn = " ".join("5" * 900), " ".join("5" * 100)
    long = "pig\nA: " + " / ".join([dice] * 100)
    many = "pig\n" + f"A: {turn}\nA: {turn} / hold\n" * 400
    found: list[tuple[str, Question, int | None]] = [
        ("/api/throw", {"record": record}, 400) for record in (no_end, *odd)
    ]
    found += [("/api/review", {"record": record}, 400) for record in (no_end, *odd[:2])]
    found += [("/api/review", {"text": long}, 400), ("/api/review", {"text": "pig\nA: x" + " " * 150_000}, 400)]
    return [*found, *[("/api/review", {"text": many}, None)] * 3, ("/api/review", {"text": many}, 400)]


@dataclass
class Seen:
    """What came of the questions."""

    times: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    by_game: dict[str, list[float]] = field(default_factory=dict)
    lost: int = 0
    hung_up: int = 0
    wrong: list[str] = field(default_factory=list)
    hostile: list[float] = field(default_factory=list)  # how long each of those took


def questions(seed: int) -> Iterator[Question]:
    """Questions without end, the same for the same seed."""
    chance = random.Random(seed)
    while True:
        base, fields = chance.choice(MIX)
        drawn = {name: chance.choice(values) for name, values in fields.items()}
        yield {**base, "state": {**base.get("state", {}), **drawn}}


def request(path: str, body: Any) -> bytes:
    """A POST as it goes over the wire."""
    text = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and body of an answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    names = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return int(lines[0].split()[1]), await reader.readexactly(int(names["content-length"]))


async def posted(port: int, path: str, body: Any) -> tuple[int, Any]:
    """One question over a connection of its own."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write(request(path, body))
        status, told = await answer(reader)
        return status, json.loads(told)
    finally:
        writer.close()


async def one_connection(port: int, number: int, asks: int, seen: Seen) -> None:
    """Ask once a second; a question that takes longer is followed by the next at once."""
    asked = questions(number)
    await asyncio.sleep(EVERY * number / CONNECTIONS)
    reader, writer = await asyncio.open_connection(HOST, port)
    began = time.perf_counter()
    for turn in range(asks):
        await asyncio.sleep(max(0.0, began + turn * EVERY - time.perf_counter()))
        body = next(asked)
        sent = time.perf_counter()
        try:
            writer.write(request("/api/ask", body))
            await writer.drain()
            status, told = await asyncio.wait_for(answer(reader), 60)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            seen.lost += 1
            writer.close()
            reader, writer = await asyncio.open_connection(HOST, port)
            continue
        took = time.perf_counter() - sent
        seen.times.append(took)
        seen.by_game.setdefault(body["game"], []).append(took)
        seen.statuses[status] += 1
        if status != 200 and len(seen.wrong) < 5:
            seen.wrong.append(f"{status} {told[:200]!r} for {body}")
    writer.close()


async def one_that_hangs_up(port: int, number: int, over: asyncio.Event, seen: Seen) -> None:
    """Ask, and go in the middle of the question, before the answer or in the middle of that, again and again."""
    asked, chance = questions(1000 + number), random.Random(number)
    while not over.is_set():
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(HOST, port)
            whole, how = request("/api/ask", next(asked)), chance.choice(("question", "answer", "table"))
            if how == "table":
                whole = request("/api/export", LONG)
            writer.write(whole[: chance.choice((20, len(whole) - 5)) if how == "question" else len(whole)])
            if how == "table":
                await reader.readexactly(1000)
            await asyncio.sleep(chance.random() / 50)
            writer.transport.abort()
            seen.hung_up += 1
        await asyncio.sleep(EVERY / 2)


async def one_that_is_hostile(port: int, over: asyncio.Event, seen: Seen) -> None:
    """Send what nobody should, again and again: each is answered in words, or given up when its sender has gone."""
    while not over.is_set():
        for path, body, wanted in hostile():
            sent = time.perf_counter()
            try:
                status, told = await asyncio.wait_for(posted(port, path, body), 70 if wanted else 0.2)
                while status == 202 and wanted:  # it takes longer than a thread is held
                    status, told = await posted(port, path, body)
            except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
                if wanted:
                    seen.wrong.append(f"hostile: {error!r} for {path} {str(body)[:200]}")
                continue
            seen.hostile.append(time.perf_counter() - sent)
            if wanted and (status != wanted or not told.get("message")):
                seen.wrong.append(f"hostile: {status} {str(told)[:200]} for {path} {str(body)[:200]}")
            await asyncio.sleep(EVERY / 10)


async def solved(port: int) -> None:
    """Have the games of the mix solved."""
    for base, _ in MIX:
        while (await posted(port, "/api/ask", base))[0] in (202, 429):
            await asyncio.sleep(0.5)


async def cross_site(port: int) -> str:
    """A picture on a page of another site has the page of a game opened; what is wrong where that begins a solve."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        head = f"GET /pig?p.target=31 HTTP/1.1\r\nHost: {HOST}\r\nSec-Fetch-Site: cross-site\r\n\r\n"
        writer.write(head.encode())
        status, told = await asyncio.wait_for(answer(reader), 60)
    finally:
        writer.close()
    is_well = status == 200 and b"/pig/progress/" not in told
    print(f"a page of another site: {status}, {'no solve' if is_well else 'A SOLVE BEGAN'}")
    return "" if is_well else f"{status} for the page of another site: {told[:200]!r}"


async def load(port: int, asks: int, seen: Seen, process: int) -> tuple[int, int]:
    """All of it; the memory of the server before and after."""
    await solved(port)
    seen.wrong += filter(None, [await cross_site(port)])
    warm = Seen()
    await asyncio.gather(*(one_connection(port, number, 2, warm) for number in range(CONNECTIONS)))
    before = memory(process)
    status, job = await posted(port, "/api/solve", SLOW)
    if status not in (200, 202):
        raise SystemExit(f"the slow solve was not begun: {job}")
    over = asyncio.Event()
    hanging = [asyncio.create_task(one_that_hangs_up(port, number, over, seen)) for number in range(HANGING_UP)]
    hanging.append(asyncio.create_task(one_that_is_hostile(port, over, seen)))
    shares = [asks // CONNECTIONS + (number < asks % CONNECTIONS) for number in range(CONNECTIONS)]
    await asyncio.gather(*(one_connection(port, number, share, seen) for number, share in enumerate(shares)))
    over.set()
    await asyncio.gather(*hanging)
    status, job = await posted(port, "/api/solve", SLOW)
    how = f"{job['state']}, {100 * job['share']:.0f} %" if status == 202 else "solved"
    print(f"meanwhile {SLOW['game']}: {how}")
    return before, memory(process)


def memory(process: int) -> int:
    """Bytes that a process has in memory, 0 where nobody can say."""
    with suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def processor_time(process: int) -> tuple[float, float]:
    """Seconds for which the threads of a process have run, and for which they had to wait for a processor."""
    found = [0.0, 0.0]
    for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with suppress(OSError):
            for place, told in enumerate(thread.read_text().split()[:2]):
                found[place] += int(told) / 1e9
    return found[0], found[1]


@contextmanager
def served(cache: str, port: int) -> Iterator[int]:
    """A server with this cache: its process."""
    command = [sys.executable, "-m", "rollwise", "serve", "--port", str(port), "--allow-solve", "all"]
    environment = {**os.environ, "ROLLWISE_CACHE": cache, "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryFile("w+") as said:
        server = subprocess.Popen(command, env=environment, stdout=said, stderr=said, text=True)
        try:
            yield server.pid
        finally:
            server.terminate()
            server.wait(30)
            said.seek(0)
            failed = [line for line in said if "failed" in line or "Error" in line]
            print("".join(failed[:5]), end="")


async def up(port: int) -> None:
    """Wait until the server listens."""
    for _ in range(300):
        with suppress(OSError):
            _, writer = await asyncio.open_connection(HOST, port)
            writer.close()
            return
        await asyncio.sleep(0.1)
    raise SystemExit("the server did not come up")


def report(seen: Seen, before: int, after: int, as_json: bool) -> bool:
    """Print what came of it, in milliseconds and MB; was all of it well?"""
    times = sorted(seen.times) or [0.0]

    def at(share: float, among: list[float]) -> str:
        return f"{1000 * sorted(among)[min(len(among) - 1, int(share * len(among)))]:.0f} ms"

    errors = sum(count for status, count in seen.statuses.items() if status != 200)
    print(
        f"asks {len(seen.times)}  lost {seen.lost}  errors {errors}  hung up {seen.hung_up}  "
        f"p50 {at(0.5, times)}  p95 {at(0.95, times)}  max {at(1.0, times)}"
    )
    print(f"hostile {len(seen.hostile)}  answered in {at(1.0, seen.hostile or [0.0])} at most")
    for game, own in sorted(seen.by_game.items()):
        print(f"  {game:15} {len(own):5}  p50 {at(0.5, own)}  p95 {at(0.95, own)}")
    print(f"memory {before / 1e6:.0f} MB before, {after / 1e6:.0f} MB after")
    print("\n".join(seen.wrong), end="\n" if seen.wrong else "")
    if as_json:
        told = {"asks": len(seen.times), "lost": seen.lost, "errors": errors}
        taken = {"p50": 1000 * times[len(times) // 2], "p95": 1000 * times[int(0.95 * len(times))]}
        print(json.dumps(told | taken | {"before": before / 1e6, "after": after / 1e6}))
    return errors == 0 and seen.lost == 0 and not seen.wrong


async def all_of_it(port: int, process: int, asks: int, most: float, as_json: bool) -> bool:
    """Load the server, for so many seconds at most."""
    seen = Seen()
    await up(port)
    async with asyncio.timeout(most):
        before, after = await load(port, asks, seen, process)
    ran, waited = processor_time(process)
    print(f"the server has run {ran:.1f} s, and waited {waited:.1f} s for a processor that others had")
    return report(seen, before, after, as_json)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asks", type=int, default=ASKS, help="so many questions, at most 100,000")
    parser.add_argument("--port", type=int, default=8699)
    parser.add_argument("--cache", help="a cache folder; by default an empty one")
    parser.add_argument("--most", type=float, default=MOST, help="seconds after which it ends in any case")
    parser.add_argument("--json", action="store_true", help="a last line of JSON")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="rollwise-load-") as folder,
        served(given.cache or folder, given.port) as process,
    ):
        is_well = asyncio.run(all_of_it(given.port, process, min(given.asks, 100_000), given.most, given.json))
    sys.exit(0 if is_well else 1)


if __name__ == "__main__":
    main()
