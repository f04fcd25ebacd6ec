"""Processes that the server starts for long work: they let others go first, and end when nobody listens any more.

Each says on standard output, a line of JSON each, what is done, and at the end ``{"done": true}`` or an error as errors
say themselves. Standard input is a pipe: when it ends, whoever wanted the work is gone, however that came about.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import rollwise
from rollwise.cache.errors import StoreError
from rollwise.solutions.notes import at_the_terminal
from rollwise.solver.components.processors import SETTING, n_workers, processors
from rollwise.solver.model.errors import RollwiseError, TooLarge

PYTHON = [sys.executable, "-P"]  # -P: no file beside the user takes the place of a module
NICER = 10
GRACE = 20.0  # seconds in which a process that is to end may keep what it has done
FIRST_TO_GO = "900"  # where memory runs out, this process rather than another


def spared() -> str:
    """How many processors a process of the server may use: what the user has set, else one fewer than there are."""
    return str(n_workers() if os.environ.get(SETTING) else max(1, processors() - 1))


def environment() -> dict[str, str]:
    """That of the server, in which this very ``rollwise`` is found, and nothing takes more processors."""
    here = str(Path(rollwise.__file__).parents[1])
    path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    few = dict.fromkeys((SETTING, "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), spared())
    return {**os.environ, "PYTHONPATH": path, **few}


@contextlib.contextmanager
def begun(command: list[str], errors: IO[bytes] | int | None) -> Iterator[subprocess.Popen[bytes]]:
    """A process with a session of its own, so that Ctrl-C is for the server alone; at the end it has gone.

    Whatever it began ends as soon as it does, or it could hold open what the process says.
    """
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}  # the end of its input: nobody listens any more
    how: Any = {"stderr": errors, "env": environment(), "start_new_session": True}
    # a pipe that is closed says that it is broken, where what was written did not go through
    with contextlib.suppress(BrokenPipeError), subprocess.Popen(command, **pipes, **how) as child:
        ends = threading.Thread(target=_end_what_is_left, args=(child,), daemon=True)
        try:
            ends.start()
            yield child
        finally:
            child.kill()  # where it has not ended
            ends.join()


def _end_what_is_left(child: subprocess.Popen[bytes]) -> None:
    child.wait()
    with contextlib.suppress(AttributeError, OSError):  # nothing is left
        os.killpg(child.pid, signal.SIGKILL)


# --- in the process ---------------------------------------------------------------------------------------------------


def work(task: Callable[[], None]) -> None:
    """Do this in a process of the server, and tell what came of it."""
    be_modest()
    end_when_nobody_listens()
    tried(task)


def tried(task: Callable[[], None]) -> None:
    """Do this, and tell what came of it."""
    at_the_terminal()  # that of the server
    try:
        task()
        tell(done=True)
    except RollwiseError as error:
        tell(**error.plain())
    except StoreError as error:
        tell(error="StoreError", message=str(error))
    except MemoryError:
        tell(**TooLarge("there is not enough memory").plain())
    except KeyboardInterrupt:
        os._exit(1)  # what is done is kept; threads of the work are not waited for


def tell(**line: Any) -> None:
    """A line of JSON for the server; that nobody reads it is heard of elsewhere."""
    with contextlib.suppress(OSError, ValueError):
        print(json.dumps(line), flush=True)


def be_modest() -> None:
    """Let every other process go first; where there is no such thing as priority, do without."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(NICER)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(FIRST_TO_GO)


def end_when_nobody_listens(hear: Callable[[bytes], object] = bool) -> None:
    """Hear lines of standard input in a thread. At its end stop as at Ctrl-C, and end even if that does not help."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts this may have had it ignored

    def wait() -> None:
        with contextlib.suppress(OSError), open(0, "rb", closefd=False) as lines:
            for line in lines:
                hear(line)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(GRACE)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
