"""Backward induction on one turn in an algebra: numbers, intervals, shares, fractions, points, or legality.

An algebra defines the value of ends, the mean at chance nodes, and the choice at decisions. This module walks nodes one
by one, and a compiled turn layer by layer; kernels, proofs and reference code of the tests have their own walks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import gcd, lcm
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import Bounded, Chance, Decision, End, FirstLegal, Goto, Node, NodeKey, TurnGame
from rollwise.solver.model.outcome import outcome
from rollwise.solver.turn.graph import CHANCE, Layer, TurnGraph

V = TypeVar("V")
Array = NDArray[Any]
Reduction = Callable[[Array, Layer], Array]  # (children of a layer's nodes, the layer) -> the value of each node


class Algebra(Generic[V]):
    """Values of nodes, each state evaluated once; options come lazily, so that unused ones are not walked."""

    _end_value: Callable[[End], V]
    _bounded_value: Callable[[Bounded], V]
    _mean: Callable[[Iterator[tuple[int, V]]], V]  # of a throw's (weight, value) pairs
    _best: Callable[[Iterator[V]], V]  # of a decision's options
    _first_legal: Callable[[Iterator[V]], V]  # the first that is legal

    def __init__(self, node_for: Callable[..., Node]) -> None:
        self.node_for = node_for
        self._value_of_state: dict[NodeKey, V] = {}

    def value_of(self, node: Node) -> V:
        """The value of a node."""
        if isinstance(node, Decision):
            return self._best(self.value_of(after) for _, after in node.moves)
        if isinstance(node, Chance):
            return self._mean((weight, self.value_of(after)) for weight, after in node.outcomes)
        if isinstance(node, Bounded):
            return self._bounded_value(node)
        if isinstance(node, FirstLegal):
            return self._first_legal(map(self.value_of, node.nodes))
        solved = self._solved_value(node)
        if solved is not None:
            return solved
        if isinstance(node, End):
            return self._end_value(node)
        if node.state not in self._value_of_state:
            self._value_of_state[node.state] = self.value_of(self.node_for(*node.state))
        return self._value_of_state[node.state]

    def _solved_value(self, node: Goto | End) -> V | None:
        """The solved value of a state or an end; None where there is none."""
        return None


class Legality(Algebra[bool]):
    """Legality of nodes on a board: the rules can forbid only ends of a turn; a throw is always legal."""

    def __init__(self, game: TurnGame, board: Mapping[str, Any]) -> None:
        super().__init__(game.turn)
        numbers = tuple(board[name] for name in game.boards().names)
        may_end = cache(lambda result: outcome(game, numbers, result).legal)
        self._end_value = lambda end: may_end(end.result)
        self._bounded_value = lambda cut: True
        self._mean = lambda parts: True
        self._best = self._first_legal = any


def back_up(graph: TurnGraph, leaves: Array, chance: Reduction, choice: Reduction) -> Array:
    """One Bellman backup of a turn (Bellman 1957): values of nodes, shape (n_nodes, ...), from those of the leaves."""
    values = np.empty((graph.n_nodes, *leaves.shape[1:]), leaves.dtype)
    values[: graph.n_leaves] = leaves
    for layer in graph.layers:
        gather = chance if layer.kind == CHANCE else choice
        values[layer.first : layer.end] = gather(values.take(layer.child, axis=0), layer)
    return values


def mean(children: Array, layer: Layer) -> Array:
    """The weighted mean of each node's children, on every lane."""
    ones = (1,) * (children.ndim - 1)
    children *= layer.weight.reshape(-1, *ones)
    means: Array = np.add.reduceat(children, layer.starts, axis=0)
    means /= layer.total.reshape(-1, *ones)
    return means


def reduction(ufunc: np.ufunc) -> Reduction:
    """Each node's children reduced by a ufunc, as the least, the largest, all or any of them."""
    return lambda children, layer: ufunc.reduceat(children, layer.starts, axis=0)


def almost_sure_nodes(graph: TurnGraph, leaves: Array, sure: float) -> Array:
    """True for nodes whose chance is exactly 1 by the graph (or 0), from the chances of the leaves."""
    sure_leaf = leaves >= 1.0 if sure else leaves <= 0.0  # an illegal leaf has -inf
    return back_up(graph, sure_leaf, reduction(np.logical_and), reduction(np.logical_or if sure else np.logical_and))


def integer_scales(graph: TurnGraph) -> tuple[list[int], list[int]]:
    """Scales of nodes and factors of edges that keep a turn in whole numbers.

    A node counts in 1 / scale of the unit of leaves, a child times its factor in its parent's unit. Scales are least
    common multiples, so a throw within a throw needs no larger numbers than one throw.
    """
    scale, factor = [1] * graph.n_nodes, [1] * graph.n_edges
    start, child, weight = graph.start.tolist(), graph.child.tolist(), graph.weight.tolist()
    for i, of_kind in enumerate(graph.kind.tolist()):
        edges = range(start[i], start[i + 1])
        ways = [weight[edge] if of_kind == CHANCE else 1 for edge in edges]
        scales_below = [scale[child[edge]] for edge in edges]
        multiple = lcm(*{each // gcd(each, many) for each, many in set(zip(scales_below, ways, strict=True))})
        for edge, each, many in zip(edges, scales_below, ways, strict=True):
            factor[edge] = multiple * many // each
        scale[graph.n_leaves + i] = multiple * (int(graph.total[i]) if of_kind == CHANCE else 1)
    return scale, factor
