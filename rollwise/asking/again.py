"""The command that asks a question again, ready to paste."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.answers.spelling import shown_value
from rollwise.parsing.validate import the_fields, the_game
from rollwise.parsing.words import CommandLine
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position, TurnGame


def command_of(
    game: str, parameters: Mapping[str, Any], usual: Mapping[str, Any], state: Mapping[str, Any], command: str = "ask"
) -> str:
    """The line that asks about a state, or solves a game; parameters that are as usual are left out."""
    fields = {name: shown_value(value) for name, value in state.items()}
    unusual = {name: shown_value(value) for name, value in parameters.items() if value != usual.get(name)}
    return CommandLine(command, [game], fields, unusual).text()


def asks_again(game: TurnGame, fields: Mapping[str, Any], position: Position) -> str:
    """``rollwise ask GAME ...`` for these fields; those that go without saying are left out."""
    needed = dict(fields)
    for name in [name for name, value in fields.items() if not value and value is not False]:
        fewer = {other: value for other, value in needed.items() if other != name}
        if _located(game, fewer) == position:
            needed = fewer
    usual = plain_parameters(the_game(game.name))
    return command_of(game.name, plain_parameters(game), usual, needed)


def _located(game: TurnGame, fields: Mapping[str, Any]) -> Position | None:
    try:
        return game.locate(**the_fields(game, fields))
    except BadInput:
        return None
