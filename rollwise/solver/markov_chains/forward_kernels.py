"""Compiled loops of the forward (Kolmogorov) pass of a Markov chain (numba, GIL released).

Arrays are those of ``solver.markov_chains.layout.SuccessorCodes``: a code is a place times 16 plus a shift, or -1 less
the number of an ending.
"""

from __future__ import annotations

from typing import Any

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
