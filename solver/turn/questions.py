"""The question that comes next, in fields: what a game says of a board and a state, seen by whoever asked before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rollwise.solver.game.errors import ModelError, StateError
from rollwise.solver.game.fields import Numbers
from rollwise.solver.game.model import Position, State, TurnGame
from rollwise.solver.turn.following import Fall

Fields = Mapping[str, Any]


def next_question(
    game: TurnGame, asked: Fields, move: str, fall: Fall, state: State, mover: int | None
) -> tuple[dict[str, Any], Position] | None:
    """Fields and position of the question that a fall comes to; None where none can be said.

    ``asked`` are all fields of the question before, ``state`` is that of the turn now, ``mover`` the seat that moves,
    None where questions do not tell it. What a game says in ``after`` must locate the board, the state and the seat
    that the fall has come to (ModelError); else it is what ``describe`` says of them, and of what that leaves open,
    what was asked before.
    """
    board = dict(zip(game.boards().names, fall.board or (), strict=True))
    wanted = _Wanted(game, board, state, mover)
    said = game.after(asked, move, fall.thrown, fall.result)
    if said is not None:
        position = wanted.located(said)
        if position is None:
            raise ModelError(f"{game} says that {move} leads to {dict(said)}, which is not {board} with {state}")
        return dict(said), position
    seen = list(_seen(game, board, state, mover))
    seen.sort(key=lambda each: _alike(each, asked, fall), reverse=True)
    for fields in seen:
        position = wanted.located(fields)
        if position is not None:
            return (fields, position) if fall.result is not None else wanted.as_before(fields, asked, position)
    if seen:
        raise ModelError(f"{game} describes {board} with {state} by fields that are another position: {seen[0]}")
    return None


class _Wanted:
    """The position that fields have to be."""

    def __init__(self, game: TurnGame, board: Fields, state: State, mover: int | None) -> None:
        self.game, self.mover = game, mover
        self.index, self.state = game.boards().index_of(**board), state

    def located(self, fields: Fields) -> Position | None:
        """The position of these fields, where it is the one that is wanted."""
        try:
            found = self.game.locate(**fields)
        except StateError:
            return None
        same = tuple(found.state) == tuple(self.state) and self.game.boards().index_of(**found.board) == self.index
        return found if same and self.mover in (None, found.mover) else None

    def as_before(self, fields: Fields, asked: Fields, position: Position) -> tuple[dict[str, Any], Position]:
        """The same position with as much as can be of what was asked before: one sheet of many stays the same."""
        shown = dict(fields)
        for name, value in asked.items():
            if value is None or shown.get(name) == value:
                continue
            found = self.located({**shown, name: value})
            if found is not None:
                shown[name], position = value, found
        return shown, position


def _seen(game: TurnGame, board: Fields, state: State, mover: int | None) -> Iterator[dict[str, Any]]:
    """What a game says of a board and a state; where it tells them with another seat as mover, turned round."""
    by_seat = [field.name for field in game.fields() if isinstance(field, Numbers) and field.count is not None]
    for fields in game.describe(board, state):
        fields = {name: value for name, value in fields.items() if value is not None}
        yield fields
        turn = None if mover is None or "mover" not in fields else (mover - fields["mover"])
        if turn:
            turned = {
                name: (*value[-turn % len(value) :], *value[: -turn % len(value)])
                for name, value in fields.items()
                if name in by_seat and value
            }
            yield {**fields, **turned, "mover": mover}


def _alike(fields: Fields, asked: Fields, fall: Fall) -> tuple[bool, int]:
    """How well fields fit what is known: the dice that lie, and what was asked before."""
    roll, last = fields.get("roll"), fall.thrown[-1] if fall.thrown else ()
    shows = roll is not None and tuple(roll) == last
    return shows, sum(fields.get(name) == value for name, value in asked.items())
