"""Bytes of the cache flipped, cut, swapped and worse; then each line is asked again, of the same process or a fresh one.

What comes must be the right answer: of a damaged entry it is solved again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

from scripts.faults.asking import LINES, OTHER, difference, remove, renew, scratch, tell, tree, undisturbed
from scripts.faults.children import child
from scripts.faults.counting import HANGS, LEFT, LOST, TRACEBACKS, WRONG, Counts

FULL, QUICK = 1000, 40
BATCH = 20  # asked by one process


def flip(file: Path, draw: Random) -> None:
    """Other bits, from one to a few."""
    content = bytearray(file.read_bytes() or b" ")
    for _ in range(draw.choice((1, 1, 8))):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    file.write_bytes(content)


def swap(file: Path, draw: Random) -> None:
    """Two bytes change places."""
    content = bytearray(file.read_bytes() or b" ")
    one, other = draw.randrange(len(content)), draw.randrange(len(content))
    content[one], content[other] = content[other], content[one]
    file.write_bytes(content)


def in_place(file: Path, draw: Random) -> None:
    """A byte is changed under whoever has the file open, and its times are put back."""
    times = file.stat()
    with open(file, "r+b") as open_file:
        open_file.seek(draw.randrange(max(1, times.st_size)))
        open_file.write(bytes([draw.randrange(256)]))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def cut(file: Path, draw: Random) -> None:
    """The end is gone, or all of it."""
    os.truncate(file, draw.choice((0, draw.randrange(file.stat().st_size + 1))))


def lengthen(file: Path, draw: Random) -> None:
    """Something follows."""
    with open(file, "ab") as open_file:
        open_file.write(draw.randbytes(draw.choice((1, 100, 100_000))))


def blank(file: Path, draw: Random) -> None:
    """A page is empty, as after a power cut."""
    content = bytearray(file.read_bytes())
    start = draw.randrange(len(content) + 1)
    content[start : start + 4096] = bytes(len(content[start : start + 4096]))
    file.write_bytes(content)


def mix_up(file: Path, draw: Random) -> None:
    """It changes places with another file of the cache."""
    root = next(parent for parent in file.parents if parent.name == "cache")
    other = draw.choice(files(root))
    aside = file.with_name("aside")
    file.rename(aside)
    if other != file:
        other.rename(file)
    aside.rename(other)


def folder_for_file(file: Path, draw: Random) -> None:
    """A folder of its name."""
    file.unlink()
    file.mkdir()


def file_for_folder(file: Path, draw: Random) -> None:
    """A file of its folder's name."""
    remove(file.parent)
    file.parent.write_text("no folder")


HARMS: tuple[Callable[[Path, Random], None], ...] = (flip, flip, flip, swap, swap, in_place, in_place, cut, cut)
HARMS += (lengthen, blank, mix_up, lambda file, draw: file.unlink(), folder_for_file, file_for_folder)


def files(root: Path) -> list[Path]:
    """The files of entries, in an order that is always the same."""
    return sorted(path for path in root.rglob("*") if path.is_file() and path.suffix != ".lock" and path.parent != root)


def run(times: int, draw: Random) -> Counts:
    """Do so many damages."""
    counts = Counts("damages")
    with scratch("damages") as folder:
        right = undisturbed(folder, (*LINES, OTHER))
        while counts.tried < times:
            ended = child(_batch, folder, right, min(BATCH, times - counts.tried), draw.random(), seconds=120)
            if ended.value is not None:
                counts.take(ended.value)
            else:
                counts.tried += BATCH
                counts.add(HANGS if ended.hung else TRACEBACKS, f"a batch of damages: {ended.trace} {ended.out}")
    return counts


def _batch(folder: Path, right: dict[str, str], times: int, seed: float) -> Counts:
    counts, draw, cache = Counts("damages"), Random(seed), folder / "cache"
    lines, whole = list(right), tree(folder / "clean")
    for _ in range(times):
        renew(cache, folder / "clean")
        line = draw.choice(LINES)
        if draw.random() < 0.5:  # it is known here, and may be open
            tell(line)
        harm, file = draw.choice(HARMS), draw.choice(files(cache))
        what = f"{harm.__name__} of {file.relative_to(cache)}"
        print(what, flush=True)
        harm(file, draw)
        counts.tried += 1
        of_it = [line for line in lines if file.parent.name.startswith(line.split()[1])]
        for asked in draw.sample(of_it, len(of_it)) + [draw.choice(lines)]:
            told = tell(asked)
            if told.trace:
                counts.add(TRACEBACKS, f"{asked} after {what}: {told.trace}")
            elif told.out != right[asked]:
                counts.add(WRONG, f"{asked} after {what}: {difference(told.out, right[asked])}")
        for path in sorted(tree(cache) ^ whole):
            counts.add(LEFT if path not in whole else LOST, f"{path} after {what}")
    return counts
