"""What ``transition`` says, read once more: plainly, column by column, by nothing that found the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import TurnGame

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class CheckedTransition:
    """What one result does to some boards, a column each.

    ``illegal``, ``over``: bool. ``following``: the index of the next board, -1 where there is none; ``passes``: how
    many seats the turn passes on. ``worth``: what the end of the game is worth to the mover (0 elsewhere); ``points``:
    what is added to the next board's value (0 elsewhere); ``shares``: shape (seats, boards), 0 where there are none.
    """

    illegal: Flags
    over: Flags
    following: Ints
    passes: Ints
    worth: Floats
    points: Floats
    shares: Floats

    @property
    def lost(self) -> Flags:
        """Where the game goes on, but to no board."""
        return ~self.illegal & ~self.over & (self.following < 0)


def told(game: TurnGame, boards: Ints, result: Any, seats: int = 0) -> CheckedTransition:
    """Ask ``transition`` about these boards (by index); with ``seats``, the end is told in so many shares."""
    space, count = game.boards(), len(boards)
    said = game.transition(space.columns(boards), result)

    def column(value: Any, kind: type) -> Any:
        return np.broadcast_to(np.asarray(value, dtype=kind), count)

    illegal = ~column(said.legal, bool)
    won, drawn = column(said.won, bool), column(said.drawn, bool)
    over = (column(said.over, bool) | won | drawn) & ~illegal
    on = ~over & ~illegal
    following = np.full(count, -1) if said.next is None else space.index(said.next, count)
    reward = column(said.reward, float) / said.per
    shares = np.zeros((seats, count))
    if said.shares is not None:
        for seat, row in enumerate(said.shares):
            shares[seat] = np.where(over, column(row, float) / said.per, 0.0)
    return CheckedTransition(
        illegal,
        over,
        np.where(on, following, -1),
        np.where(on, column(said.mover, int), 0),
        np.where(over, reward + won + drawn / 2, 0.0),
        np.where(on, reward, 0.0),
        shares,
    )
