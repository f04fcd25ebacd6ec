"""One solve of a table, or of hidden dice, timed: python -m scripts.benched.kind JSON, for scripts/bench.py.

JSON is [game, parameters, [the same of a game that warms the kernels up] or null].
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from rollwise.games.registry import game
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn


def solve(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """What it took, and how surely the numbers are known."""
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    begin, cpu = time.perf_counter(), time.process_time()
    found = kind_of(made).solve(made, compile_turn(made), Tools())
    return {
        "seconds": time.perf_counter() - begin,
        "cpu": time.process_time() - cpu,
        "boards": found.facts["boards"],
        "gain_limit": found.facts.get("gain_limit"),
        "widest": found.widest,
    }


def main() -> None:
    """One run, as JSON."""
    name, parameters, warm = json.loads(sys.argv[1])
    if warm:
        solve(*warm)
    found = solve(name, parameters)
    print(json.dumps(found | {"memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
