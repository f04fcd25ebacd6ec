"""Children that may be killed, hang or fill the memory: forks of this process, which has loaded everything, with limits.

A fork starts in a hundredth of the time of a fresh process, so that its end falls into the work and not into imports.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 60.0
MEMORY = 3 << 30  # bytes of address space beyond what this process has
FILES = 1 << 30  # bytes of a file
PAUSE = 0.002
FRESH = (sys.executable, "-m", "rollwise")
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ended:
    """How a child ended: ``code`` is negative where a signal ended it; ``value`` is what its function gave back."""

    code: int
    out: str
    err: str
    hung: bool = False
    value: Any = None

    @property
    def trace(self) -> str:
        """The last line of a traceback, empty where there is none; so is a child told that no error ended, but a fault."""
        if "Traceback (most recent call last)" in self.out + self.err:
            return (self.err.strip() or self.out.strip()).splitlines()[-1]
        return f"ended by signal {-self.code}" if self.code < 0 and not self.hung else ""


class Child:
    """A fork that does one thing, in a folder of its own for what it says."""

    def __init__(self, function: Callable[..., Any], *given: Any, typed: str = "") -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="rollwise-child-")
        place = Path(self.folder.name)
        (place / "in").write_text(typed)
        sys.stdout.flush()
        self.began = time.monotonic()
        self.pid = os.fork()
        if not self.pid:
            code = 70
            try:
                limit()
                _redirect(place)
                (place / "value").write_bytes(pickle.dumps(function(*given)))
                code = 0
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
            except BaseException:
                traceback.print_exc()
            finally:
                with suppress(BaseException):
                    sys.stdout.flush()
                    sys.stderr.flush()
                os._exit(code)

    def is_over(self) -> bool:
        """Has it ended? That is asked without waiting, and can be asked again."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def kill(self) -> None:
        """End it at once; a child that is no more has a number that is nobody's until ``end``."""
        os.kill(self.pid, signal.SIGKILL)

    def end(self, seconds: float = SECONDS) -> Ended:
        """How it ended; what takes longer than that is killed."""
        hung = False
        while not self.is_over():
            time.sleep(PAUSE)
            if time.monotonic() - self.began > seconds and not hung:
                hung = True
                self.kill()
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        place = Path(self.folder.name)
        out, err = ((place / name).read_text(errors="replace") if (place / name).exists() else "" for name in OUT)
        value = None
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            value = pickle.loads((place / "value").read_bytes())
        self.folder.cleanup()
        return Ended(code, out, err, hung, value)


OUT = ("out", "err")


def child(function: Callable[..., Any], *given: Any, seconds: float = SECONDS, typed: str = "") -> Ended:
    """What comes of a function in a child."""
    return Child(function, *given, typed=typed).end(seconds)


def command(*words: str) -> None:
    """What ``rollwise WORDS`` does; for a child, since it ends the process."""
    from rollwise.cli import main

    sys.argv = ["rollwise", *words]
    main()


def fresh(*words: str, seconds: float = SECONDS, typed: str = "", **environment: str) -> Ended:
    """What a process of its own says to these words of a command line."""
    whole = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    with subprocess.Popen(
        [*FRESH, *words], env=whole, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, errors="replace", preexec_fn=limit,
    ) as process:  # fmt: skip
        try:
            out, err = process.communicate(typed, timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return Ended(process.wait(), *process.communicate(), hung=True)
    return Ended(process.returncode, out, err)


def limit() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    for kind, most in (
        (resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY),
        (resource.RLIMIT_FSIZE, FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def _redirect(place: Path) -> None:
    for number, (name, mode) in enumerate((("in", "r"), ("out", "w"), ("err", "w"))):
        with open(place / name, mode) as file:
            os.dup2(file.fileno(), number)
    sys.stdin, sys.stdout, sys.stderr = open(0, closefd=False), open(1, "w", closefd=False), open(2, "w", closefd=False)


def words_of(asked: Sequence[str] | str) -> list[str]:
    """A command line in words."""
    return asked.split() if isinstance(asked, str) else list(asked)
