"""Moves of a question's state, and the next question after an outcome, in fields consistent with those before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.game import (
    Chance,
    Decision,
    End,
    Goto,
    Node,
    NodeKey,
    Position,
    TurnGame,
    moves_by_name,
)
from rollwise.solver.model.moves import parse_move
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.successors import ThrowOutcome

Fields = Mapping[str, Any]
SEATS = ("mover", "opener")  # fields that name a seat


@dataclass(frozen=True)
class LegalMove:
    """One move: its name, the node after it, and points on top of that node's value."""

    name: str
    after: Node
    points: int = 0


def moves_of(game: TurnGame, node: Node) -> list[LegalMove]:
    """The named moves of a decision in the game's own order."""
    return [LegalMove(name, after) for name, after in moves_by_name(node, game.turn).items()]


def moves_left_out(game: TurnGame, board: Mapping[str, int], state: NodeKey, all_moves: bool) -> list[LegalMove]:
    """The dominated moves that the turn leaves out: those as good as one that it has, or all of them."""
    moves = [LegalMove(*move) for move in game.left_out(board, state)]
    if game.measure == "win" and any(move.points for move in moves):
        raise ModelError(f"{game} is played to win, and no move of it is worth points less than another")
    return [move for move in moves if all_moves or not move.points]


def question_node(game: TurnGame, state: NodeKey) -> Node:
    """The node of a question's state."""
    unsolved = game.unsolved_node(*state)
    return game.turn(*state) if unsolved is None else unsolved


def is_question_state(game: TurnGame, graph: TurnGraph, state: NodeKey) -> bool:
    """True where a turn reaches this state, in the solved turn or past it."""
    return graph.node_of(state) is not None or game.unsolved_node(*state) is not None


def question_moves(game: TurnGame, state: NodeKey) -> list[LegalMove]:
    """The moves of a question's state, ``roll`` where the dice must be thrown, none at an end."""
    node = question_node(game, state)
    while isinstance(node, Goto):
        node = game.turn(*node.state)
    moves = moves_of(game, node)
    return moves if moves or isinstance(node, End) else [LegalMove("roll", node)]


def node_after_move(game: TurnGame, move: LegalMove) -> Node:
    """The node after a move; after one that throws dice the throw itself, although it has a question before it too."""
    node = move.after
    throws = move.name == "roll" or parse_move(move.name).kind == "keep"
    if game.two_steps or not throws or not isinstance(node, Goto):
        return node
    then = game.turn(*node.state)
    if isinstance(then, Decision) and [name for name, _ in then.moves] == ["roll"]:
        return then.moves[0][1]
    return then if isinstance(then, Chance) else node


def next_question(
    game: TurnGame, fields_before: Fields, move: str, outcome: ThrowOutcome, state: NodeKey, mover: int | None
) -> tuple[dict[str, Any], Position] | None:
    """Fields and position of the question after an outcome; None where it has none.

    ``fields_before`` are all fields of the question before, ``state`` is that of the turn now, ``mover`` the seat that
    moves, None where questions do not have it. The fields are those of ``describe`` for the board and the state; fields
    from ``after`` replace them, and in the same turn, where they are still true, those of the question before. They
    must locate the board, the state and the seat of the outcome (ModelError).
    """
    board = dict(zip(game.boards().names, outcome.board or (), strict=True))
    target = _Target(game, board, state, mover)
    changed = game.after(fields_before, move, outcome.thrown, outcome.result) or {}
    described_all = list(_descriptions(game, board, state, mover))
    described_all.sort(key=lambda each: _agreement(each, fields_before, outcome), reverse=True)
    for described in described_all or [{}]:
        fields = {**described, **changed}
        position = target.located(fields)
        if position is None:
            continue
        if outcome.result is None:
            fields, position = target.as_before(fields, {**fields_before, **changed}, position)
        return {
            field.name: fields[field.name] for field in game.fields() if fields.get(field.name) is not None
        }, position
    if described_all:
        raise ModelError(
            f"{game} says that {move} leads to { ({**described_all[0], **changed}) }, which is not {board} with {state}"
        )
    return None


class _Target:
    """The position that fields must locate."""

    def __init__(self, game: TurnGame, board: Fields, state: NodeKey, mover: int | None) -> None:
        self.game, self.board, self.state, self.mover = game, board, state, mover

    def located(self, fields: Fields) -> Position | None:
        """The position of these fields; None where it is not the target."""
        try:
            position = self.game.locate(**_filled(fields))
        except StateError:
            return None
        if tuple(position.state) != tuple(self.state) or self.mover not in (None, position.mover):
            return None
        index_of = self.game.boards().index_of
        is_same = position.board == self.board or index_of(**position.board) == index_of(**self.board)
        return position if is_same else None

    def as_before(self, fields: Fields, fields_before: Fields, position: Position) -> tuple[dict[str, Any], Position]:
        """The same position with as many fields of the question before as possible, such as the same sheet."""
        shown = dict(fields)
        for name, value in fields_before.items():
            if shown.get(name) in (None, value):
                continue
            same = self.located({**shown, name: value})
            if same is not None:
                shown[name], position = value, same
        return shown, position


def _descriptions(game: TurnGame, board: Fields, state: NodeKey, mover: int | None) -> Iterator[dict[str, Any]]:
    """Descriptions of a board and a state, and those with another seat as mover, rotated."""
    by_seat = [field.name for field in game.fields() if field.by_seat]
    for fields in game.describe(board, state):
        yield fields
        turn = 0 if mover is None else mover - game.locate(**_filled(fields)).mover
        if turn:
            seats = len(next(fields[name] for name in by_seat if fields.get(name)))
            lists = {name: _rotated(fields[name], turn) for name in by_seat if fields.get(name)}
            places = {name: (fields[name] + turn) % seats for name in SEATS if name in fields}
            yield {**fields, **lists, **places}


def _filled(fields: Fields) -> dict[str, Any]:
    """The fields with a value."""
    return {name: value for name, value in fields.items() if value is not None}


def _rotated(by_seat: Sequence[Any], turn: int) -> tuple[Any, ...]:
    """A list by seat, with all players moved this many seats to the left."""
    return tuple(by_seat[(seat - turn) % len(by_seat)] for seat in range(len(by_seat)))


def _agreement(fields: Fields, fields_before: Fields, outcome: ThrowOutcome) -> tuple[bool, int]:
    """Sort key of fields: agreement with the dice on the table, then with the question before."""
    roll, last = fields.get("roll"), outcome.thrown[-1] if outcome.thrown else ()
    shows = roll is not None and tuple(roll) == last
    return shows, sum(fields.get(name) == value for name, value in fields_before.items())
