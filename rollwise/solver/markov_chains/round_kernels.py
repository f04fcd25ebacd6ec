"""The compiled loops of rounds (numba, they release the GIL).

Arrays are those of ``solver.markov_chains.layout.Follows``: a code is a place times 16 plus a shift, or -1 less the number of
an ending. Rows of numbers have those of the endings behind those of the places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kept_kernels import compiled


@compiled()
def back_up(low: int, high: int, codes: Any, root: Any, chance: Any, turn: float, before: Any, after: Any) -> None:
    """The numbers of the places low..high - 1 one turn earlier than ``before``: a share, a shared win, turns.

    ``turn`` is what each turn counts. A place without a sign needs no look whether it counts from the end.
    """
    n = len(codes)
    for b in range(low, high):
        share, shared, turns = 0.0, 0.0, turn
        which = root[b]
        for c in range(codes.shape[1]):
            weight, code = chance[which, c], codes[b, c]
            if weight == 0.0:
                break
            place = np.uint32(code >> 4 if code >= 0 else n - 1 - code)
            share += weight * before[place, 0]
            shared += weight * before[place, 1]
            turns += weight * before[place, 2]
        after[b, 0] = share
        after[b, 1] = shared
        after[b, 2] = turns


@compiled()
def missing(low: int, high: int, x: Any, after: Any) -> float:
    """What is missing to the numbers ``x`` of the places low..high - 1, in ``after``; returns the most."""
    most = 0.0
    for b in range(low, high):
        for j in range(3):
            after[b, j] -= x[b, j]
            most = max(most, abs(after[b, j]))
    return most


@compiled()
def step_on(low: int, high: int, old: float, new: float, left: Any, step: Any, x: Any) -> None:
    """A step of these places: a part of the last one, and of what is missing."""
    for b in range(low, high):
        for j in range(3):
            step[b, j] = old * step[b, j] + new * left[b, j]
            x[b, j] += step[b, j]
