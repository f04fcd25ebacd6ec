"""A table of two as a duel: what one seat wins more the other wins less, so one number says what a board is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rollwise.solver.game.model import Boards, Columns, Settled, State, TurnGame, Word


@dataclass(frozen=True)
class TwoSeats(TurnGame):
    """``table``, for two seats, with the value of the one who moves: that seat's share."""

    name = "two seats"
    title = "A table of two as a duel"
    source = "rollwise.solver.game.two_seats"
    rules = "Those of the table."
    kind = "duel"

    table: TurnGame

    def __post_init__(self) -> None:
        for word in ("measure", "unit", "sense", "cyclic", "endless"):
            object.__setattr__(self, word, getattr(self.table, word))

    def parameters(self) -> dict[str, Any]:
        """Those of the table."""
        return self.table.parameters()

    def __str__(self) -> str:
        return str(self.table)

    def boards(self) -> Boards:
        """Those of the table."""
        return self.table.boards()

    def first_board(self) -> dict[str, int]:
        """As at the table."""
        return self.table.first_board()

    def possible(self, board: Columns) -> Any:
        """As at the table."""
        return self.table.possible(board)

    def roots(self) -> Sequence[State]:
        """As at the table."""
        return self.table.roots()

    def root(self, board: Columns) -> Any:
        """As at the table."""
        return self.table.root(board)

    def turn(self, *state: Any) -> Word:
        """As at the table."""
        return self.table.turn(*state)

    def settle(self, board: Columns, result: Any) -> Settled:
        """As at the table; the end is worth the mover's share."""
        said = self.table.settle(board, result)
        seat = np.broadcast_to(np.asarray(self.table.mover(board)), len(board))
        changes: dict[str, Any] = {"shares": None}
        if said.next is not None:
            following = {
                name: np.broadcast_to(np.asarray(column), _like(column, len(board)))
                for name, column in said.next.items()
            }
            changes["mover"] = self.table.mover(Columns(following)) != seat
        if said.shares is not None:
            first, second = (np.broadcast_to(np.asarray(row), len(board)) for row in said.shares)
            over = np.asarray(said.over)
            changes["reward"] = np.where(over, np.where(seat == 0, first, second), said.reward)
        return replace(said, **changes)

    def level(self, board: Columns) -> Any:
        """As at the table."""
        return self.table.level(board)

    def order(self, board: Columns) -> Any:
        """As at the table."""
        return self.table.order(board)

    def describe(self, board: Mapping[str, int], state: State) -> Any:
        """As at the table."""
        return self.table.describe(board, state)


def _like(column: Any, count: int) -> tuple[int, ...]:
    """The shape of a column of so many boards: lists have a row for each of their numbers."""
    shape = np.shape(column)
    return (*shape[:-1], count) if len(shape) > 1 else (count,)
