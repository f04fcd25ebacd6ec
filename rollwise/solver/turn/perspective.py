"""Perspective of values: the one module that converts a value to the other side of the table.

A *code* is the successor of a leaf of the turn (``pack_codes``, ``unpack_codes``): the index of the next board, and in
its lowest bits the number of seats by which the turn passes. That is one bit in a duel, and more at a table
(``Constants.bits``). After the boards come constants (values of finished games), so that every leaf is one look-up:
``value[next]``, or ``total - value[next]`` for the other side; lower and upper bounds change places. Luck games have
codes so packed with four bits (``solver.markov_chains.layout.SuccessorCodes``), and their endings below 0. Kernels do
the same by hand.
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
MAX_CONSTANTS = 4096  # distinct values of finished games


class Constants:
    """Values of finished games, after the boards in every array of values."""

    def __init__(self, n_boards: int, bits: int = 1) -> None:
        if (n_boards + MAX_CONSTANTS) << bits >= 2**31:
            raise TooLarge(f"{n_boards} boards; codes of 32 bits name up to {2 ** (31 - bits) - MAX_CONSTANTS}")
        self.n_boards = n_boards
        self.bits = bits  # of a code for the number of seats by which the turn passes
        self.place: dict[Any, int] = {ILLEGAL: 0}
        self._lock = threading.Lock()  # several threads add constants at once

    def code(self, value: Any) -> int:
        """The code of a value: a Fraction, ILLEGAL, a (lower, upper) pair past a proven cut, or a tuple of shares."""
        place = self.place.get(value)
        if place is None:
            with self._lock:
                place = self.place.setdefault(value, len(self.place))
            if place >= MAX_CONSTANTS:
                raise ModelError(f"more than {MAX_CONSTANTS} different worths of finished games")
        code: int = pack_codes(self.n_boards + place, 0, self.bits)
        return code

    def room(self, fill: float) -> Floats:
        """A new array of values: boards, then room for constants."""
        size = self.n_boards + MAX_CONSTANTS
        return np.full(size, fill) if fill else np.zeros(size)  # zeros that are never used take no memory

    def write(self, values: Floats, sense: str, side: int) -> None:
        """Write the constants into an array of values; ``side`` -1 for lower bounds and values, 1 for upper bounds."""
        with self._lock:
            places = list(self.place.items())
        for constant, place in places:
            if constant == ILLEGAL:
                number = -np.inf if sense == "max" else np.inf
            elif isinstance(constant, Fraction):
                number = float(constant)
            else:
                number = float(constant[0] if side < 0 else constant[1])
            values[self.n_boards + place] = number


def pack_codes(following: Any, passes: Any, bits: int = 1) -> Any:
    """Codes of next boards, with the number of seats by which the turn passes."""
    return (following << bits) + passes


def unpack_codes(codes: Any, bits: int = 1) -> tuple[Any, Any]:
    """The next boards of codes, or constants after the boards, and the numbers of seats by which the turn passes.

    Both have the type of the codes.
    """
    return codes >> bits, codes & ((1 << bits) - 1)


def compact_codes(codes: NDArray[Any], constants: Constants) -> tuple[Ints, Ints]:
    """Next boards of codes, ascending; and codes for which these are all boards, with the constants after them."""
    following, passes = unpack_codes(codes.astype(np.int64), constants.bits)
    is_board = following < constants.n_boards
    ahead, place = np.unique(following[is_board], return_inverse=True)
    following[is_board], following[~is_board] = place, following[~is_board] - constants.n_boards + len(ahead)
    return ahead, pack_codes(following, passes, constants.bits)


def leaf_values(codes: NDArray[Any], same: Floats, other: Floats, total: float) -> Floats:
    """Values of leaves to the mover: ``same`` and ``other`` are the values read for either side."""
    following, passes = unpack_codes(codes)
    values: Floats = np.where(passes, total - other[following], same[following])
    return values
