"""Values of the rows of a claim sheet, and the claims that they are: what needs no solved game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from importlib import import_module
from operator import sub, truediv
from typing import Any, TypeAlias, cast

from rollwise.games.claims.claim import Claim, Value
from rollwise.games.claims.plays import read_play
from rollwise.games.claims.replay import turn_game
from rollwise.games.claims.scoring import score
from rollwise.games.claims.sheets import COMBINED, Row, each, members
from rollwise.games.claims.stated import require_number, stated
from rollwise.games.claims.tables import IN_LISTS
from rollwise.games.claims.throwing import chance as chance_of_a_throw
from rollwise.solver.model.errors import BadInput

ClaimValue: TypeAlias = Value | Mapping[str, Value]
Compute: TypeAlias = Callable[[Row], Any]


def _ratio(numbers: list[Fraction]) -> Fraction:
    if 0 in numbers[1:]:
        raise BadInput("a ratio to 0 is no number", field="combine")
    return reduce(truediv, numbers)


def _mean(numbers: list[Fraction]) -> Fraction:
    return sum(numbers) / Fraction(len(numbers))


COMBINE: dict[str, Callable[[list[Fraction]], Any]] = dict(
    zip(COMBINED, (_ratio, lambda numbers: reduce(sub, numbers), sum, min, max, _mean), strict=True)
)


def _combined(values: Any, combine: str) -> Any:
    """Values with one number in place of each innermost list."""
    if not combine or not isinstance(values, list):
        return values
    if any(isinstance(value, list) for value in values):
        return [_combined(value, combine) for value in values]
    return COMBINE[combine](_numbers(values))


def _numbers(values: list[Any]) -> list[Fraction]:
    if not values or not all(isinstance(value, Fraction) for value in values):
        raise BadInput("several values are numbers", field="read")
    return values


def _function(row: Row, name: str) -> Callable[..., Any]:
    """Function of the module beside a sheet."""
    function: Callable[..., Any] = getattr(import_module(row.place.code), name)
    return function


BY_RULES: dict[str, Compute] = {  # without a solved game
    "throw": lambda row: chance_of_a_throw(row.arguments["dice"], row.arguments["text"]),
    "score": lambda row: score(turn_game(row.game, **row.params), **row.arguments),
    "play": lambda row: read_play(turn_game(row.game, **row.params), row.arguments),
    "compute": lambda row: _function(row, row.arguments["compute"])(**row.arguments["args"]),
}


def compute_row(row: Row, computers: Mapping[str, Compute] = BY_RULES) -> ClaimValue:
    """Value of a row, or the value of each of its readings; raises BadInput for one that cannot be compared."""
    if row.readings:
        return {name: cast(Value, compute_row(reading, computers)) for name, reading in row.readings.items()}
    compute = computers[row.shape]
    if row.shape not in IN_LISTS:
        return cast(ClaimValue, compute(row))
    values = _combined(each(row.arguments, lambda table: compute(replace(row, arguments=table))), row.combine)
    if not isinstance(values, str) and not row.agrees:
        require_number(row.stated, several=isinstance(values, list))
    return tuple(_numbers(members(values))) if isinstance(values, list) else cast(Value, values)


def make_claim(row: Row, computers: Mapping[str, Compute] = BY_RULES) -> Claim:
    """Claim of a row; raises BadInput for a shape without a computer."""
    parts = row.parts()
    for shape in {part.shape for part in parts} - set(computers):
        raise BadInput(
            f"{row.place.sheet}, claim {row.place.number} ({row.id}): {shape} is not known here", field=shape
        )
    chance = all(part.shape == "throw" and not part.combine for part in parts)

    def compute() -> ClaimValue:
        with row.place.named(row.id):
            return compute_row(row, computers)

    def agrees(text: str, value: Value) -> bool | None:
        if row.agrees:
            return cast(bool, _function(row, row.agrees)(text, value))
        return (row.stated if text == row.stated.text else stated(text)).agrees(value, chance)

    of = (row.id, row.game, row.source, row.statement, row.stated.text)
    return Claim(*of, agrees, compute, row.reading, slow=row.slow)
