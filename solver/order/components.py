"""Which boards depend on each other: strongly connected components, and the order to solve them in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def components(count: int, source: Ints, target: Ints) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Components of a graph on 0..count-1 and their ranks.

    Returns, of each node, its component, its rank, and whether it leads back to itself: nodes of a component share a
    rank, and an edge to another component leads to a lower rank.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(source), dtype=np.int8)
    graph = csr_array((ones, (source, target)), shape=(count, count))
    _, label = connected_components(graph, directed=True, connection="strong")
    component: Ints = np.asarray(label, dtype=np.int64)
    across = component[source] != component[target]
    low, high = component[target[across]], component[source[across]]
    rank = np.zeros(component.max(initial=0) + 1, dtype=np.int64)
    while len(low):
        lifted = rank.copy()
        np.maximum.at(lifted, high, rank[low] + 1)
        if (lifted == rank).all():
            break
        rank = lifted
    returns = np.zeros(count, dtype=bool)
    returns[source[~across]] = True
    return component, rank[component], returns


def in_turn(component: Ints, rank: Ints) -> list[Ints]:
    """The nodes of each component, ascending, after those of all components that it leads to."""
    order = np.lexsort((component, rank))
    return np.split(order, np.flatnonzero(np.diff(component[order])) + 1)


@dataclass(frozen=True)
class Strong:
    """Strongly connected components by rank: a component leads to none of its own rank or of a higher one.

    ``order``: int32, shape (n,), the nodes, component by component; ``starts``: int32, shape (components + 1,), where
    each begins; ``of``: int32, shape (n,), the component of each node; ``by_rank``: the components, shape
    (components,), and ``ranks``, shape (ranks + 1,), where each rank begins there.
    """

    order: NDArray[np.int32]
    starts: NDArray[np.int32]
    of: NDArray[np.int32]
    by_rank: Ints
    ranks: Ints

    @property
    def sizes(self) -> NDArray[np.int32]:
        """Nodes of each component."""
        return np.diff(self.starts)


def as_compiled(kernels: Any) -> Any:
    """The kernels of a module as they are; ``solver.turn.kept_kernels.interpreted`` makes others of them."""
    return kernels


def strong_components(
    start: NDArray[np.integer[Any]],
    stop: NDArray[np.integer[Any]],
    target: NDArray[np.integer[Any]],
    beside: int = 0,
    made: Callable[[Any], Any] = as_compiled,
) -> Strong:
    """Components of a graph whose node v is followed by ``target[start[v]:stop[v]]``, shifted by ``beside`` bits.

    Compiled, with a few numbers a node, for graphs of many millions of edges; ``made`` of other kernels for small ones.
    """
    from rollwise.solver.order import component_kernels

    kernels = made(component_kernels)
    n = len(start)
    order, of = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    starts = np.empty(n + 1, dtype=np.int32)
    count = int(kernels.strong(start, stop, target, beside, order, starts, of))
    starts = starts[: count + 1].copy()
    ranks = np.empty(count, dtype=np.int32)
    n_ranks = int(kernels.rank(start, stop, target, beside, order, starts, of, ranks))
    by_rank = np.argsort(ranks, kind="stable")
    return Strong(order, starts, of, by_rank, np.searchsorted(ranks[by_rank], np.arange(n_ranks + 1)))
