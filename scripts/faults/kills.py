"""Solves and exports killed at a random moment, some twice; then the same is asked again, and something else written."""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

from scripts.faults.asking import LINES, OTHER, difference, renew, scratch, tell, tell_all, tell_kept, tree, undisturbed
from scripts.faults.children import Child, child
from scripts.faults.counting import HANGS, LEFT, LOST, TRACEBACKS, WRONG, Counts

FULL, QUICK = 130, 8
EXPORTS = 0.23  # this part of them are exports
TWICE = 0.3
MINE = "a line of the user's\n"
TABLES = (
    "export pig -p target=9 -o {}/pig.csv",
    "export pig -p target=9 -o {}/pig.jsonl",
    "export pig -p target=9 -o {}/parts/ --format parquet",
)


def tell_saving(line: str) -> object:
    """The command, with a checkpoint after every step."""
    from rollwise.solver.order import saving

    saving.EVERY = saving.AGAIN = saving.SHARE_ONCE = 0  # type: ignore[assignment]
    return tell(line)


def run(times: int, draw: Random) -> Counts:
    """Kill so many."""
    counts = Counts("kills")
    with scratch("kills") as folder:
        right = undisturbed(folder, (*LINES, OTHER))
        exports = max(1, round(times * EXPORTS))
        seconds = {line: _seconds(folder, line) for line in LINES}
        for number in range(times - exports):
            _solve(folder, LINES[number % len(LINES)], seconds, right, draw, counts)
        _exports(folder, exports, draw, counts)
    return counts


def _seconds(folder: Path, line: str) -> float:
    renew(folder / "cache", None)
    began = time.monotonic()
    child(tell_saving, line)
    return time.monotonic() - began


def _killed(line: str, seconds: float) -> None:
    """Begin it, and kill it after so many seconds, unless it is done."""
    begun = Child(tell_saving, line)
    time.sleep(seconds)
    if not begun.is_over():
        begun.kill()
    begun.end()


def _solve(
    folder: Path, line: str, seconds: dict[str, float], right: dict[str, str], draw: Random, counts: Counts
) -> None:
    cache, kept = folder / "cache", LINES[(LINES.index(line) + 1) % 3]
    renew(cache, None)
    child(tell, kept)
    for _ in range(1 + (draw.random() < TWICE)):
        _killed(line, draw.uniform(0, seconds[line]))
    before = tree(cache)
    after = child(tell_all, (line, OTHER))
    counts.tried += 1
    if after.hung:
        counts.add(HANGS, f"{line} after a kill")
        return
    for asked, told in zip((line, OTHER), after.value or (), strict=False):
        if told.trace:
            counts.add(TRACEBACKS, f"{asked} after a kill: {told.trace}")
        elif told.out != right[asked]:
            counts.add(WRONG, f"{asked} after a kill: {difference(told.out, right[asked])} {told.err}")
    if after.value is None:
        counts.add(TRACEBACKS, f"{line} after a kill: {after.trace}")
    now = child(tell_kept, kept).value
    if now != (True, right[kept]):
        counts.add(LOST, f"{kept}, solved before {line} was killed: {now}")
    whole = tree(folder / "clean")
    for path in sorted(tree(cache) - whole):
        counts.add(LEFT, f"{path}{' of the kill' * (path in before)}, after {line} was killed and asked again")


def _exports(folder: Path, times: int, draw: Random, counts: Counts) -> None:
    """Kill exports; the same export then writes what an undisturbed one does, and nothing lies about."""
    renew(folder / "cache", folder / "clean")
    whole: dict[str, dict[str, bytes]] = {}
    seconds = {}
    for line in TABLES:
        began = time.monotonic()
        whole[line] = _written(folder / "whole", line)
        seconds[line] = time.monotonic() - began
    for number in range(times):
        line, place = TABLES[number % len(TABLES)], folder / f"out{number}"
        place.mkdir()
        (place / "mine.csv").write_text(MINE)
        _killed(line.format(place), draw.uniform(0, seconds[line]))
        now = _written(place, line)
        counts.tried += 1
        if now.pop("mine.csv", b"") != MINE.encode():
            counts.add(LOST, f"a file of the user's beside {line}")
        for name in sorted(whole[line].keys() | now.keys()):
            if name not in whole[line]:
                counts.add(LEFT, f"{name}, after {line} was killed and done again")
            elif now.get(name) != whole[line][name]:
                counts.add(WRONG, f"{name} of {line}, killed and done again, is not what an undisturbed one writes")


def _written(place: Path, line: str) -> dict[str, bytes]:
    """What an export writes, by name."""
    os.makedirs(place, exist_ok=True)
    before = {path: path.stat().st_ino for path in place.rglob("*")} if place.name == "whole" else {}
    child(tell, line.format(place))
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file() and path not in before
    }
