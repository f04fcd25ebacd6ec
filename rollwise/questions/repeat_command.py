"""The ``rollwise`` command that repeats a question or a solve, ready to paste."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.parsing.words import CommandLine
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position, TurnGame
from rollwise.text.spelling import shown_value


def command_of(
    game: str, parameters: Mapping[str, Any], usual: Mapping[str, Any], state: Mapping[str, Any], command: str = "ask"
) -> str:
    """The command line for a state or a game; parameters with their ``usual`` values are omitted."""
    fields = {name: shown_value(value) for name, value in state.items()}
    unusual = {name: shown_value(value) for name, value in parameters.items() if value != usual.get(name)}
    return CommandLine(command, [game], fields, unusual).text()


def command_for_question(game: TurnGame, fields: Mapping[str, Any], position: Position) -> str:
    """``rollwise ask GAME ...`` for these fields, without those that the position implies."""
    needed = dict(fields)
    for name in [name for name, value in fields.items() if not value and value is not False]:
        shorter = {other: value for other, value in needed.items() if other != name}
        if _locate_or_none(game, shorter) == position:
            needed = shorter
    usual = plain_parameters(parse_game(game.name))
    return command_of(game.name, plain_parameters(game), usual, needed)


def _locate_or_none(game: TurnGame, fields: Mapping[str, Any]) -> Position | None:
    try:
        return game.locate(**parse_fields(game, fields))
    except BadInput:
        return None
