"""One solve of a duel or a sheet, timed: python -m scripts.benched.solve JSON RUNS, for scripts/bench.py.

JSON is [game, parameters, [the same of a small game that warms the kernels up], workers].
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

import numpy as np

from rollwise.games.registry import game
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver


def solve(name: str, parameters: dict[str, Any], workers: int) -> dict[str, Any]:
    """What it took, and what came of it."""
    made = game(name, {key: tuple(value) if isinstance(value, list) else value for key, value in parameters.items()})
    assert isinstance(made, TurnGame)
    begin, cpu = time.perf_counter(), time.process_time()
    graph = compile_turn(made)
    turn = time.perf_counter()
    solver = BoardSolver(made, graph, workers=workers)
    found = solver.solve()
    end = time.perf_counter()
    start = solver.space.index_of(**made.first_board())
    return {
        "seconds": end - begin,
        "cpu": time.process_time() - cpu,
        "turn_graph": turn - begin,
        "boards": found.n_boards,
        "edge_operations": found.work.edge_operations,
        "nodes": graph.n_nodes,
        "edges": graph.n_edges,
        "value": float(found.values[start]),
        "width": 2 * float(found.radius[start]),
        "widest": 2 * float(np.nanmax(found.radius)),
        "method": found.method,
    }


def main() -> None:
    """The best of some runs, as JSON."""
    name, parameters, warm, workers = json.loads(sys.argv[1])
    solve(warm[0], warm[1], workers)
    runs = (solve(name, parameters, workers) for _ in range(int(sys.argv[2])))
    best = min(runs, key=lambda run: float(run["seconds"]))
    print(json.dumps(best | {"memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
