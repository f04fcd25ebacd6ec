"""Several processes ask the same unsolved question at once, and the one that solves it is killed."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

from scripts.faults.asking import LINES, OTHER, difference, renew, scratch, tell, tell_kept, tree, undisturbed
from scripts.faults.children import Child, child
from scripts.faults.counting import HANGS, LEFT, LOST, TRACEBACKS, WRONG, Counts
from scripts.faults.kills import tell_saving

FULL, QUICK = 80, 8  # processes, eight at once
AT_ONCE = 8
PATIENCE = 20.0  # seconds until somebody begins to solve


def run(times: int, draw: Random) -> Counts:
    """Let so many processes ask."""
    counts = Counts("crowd")
    with scratch("crowd") as folder:
        right = undisturbed(folder, (*LINES[:3], OTHER))
        for number in range(max(1, times // AT_ONCE)):
            _round(folder, LINES[number % 3], right, draw, counts)
    return counts


def holder(cache: Path) -> int | None:
    """The process that holds a lock of this cache; the kernel tells."""
    places = {path.stat().st_ino for path in cache.glob("locks/*.lock")}
    for line in Path("/proc/locks").read_text().splitlines():
        words = line.split()
        if words[1] != "->" and int(words[-3].rpartition(":")[2]) in places:
            return int(words[4])
    return None


def _round(folder: Path, line: str, right: dict[str, str], draw: Random, counts: Counts) -> None:
    cache = folder / "cache"
    renew(cache, None)
    crowd = [Child(tell_saving if draw.random() < 0.5 else tell, line) for _ in range(AT_ONCE)]
    began, killed = time.monotonic(), None
    time.sleep(draw.uniform(0, 0.05))
    while killed is None and time.monotonic() < began + PATIENCE and not all(each.is_over() for each in crowd):
        found = holder(cache)
        killed = next((each for each in crowd if each.pid == found and not each.is_over()), None)
    if killed is not None:
        killed.kill()
    for each in crowd:
        ended = each.end()
        counts.tried += 1
        if each is killed:
            continue
        if ended.hung:
            counts.add(HANGS, f"{line}, of eight of whom one was killed")
        elif ended.value is None or ended.value.trace:
            counts.add(TRACEBACKS, f"{line}, of eight: {ended.trace or ended.value}")
        elif ended.value.out != right[line]:
            counts.add(WRONG, f"{line}, of eight: {difference(ended.value.out, right[line])}")
    if killed is None:
        counts.add(WRONG, f"{line}: nobody was seen to solve it, so nobody was killed")
    child(tell, OTHER)
    now = child(tell_kept, line).value
    if now != (True, right[line]):
        counts.add(LOST, f"{line}, which eight have asked: {now}")
    for path in sorted(tree(cache) - tree(folder / "clean")):
        counts.add(LEFT, f"{path}, after {line} by eight, and {OTHER}")
