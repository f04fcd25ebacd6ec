"""What a solve was planned to take beside what it took: python -m scripts.benched.planned JSON, for scripts/bench.py.

JSON is [game, parameters, parameters of a smaller one that compiles the kernels].
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from rollwise.games.registry import game
from rollwise.solutions.turns import load_or_compile_turn
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.cost_model import PROGRAM_BYTES
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.model.game import TurnGame


def made(name: str, parameters: dict[str, Any]) -> TurnGame:
    """The game."""
    found = game(name, {key: tuple(value) if isinstance(value, list) else value for key, value in parameters.items()})
    assert isinstance(found, TurnGame)
    return found


def main() -> None:
    """One run, as JSON: seconds, bytes of memory and bytes kept, each planned and measured."""
    name, parameters, warm = json.loads(sys.argv[1])
    if warm is not None:
        small = made(name, warm)
        kind_of(small).solve(small, load_or_compile_turn(small), Tools())
    whole = made(name, parameters)
    graph, kind = load_or_compile_turn(whole), kind_of(whole)
    planned = kind.plan(made(name, parameters), whole.turn_size() or graph)
    begin, cpu = time.perf_counter(), time.process_time()
    found = kind.solve(whole, graph, Tools())
    told = {
        "planned_seconds": planned.seconds,
        "seconds": time.perf_counter() - begin,
        "cpu": time.process_time() - cpu,
        "planned_memory_mb": (PROGRAM_BYTES + planned.memory) / 1e6,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
        "planned_kept_mb": planned.disk / 1e6,
        "kept_mb": sum(array.nbytes for array in found.arrays.values()) / 1e6,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
