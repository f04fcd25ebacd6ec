"""Chance carried forwards through the turn of one board, from some of its nodes to its leaves, under the best play.

One pass from the top down: throws split chance by their weights, and of equally good moves the first is played; where
lots are drawn, chance is split as they say. Marked nodes are remembered: chance that has come through them stands in
another column from there on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import CHANCE, TurnGraph, edges_of
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, ExactTurn, OneTableTurn, OneTurn
from rollwise.solver.turn.vectors import IN_ORDER, edges_taken

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Taken = Callable[[Ints, Ints], Ints]  # of children, and where each node's begin: the place of the one that is played
Lots = Mapping[int, Mapping[int, float]]  # by node, the chance of each of its edges


def carry(turn: OneTurn | ExactTurn, chance: Floats, marked: Ints | None = None) -> None:
    """Carry ``chance``, float64, shape (n_nodes, columns), on to the leaves, in place.

    ``marked``, shape (n_nodes,): marks of each node, a bit each; the lowest bits of a column are the marks that its
    chance has come through.
    """
    graph, best = turn.graph, best_taken(turn)
    lots = {draw.node: draw.chances for draw in turn.draws}
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
            _add(chance, child[best(child, begin)], chance[come_to])


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


def best_taken(turn: OneTurn | ExactTurn) -> Taken:
    """Of each decision the first move that cannot be told from the best; at a table the first within its tie."""
    if isinstance(turn, OneTableTurn):
        return lambda child, begin: edges_taken(turn.nodes[child][:, None], begin, turn.tie, IN_ORDER)[:, 0]
    nodes = turn.rows() if turn.game.sense == "max" else -turn.rows()[:, [VALUE, UPPER, LOWER]]

    def first_good(child: Ints, begin: Ints) -> Ints:
        worth = nodes[child]
        best = np.repeat(np.maximum.reduceat(worth[:, LOWER], begin), np.diff(begin, append=len(child)))
        good = np.isfinite(worth[:, VALUE]) & (worth[:, UPPER] >= best)
        found: Ints = np.minimum.reduceat(np.where(good, np.arange(len(child)), len(child)), begin)
        return found

    return first_good
