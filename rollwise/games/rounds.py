"""One round for each player, in seat order; the best score wins, and players who tie share the win.

The others' scores are summed up by the best of them so far (``best``) and the seats that have it (``holders``).
"""

from __future__ import annotations

from math import lcm
from typing import Any

import numpy as np

from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, NumberOrNone, Numbers

Holders = tuple[int, ...]


def round_fields(players: int, low: int, high: int, what: str) -> list[Field]:
    """Fields for the seat that plays, and for the best score so far, which ``what`` names."""
    return [
        Number("mover", "the seat that is playing its round", 0, players - 1),
        NumberOrNone("best", f"the {what} score so far, or none", low, high),
        Numbers("holders", "the seats that have it", 0, players - 1),
    ]


def check_round(mover: int, best: int | None, holders: Holders, scores: str = "") -> None:
    """Raise StateError unless these can be the scores when ``mover`` starts its round; ``scores`` names the range."""
    late = [seat for seat in holders if seat >= mover]
    if late:
        raise StateError(f"holders names seat {late[0]}, which has no score yet with mover={mover}", field="holders")
    if mover and best is None:
        raise StateError(f"with mover={mover} say the best score so far, best={scores}", field="best")
    if best is not None and not mover:
        raise StateError(f"best={best} with mover=0, but nobody has a score before seat 0 has played", field="best")
    if best is not None and not holders:
        raise StateError(f"best={best} needs holders, the seats that have it (0 to {mover - 1})", field="holders")


def as_bits(holders: Holders) -> int:
    """Seats as one number: seat s is bit ``1 << s``."""
    return sum(1 << seat for seat in holders)


def as_seats(bits: int, players: int) -> Holders:
    """The seats of such a number."""
    return tuple(seat for seat in range(players) if bits >> seat & 1)


def joined(holders: Any, mover: Any, difference: Any) -> Any:
    """The holders of the best score (as bits) once ``mover`` beats it by ``difference`` (0: equal)."""
    seat = np.left_shift(1, mover)
    return np.where(difference > 0, seat, np.where(difference == 0, holders | seat, holders))


def shares(holders: Any, players: int) -> tuple[Any, int]:
    """Shares of the win, a row for each place to the left of the last seat, itself first, and the parts of a whole win.

    >>> shares(np.array([0b011, 0b100]), 3)[0].T.tolist(), shares(np.array([0b011]), 3)[1]
    ([[0, 3, 3], [6, 0, 0]], 6)
    """
    per = lcm(*range(1, players + 1))
    seats = np.roll(np.arange(players), 1)
    holds = np.asarray(holders) >> seats[:, None] & 1
    return per * holds // np.maximum(holds.sum(axis=0), 1), per
