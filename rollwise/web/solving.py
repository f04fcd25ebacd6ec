"""``python -m rollwise.web.solving GAME PARAMETERS WORKERS``: one solve, in a process of its own, at low priority.

What is done is told on standard output, a line of JSON each: ``{"share": 0.25}``, ``{"compiling": true}``, and at the
end ``{"done": true}`` or ``{"failed": "why"}``. SIGINT stops the solve, and what is done by then is kept. Standard
input is a pipe that nothing is written to: when it ends, whoever wanted the solve is gone, however that came about, and
the solve is stopped in the same way.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from typing import Any

NICER = 10
EVERY = 0.2  # seconds between shares that are told
GRACE = 20.0  # seconds in which a solve may keep what it has done
FIRST_TO_GO = "900"  # where memory runs out, this process rather than another


def tell(**line: Any) -> None:
    """A line for whoever wanted the solve; that nobody reads it is heard of elsewhere."""
    with contextlib.suppress(OSError, ValueError):
        print(json.dumps(line), flush=True)


class Shares:
    """Tells the share that is done, not too often."""

    def __init__(self) -> None:
        self.told = 0.0
        self.at = -EVERY

    def __call__(self, share: float) -> None:
        """So much is done."""
        now = time.monotonic()
        if share > self.told and now - self.at >= EVERY:
            self.told, self.at = share, now
            tell(share=round(share, 4))


def stop_when_nobody_listens() -> None:
    """Wait for the end of standard input in a thread; then stop the solve, and end even if it does not stop."""

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(GRACE)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def be_modest() -> None:
    """Let every other process go first; where there is no such thing as priority, do without."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(NICER)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(FIRST_TO_GO)


def solve(name: str, parameters: dict[str, Any], workers: int) -> None:
    """Solve a game and keep it; raises what is shown to a user."""
    from rollwise import progress
    from rollwise.cache.errors import StoreError
    from rollwise.door import the_game
    from rollwise.solver.turn import compiling
    from rollwise.stored import anything, is_kept, stored

    progress.HEARING.append(Shares())
    compiling.LISTENERS.append(lambda begins: tell(compiling=begins))
    game = the_game(name, parameters)
    stored(game, anything, workers=workers, quiet=True)
    if not is_kept(game):
        raise StoreError("the game is solved, but that cannot be kept: is there room, and may this folder be written?")


def main() -> None:
    """Solve what the words of the command line say."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts this may have had it ignored
    be_modest()
    stop_when_nobody_listens()
    _, name, parameters, workers = sys.argv
    from rollwise.cache.errors import StoreError
    from rollwise.solver.game.errors import RollwiseError

    try:
        solve(name, json.loads(parameters), int(workers))
        tell(done=True)
    except (RollwiseError, StoreError) as error:
        tell(failed=str(error))
    except MemoryError:
        tell(failed="there is not enough memory")
    except KeyboardInterrupt:
        os._exit(1)  # what is done is kept; threads of the solve are not waited for


if __name__ == "__main__":
    main()
