"""The compiled loops that carry chances forwards.

Arrays are those of ``solver.markov_chains.layout.Follows``: a code is a place times 16 plus a shift, or -1 less the number of
an ending. numba; they release the GIL.
"""

from __future__ import annotations

from typing import Any

from rollwise.solver.turn.kept_kernels import compiled


@compiled()
def count_before(codes: Any, root: Any, ways: Any, start: Any) -> int:
    """How many results lead to each place: ``start``, shape (n + 2,), zeros before, holds running sums from 2 on.

    Returns the largest number.
    """
    for b in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            if ways[root[b], c] > 0.0 and codes[b, c] >= 0:
                start[(codes[b, c] >> 4) + 2] += 1
    most = 0
    for b in range(codes.shape[0]):
        most = max(most, start[b + 2])
        start[b + 2] += start[b + 1]
    return most


@compiled()
def list_before(codes: Any, root: Any, ways: Any, start: Any, source: Any, kind: Any) -> None:
    """Who leads to each place: ``source`` from ``start[b]`` to ``start[b + 1]``, and by which result of which root.

    ``kind`` is root times results plus result. ``start`` is as ``count_before`` left it, and is moved into place.
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
    """The chances of the places first..end - 1 one turn later, gathered from those that lead there."""
    for b in range(first, end):
        found = 0.0
        for k in range(start[b], start[b + 1]):
            found += before[source[k]] * chance[kind[k]]
        after[b] = found


@compiled()
def forward_even(low: int, high: int, start: Any, source: Any, chance: float, before: Any, after: Any) -> None:
    """The same where all results are equally likely."""
    for b in range(low, high):
        found = 0.0
        for k in range(start[b], start[b + 1]):
            found += before[source[k]]
        after[b] = found * chance
