"""``compare``: what a rule of thumb costs against the best play, computed exactly and not simulated."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rollwise.comparing.asked import Asked
from rollwise.door import the_game
from rollwise.exporting.files import SUFFIXES, read_table
from rollwise.games.policies import Policy, policy
from rollwise.progress import Progress
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import Position
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Cost, Tools
from rollwise.stored import Stored, anything, asked, plain_parameters

Bounds = tuple[float, float, float]  # value, lower, upper


@dataclass(frozen=True)
class Comparison:
    """What a rule is worth and what it costs, each as (value, lower, upper) in the game's unit.

    In a duel ``best`` and ``rule`` are by seat: P(win) or margin of the player in seat 0 and in seat 1, the rule's
    against the best reply to it, and ``cost`` is the mean difference over the seats. Alone there is one seat.
    ``looks_at`` names the fields beside the turn that the rule looked at.
    """

    game: str
    parameters: dict[str, Any]
    policy: str
    help: str
    objective: str
    unit: str
    best: tuple[Bounds, ...]
    rule: tuple[Bounds, ...]
    cost: Bounds
    looks_at: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON shows it."""

        def told(bounds: Bounds) -> dict[str, float]:
            return dict(zip(("value", "lower", "upper"), bounds, strict=True))

        return {
            "game": self.game,
            "parameters": self.parameters,
            "policy": self.policy,
            "help": self.help,
            "objective": self.objective,
            "unit": self.unit,
            "best": [told(bounds) for bounds in self.best],
            "rule": [told(bounds) for bounds in self.rule],
            "cost": told(self.cost),
            "looks_at": list(self.looks_at),
        }


def compare(game: str, rule: str | Path | Policy, params: Mapping[str, Any] | None = None) -> Comparison:
    """What a rule of thumb costs per game: the best value minus the rule's value against a best reply, mean of seats.

    ``rule`` is the name of one of the game's own (``games.policies``), a function of (state, moves) that returns a
    move, a file with such a function (``policy.py:function``), or a table that ``export`` wrote and somebody edited.
    Raises BadInput for a rule that cannot be found or plays what is no move, TooLarge for one that looks at more of
    the board than can be worked out.

    >>> round(compare("pig", "hold-at-20", {"target": 40}).cost[0], 6)
    0.043401
    """
    made = the_game(game, params)
    name, told, function = _found(game, rule)
    kind_of(made).require_comparable(made)
    rule_asked = Asked(made, function, name)
    start = Position(made.first_board(), ())

    def cost_of(found: Stored) -> Cost:
        with Progress(str(made), verb="comparing") as progress:
            tools = Tools(progress.share)
            return rule_asked.whole(lambda: kind_of(made).compare(found.opened, rule_asked, start, tools))

    found = asked(made, anything, cost_of)
    return Comparison(
        made.name,
        plain_parameters(made),
        name,
        told,
        made.measure,
        made.unit,
        found.best,
        found.rule,
        found.cost,
        tuple(sorted(rule_asked.looks_at)),
    )


# --- which rule ----------------------------------------------------------------------------------------------------


def _found(game: str, rule: str | Path | Policy) -> tuple[str, str, Policy]:
    """(name, what it does, function) of a rule."""
    if callable(rule):
        return getattr(rule, "__name__", "rule"), (rule.__doc__ or "").strip().partition("\n")[0], rule
    text = str(rule)
    path, colon, function = text.rpartition(":")
    if colon and path.endswith(".py"):
        return _from_file(Path(path), function)
    if Path(text).suffix.lower() in SUFFIXES:
        return text, "a table", _from_table(Path(text))
    if text.endswith(".py"):
        raise BadInput(f"say which function of {text}: {text}:NAME")
    house = policy(game, text)
    return text, house.help, house.policy


def _from_file(path: Path, name: str) -> tuple[str, str, Policy]:
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location("rollwise_rule", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadInput(f"{path} cannot be read as Python: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise BadInput(f"{path} has no function {name}")
    return f"{path}:{name}", (function.__doc__ or "").strip().partition("\n")[0], function


def _from_table(path: Path) -> Policy:
    """The moves of a table: the row of a state says what is played there."""
    columns, rows = read_table(path)
    chosen = "best_move" if "best_move" in columns else "best"
    fields = list(columns[: columns.index(chosen)]) if chosen in columns else []
    if not fields:
        raise BadInput(f"{path} has no column 'best' after those of the fields, as export writes it")
    moves = {tuple(_key(row[field]) for field in fields): str(row[chosen]) for row in rows}

    def policy(state: Mapping[str, Any], legal: Sequence[str]) -> str:
        key = tuple(_key(state[field]) for field in fields)
        if len(legal) == 1 and key not in moves:
            return legal[0]
        if key not in moves:
            shown = " ".join(f"{field}={state[field]}" for field in fields)
            raise BadInput(f"{path} has no row for {shown}")
        return moves[key] if moves[key] in legal else legal[0]

    return policy


def _key(value: Any) -> str:
    """A field as text, however a format has kept it."""
    if value is None or value == "":
        return ""
    if isinstance(value, Mapping):
        return "|".join(f"{box}:{score}" for box, score in value.items())
    if isinstance(value, list | tuple | np.ndarray):
        return "|".join(map(str, value))
    return str(value)
