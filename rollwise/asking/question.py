"""A question understood: checked fields, where it stands, and the state in its one spelling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.answers.advice import Assumed
from rollwise.answers.spelling import shown_state, spelled
from rollwise.parsing.validate import check_board, the_fields
from rollwise.solver.model.errors import BadInput, StateError
from rollwise.solver.model.fields import Faces, ThrowsLeft
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.query import can_be_asked


@dataclass(frozen=True)
class Reachable:
    """A look at a compiled turn: StateError where no turn comes to the state of a question; ``board``: where it is."""

    game: TurnGame
    fields: Mapping[str, Any]
    position: Position

    @property
    def board(self) -> Mapping[str, Any]:
        """The board of the question."""
        return self.position.board

    def __call__(self, graph: TurnGraph) -> None:
        """Look."""
        if not can_be_asked(self.game, graph, self.position.state):
            raise impossible(self.game, self.fields, self.position)


reachable = Reachable


def question(game: TurnGame, values: Mapping[str, Any]) -> tuple[dict[str, Any], Position]:
    """Checked fields of a question, and where it stands; raises BadInput for fields, and a board, that cannot be."""
    fields = the_fields(game, values)
    position = game.locate(**fields)
    require_board(game, fields, position)
    return fields, position


def require_board(game: TurnGame, fields: Mapping[str, Any], position: Position) -> None:
    """Raise StateError, with the reason where the game can tell, for a board that no game comes to."""
    try:
        check_board(game, position.board)
    except StateError as error:
        raise impossible(game, fields, position) from error


def impossible(game: TurnGame, fields: Mapping[str, Any], position: Position) -> StateError:
    """What to say of a state that no play comes to: why not, where the game can tell."""
    why = game.impossible(position)
    if why:
        return StateError(why, field=why.partition("=")[0])
    shown = shown_state(understood(game, fields, position))
    return StateError(f"{shown} is impossible: no play of {game.title} comes to it")


def understood(game: TurnGame, fields: Mapping[str, Any], position: Position) -> dict[str, Any]:
    """The state as it was understood, in its one spelling: what was said, and what was left out."""
    return spelled(all_fields(game, fields, position))


def all_fields(game: TurnGame, fields: Mapping[str, Any], position: Position) -> dict[str, Any]:
    """All field values of a question, as ``locate`` takes them: those that were said, and those that were left out."""
    described = game.describe(position.board, position.state)
    implied = max(described, key=lambda one: sum(one.get(name) == value for name, value in fields.items()), default={})
    state = game.completed(fields, implied)
    return {field.name: state[field.name] for field in game.fields() if state.get(field.name) is not None}


def assumed(game: TurnGame, fields: Mapping[str, Any], state: Mapping[str, Any]) -> Assumed | None:
    """Which throw of the turn the dice of a question were taken for, where it was not said and could be another."""
    for field in game.fields():
        if isinstance(field, ThrowsLeft) and field.name not in fields and fields.get(field.dice) is not None:
            left = state.get(field.name, 0)
            return Assumed(field.name, left, throws_of_turn(game, field, fields) - left) if left else None
    return None


def throws_of_turn(game: TurnGame, field: ThrowsLeft, fields: Mapping[str, Any]) -> int:
    """How many throws the turn of a question has."""
    dice = {other.name for other in game.fields() if isinstance(other, Faces)}
    before = {name: value for name, value in fields.items() if name not in (*dice, field.name)}
    try:
        return int(all_fields(game, before, game.locate(**before)).get(field.name, field.throws))
    except BadInput:
        return field.throws
