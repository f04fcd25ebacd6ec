"""A question: its checked fields, its position, and its full state in the canonical spelling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.parsing.validate import check_board, parse_fields, parse_game
from rollwise.parsing.words import CommandLine
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.model.errors import BadInput, StateError
from rollwise.solver.model.fields import Faces, ThrowsLeft
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.turn.graph import TurnCheck, TurnGraph
from rollwise.solver.turn.questions import is_question_state
from rollwise.text.spelling import shown_state, shown_value, spelled


@dataclass(frozen=True)
class Assumed(Jsonable):
    """The assumed ``throw`` of the turn, from 1 on; ``left`` throws follow, which is the value of ``field``."""

    field: str
    left: int
    throw: int

    def plain(self) -> dict[str, int]:
        """The field and its assumed value, for JSON."""
        return {self.field: self.left}


def reachable(game: TurnGame, fields: Mapping[str, Any], position: Position) -> TurnCheck:
    """Check of a question against a compiled turn: raises StateError for a state that no turn reaches."""

    def check(graph: TurnGraph) -> None:
        if not is_question_state(game, graph, position.state):
            raise impossible_state_error(game, fields, position)

    return TurnCheck(check, position.board, fields)


def question(game: TurnGame, values: Mapping[str, Any]) -> tuple[dict[str, Any], Position]:
    """Checked fields of a question, and its position; raises BadInput for impossible fields or boards."""
    fields = parse_fields(game, values)
    position = game.locate(**fields)
    require_board(game, fields, position)
    return fields, position


def require_board(game: TurnGame, fields: Mapping[str, Any], position: Position) -> None:
    """Raise StateError, with the reason where the game has one, for a board that no play reaches."""
    try:
        check_board(game, position.board)
    except StateError as error:
        raise impossible_state_error(game, fields, position) from error


def impossible_state_error(game: TurnGame, fields: Mapping[str, Any], position: Position) -> StateError:
    """The error for a state that no play reaches, with the reason where the game has one."""
    why = game.impossible(position)
    if why:
        return StateError(why, field=why.partition("=")[0])
    shown = shown_state(full_state(game, fields, position))
    return StateError(f"{shown} is impossible: no play of {game.title} comes to it")


def full_state(game: TurnGame, fields: Mapping[str, Any], position: Position) -> dict[str, Any]:
    """The full state of a question in the canonical spelling: given fields and defaults."""
    return spelled(all_fields(game, fields, position))


def all_fields(game: TurnGame, fields: Mapping[str, Any], position: Position) -> dict[str, Any]:
    """All field values of a question, as ``locate`` takes them: given ones and defaults."""
    described = game.describe(position.board, position.state)
    implied = max(described, key=lambda one: sum(one.get(name) == value for name, value in fields.items()), default={})
    state = game.completed(fields, implied)
    return {field.name: state[field.name] for field in game.fields() if state.get(field.name) is not None}


def assumed_throw(game: TurnGame, fields: Mapping[str, Any], state: Mapping[str, Any]) -> Assumed | None:
    """The throw of the turn that the dice are assumed to be, where the question leaves it open; else None."""
    for field in game.fields():
        if isinstance(field, ThrowsLeft) and field.name not in fields and fields.get(field.dice) is not None:
            n_left = state.get(field.name, 0)
            return Assumed(field.name, n_left, throws_of_turn(game, field, fields) - n_left) if n_left else None
    return None


def throws_of_turn(game: TurnGame, field: ThrowsLeft, fields: Mapping[str, Any]) -> int:
    """The number of throws that the turn of a question has."""
    dice = {other.name for other in game.fields() if isinstance(other, Faces)}
    without_dice = {name: value for name, value in fields.items() if name not in (*dice, field.name)}
    try:
        return int(all_fields(game, without_dice, game.locate(**without_dice)).get(field.name, field.throws))
    except BadInput:
        return field.throws


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
