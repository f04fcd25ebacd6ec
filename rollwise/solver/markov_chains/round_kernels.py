"""Compiled loops of Chebyshev iteration in rounds (numba, GIL released).

Arrays are those of ``solver.markov_chains.layout.SuccessorCodes``: a code is a place times 16 plus a shift, or -1 less
the number of an ending. Rows of endings stand behind the rows of places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kernel_cache import compiled


@compiled()
def back_up(low: int, high: int, codes: Any, root: Any, chance: Any, turn: float, before: Any, after: Any) -> None:
    """Bellman backup of the places low..high - 1: share, shared win and turns, ``after`` from ``before``.

    ``turn`` is what each turn counts. Places are unsigned, so that numba adds no test for negative indices.
    """
    n = len(codes)
    for b in range(low, high):
        share, shared, turns = 0.0, 0.0, turn
        root_index = root[b]
        for c in range(codes.shape[1]):
            weight, code = chance[root_index, c], codes[b, c]
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
def residual(low: int, high: int, x: Any, after: Any) -> float:
    """Residuals of the numbers ``x`` of the places low..high - 1, into ``after``; returns the largest."""
    largest = 0.0
    for b in range(low, high):
        for j in range(3):
            after[b, j] -= x[b, j]
            largest = max(largest, abs(after[b, j]))
    return largest


@compiled()
def chebyshev_step(low: int, high: int, old: float, new: float, residuals: Any, step: Any, x: Any) -> None:
    """A Chebyshev step of these places: ``old`` times the last step plus ``new`` times the residual."""
    for b in range(low, high):
        for j in range(3):
            step[b, j] = old * step[b, j] + new * residuals[b, j]
            x[b, j] += step[b, j]
