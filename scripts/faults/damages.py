"""Files of the cache with bytes flipped, cut or swapped, and files mixed up; what they are of is asked again.

The answer must be the right one: of a damaged entry it is solved again.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from scripts.faults.children import batches, renew, scratch, tell, tree, undisturbed
from scripts.faults.counting import LEFT, LOST, Counts
from scripts.faults.harms import another_file, harmed
from scripts.faults.kills import LINES, OTHER

FULL, QUICK = 1000, 40
BATCH = 50  # asked by one process


def run(times: int, draw: Random) -> Counts:
    """Do so many damages."""
    counts = Counts("damages")
    with scratch("damages") as folder:
        batches(counts, times, BATCH, draw, _batch, folder, undisturbed(folder, (*LINES, OTHER)))
    return counts


def _batch(times: int, seed: float, folder: Path, right: dict[str, str]) -> Counts:
    counts, draw, cache = Counts("damages"), Random(seed), folder / "cache"
    lines, whole = list(right), tree(folder / "clean")
    for _ in range(times):
        renew(cache, folder / "clean")
        files = sorted(path for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock")
        file = draw.choice(files)
        asked = [line for line in lines if file.parent.name.startswith(line.split()[1])]
        if draw.random() < 0.5:  # they are known here, and may be open
            tell(draw.choice(asked or lines))
        what = f"{_harm(file, files, draw)} of {file.relative_to(cache)}"
        print(what, flush=True)
        counts.tried += 1
        for line in draw.sample([*asked, draw.choice(lines)], len(asked) + 1):
            counts.judge(tell(line), f"{line} after {what}", right[line])
        for path in sorted(tree(cache) ^ whole):
            counts.add(LOST if path in whole else LEFT, f"{path} after {what}")
    return counts


def _harm(file: Path, files: list[Path], draw: Random) -> str:
    """Do one; in words which."""
    way, times = draw.random(), file.stat()
    if way < 0.1:
        other, aside = draw.choice(files), file.with_name("aside")
        aside.write_bytes(file.read_bytes())
        file.write_bytes(other.read_bytes())
        other.write_bytes(aside.read_bytes())
        aside.unlink()
        return f"{other.name} in place"
    if way < 0.2:
        return another_file(file, draw)
    word, content = harmed(file.read_bytes(), draw)
    with open(file, "r+b" if way < 0.6 else "wb") as changed:  # under whoever has it open, or anew
        changed.truncate(len(content))
        changed.write(content)
    if draw.random() < 0.5:
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    return word
