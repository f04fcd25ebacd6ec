"""Eight processes ask the same unsolved question at once, and the one that solves it is killed."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

from scripts.faults.children import Child, child, renew, scratch, tell, tree, undisturbed
from scripts.faults.counting import LEFT, LOST, WRONG, Counts
from scripts.faults.kills import LINES, OTHER, tell_kept, tell_saving

FULL, QUICK = 80, 8  # processes
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
    """The process that holds a lock of this cache, as the kernel tells."""
    places = {path.stat().st_ino for path in cache.glob("locks/*.lock")}
    for words in map(str.split, Path("/proc/locks").read_text().splitlines()):
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
        if each is not killed:
            counts.judge(ended.value or ended, f"{line}, by eight, one of whom was killed", right[line])
    if killed is None:
        counts.add(WRONG, f"{line}: nobody was seen to solve it, so nobody was killed")
    child(tell, OTHER)
    now = child(tell_kept, line)
    if now.value is None or now.value.out != right[line]:
        counts.add(LOST, f"{line}, which eight have asked: {now}")
    for path in sorted(tree(cache) - tree(folder / "clean")):
        counts.add(LEFT, f"{path}, after {line} by eight, and {OTHER}")
