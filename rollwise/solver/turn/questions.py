"""The question that comes next, in fields: what a game says of a board and a state, seen by whoever asked before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.game import NodeKey, Position, TurnGame
from rollwise.solver.turn.successors import ThrowOutcome

Fields = Mapping[str, Any]
SEATS = ("mover", "opener")  # fields that name a seat


def next_question(
    game: TurnGame, asked: Fields, move: str, fall: ThrowOutcome, state: NodeKey, mover: int | None
) -> tuple[dict[str, Any], Position] | None:
    """Fields and position of the question that a fall comes to; None where none can be said.

    ``asked`` are all fields of the question before, ``state`` is that of the turn now, ``mover`` the seat that moves,
    None where questions do not tell it. The fields are what ``describe`` says of the board and the state; what a game
    says in ``after`` stands in place of that, and in the same turn, where that is as true, what was asked before. They
    must locate the board, the state and the seat that the fall has come to (ModelError).
    """
    board = dict(zip(game.boards().names, fall.board or (), strict=True))
    wanted = _Wanted(game, board, state, mover)
    said = game.after(asked, move, fall.thrown, fall.result) or {}
    seen = list(_seen(game, board, state, mover))
    seen.sort(key=lambda each: _alike(each, asked, fall), reverse=True)
    for described in seen or [{}]:
        fields = {**described, **said}
        position = wanted.located(fields)
        if position is None:
            continue
        if fall.result is None:
            fields, position = wanted.as_before(fields, {**asked, **said}, position)
        return {
            field.name: fields[field.name] for field in game.fields() if fields.get(field.name) is not None
        }, position
    if seen:
        raise ModelError(
            f"{game} says that {move} leads to { ({**seen[0], **said}) }, which is not {board} with {state}"
        )
    return None


class _Wanted:
    """The position that fields have to be."""

    def __init__(self, game: TurnGame, board: Fields, state: NodeKey, mover: int | None) -> None:
        self.game, self.board, self.state, self.mover = game, board, state, mover

    def located(self, fields: Fields) -> Position | None:
        """The position of these fields, where it is the one that is wanted."""
        try:
            found = self.game.locate(**_told(fields))
        except StateError:
            return None
        if tuple(found.state) != tuple(self.state) or self.mover not in (None, found.mover):
            return None
        index_of = self.game.boards().index_of
        same = found.board == self.board or index_of(**found.board) == index_of(**self.board)
        return found if same else None

    def as_before(self, fields: Fields, asked: Fields, position: Position) -> tuple[dict[str, Any], Position]:
        """The same position with as much as can be of what was asked before: one sheet of many stays the same."""
        shown = dict(fields)
        for name, value in asked.items():
            if shown.get(name) in (None, value):
                continue
            found = self.located({**shown, name: value})
            if found is not None:
                shown[name], position = value, found
        return shown, position


def _seen(game: TurnGame, board: Fields, state: NodeKey, mover: int | None) -> Iterator[dict[str, Any]]:
    """What a game says of a board and a state; where it tells them with another seat as mover, turned round."""
    by_seat = [field.name for field in game.fields() if field.by_seat]
    for fields in game.describe(board, state):
        yield fields
        turn = 0 if mover is None else mover - game.locate(**_told(fields)).mover
        if turn:
            seats = len(next(fields[name] for name in by_seat if fields.get(name)))
            lists = {name: _turned(fields[name], turn) for name in by_seat if fields.get(name)}
            places = {name: (fields[name] + turn) % seats for name in SEATS if name in fields}
            yield {**fields, **lists, **places}


def _told(fields: Fields) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value is not None}


def _turned(by_seat: Sequence[Any], turn: int) -> tuple[Any, ...]:
    """A list by seat when everybody sits so many seats further to the left."""
    return tuple(by_seat[(seat - turn) % len(by_seat)] for seat in range(len(by_seat)))


def _alike(fields: Fields, asked: Fields, fall: ThrowOutcome) -> tuple[bool, int]:
    """How well fields fit what is known: the dice that lie, and what was asked before."""
    roll, last = fields.get("roll"), fall.thrown[-1] if fall.thrown else ()
    shows = roll is not None and tuple(roll) == last
    return shows, sum(fields.get(name) == value for name, value in asked.items())
