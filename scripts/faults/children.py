"""Children that may be killed, hang or fill the memory: forks of this process, which has loaded all, with limits.

A fork starts in a hundredth of the time of a fresh process, so that its end falls into the work and not into imports.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from scripts.faults.counting import HANGS, TRACEBACKS, Counts

CACHE, KERNELS = "ROLLWISE_CACHE", "ROLLWISE_KERNELS"
SECONDS = 90.0
IN_PROCESS, OF_FRESH, OF_A_BATCH = 60, 240.0, 600.0
MEMORY = 3 << 30  # bytes of address space beyond what this process has
FILES = 1 << 30  # bytes of a file
FRESH = (sys.executable, "-m", "rollwise")
ROOT = Path(__file__).resolve().parents[2]
OF_THE_RUN = re.compile(r'^ *"(seconds|cached)": .*$', re.MULTILINE)


@dataclass(frozen=True)
class Ended:
    """How a command or a child ended: ``code`` is negative where a signal ended it; ``value``: what it gave back."""

    code: int
    out: str
    err: str
    hung: bool = False
    value: Any = None

    @property
    def trace(self) -> str:
        """The last line of a traceback, or the signal that ended it; empty where neither is so."""
        if "Traceback (most recent call last)" in self.out + self.err:
            return (self.err.strip() or self.out.strip()).splitlines()[-1]
        return f"ended by signal {-self.code}" if self.code < 0 and not self.hung else ""


class Child:
    """A fork that calls a function; ``limits``: with bounds of memory and files."""

    def __init__(self, function: Callable[..., Any], *given: Any, typed: str = "", limits: bool = True) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="rollwise-child-")
        place = Path(self.folder.name)
        for name, text in (("in", typed), ("out", ""), ("err", "")):
            (place / name).write_text(text)
        sys.stdout.flush()
        self.began = time.monotonic()
        self.pid = os.fork()
        if not self.pid:
            code = 70
            try:
                for number, name in enumerate(("in", "out", "err")):
                    os.dup2(os.open(place / name, os.O_RDWR | os.O_CREAT, 0o600), number)
                sys.stdin, sys.stdout, sys.stderr = (open(n, "rww"[n], closefd=False) for n in range(3))  # noqa: SIM115
                if limits:
                    limit()
                (place / "value").write_bytes(pickle.dumps(function(*given)))
                code = 0
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
                print(*[ended.code] * isinstance(ended.code, str), end="", file=sys.stderr)
            except BaseException:
                traceback.print_exc()
            finally:
                with contextlib.suppress(BaseException):
                    sys.stdout.flush()
                    sys.stderr.flush()
                os._exit(code)

    def is_over(self) -> bool:
        """Has it ended?"""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def kill(self) -> None:
        """End it at once; its number is nobody else's until ``end``."""
        os.kill(self.pid, signal.SIGKILL)

    def end(self, seconds: float = SECONDS) -> Ended:
        """How it ended; what takes longer than that is killed."""
        hung = False
        while not self.is_over():
            time.sleep(0.002)
            if time.monotonic() - self.began > seconds and not hung:
                hung = True
                self.kill()
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        place, value = Path(self.folder.name), None
        out, err = ((place / name).read_text(errors="replace") for name in ("out", "err"))
        with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
            value = pickle.loads((place / "value").read_bytes())
        self.folder.cleanup()
        return Ended(code, out, err, hung, value)


def child(function: Callable[..., Any], *given: Any, seconds: float = SECONDS, typed: str = "") -> Ended:
    """What comes of a function in a child."""
    return Child(function, *given, typed=typed).end(seconds)


def batches(counts: Counts, times: int, size: int, draw: Random, work: Callable[..., Counts], *given: object) -> None:
    """Do so many, each batch in a child with its own seed; of one that does not end well, what it was at is told."""
    for start in range(0, times, size):
        ended = child(work, min(size, times - start), draw.random(), *given, seconds=OF_A_BATCH)
        if ended.value is not None:
            counts.take(ended.value)
        else:
            counts.tried += min(size, times - start)
            counts.add(HANGS if ended.hung else TRACEBACKS, f"{ended.trace} at {ended.out.splitlines()[-2:]}")


class Hung(BaseException):
    """What this process does takes too long."""


@contextlib.contextmanager
def in_time(seconds: int = IN_PROCESS) -> Iterator[None]:
    """Raise ``Hung`` where what is done here takes longer."""

    def stop(*_: object) -> None:
        raise Hung

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def command(*words: str) -> None:
    """What ``rollwise WORDS`` does; for a child, since it ends the process."""
    from rollwise.cli import main

    sys.argv = ["rollwise", *words]
    main()


def tell(line: str) -> Ended:
    """Run a command in this process; what tells one run from another is left out of its JSON."""
    code, before, out, err = 0, sys.argv, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            with in_time():
                command(*shlex.split(line))
        except Hung:
            return Ended(-signal.SIGALRM, "", "", hung=True)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        except Exception:
            traceback.print_exc()
            code = 70
        finally:
            sys.argv = before
    return Ended(code, OF_THE_RUN.sub("", out.getvalue()), err.getvalue())


def tell_all(lines: Sequence[str]) -> list[Ended]:
    """Several, one after the other."""
    return [tell(line) for line in lines]


def fresh(*words: str, environment: Mapping[str, str] = MappingProxyType({})) -> Ended:
    """What a process of its own says to these words of a command line."""
    how: dict[str, Any] = {"env": {**os.environ, **environment}, "cwd": ROOT, "preexec_fn": limit, "errors": "replace"}
    try:
        told = subprocess.run([*FRESH, *words], capture_output=True, text=True, input="", timeout=OF_FRESH, **how)
    except subprocess.TimeoutExpired:
        return Ended(-9, "", "", hung=True)
    return Ended(told.returncode, told.stdout, told.stderr)


def limit() -> None:
    """From here on so much memory, files of that size, and no dumps."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = {resource.RLIMIT_AS: pages * resource.getpagesize() + MEMORY, resource.RLIMIT_FSIZE: FILES}
    for kind, size in {**most, resource.RLIMIT_CORE: 0}.items():
        resource.setrlimit(kind, (size, size))


@contextlib.contextmanager
def scratch(name: str) -> Iterator[Path]:
    """A folder of a script, with a cache that it and its children use; machine code stays where it is."""
    before, here = os.environ.get(CACHE), Path.cwd()
    with tempfile.TemporaryDirectory(prefix=f"rollwise-{name}-") as folder:
        os.environ[CACHE] = str(Path(folder) / "cache")
        try:
            yield Path(folder)
        finally:
            os.environ.pop(CACHE) if before is None else os.environ.update({CACHE: before})
            os.chdir(here)


def undisturbed(folder: Path, lines: Sequence[str]) -> dict[str, str]:
    """What is answered to each of these lines, by a child, in a cache that stays there as ``clean``."""
    os.environ[CACHE] = str(folder / "clean")
    answers = {line: child(tell, line) for line in lines}
    child(tell, "cache list")  # which may keep an index
    os.environ[CACHE] = str(folder / "cache")
    failed = [f"{line}: {ended}" for line, ended in answers.items() if ended.value is None or ended.value.code]
    if failed:
        raise SystemExit(f"nothing is disturbed, and yet there is no answer to {failed[0]}")
    return {line: ended.value.out for line, ended in answers.items()}


def renew(place: Path, clean: Path | None) -> None:
    """Put a folder as it was, or empty."""
    remove(place)
    shutil.copytree(clean, place, symlinks=True) if clean else place.mkdir()


def remove(place: Path) -> None:
    """A file or a folder, whatever it has become."""
    shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink(missing_ok=True)


def tree(folder: Path) -> set[str]:
    """All folders with files, and files beside them, but for locks, which stay, and hints, which are made again."""
    found = {str(Path(at).relative_to(folder)) for at, _, names in os.walk(folder) if {*names} - {"index"}} - {"."}
    found |= {path.name for path in folder.iterdir() if not path.is_dir()}
    return {name for name in found if name.rpartition("/")[2] not in ("locks", "index") and "sources-" not in name}
