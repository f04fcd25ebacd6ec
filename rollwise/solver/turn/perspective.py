"""Whose value it is: the one place that knows how a value looks from the other side of the table.

A *code* names where a leaf of the turn leads, packed by ``packed`` and read by ``read``: the index of the next board,
and in its lowest bits how many seats the turn passes on. In a duel that is one bit; at a table there are more
(``Constants.bits``). Behind the boards stand constants (a finished game's worth), so that every leaf is one look-up:
``value[next]``, or ``total - value[next]`` for the other side; lower and upper bounds change places in between. Luck
games have codes so packed with four bits (``solver.markov_chains.layout.Follows``), and their endings below 0. Compiled loops
do the same by hand.
"""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError, TooLarge

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ILLEGAL = "illegal"
ROOM = 4096  # different worths that finished games may have


class Constants:
    """The worths of finished games, kept behind the boards in every array of values."""

    def __init__(self, n_boards: int, bits: int = 1) -> None:
        if (n_boards + ROOM) << bits >= 2**31:
            raise TooLarge(f"{n_boards} boards; codes of 32 bits name up to {2 ** (31 - bits) - ROOM}")
        self.n_boards = n_boards
        self.bits = bits  # of a code that say how many seats the turn passes on
        self.place: dict[Any, int] = {ILLEGAL: 0}
        self._lock = threading.Lock()  # several threads settle at once

    def code(self, worth: Any) -> int:
        """The code of a worth: a Fraction, ILLEGAL, a (lower, upper) pair past a proven cut, or a tuple of shares."""
        place = self.place.get(worth)
        if place is None:
            with self._lock:
                place = self.place.setdefault(worth, len(self.place))
            if place >= ROOM:
                raise ModelError(f"more than {ROOM} different worths of finished games")
        code: int = packed(self.n_boards + place, 0, self.bits)
        return code

    def room(self, fill: float) -> Floats:
        """A new array of values: boards, then room for constants."""
        size = self.n_boards + ROOM
        return np.full(size, fill) if fill else np.zeros(size)  # zeros that are never used take no memory

    def write(self, values: Floats, sense: str, side: int) -> None:
        """Put the constants into an array of values; ``side`` -1 for lower bounds and values, 1 for upper bounds."""
        with self._lock:
            places = list(self.place.items())
        for worth, place in places:
            if worth == ILLEGAL:
                number = -np.inf if sense == "max" else np.inf
            elif isinstance(worth, Fraction):
                number = float(worth)
            else:
                number = float(worth[0] if side < 0 else worth[1])
            values[self.n_boards + place] = number


def packed(following: Any, passes: Any, bits: int = 1) -> Any:
    """The codes of boards that follow, with so many seats passed on; the only place that knows how they are packed."""
    return (following << bits) + passes


def read(codes: Any, bits: int = 1) -> tuple[Any, Any]:
    """What codes say: the board that follows, or what stands behind the boards, and how many seats are passed on.

    Both as wide as the codes are.
    """
    return codes >> bits, codes & ((1 << bits) - 1)


def among(codes: NDArray[Any], constants: Constants) -> tuple[Ints, Ints]:
    """The boards that codes lead to, ascending; and the codes if these were all boards, the constants behind them."""
    following, passes = read(codes.astype(np.int64), constants.bits)
    on = following < constants.n_boards
    ahead, place = np.unique(following[on], return_inverse=True)
    following[on], following[~on] = place, following[~on] - constants.n_boards + len(ahead)
    return ahead, packed(following, passes, constants.bits)


def leaf_values(codes: NDArray[Any], same: Floats, other: Floats, total: float) -> Floats:
    """What leaves are worth to the mover: ``same`` and ``other`` are the values read for either side."""
    following, passes = read(codes)
    seen: Floats = np.where(passes, total - other[following], same[following])
    return seen
