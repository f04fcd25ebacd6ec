"""Several values of a rule parameter: ``10..50``, ``10..50..5``, ``a,b,c``, or a list of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from math import prod
from typing import Any

from rollwise.parsing.validate import known_parameters, the_game
from rollwise.solver.model.errors import ParameterError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import plain

SPAN = re.compile(r"\s*([0-9]{1,9})\.\.([0-9]{1,9})(?:\.\.([0-9]{1,9}))?\s*")
MOST = 1000  # games of one sweep


def games_of(name: str, parameters: Mapping[str, Any]) -> list[tuple[TurnGame, dict[str, Any]]]:
    """The games that these parameters make, each once, with what they say of each; raises BadInput for one that cannot
    be, and where there are very many.

    >>> [said for _, said in games_of("pig", {"target": "3,10..30..10"})]
    [{'target': 3}, {'target': 10}, {'target': 20}, {'target': 30}]
    """
    known = known_parameters(name)
    spans = {parameter: _values(known, parameter, plain(value)) for parameter, value in parameters.items()}
    count = prod(map(len, spans.values()))
    if count > MOST:
        raise ParameterError(f"a sweep is of {MOST:,} games at most, these are {count:,}")
    games: dict[TurnGame, dict[str, Any]] = {}
    for values in product(*spans.values()):
        said = dict(zip(spans, values, strict=True))
        made = the_game(name, said)
        spelt = {matched(parameter, known) or parameter: value for parameter, value in said.items()}
        games.setdefault(made, {parameter: getattr(made, parameter, value) for parameter, value in spelt.items()})
    return list(games.items())


def _values(known: Mapping[str, Any], parameter: str, value: Any) -> list[Any]:
    """The values of one parameter; of one that is a list itself only a list of lists is several."""
    field = known.get(matched(parameter, known) or "")
    if field is not None and isinstance(field.default, tuple):
        return value if isinstance(value, list) and value and isinstance(value[0], list | str) else [value]
    if isinstance(value, list):
        return value or [value]
    if not isinstance(value, str):
        return [value]
    found: list[Any] = []
    for part in value.split(","):
        span = SPAN.fullmatch(part)
        if span is None:
            found.append(part)
            continue
        first, last, step = int(span[1]), int(span[2]), int(span[3] or 1)
        if last < first or not step:
            raise ParameterError(f"{parameter} from {first} to {last} in steps of {step} is nothing", field=parameter)
        if (last - first) // step >= MOST:
            raise ParameterError(f"a sweep is of {MOST:,} games at most, {parameter}={part} are more", field=parameter)
        found += range(first, last + 1, step)
    return found
