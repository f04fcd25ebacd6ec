"""The one spelling of a state: what ``ask`` answers, what outcomes lead to, what a match stands at and its record says.

Parsed fields have None for a seat that is out, or has nothing yet; a spelled state has ``-`` there, as it is typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.fields import Numbers
from rollwise.solver.game.model import Position, TurnGame

OUT = "-"


def spelled(game: TurnGame, fields: Mapping[str, Any], position: Position) -> dict[str, Any]:
    """Parsed fields of a position as a state."""
    return {name: _by_seat(value) for name, value in with_seats_out(game, fields, position).items()}


def with_seats_out(game: TurnGame, fields: Mapping[str, Any], position: Position) -> dict[str, Any]:
    """The same fields; a seat that is said to be out by a number, as by 0 lives, is None like any other that is out."""
    told = dict(fields)
    for field in game.fields():
        if isinstance(field, Numbers) and field.out and field.name in told:
            for seat, held in enumerate(told[field.name]):
                less = (*told[field.name][:seat], None, *told[field.name][seat + 1 :])
                if held is not None and _is_at(game, {**told, field.name: less}, position):
                    told[field.name] = less
    return told


def plain_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state as JSON holds it."""
    return {name: as_json(value) for name, value in state.items()}


def as_json(value: Any) -> Any:
    """A field's value as JSON holds it."""
    if isinstance(value, Mapping):
        return {str(key): as_json(held) for key, held in value.items()}
    return [as_json(part) for part in value] if isinstance(value, tuple | list) else value


def _by_seat(value: Any) -> Any:
    """A list in which seats that are out are ``-``; anything else as it is."""
    return tuple(OUT if part is None else part for part in value) if isinstance(value, tuple) else value


def _is_at(game: TurnGame, fields: Mapping[str, Any], position: Position) -> bool:
    """Do these fields say this position?"""
    try:
        return game.locate(**fields) == position
    except BadInput:
        return False
