"""Arguments with which a public function answers at once, and the same as it is typed: what proves all of them.

A function of a game's state has them by default; what differs is listed.
"""

from __future__ import annotations

import inspect
from typing import Any

import rollwise
from rollwise.cli import load_command
from rollwise.questions import COMMANDS

FUNCTIONS = [name for name in rollwise.__all__ if inspect.isfunction(getattr(rollwise, name)) or name == "Match"]
TINY: dict[str, Any] = {"params": {"target": 4}}
TURN = {"mine": 0, "theirs": 0, "turn": 2}
USUAL: dict[str, dict[str, Any]] = {
    "ask": {"game": "pig", **TINY, "state": TURN},
    "best": {"table": "table.csv", "state": TURN},
    "compare": {"game": "pig", "rule": "hold-at-20", **TINY},
    "export": {"game": "pig", "output": "pig.csv", **TINY},
    "forecast": {"game": "shut-the-box"},
    "list_games": {},
    "outcomes": {"game": "pig", **TINY, "state": TURN, "move": "roll"},
    "quiz": {"game": "pig", **TINY, "n": 1, "look": 20},
    "review": {"path_or_lines": ["pig target=4", "A: 2 hold"]},
    "solve_all": {"games": ["high-dice"]},
    "verify": {"game": "pig"},
    "why": {"game": "pig", **TINY, "state": TURN},
    "Match": {"game": "pig", **TINY, "seed": 4},
}


def usual(function: str) -> dict[str, Any]:
    """Arguments with which a call is good, and quick."""
    return USUAL.get(function, {"game": "pig", **TINY})


def unlisted(listed: set[str]) -> list[str]:
    """A line for each command with JSON that is not ``listed``: the usual one, or its example if it is no function."""
    names = [name for name in COMMANDS if name not in listed and _has_json(name)]
    return [_typed(name) if name in FUNCTIONS else COMMANDS[name].examples[0].partition(" ")[2] for name in names]


def _has_json(command: str) -> bool:
    return any("--json" in parameter.opts for parameter in load_command(command).params)


def _typed(function: str) -> str:
    said = usual(function)
    params = (f"-p {name}={value}" for name, value in said.get("params", {}).items())
    state = (f"{name}={value}" for name, value in said.get("state", {}).items())
    return " ".join([function, said["game"], *params, *state])
