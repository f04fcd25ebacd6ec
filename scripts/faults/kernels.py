"""Files of machine code damaged or replaced; each costs compiling again, and none is unpickled."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from random import Random

from scripts.faults import damages
from scripts.faults.asking import KERNELS, OF_THE_RUN, difference, remove, renew, scratch, tree
from scripts.faults.children import Ended, fresh
from scripts.faults.counting import HANGS, LEFT, TRACEBACKS, WRONG, Counts

FULL, QUICK = 30, 2
ASKED = ("ask", "pig", "--json")  # a solve with five kernels


class Bomb:
    """What is unpickled into a file that tells of it."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> object:
        return Path.touch, (self.place,)


def bomb(file: Path, draw: Random) -> None:
    """The seal stays, and what follows does harm."""
    file.write_bytes(file.read_bytes()[:32] + pickle.dumps(Bomb(file.parents[2] / "burst")))


def pipe(file: Path, draw: Random) -> None:
    """Whoever opens it waits for ever."""
    file.unlink()
    os.mkfifo(file, 0o600)


def zeros(file: Path, draw: Random) -> None:
    """It has no end."""
    file.unlink()
    file.symlink_to("/dev/zero")


def swapped(file: Path, draw: Random) -> None:
    """The machine code of another kernel."""
    file.write_bytes(draw.choice(sorted(path for path in file.parent.iterdir() if path.is_file())).read_bytes())


def for_all(file: Path, draw: Random) -> None:
    """Others can write it."""
    file.chmod(0o666)


HARMS: tuple[Callable[[Path, Random], None], ...] = (damages.flip, damages.cut, damages.swap, damages.lengthen)
HARMS += (bomb, pipe, zeros, swapped, for_all, damages.folder_for_file)


def run(times: int, draw: Random) -> Counts:
    """Damage so many."""
    counts = Counts("kernels")
    with scratch("kernels") as folder:
        kept, clean = folder / "kernels", folder / "whole"
        right = _asked(folder, clean)  # compiles, which takes a while
        names = tree_of_files(clean)
        read = sorted(names, key=lambda name: (clean / name).stat().st_size)[-2:]  # the largest hold the others
        for number in range(times):
            renew(kept, clean)
            harm, file = HARMS[number % len(HARMS)], kept / draw.choice(read)
            harm(file, draw)
            what = f"{harm.__name__} of {file.name}"
            counts.tried += 1
            told = _asked(folder, kept)
            if told.hung:
                counts.add(HANGS, what)
            elif told.trace:
                counts.add(TRACEBACKS, f"{what}: {told.trace}")
            elif (told.code, told.out) != (0, right.out):
                counts.add(WRONG, f"{what}: {difference(told.out, right.out)} {told.err}")
            if (folder / "burst").exists():
                counts.add(WRONG, f"{what}: it was unpickled")
                remove(folder / "burst")
            for path in sorted(tree(kept) ^ tree(clean)) + sorted(set(tree_of_files(kept)) - set(names)):
                counts.add(LEFT, f"{path} after {what}")
    return counts


def tree_of_files(folder: Path) -> list[str]:
    """The files below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _asked(folder: Path, kept: Path) -> Ended:
    """An answer of a process that has compiled nothing, of a game that nobody has solved."""
    renew(folder / "cache", None)
    told = fresh(*ASKED, **{KERNELS: str(kept)})
    return Ended(told.code, OF_THE_RUN.sub("", told.out), told.err, told.hung)
