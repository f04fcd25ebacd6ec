"""``python -m rollwise.web.solving GAME PARAMETERS``: one solve, in a process of its own, at low priority.

Besides the lines of all child processes it writes ``{"share": 0.25}`` and ``{"compiling": true}``. SIGINT stops the
solve, and its progress is stored.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rollwise.web.processes import run_task, send_line

REPORT_INTERVAL_S = 0.2  # between reports


class ShareReports:
    """Sends the share done, at most once per interval."""

    def __init__(self) -> None:
        self.share, self.at = 0.0, -REPORT_INTERVAL_S

    def __call__(self, share: float) -> None:
        """Send the share if it has grown."""
        now = time.monotonic()
        if share > self.share and now - self.at >= REPORT_INTERVAL_S:
            self.share, self.at = share, now
            send_line(share=round(share, 4))


@contextmanager
def reporting() -> Iterator[ShareReports]:
    """Send the share done, and the start and end of compiling, inside the block."""
    from rollwise.solver.model.cancellation import Token, with_token
    from rollwise.solver.turn.kernel_compiles import KERNEL_COMPILES

    shares = ShareReports()
    KERNEL_COMPILES.observer = lambda begins: send_line(compiling=begins)
    with with_token(Token(on_share=shares)):
        try:
            yield shares
        finally:
            KERNEL_COMPILES.observer = None


def solve(name: str, parameters: dict[str, Any]) -> None:
    """Solve a game and store it; raises errors for users."""
    from rollwise.games.registry import game as registered
    from rollwise.solutions.lookup import accept_any_turn, load_or_solve, require_stored

    game: Any = registered(name, parameters)
    with reporting():
        load_or_solve(game, accept_any_turn, quiet=True, evictable=True)
    require_stored(game)


def main() -> None:
    """Solve the game of the command line."""
    _, name, parameters = sys.argv
    run_task(lambda: solve(name, json.loads(parameters)))


if __name__ == "__main__":
    main()
