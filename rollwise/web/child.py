"""``python -m rollwise.web.child``: a process of the server for long work: solves, long questions and tables.

It has low priority, and reads orders from standard input, a line of JSON each. What comes of them it writes to standard
output: ``{"share": 0.25}`` and ``{"compiling": true}``, at the end ``{"done": true}`` or an error; an unexpected error
goes to standard error and ends the process. SIGINT stops a solve, and its progress is stored; so does the end of the
input, which means that the server, or the request, is gone.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from contextlib import suppress
from queue import Empty, Queue
from typing import Any

from rollwise.cache.errors import StoreError
from rollwise.solutions.notes import write_to_terminal
from rollwise.solver.model.cancellation import Token, with_token
from rollwise.solver.model.errors import RollwiseError, TooLarge
from rollwise.solver.turn.kernel_compiles import KERNEL_COMPILES
from rollwise.web import limits

NICENESS_STEP = 10
OOM_SCORE = "900"  # the kernel kills this process first when memory runs out


def main() -> None:
    """Obey one order after another."""
    write_to_terminal()  # the server's
    lower_priority()
    orders = incoming_orders()
    with suppress(Empty, KeyboardInterrupt):
        while order := json.loads(orders.get(timeout=limits.IDLE_TIMEOUT_S)):
            obey(order)


def obey(order: dict[str, Any]) -> None:
    """Obey an order, and report how far it is, that machine code is compiled, and the outcome."""
    KERNEL_COMPILES.observer = lambda begins: send_line(compiling=begins)
    try:
        with with_token(Token(on_share=ShareReports())):
            run(**order)
        send_line(done=True)
    except RollwiseError as error:
        send_line(**error.plain())
    except StoreError as error:
        send_line(error="StoreError", message=str(error))
    except MemoryError:
        send_line(**TooLarge("there is not enough memory").plain())
    except KeyboardInterrupt:
        os._exit(1)  # progress is stored; the threads of the task are not joined


def run(kind: str, **order: Any) -> None:
    """Do what an order says; raises errors for users."""
    if kind == "solve":
        solve(**order)
    elif kind == "table":
        from rollwise.web.tables import write_table

        write_table(**order)
    else:
        from rollwise.web.inner import answer_order

        send_line(answer=answer_order(**order))


def solve(name: str, parameters: dict[str, Any]) -> None:
    """Solve a game and store it; raises errors for users."""
    from rollwise.games.registry import game as registered
    from rollwise.solutions.lookup import accept_any_turn, load_or_solve, require_stored

    game: Any = registered(name, parameters)
    load_or_solve(game, accept_any_turn, quiet=True, evictable=True)
    require_stored(game)


class ShareReports:
    """Sends the share done, at most once per interval."""

    def __init__(self) -> None:
        self.share, self.at = 0.0, -limits.REPORT_INTERVAL_S

    def __call__(self, share: float) -> None:
        """Send the share if it has grown."""
        now = time.monotonic()
        if share > self.share and now - self.at >= limits.REPORT_INTERVAL_S:
            self.share, self.at = share, now
            send_line(share=round(share, 4))


def send_line(**line: Any) -> None:
    """Write a line of JSON for the server; ``incoming_orders`` handles a closed pipe."""
    with suppress(OSError, ValueError):
        print(json.dumps(line), flush=True)


def incoming_orders() -> Queue[bytes]:
    """Lines of standard input, read in a thread; their end interrupts the process, and kills it later."""
    orders: Queue[bytes] = Queue()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the parent may have set it to be ignored

    def read() -> None:
        with suppress(OSError), open(0, "rb", closefd=False) as lines:
            for line in lines:
                orders.put(line)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(limits.STOP_GRACE_S)
        os._exit(1)

    threading.Thread(target=read, daemon=True).start()
    return orders


def lower_priority() -> None:
    """Lower the priority of this process, where the system has priorities."""
    with suppress(AttributeError, OSError):
        os.nice(NICENESS_STEP)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(OOM_SCORE)


if __name__ == "__main__":
    main()
