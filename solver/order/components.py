"""Which boards depend on each other: strongly connected components, and the order to solve them in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def components(count: int, source: Ints, target: Ints) -> tuple[Ints, Ints]:
    """Components of a graph on 0..count-1 and their ranks.

    Returns (component of each node, rank of each node): nodes of a component share a rank, and an edge to another
    component leads to a lower rank.
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
    return component, rank[component]
