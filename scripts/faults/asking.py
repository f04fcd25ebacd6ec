"""What is asked of a cache that somebody harms, and what an undisturbed one answers."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from scripts.faults.children import child
from scripts.faults.counting import HANGS, TRACEBACKS, Counts

CACHE, KERNELS = "ROLLWISE_CACHE", "ROLLWISE_KERNELS"
OF_THE_RUN = re.compile(r'^ *"(seconds|cached)": .*$', re.MULTILINE)
OTHER = "ask pig mine=1 -p target=4 --json"  # the next write
LINES = (  # of each sort of solve: a duel, alone, chances by seat, a forecast
    "ask pig mine=3 theirs=4 turn=5 -p target=16 --json",
    "ask shut-the-box open=1,2,3,4,5,6 roll=5,1 --json",
    "ask big-six --json",
    "forecast shut-the-box --json",
)


class Told(NamedTuple):
    """What a command said in this process."""

    code: int
    out: str
    err: str

    @property
    def trace(self) -> str:
        """The last line of a traceback, if there is one."""
        return self.err.strip().splitlines()[-1] if "Traceback (most recent call last)" in self.err else ""


def tell(line: str | Sequence[str]) -> Told:
    """Run a command in this process; whatever it fails of is in ``err``."""
    from rollwise.cli import main

    words, code = shlex.split(line) if isinstance(line, str) else list(line), 0
    before, out, err = sys.argv, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            sys.argv = ["rollwise", *words]
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        except Exception:
            traceback.print_exc()
            code = 70
        finally:
            sys.argv = before
    return Told(code, OF_THE_RUN.sub("", out.getvalue()), err.getvalue())


def tell_all(lines: Sequence[str]) -> list[Told]:
    """Several, one after the other."""
    return [tell(line) for line in lines]


def tell_kept(line: str) -> tuple[bool, str]:
    """Is it answered without a solve, and how?"""
    from rollwise.solved.games import only_kept

    with only_kept():
        told = tell(line)
    return told.code == 0, told.out


@contextlib.contextmanager
def scratch(name: str) -> Iterator[Path]:
    """A folder of a script, with a cache that it and its children use; machine code stays where it is."""
    before = os.environ.get(CACHE)
    with tempfile.TemporaryDirectory(prefix=f"rollwise-{name}-") as folder:
        os.environ[CACHE] = str(Path(folder) / "cache")
        try:
            yield Path(folder)
        finally:
            os.environ.pop(CACHE) if before is None else os.environ.update({CACHE: before})


def undisturbed(folder: Path, lines: Sequence[str]) -> dict[str, str]:
    """What is answered to each of these lines, by a child, in a cache that stays there as ``clean``."""
    os.environ[CACHE] = str(folder / "clean")
    answers = [child(tell, line) for line in lines]
    os.environ[CACHE] = str(folder / "cache")
    for line, ended in zip(lines, answers, strict=True):
        if ended.value is None or ended.value.code:
            raise SystemExit(f"undisturbed, '{line}' fails: {ended.err or ended.value}")
    return {line: ended.value.out for line, ended in zip(lines, answers, strict=True)}


def renew(cache: Path, clean: Path | None) -> None:
    """Put the cache as it was."""
    remove(cache)
    shutil.copytree(clean, cache, symlinks=True) if clean else cache.mkdir()


def remove(place: Path) -> None:
    """A file or a folder, whatever it has become."""
    shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink(missing_ok=True)


def one_line(text: str) -> bool:
    """Is this a short line, and nothing in it that a terminal would obey?"""
    return 0 < len(text) <= 900 and text.isprintable()


def batches(
    counts: Counts, times: int, size: int, draw: Random, work: Callable[..., Counts], *given: object
) -> None:
    """Do so many, each batch in a child with its own seed; one that does not end well says what it was at."""
    for start in range(0, times, size):
        ended = child(work, min(size, times - start), draw.random(), *given, seconds=120)
        if ended.value is not None:
            counts.take(ended.value)
        else:
            counts.tried += min(size, times - start)
            counts.add(HANGS if ended.hung else TRACEBACKS, f"{ended.trace} at {[*ended.out.splitlines(), ''][-2:]}")


def difference(told: str, right: str) -> str:
    """The first line in which two answers differ, and how both have it."""
    pairs = zip([*told.splitlines(), ""], [*right.splitlines(), ""], strict=False)
    return next((f"{one.strip()} for {other.strip()}" for one, other in pairs if one != other), "cut")


def tree(folder: Path) -> set[str]:
    """All folders with files, and files beside them, but for locks, which stay where somebody held one."""
    found = {str(Path(at).relative_to(folder)) for at, _, names in os.walk(folder) if names} - {"."}
    found |= {path.name for path in folder.iterdir() if not path.is_dir()}
    return {name for name in found if name.rpartition("/")[2] != "locks"}
