"""The odds of one luck game from its start, timed: python -m scripts.benched.odds JSON, for scripts/bench.py.

JSON is [game, parameters, [the same of a game that warms the kernels up]].
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from rollwise.games.registry import game
from rollwise.solver.markov_chains.layout import lay_out
from rollwise.solver.markov_chains.odds import odds
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn


def solve(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """What it took, and what came of it."""
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    begin, cpu = time.perf_counter(), time.process_time()
    chain = lay_out(made, compile_turn(made))
    laid = time.perf_counter()
    found = odds(chain, chain.place(made.boards().index_of(**made.first_board())), exact=False)
    return {
        "seconds": time.perf_counter() - begin,
        "cpu": time.process_time() - cpu,
        "laid_out": laid - begin,
        "boards": chain.n_boards,
        "levels": chain.n_levels,
        "results": chain.n_results,
        "method": found.method,
        "shares": [share[0] for share in found.shares],
        "turns": found.turns[0],
        "width": max(share[2] - share[1] for share in found.shares),
        "turns_width": found.turns[2] - found.turns[1],
    }


def main() -> None:
    """One run, as JSON."""
    name, parameters, warm = json.loads(sys.argv[1])
    solve(*warm)
    found = solve(name, parameters)
    print(json.dumps(found | {"memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
