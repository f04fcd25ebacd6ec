"""What one result does to one board, as the game's ``transition`` says it: for games and slow twins that ask one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Columns, Transition, TurnGame

Numbers: TypeAlias = tuple[Any, ...]  # the fields of a board, in order: whole numbers, and tuples of them for lists


@dataclass(frozen=True)
class Effect:
    """What one result does to one board. ``following`` is the next board, or None where the game ends.

    ``worth`` goes to the mover: for the end of the game, or on top of what the next board is worth. ``passed``: by how
    many seats to the left the turn goes on; ``shares``: where several seats share the end of a game, each one's, from
    the mover to the left.
    """

    legal: bool
    following: Numbers | None
    passed: int
    worth: Fraction
    shares: tuple[Fraction, ...] | None = None

    @property
    def other(self) -> bool:
        """Does another seat move next?"""
        return self.passed != 0


def outcome(game: TurnGame, board: Numbers, result: Any) -> Effect:
    """Ask ``game.transition`` about one board; raises ModelError where it leads off the boards."""
    names = game.boards().names
    columns = one_board(dict(zip(names, board, strict=True)))
    said = game.transition(columns, result)
    if not only(said.legal):
        return Effect(False, None, 0, Fraction(0))
    worth = Fraction(int(only(said.reward)), said.per)
    won, drawn = bool(only(said.won)), bool(only(said.drawn))
    if won or drawn or only(said.over):
        rows = None if said.shares is None else tuple(Fraction(int(only(row)), said.per) for row in said.shares)
        return Effect(True, None, 0, worth + Fraction(int(won)) + Fraction(int(drawn), 2), rows)
    if said.next is None:
        raise ModelError(f"result {result} of {dict(zip(names, board, strict=True))} leads nowhere")
    following = next_board(said, columns)
    if game.boards().index_of(**following) < 0:
        raise ModelError(f"result {result} of {dict(zip(names, board, strict=True))} leads off the boards")
    return Effect(True, tuple(following.values()), int(only(said.mover)), worth)


def one_board(board: Mapping[str, Any]) -> Columns:
    """One board as columns: a number has shape (1,), a list of them (length, 1)."""
    return Columns({name: np.array(value)[..., None] for name, value in board.items()})


def next_board(said: Transition, columns: Columns) -> dict[str, Any]:
    """The one board that follows, as whole numbers, and tuples of them for lists."""
    assert said.next is not None
    return {
        name: tuple(int(only(part)) for part in said.next[name]) if column.ndim > 1 else int(only(said.next[name]))
        for name, column in columns.as_dict().items()
    }


def only(column: Any) -> Any:
    """The one entry of a column of one board, or the value that stands for all boards."""
    return np.asarray(column).reshape(-1)[0]
