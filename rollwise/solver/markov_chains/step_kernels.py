"""Compiled loops over a Markov chain: the forward (Kolmogorov) pass, Chebyshev rounds, levels (numba, GIL released).

Arrays are those of ``solver.markov_chains.layout.SuccessorCodes``: a code is a place times 16 plus a shift, or -1 less
the number of an ending. Rows of endings stand behind the rows of places. The slow twin of levels, with which a test
compares them, is ``solver.markov_chains.layout.sort_by_level``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kernel_cache import compiled


@compiled()
def count_predecessors(codes: Any, root: Any, ways: Any, start: Any) -> int:
    """Count the results that lead to each place: ``start``, shape (n + 2,), zeros before, gets running sums from 2 on.

    Returns the largest count.
    """
    for b in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            if ways[root[b], c] > 0.0 and codes[b, c] >= 0:
                start[(codes[b, c] >> 4) + 2] += 1
    largest = 0
    for b in range(codes.shape[0]):
        largest = max(largest, start[b + 2])
        start[b + 2] += start[b + 1]
    return largest


@compiled()
def list_predecessors(codes: Any, root: Any, ways: Any, start: Any, source: Any, kind: Any) -> None:
    """List the predecessors of each place: ``source`` from ``start[b]`` to ``start[b + 1]``, and their ``kind``.

    ``kind`` is root times results plus result. ``start`` comes from ``count_predecessors``, and is moved into place.
    """
    for b in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            if ways[root[b], c] > 0.0 and codes[b, c] >= 0:
                after = (codes[b, c] >> 4) + 1
                source[start[after]] = b
                kind[start[after]] = root[b] * codes.shape[1] + c
                start[after] += 1


@compiled()
def forward(first: int, end: int, start: Any, source: Any, kind: Any, chance: Any, before: Any, after: Any) -> None:
    """Probabilities of the places first..end - 1 one turn later, gathered from their predecessors."""
    for b in range(first, end):
        total = 0.0
        for k in range(start[b], start[b + 1]):
            total += before[source[k]] * chance[kind[k]]
        after[b] = total


@compiled()
def forward_even(low: int, high: int, start: Any, source: Any, chance: float, before: Any, after: Any) -> None:
    """The same where all results are equally likely."""
    for b in range(low, high):
        total = 0.0
        for k in range(start[b], start[b + 1]):
            total += before[source[k]]
        after[b] = total * chance


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


@compiled()
def level_range(level: Any, none: int) -> Any:
    """Number of levels that are not ``none``, and the least and the largest of them, 0 where there are none."""
    count, first, last = 0, 0, 0
    for board in range(len(level)):
        here = level[board]
        if here != none:
            first = min(first, here) if count else here
            last = max(last, here) if count else here
            count += 1
    return count, first, last


@compiled()
def order_places(place: Any, none: int, last: int, starts: Any, ordered: Any) -> None:
    """Sort boards by level, the ``last`` one first, within a level the last board first, into ``ordered``.

    ``place`` has the level of each board, ``none`` where there is no board, and gets its place, or -1. ``starts``:
    int64, zeros, one more than levels from the first to the last; it gets the first place of each level, the last
    level first, and the number of boards. Levels without boards start where the next one does.
    """
    n = len(starts) - 1
    for board in range(len(place)):
        if place[board] != none:
            starts[last - place[board] + 1] += 1
    for k in range(n):
        starts[k + 1] += starts[k]
    for board in range(len(place) - 1, -1, -1):
        if place[board] == none:
            place[board] = -1
        else:
            k = last - place[board]
            ordered[starts[k]] = board
            place[board] = starts[k]
            starts[k] += 1
    for k in range(n, 0, -1):
        starts[k] = starts[k - 1]
    starts[0] = 0
