"""Chance carried forwards through the turn of one board, from some of its nodes to its leaves, under the best play.

One pass from the top down: throws split chance by their weights, and of equally good moves the first is played; where
lots are drawn, chance is split as they say. Marked nodes are remembered: chance that has come through them stands in
another column from there on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import CHANCE, TurnGraph, edges_of
from rollwise.solver.turn.query import LOWER, UPPER, VALUE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Good = Callable[[Ints, Ints, Ints], Bools]  # of children, where each node's begin, how many: may be played
Lots = Mapping[int, Mapping[int, float]]  # by node, the chance of each of its edges


def carry(
    graph: TurnGraph, chance: Floats, good: Good, *, marked: Ints | None = None, lots: Lots | None = None
) -> None:
    """Carry ``chance``, float64, shape (n_nodes, columns), on to the leaves, in place.

    ``good`` says which children of decisions may be played: the first of a node's is. ``marked``, shape (n_nodes,):
    marks of each node, a bit each; the lowest bits of a column are the marks that its chance has come through.
    """
    for kind, first, end in graph.segments[::-1].tolist():
        come_to = first + np.flatnonzero(chance[first:end].any(axis=1))
        if not len(come_to):
            continue
        if marked is not None:
            _remember(chance, come_to, marked)
        if kind != CHANCE and lots:
            come_to = _draw(graph, chance, come_to, lots)
        inner = come_to - graph.n_leaves
        edges = edges_of(graph.start, inner)
        child, count = graph.child[edges].astype(np.int64), graph.start[inner + 1] - graph.start[inner]
        if kind == CHANCE:
            share = chance[come_to] / graph.total[inner][:, None]
            _add(chance, child, np.repeat(share, count, axis=0) * graph.weight[edges][:, None])
        elif len(come_to):
            begin = np.cumsum(count) - count
            _add(chance, child[first_of(good(child, begin, count), begin)], chance[come_to])


def mean_of_ends(chances: Sequence[float], numbers: Sequence[float], off: float) -> tuple[float, float]:
    """The mean of some numbers, one an end of a turn, and how far off it may be; of equal ones just that number.

    ``off``: how far off a chance may be, relative to itself. That moves a mean within the numbers alone.
    """
    low, high = min(numbers), max(numbers)
    if low == high:
        return low, 0.0
    mean = fsum(chance * number for chance, number in zip(chances, numbers, strict=True)) / fsum(chances)
    return mean, 2.1 * off * (high - low) + 8 * UNIT * max(abs(low), abs(high))


def _add(chance: Floats, places: Ints, more: Floats) -> None:
    """Add to rows, of which some come more than once."""
    columns = chance.shape[1]
    np.add.at(chance.reshape(-1), (places[:, None] * columns + np.arange(columns)).ravel(), more.ravel())


def _remember(chance: Floats, come_to: Ints, marked: Ints) -> None:
    """Move what stands in marked nodes to the column of their marks."""
    for node in come_to[marked[come_to] > 0].tolist():
        row = chance[node].copy()
        chance[node] = 0.0
        for column, part in enumerate(row.tolist()):
            chance[node, column | int(marked[node])] += part


def _draw(graph: TurnGraph, chance: Floats, come_to: Ints, lots: Lots) -> Ints:
    """Split what stands where lots are drawn; the other nodes."""
    drawn = [node for node in come_to.tolist() if node in lots]
    for node in drawn:
        below = [child for child, _ in graph.children(node)]
        for edge, often in lots[node].items():
            chance[below[edge]] += often * chance[node]
    return come_to[~np.isin(come_to, drawn)]


def good_of(nodes: Floats, sense: str) -> Good:
    """Moves that cannot be told from the best: ``nodes``, shape (n_nodes, 3), (value, lower, upper) of every node."""

    def good(child: Ints, begin: Ints, count: Ints) -> Bools:
        worth = nodes[child]
        legal: Bools = np.isfinite(worth[:, VALUE])
        if sense == "max":
            best = np.repeat(np.maximum.reduceat(worth[:, LOWER], begin), count)
            return legal & (worth[:, UPPER] >= best)
        best = np.repeat(np.minimum.reduceat(worth[:, UPPER], begin), count)
        return legal & (worth[:, LOWER] <= best)

    return good


def good_at_table(own: Floats, tie: float) -> Good:
    """Moves within ``tie`` of the best, at a table; ``own``, shape (n_nodes,), the mover's share in every node."""

    def good(child: Ints, begin: Ints, count: Ints) -> Bools:
        worth = own[child]
        legal: Bools = np.isfinite(worth)
        return legal & (worth >= np.repeat(np.maximum.reduceat(worth, begin), count) - tie)

    return good


def first_of(good: Bools, begin: Ints) -> Any:
    """The place of the first good one of each group."""
    places = np.where(good, np.arange(len(good)), len(good))
    return np.minimum.reduceat(places, begin)
