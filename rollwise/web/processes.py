"""Child processes of the server for long work: at low priority, and ending with the server.

Each writes its progress to standard output, a line of JSON each, and at the end ``{"done": true}`` or an error.
Standard input is a pipe: its end means that the server, or the request, is gone.
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
from rollwise.solutions.notes import write_to_terminal
from rollwise.solver.components.processors import WORKERS_VARIABLE, count_processors, n_workers
from rollwise.solver.model.errors import RollwiseError, TooLarge

PYTHON = [sys.executable, "-P"]  # -P: no file beside the user takes the place of a module
NICENESS_STEP = 10
STOP_GRACE_S = 20.0  # for an ending process to store its progress
OOM_SCORE = "900"  # the kernel kills this process first when memory runs out


def processor_limit() -> str:
    """Number of processors for a child process: the user's setting, else one fewer than there are."""
    return str(n_workers() if os.environ.get(WORKERS_VARIABLE) else max(1, count_processors() - 1))


def child_environment() -> dict[str, str]:
    """Environment of a child process: imports this ``rollwise``, and limits all thread pools."""
    here = str(Path(rollwise.__file__).parents[1])
    path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    limits = dict.fromkeys(
        (WORKERS_VARIABLE, "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), processor_limit()
    )
    return {**os.environ, "PYTHONPATH": path, **limits}


@contextlib.contextmanager
def child_process(command: list[str], errors: IO[bytes] | int | None) -> Iterator[subprocess.Popen[bytes]]:
    """A process in its own session, so that Ctrl-C reaches the server alone; killed at the end, with its children."""
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}  # the end of its input ends the process
    options: Any = {"stderr": errors, "env": child_environment(), "start_new_session": True}
    # closing a pipe raises if the process has not read everything
    with contextlib.suppress(BrokenPipeError), subprocess.Popen(command, **pipes, **options) as child:
        ends = threading.Thread(target=_end_process_group, args=(child,), daemon=True)
        try:
            ends.start()
            yield child
        finally:
            child.kill()  # if it has not ended
            ends.join()


def _end_process_group(child: subprocess.Popen[bytes]) -> None:
    child.wait()
    with contextlib.suppress(AttributeError, OSError):  # no process is left
        os.killpg(child.pid, signal.SIGKILL)


# --- in the process ---------------------------------------------------------------------------------------------------


def run_task(task: Callable[[], None]) -> None:
    """Run a task in a child process, and report its outcome."""
    lower_priority()
    end_with_input()
    report_outcome(task)


def report_outcome(task: Callable[[], None]) -> None:
    """Run a task, and report its outcome to the server."""
    write_to_terminal()  # the server's
    try:
        task()
        send_line(done=True)
    except RollwiseError as error:
        send_line(**error.plain())
    except StoreError as error:
        send_line(error="StoreError", message=str(error))
    except MemoryError:
        send_line(**TooLarge("there is not enough memory").plain())
    except KeyboardInterrupt:
        os._exit(1)  # progress is stored; the threads of the task are not joined


def send_line(**line: Any) -> None:
    """Write a line of JSON for the server; ``end_with_input`` handles a closed pipe."""
    with contextlib.suppress(OSError, ValueError):
        print(json.dumps(line), flush=True)


def lower_priority() -> None:
    """Lower the priority of this process, where the system has priorities."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(NICENESS_STEP)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(OOM_SCORE)


def end_with_input(on_line: Callable[[bytes], object] = bool) -> None:
    """Read lines of standard input in a thread; its end interrupts the process, and kills it later."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the parent may have set it to be ignored

    def wait() -> None:
        with contextlib.suppress(OSError), open(0, "rb", closefd=False) as lines:
            for line in lines:
                on_line(line)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(STOP_GRACE_S)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
