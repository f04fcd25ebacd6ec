"""What a cluster of this machine's own processes brings: python -m scripts.benched.spread [--killed]

Each sweep is solved here and by workers of one thread each, into an empty cache each time, with kernels compiled;
starting the workers does not count. ``--killed`` instead tells the log of a run in which a worker is killed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import tempfile
import threading
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rollwise.questions.sweep import compute as sweeping
from rollwise.solutions.transfer import TransferredEntry, solve_for_transfer

SWEEPS: dict[str, tuple[str, Any]] = {
    "Pig to 2 .. 41": ("pig", {"target": "2..41"}),
    "Pig to 200 .. 230": ("pig", {"target": "200..230..10"}),
    "Thunderstorm for 3 .. 7": ("", ["thunderstorm"]),
}
KILLED = ("pig", {"target": "300..350..10"})


def solve(what: tuple[str, Any], scheduler: str | None) -> list[Any]:
    """One of the sweeps."""
    game, params = what
    if game:
        return sweeping.sweep(game, params=params, scheduler=scheduler)
    return sweeping.solve_all(games=params, scheduler=scheduler, most_seconds=20.0)


def timed(what: tuple[str, Any], scheduler: str | None) -> tuple[float, float, int, int]:
    """Seconds, those of processor (the workers' too), the games that were solved, and the bytes kept of them."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ROLLWISE_CACHE"] = folder
        began, processor = time.monotonic(), _processor(scheduler)
        rows = solve(what, scheduler)
        took = time.monotonic() - began
        size = sum(path.stat().st_size for path in Path(folder).glob("*-*/*") if path.is_file())
        return took, _processor(scheduler) - processor, sum(row.state == "solved" for row in rows), size


def _processor(scheduler: str | None) -> float:
    if scheduler is None:
        return time.process_time()
    from distributed import Client

    with Client(scheduler, set_as_default=False) as client:
        there = client.run(eval, "__import__('time').process_time()")
    return time.process_time() + float(sum(there.values()))


def machines(many: int) -> Any:
    """Processes of one thread each, and their scheduler."""
    from distributed import LocalCluster

    env = {"ROLLWISE_WORKERS": "1", "ROLLWISE_CACHE": tempfile.mkdtemp()}
    return LocalCluster(n_workers=many, threads_per_worker=1, dashboard_address="127.0.0.1:0", env=env)


def told(file: str, name: str, parameters: Mapping[str, Any]) -> TransferredEntry:
    """Solve it, and tell a file when that begins and ends."""
    for word in ("begins", "is done"):
        came = solve_for_transfer(name, parameters) if word == "is done" else None
        with Path(file).open("a") as log:
            log.write(f"{time.time()} {os.getpid()} {parameters['target']} {word}\n")
    assert came is not None
    return came


def killed() -> None:
    """A run in which the worker that begins the third task is killed at once, and what is kept after it."""
    found = []
    for scheduled in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["ROLLWISE_CACHE"] = folder
            if scheduled:
                log = Path(folder, "log")
                log.touch()
                vars(sweeping)["solve_for_transfer"] = partial(told, str(log))
                with machines(2) as cluster:
                    began = time.time()
                    threading.Thread(target=_kill_third, args=(log,), daemon=True).start()
                    rows = sweeping.sweep(KILLED[0], params=KILLED[1], scheduler=cluster.scheduler_address)
                for line in log.read_text().splitlines():
                    at, pid, rest = line.split(maxsplit=2)
                    print(f"{float(at) - began:6.2f} s  process {pid}  {rest}")
            else:
                rows = sweeping.sweep(KILLED[0], params=KILLED[1])
            arrays = sorted(Path(folder).glob("pig-*/*.npy"))
            digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in arrays]
            found.append(([row.value for row in rows], digests))
            digest = hashlib.sha256("".join(digests).encode()).hexdigest()[:16]
            print(f"{len(rows)} games, {len(arrays)} files, sha256 of all of them {digest}")
    print("the same to the last bit" if found[0] == found[1] else "NOT the same")


def _kill_third(log: Path) -> None:
    while True:
        begun = [line.split() for line in log.read_text().splitlines() if line.endswith("begins")]
        if len(begun) >= 3:
            os.kill(int(begun[2][1]), signal.SIGKILL)
            with log.open("a") as file:
                file.write(f"{time.time()} {begun[2][1]} is killed\n")
            return
        time.sleep(0.02)


def main() -> None:
    """Measure, a line for each sweep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--killed", action="store_true")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    if given.killed:
        killed()
        return
    print(
        "| sweep | games | kept | here | 2 processes | 4 processes |\n| :-- | --: | --: | --: | --: | --: |", flush=True
    )
    for name, what in SWEEPS.items():
        if given.only not in name:
            continue
        timed(what, None)  # kernels and turns are there from here on
        here, processor, many, size = timed(what, None)
        cells = [f"{here:.1f} s, {processor:.1f} s"]
        for processes in (2, 4):
            with machines(processes) as cluster:
                timed(what, cluster.scheduler_address)  # workers have loaded their kernels
                took, processor, *_ = timed(what, cluster.scheduler_address)
            cells.append(f"{took:.1f} s, {processor:.1f} s: {here / took:.2f}x")
        print(f"| {name} | {many} | {size / 1e6:.1f} MB | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
