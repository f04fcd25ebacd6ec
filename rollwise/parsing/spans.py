"""Several values of a rule parameter: ``10..50``, ``10..50..5``, ``a,b,c``, or a list of these."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from math import prod
from typing import Any

from rollwise.parsing.validate import parse_game, rule_parameters
from rollwise.solver.model.errors import ParameterError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import plain

SPAN = re.compile(r"\s*([0-9]{1,9})\.\.([0-9]{1,9})(?:\.\.([0-9]{1,9}))?\s*")
MAX_GAMES = 1000  # games of one sweep


def parse_games(name: str, parameters: Mapping[str, Any]) -> list[tuple[TurnGame, dict[str, Any]]]:
    """The distinct games of these parameter values, each with its values; raises BadInput for one that is invalid, and
    for more than MAX_GAMES.

    >>> [values for _, values in parse_games("pig", {"target": "3,10..30..10"})]
    [{'target': 3}, {'target': 10}, {'target': 20}, {'target': 30}]
    """
    declared = rule_parameters(name)
    spans = {parameter: _values(declared, parameter, plain(value)) for parameter, value in parameters.items()}
    n_games = prod(map(len, spans.values()))
    if n_games > MAX_GAMES:
        raise ParameterError(f"a sweep has at most {MAX_GAMES:,} games, got {n_games:,}")
    games: dict[TurnGame, dict[str, Any]] = {}
    for values in product(*spans.values()):
        arguments = dict(zip(spans, values, strict=True))
        game = parse_game(name, arguments)
        by_name = {matched(parameter, declared) or parameter: value for parameter, value in arguments.items()}
        games.setdefault(game, {parameter: getattr(game, parameter, value) for parameter, value in by_name.items()})
    return list(games.items())


def _values(declared: Mapping[str, Any], parameter: str, value: Any) -> list[Any]:
    """The values of one parameter; for a parameter that is itself a list only a list of lists is several."""
    field = declared.get(matched(parameter, declared) or "")
    if field is not None and isinstance(field.default, tuple):
        return value if isinstance(value, list) and value and isinstance(value[0], list | str) else [value]
    if isinstance(value, list):
        return value or [value]
    if not isinstance(value, str):
        return [value]
    values: list[Any] = []
    for part in value.split(","):
        span = SPAN.fullmatch(part)
        if span is None:
            values.append(part)
            continue
        first, last, step = int(span[1]), int(span[2]), int(span[3] or 1)
        if last < first or not step:
            raise ParameterError(f"{parameter} from {first} to {last} by {step} has no values", field=parameter)
        if (last - first) // step >= MAX_GAMES:
            raise ParameterError(f"a sweep has at most {MAX_GAMES:,} games, {parameter}={part} more", field=parameter)
        values += range(first, last + 1, step)
    return values
