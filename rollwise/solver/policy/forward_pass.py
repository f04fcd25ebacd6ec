"""Forward (Kolmogorov) pass through the turn of one board, from some of its nodes to its leaves, by the optimal policy.

Throws split probability by their weights, and of equally good moves the first is played; mixed decisions split it by
their mixed strategies. Probability that has passed a marked node moves to another column.
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
Choices = Callable[[Ints, Ints], Ints]  # of children and each node's first: the place of the child that is played
EdgeChances = Mapping[int, Mapping[int, float]]  # by node, the chance of each of its edges


def push_forward(turn: OneTurn | ExactTurn, chance: Floats, marked: Ints | None = None) -> None:
    """Push ``chance``, float64, shape (n_nodes, columns), forward to the leaves, in place.

    ``marked``, shape (n_nodes,): marks of each node, a bit each; the lowest bits of a column are the marks that its
    probability has passed.
    """
    graph, best = turn.graph, optimal_choices(turn)
    mixed = {draw.node: draw.chances for draw in turn.draws}
    for kind, first, end in graph.segments[::-1].tolist():
        reached = first + np.flatnonzero(chance[first:end].any(axis=1))
        if not len(reached):
            continue
        if marked is not None:
            _move_marked(chance, reached, marked)
        if kind != CHANCE and mixed:
            reached = _split_mixed(graph, chance, reached, mixed)
        inner = reached - graph.n_leaves
        edges = edges_of(graph.start, inner)
        child, count = graph.child[edges].astype(np.int64), graph.start[inner + 1] - graph.start[inner]
        if kind == CHANCE:
            share = chance[reached] / graph.total[inner][:, None]
            _add(chance, child, np.repeat(share, count, axis=0) * graph.weight[edges][:, None])
        elif len(reached):
            begin = np.cumsum(count) - count
            _add(chance, child[best(child, begin)], chance[reached])


def mean_of_ends(chances: Sequence[float], numbers: Sequence[float], relative_error: float) -> tuple[float, float]:
    """Mean of some numbers, one an end of a turn, and its error bound; 0 where all are equal.

    ``relative_error``: relative error bound of the chances. Such errors keep the mean within the range of the numbers.
    """
    low, high = min(numbers), max(numbers)
    if low == high:
        return low, 0.0
    mean = fsum(chance * number for chance, number in zip(chances, numbers, strict=True)) / fsum(chances)
    return mean, 2.1 * relative_error * (high - low) + 8 * UNIT * max(abs(low), abs(high))


def _add(chance: Floats, places: Ints, more: Floats) -> None:
    """Add to rows; ``places`` may repeat."""
    columns = chance.shape[1]
    np.add.at(chance.reshape(-1), (places[:, None] * columns + np.arange(columns)).ravel(), more.ravel())


def _move_marked(chance: Floats, reached: Ints, marked: Ints) -> None:
    """Move the probability of marked nodes to the column of their marks."""
    for node in reached[marked[reached] > 0].tolist():
        row = chance[node].copy()
        chance[node] = 0.0
        for column, part in enumerate(row.tolist()):
            chance[node, column | int(marked[node])] += part


def _split_mixed(graph: TurnGraph, chance: Floats, reached: Ints, mixed: EdgeChances) -> Ints:
    """Split the probability of mixed decisions; returns the other nodes."""
    mixed_nodes = [node for node in reached.tolist() if node in mixed]
    for node in mixed_nodes:
        below = [child for child, _ in graph.children(node)]
        for edge, often in mixed[node].items():
            chance[below[edge]] += often * chance[node]
    return reached[~np.isin(reached, mixed_nodes)]


def optimal_choices(turn: OneTurn | ExactTurn) -> Choices:
    """The optimal policy: of each decision the first move that may be best by its interval; at a table, by its tie."""
    if isinstance(turn, OneTableTurn):
        return lambda child, begin: edges_taken(turn.nodes[child][:, None], begin, turn.tie, IN_ORDER)[:, 0]
    nodes = turn.rows() if turn.game.sense == "max" else -turn.rows()[:, [VALUE, UPPER, LOWER]]

    def first_good(child: Ints, begin: Ints) -> Ints:
        worth = nodes[child]
        best = np.repeat(np.maximum.reduceat(worth[:, LOWER], begin), np.diff(begin, append=len(child)))
        is_best = np.isfinite(worth[:, VALUE]) & (worth[:, UPPER] >= best)
        first_child: Ints = np.minimum.reduceat(np.where(is_best, np.arange(len(child)), len(child)), begin)
        return first_child

    return first_good
