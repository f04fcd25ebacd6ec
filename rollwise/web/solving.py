"""``python -m rollwise.web.solving GAME PARAMETERS``: one solve, in a process of its own, at low priority.

Beside what all such processes say it tells ``{"share": 0.25}`` and ``{"compiling": true}``. SIGINT stops the solve, and
what is done by then is kept.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from rollwise.web.processes import tell, work

EVERY = 0.2  # seconds between shares


class ShareReports:
    """Tells the share that is done, not too often."""

    def __init__(self) -> None:
        self.share, self.at = 0.0, -EVERY

    def __call__(self, share: float) -> None:
        """So much is done."""
        now = time.monotonic()
        if share > self.share and now - self.at >= EVERY:
            self.share, self.at = share, now
            tell(share=round(share, 4))


def tell_shares() -> ShareReports:
    """From now on tell how much of the work is done, and that machine code is made."""
    from rollwise.solutions import progress
    from rollwise.solver.turn import compile_listeners

    shares = ShareReports()
    progress.HEARING.append(shares)
    compile_listeners.LISTENERS.append(lambda begins: tell(compiling=begins))
    return shares


def solve(name: str, parameters: dict[str, Any]) -> None:
    """Solve a game and keep it; raises what is shown to a user."""
    from dataclasses import replace

    from rollwise.parsing.validate import known_parameters, the_game
    from rollwise.solutions.games import anything, require_kept, stored

    tell_shares()
    known = known_parameters(name)
    part = {each: tuple(value) if isinstance(value, list) else value for each, value in parameters.items()}
    game = the_game(name, {each: value for each, value in parameters.items() if each in known})
    game = replace(game, **{each: value for each, value in part.items() if each not in known})
    stored(game, anything, quiet=True, lent=True)
    require_kept(game)


def main() -> None:
    """Solve what the words of the command line say."""
    _, name, parameters = sys.argv
    work(lambda: solve(name, json.loads(parameters)))


if __name__ == "__main__":
    main()
