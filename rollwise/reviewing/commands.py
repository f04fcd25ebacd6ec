"""The command that asks a question again, ready to paste."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.door import the_game
from rollwise.quizzing.positions import command_of
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import Position, TurnGame
from rollwise.stored import plain_parameters


def asks_again(game: TurnGame, fields: Mapping[str, Any], position: Position) -> str:
    """``rollwise ask GAME ...`` for these fields; those that go without saying are left out."""
    said = dict(fields)
    for name in [name for name, value in fields.items() if not value and value is not False]:
        fewer = {other: value for other, value in said.items() if other != name}
        if _located(game, fewer) == position:
            said = fewer
    usual = plain_parameters(the_game(game.name))
    return command_of(game.name, plain_parameters(game), usual, said)


def _located(game: TurnGame, fields: Mapping[str, Any]) -> Position | None:
    known = {field.name: field for field in game.fields()}
    try:
        return game.locate(**{name: known[name].parse(value) for name, value in fields.items()})
    except BadInput:
        return None
