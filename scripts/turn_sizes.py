"""Measure the sizes of turns that take long to compile, and write ``rollwise/games/turn_sizes.toml``; half a minute.

python scripts/turn_sizes.py

From the lowest goal here on, a size is linear in the goal: so there is one row for the lowest and one for the highest
goal. A row has the goal, the edges of the turn, and the results and edges from each of its roots.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import rollwise.games
from rollwise.parsing.validate import parse_game
from rollwise.solver.kinds.cost_model import _from_root
from rollwise.solver.turn.graph import compile_turn

TO = Path(rollwise.games.__path__[0]) / "turn_sizes.toml"
GOALS = {
    "ten-thousand": {"win": (1500, 20_000), "turns": (1500, 20_000), "reach": (1500, 20_000), "points": (500, 20_000)},
    "zilch": {"win": (50, 10_000), "turns": (2000, 10_000), "reach": (2000, 10_000), "points": (50, 10_000)},
}
SOME_RESULTS = {"ten-thousand": [0], "zilch": ["bust"]}  # that lead from one board to another of its level
HEAD = "# By scripts/turn_sizes.py: the lowest and the highest goal, each with edges, and results and edges by root."


def measure(name: str, objective: str, goal: int) -> list[int]:
    """The row of a game."""
    players = 2 if objective == "win" else 1
    graph = compile_turn(parse_game(name, {"goal": goal, "objective": objective, "players": players}))
    by_root = [number for root in range(len(graph.roots)) for number in _from_root(graph, root)[:2]]
    return [goal, graph.n_edges, *by_root]


def main() -> None:
    """Measure and write."""
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    lines = [HEAD]
    for name, objectives in GOALS.items():
        lines += ["", f"[{name}]", f"some_results = {json.dumps(SOME_RESULTS[name])}"]
        lines += [f"{each} = {[measure(name, each, goal) for goal in goals]}" for each, goals in objectives.items()]
    TO.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
