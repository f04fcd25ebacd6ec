"""What a turn is worth in an algebra: numbers, intervals, shares, fractions, points, or merely whether it is legal.

An algebra says what ends are worth, how chances mix, and what the mover's decision comes to. Words are walked here, a
compiled turn layer by layer; kernels over many boards, proofs and the slow twins of the tests have walks of their own.
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
Gather = Callable[[Array, Layer], Array]  # all children of a layer's nodes, and the layer: what each node is worth


class Algebra(Generic[V]):
    """Worths of words, each state looked at once; parts come one by one, and what does not count is not walked."""

    _ended: Callable[[End], V]
    _beyond: Callable[[Bounded], V]
    _mixed: Callable[[Iterator[tuple[int, V]]], V]  # a throw: its outcomes with their weights
    _chosen: Callable[[Iterator[V]], V]  # a decision of the mover
    _preferred: Callable[[Iterator[V]], V]  # the first that is legal

    def __init__(self, word_of: Callable[..., Node]) -> None:
        self.word_of = word_of
        self._of_state: dict[NodeKey, V] = {}

    def worth(self, word: Node) -> V:
        """What a word is worth."""
        if isinstance(word, Decision):
            return self._chosen(self.worth(after) for _, after in word.moves)
        if isinstance(word, Chance):
            return self._mixed((weight, self.worth(after)) for weight, after in word.outcomes)
        if isinstance(word, Bounded):
            return self._beyond(word)
        if isinstance(word, FirstLegal):
            return self._preferred(map(self.worth, word.words))
        known = self._known(word)
        if known is not None:
            return known
        if isinstance(word, End):
            return self._ended(word)
        if word.state not in self._of_state:
            self._of_state[word.state] = self.worth(self.word_of(*word.state))
        return self._of_state[word.state]

    def _known(self, word: Goto | End) -> V | None:
        """What is known of a state or an end without looking further."""
        return None


class Legality(Algebra[bool]):
    """May a word be played on a board? What the rules can forbid are ends of a turn; to throw is always allowed."""

    def __init__(self, game: TurnGame, board: Mapping[str, Any]) -> None:
        super().__init__(game.turn)
        numbers = tuple(board[name] for name in game.boards().names)
        may_end = cache(lambda result: outcome(game, numbers, result).legal)
        self._ended = lambda end: may_end(end.result)
        self._beyond = lambda cut: True
        self._mixed = lambda parts: True
        self._chosen = self._preferred = any


def back_up(graph: TurnGraph, leaves: Array, chance: Gather, choice: Gather) -> Array:
    """The worth of every node, shape (n_nodes, ...), from those of the leaves, shape (n_leaves, ...)."""
    worths = np.empty((graph.n_nodes, *leaves.shape[1:]), leaves.dtype)
    worths[: graph.n_leaves] = leaves
    for layer in graph.layers:
        gather = chance if layer.kind == CHANCE else choice
        worths[layer.first : layer.end] = gather(worths.take(layer.child, axis=0), layer)
    return worths


def mean(children: Array, layer: Layer) -> Array:
    """The weighted mean of each node's children, on every lane."""
    one = (1,) * (children.ndim - 1)
    children *= layer.weight.reshape(-1, *one)
    found: Array = np.add.reduceat(children, layer.starts, axis=0)
    found /= layer.total.reshape(-1, *one)
    return found


def gathered(ufunc: np.ufunc) -> Gather:
    """Each node's children taken together, as the least, the largest, or whether all or any of them hold."""
    return lambda children, layer: ufunc.reduceat(children, layer.starts, axis=0)


def sure_nodes(graph: TurnGraph, leaves: Array, sure: float) -> Array:
    """Nodes from which the mover makes sure of a chance of 1, or can come to nothing but 0, by that of the leaves."""
    they_are = leaves >= 1.0 if sure else leaves <= 0.0  # what is illegal is nothing
    return back_up(graph, they_are, gathered(np.logical_and), gathered(np.logical_or if sure else np.logical_and))


def scales(graph: TurnGraph) -> tuple[list[int], list[int]]:
    """What keeps a turn in whole numbers: scales of nodes, and factors of edges.

    A node counts in 1 / scale of what leaves do, and a child times its factor as its parent does.

    What is thrown in so many ways and is itself so many ways of a throw needs no more room than one throw does.
    """
    scale, factor = [1] * graph.n_nodes, [1] * graph.n_edges
    start, child, weight = graph.start.tolist(), graph.child.tolist(), graph.weight.tolist()
    for i, of_kind in enumerate(graph.kind.tolist()):
        edges = range(start[i], start[i + 1])
        ways = [weight[edge] if of_kind == CHANCE else 1 for edge in edges]
        below = [scale[child[edge]] for edge in edges]
        common = lcm(*{each // gcd(each, many) for each, many in set(zip(below, ways, strict=True))})
        for edge, each, many in zip(edges, below, ways, strict=True):
            factor[edge] = common * many // each
        scale[graph.n_leaves + i] = common * (int(graph.total[i]) if of_kind == CHANCE else 1)
    return scale, factor
