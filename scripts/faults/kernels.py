"""Files of machine code damaged or replaced; each costs compiling again, and none is unpickled."""

from __future__ import annotations

import pickle
from pathlib import Path
from random import Random
from typing import Any

from scripts.faults.children import KERNELS, OF_THE_RUN, Ended, fresh, remove, renew, scratch
from scripts.faults.counting import LEFT, WRONG, Counts
from scripts.faults.harms import another_file, harmed

FULL, QUICK = 30, 1
ASKED = ("ask", "pig", "--json")  # a solve with five kernels
SEAL = 32  # bytes


class Bomb:
    """What makes a file where it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.place,)


def run(times: int, draw: Random) -> Counts:
    """Damage so many."""
    counts = Counts("kernels")
    with scratch("kernels") as folder:
        kept, clean, burst = folder / "kernels", folder / "whole", folder / "burst"
        right = _asked(folder, clean)  # compiles, which takes a while
        if right.code:
            raise SystemExit(f"nothing is disturbed, and yet there is no answer: {right}")
        names = _files(clean)
        for number in range(times):
            renew(kept, clean)
            file = kept / draw.choice(names[-2:])
            content = file.read_bytes()
            if number % 5 == 0:
                what = "a bomb"
                file.write_bytes(content[:SEAL] + pickle.dumps(Bomb(burst)))
            elif number % 5 == 1:
                what = another_file(file, draw)
            elif number % 5 == 2:
                what = "another kernel, which others can write"
                file.write_bytes((clean / names[0]).read_bytes())
                file.chmod(0o666)
            else:
                what, changed = harmed(content, draw)
                file.write_bytes(changed)
            counts.tried += 1
            counts.judge(_asked(folder, kept), f"{file.name}: {what}", right.out)
            if burst.exists():
                counts.add(WRONG, f"{file.name}: it was unpickled")
                remove(burst)
            for path in set(_files(kept)) - set(names):
                counts.add(LEFT, f"{path} after {what}")
    return counts


def _files(folder: Path) -> list[str]:
    """The files below a folder, the largest last: they hold the machine code of the others, and are read."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path.relative_to(folder)) for path in sorted(files, key=lambda path: path.lstat().st_size)]


def _asked(folder: Path, kept: Path) -> Ended:
    """An answer of a process that has compiled nothing, of a game that nobody has solved."""
    renew(folder / "cache", None)
    told = fresh(*ASKED, environment={KERNELS: str(kept)})
    return Ended(told.code, OF_THE_RUN.sub("", told.out), told.err, told.hung)
