"""Solves and exports killed at a random moment, some twice; then the same is asked again, and another thing written."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

from scripts.faults.children import Child, Ended, child, renew, scratch, tell, tell_all, tree, undisturbed
from scripts.faults.counting import LEFT, LOST, TRACEBACKS, WRONG, Counts

FULL, QUICK = 130, 8
EXPORTS = 0.23  # this part of them are exports
TWICE = 0.3
MINE = b"a line of the user's\n"
OTHER = "ask pig mine=1 -p target=4 --json"  # the next write
LINES = (  # of each sort of solve: a duel, alone, chances by seat, a forecast
    "ask pig mine=3 theirs=4 turn=5 -p target=16 --json",
    "ask shut-the-box open=1,2,3,4,5,6 roll=5,1 --json",
    "ask big-six --json",
    "forecast shut-the-box --json",
)
TABLES = ("pig.csv", "pig.jsonl", "parts/ --format parquet")


def tell_saving(line: str) -> Ended:
    """The command, with a checkpoint after every step."""
    from rollwise.solver.components import checkpoints

    checkpoints.INTERVAL_S = checkpoints.ONCE_INTERVAL_S = checkpoints.ONCE_FACTOR = 0
    return tell(line)


def tell_kept(line: str) -> Ended:
    """The command, which fails where it would have to solve."""
    from rollwise.solutions.lookup import cache_only

    with cache_only():
        return tell(line)


def run(times: int, draw: Random) -> Counts:
    """Kill so many."""
    counts = Counts("kills")
    with scratch("kills") as folder:
        right = undisturbed(folder, (*LINES, OTHER))
        exports = max(1, round(times * EXPORTS))
        seconds: dict[str, float] = {}
        for line in LINES:
            renew(folder / "cache", None)
            seconds[line] = _timed(tell_saving, line)
        for number in range(times - exports):
            line = LINES[number % len(LINES)]
            _solve(folder, line, seconds[line], right, draw, counts)
        renew(folder / "cache", folder / "clean")
        for number in range(exports):
            _export(folder, TABLES[number % len(TABLES)], draw, counts)
    return counts


def _timed(function: object, line: str) -> float:
    began = time.monotonic()
    child(function, line)  # type: ignore[arg-type]
    return time.monotonic() - began


def _killed(line: str, seconds: float) -> None:
    begun = Child(tell_saving, line)
    time.sleep(seconds)
    begun.kill()
    begun.end()


def _solve(folder: Path, line: str, most: float, right: dict[str, str], draw: Random, counts: Counts) -> None:
    cache, kept = folder / "cache", LINES[(LINES.index(line) + 1) % 3]
    renew(cache, None)
    child(tell, kept)
    for _ in range(1 + (draw.random() < TWICE)):
        _killed(line, draw.uniform(0, most))
    ended, lines = child(tell_all, (line, OTHER)), (line, OTHER)
    counts.tried += 1
    if ended.value is None:
        counts.judge(ended, f"{line}, killed and asked again")
    for asked, told in zip(lines, ended.value or (), strict=False):
        counts.judge(told, f"{asked}, after {line} was killed", right[asked])
    now = child(tell_kept, kept)
    if now.value is None or now.value.out != right[kept]:
        counts.add(LOST, f"{kept}, solved before {line} was killed: {now}")
    for path in sorted(tree(cache) - tree(folder / "clean")):
        counts.add(LEFT, f"{path}, after {line} was killed and asked again")


def _export(folder: Path, table: str, draw: Random, counts: Counts) -> None:
    """Kill one; the same export then writes what an undisturbed one does, and nothing lies about."""
    written, seconds, what = [], 0.0, f"export pig -p target=9 -o {table}"
    for name in ("whole", "out"):
        place = folder / name
        renew(place, None)
        (place / "mine.csv").write_bytes(MINE)
        line = what.replace("-o ", f"-o {place}/")
        if name == "out":
            _killed(line, draw.uniform(0, seconds))
        began = time.monotonic()
        ended = child(tell, line)
        seconds = time.monotonic() - began
        if ended.value is None or ended.value.code:
            counts.add(TRACEBACKS, f"{what}, killed and done again: {ended}")
        written.append({str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()})
    whole, now = written
    counts.tried += 1
    if now.pop("mine.csv", b"") != MINE:
        counts.add(LOST, f"a file of the user's beside {what}")
    for name in sorted(now.keys() - whole.keys()):
        counts.add(LEFT, f"{name}, after {what} was killed and done again")
    for name in sorted(whole.keys() - {"mine.csv"}):
        if now.get(name) != whole[name]:
            counts.add(WRONG, f"{name} of {what}, killed and done again, is not what an undisturbed one writes")
