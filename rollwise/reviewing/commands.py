"""The command that asks a question again, ready to paste."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from typing import Any

from rollwise.answer import shown_value
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import Position, TurnGame


def asks_again(game: TurnGame, fields: Mapping[str, Any], position: Position) -> str:
    """``rollwise ask GAME ...`` for these fields; those that go without saying are left out."""
    said = dict(fields)
    for name in [name for name, value in fields.items() if not value and value is not False]:
        fewer = {other: value for other, value in said.items() if other != name}
        if _located(game, fewer) == position:
            said = fewer
    words = [f"{name}={shown_value(value)}" for name, value in said.items()]
    for name, value in game.parameters().items():
        default = next((field.default for field in dataclasses.fields(game) if field.name == name), None)
        if value != default:
            words += ["-p", f"{name}={shown_value(value)}"]
    return shlex.join(["rollwise", "ask", game.name, *words])


def _located(game: TurnGame, fields: Mapping[str, Any]) -> Position | None:
    known = {field.name: field for field in game.fields()}
    try:
        return game.locate(**{name: known[name].parse(value) for name, value in fields.items()})
    except BadInput:
        return None
