"""The checker's own reading of ``transition``: plainly, column by column, independent of the solver."""

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
    """Transition of one result on some boards, a column each.

    ``illegal``, ``over``: bool. ``following``: the index of the next board, -1 where there is none; ``passes``: how
    many seats the turn passes on. ``worth``: the value of the end of the game to the mover (0 elsewhere); ``points``:
    reward added to the next board's value (0 elsewhere); ``shares``: shape (seats, boards), 0 where there are none.
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
        """Mask where the game goes on, but to no board."""
        return ~self.illegal & ~self.over & (self.following < 0)


def read_transition(game: TurnGame, boards: Ints, result: Any, seats: int = 0) -> CheckedTransition:
    """The game's ``transition`` of these boards (by index); with ``seats``, endings have so many shares."""
    space, count = game.boards(), len(boards)
    transition = game.transition(space.columns(boards), result)

    def column(value: Any, dtype: type) -> Any:
        return np.broadcast_to(np.asarray(value, dtype=dtype), count)

    illegal = ~column(transition.legal, bool)
    won, drawn = column(transition.won, bool), column(transition.drawn, bool)
    over = (column(transition.over, bool) | won | drawn) & ~illegal
    goes_on = ~over & ~illegal
    following = np.full(count, -1) if transition.next is None else space.index(transition.next, count)
    reward = column(transition.reward, float) / transition.per
    shares = np.zeros((seats, count))
    if transition.shares is not None:
        for seat, row in enumerate(transition.shares):
            shares[seat] = np.where(over, column(row, float) / transition.per, 0.0)
    return CheckedTransition(
        illegal,
        over,
        np.where(goes_on, following, -1),
        np.where(goes_on, column(transition.mover, int), 0),
        np.where(over, reward + won + drawn / 2, 0.0),
        np.where(goes_on, reward, 0.0),
        shares,
    )
