"""Strongly connected components of boards, and the order in which they are solved (Tarjan 1972)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Key = TypeVar("Key", bound=Hashable)


def ranked_components(count: int, source: Ints, target: Ints) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Strongly connected components of a graph on 0..count-1, with ranks: an edge between two leads to a lower rank.

    Returns, for each node, its component, the component's rank, and whether the node has an edge within its component.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    # Equal edges are summed; 256 of them wrap round to a stored 0, and SciPy takes whatever is stored for edges.
    ones = np.ones(len(source), dtype=np.int8)
    graph = csr_array((ones, (source, target)), shape=(count, count))
    _, label = connected_components(graph, directed=True, connection="strong")
    component: Ints = np.asarray(label, dtype=np.int64)
    across = component[source] != component[target]
    lower, upper = component[target[across]], component[source[across]]
    rank = np.zeros(component.max(initial=0) + 1, dtype=np.int64)
    while len(lower):
        lifted = rank.copy()
        np.maximum.at(lifted, upper, rank[lower] + 1)
        if (lifted == rank).all():
            break
        rank = lifted
    is_cyclic = np.zeros(count, dtype=bool)
    is_cyclic[source[~across]] = True
    return component, rank[component], is_cyclic


def topological_levels(component: Ints, rank: Ints) -> list[Ints]:
    """The nodes of each component, ascending; components follow all that they lead to."""
    order = np.lexsort((component, rank))
    return np.split(order, np.flatnonzero(np.diff(component[order])) + 1)


@dataclass(frozen=True)
class StrongComponents:
    """Strongly connected components by rank: a component leads only to components of lower rank.

    ``order``: int32, shape (n,), the nodes, component by component; ``starts``: int32, shape (components + 1,), the
    first place of each; ``of``: int32, shape (n,), the component of each node; ``by_rank``: the components, shape
    (components,), and ``ranks``, shape (ranks + 1,), the first place of each rank there.
    """

    order: NDArray[np.int32]
    starts: NDArray[np.int32]
    of: NDArray[np.int32]
    by_rank: Ints
    ranks: Ints

    @property
    def sizes(self) -> NDArray[np.int32]:
        """Number of nodes of each component."""
        return np.diff(self.starts)


@cache
def kernels(compiled: bool) -> Any:
    """The two kernels as Python functions, or compiled by Numba (these release the GIL)."""
    if not compiled:
        return SimpleNamespace(strong=tarjan, rank=set_ranks)
    from rollwise.solver.turn import kernel_cache

    return SimpleNamespace(strong=kernel_cache.compiled()(tarjan), rank=kernel_cache.compiled()(set_ranks))


def strong_components(
    start: NDArray[np.integer[Any]],
    stop: NDArray[np.integer[Any]],
    target: NDArray[np.integer[Any]],
    shift: int = 0,
    compiled: bool = True,
) -> StrongComponents:
    """Components of a graph in which node v has the successors ``target[start[v]:stop[v]]``, shifted by ``shift`` bits.

    ``compiled`` is for graphs of many millions of edges, and needs few numbers a node; plain Python for small ones.
    """
    compiled_kernels = kernels(compiled)
    n = len(start)
    order, of = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    starts, work = np.empty(n + 1, dtype=np.int32), np.empty((4, n), dtype=np.int32)
    count = int(compiled_kernels.strong(start, stop, target, shift, order, starts, of, work))
    starts = starts[: count + 1].copy()
    ranks = np.empty(count, dtype=np.int32)
    n_ranks = int(compiled_kernels.rank(start, stop, target, shift, order, starts, of, ranks))
    by_rank = np.argsort(ranks, kind="stable")
    return StrongComponents(order, starts, of, by_rank, np.searchsorted(ranks[by_rank], np.arange(n_ranks + 1)))


def components_in_order(successors: Mapping[Key, Iterable[Key]]) -> Iterator[list[Key]]:
    """Strongly connected groups of keys, each after the groups that it leads to.

    Successors that are no keys are left out.

    >>> list(components_in_order({"a": "bx", "b": "c", "c": "bd", "d": ""}))
    [['d'], ['b', 'c'], ['a']]
    """
    number = {key: number for number, key in enumerate(successors)}
    keys, start, target = list(number), [0], list[int]()
    for targets in successors.values():
        target += [number[other] for other in targets if other in number]
        start.append(len(target))
    order, starts, of, *work = ([0] * (len(keys) + 1) for _ in range(7))
    count = tarjan(start[:-1], start[1:], target, 0, order, starts, of[1:], work)
    for low, high in pairwise(starts[: count + 1]):
        yield [keys[node] for node in reversed(order[low:high])]


# --- Tarjan's algorithm, for lists or compiled ------------------------------------------------------------------------


def tarjan(start: Any, stop: Any, target: Any, shift: int, order: Any, starts: Any, of: Any, work: Any) -> int:
    """Strongly connected components (Tarjan 1972), each after those it leads to; returns their number.

    The successors of node v are ``target[start[v]:stop[v]]``, each shifted right by ``shift`` bits. Filled: ``order``,
    shape (n,), the nodes, component by component; ``starts``, shape (n + 1,), the first place of each component;
    ``of``, shape (n,), the component of each node. ``work``, shape (4, n), is overwritten. All may be lists.
    """
    n = len(of)
    index = work[0]  # of the visit, from 1 on; 0: not visited
    low_link = work[1]  # the least index among nodes without a component that it leads to
    call_stack = work[2]  # from the root on
    stack = work[3]  # visited nodes without a component
    ahead = start.copy()  # the successor to visit next
    starts[0] = 0
    for v in range(n):
        index[v] = 0
        of[v] = -1
    n_visited = n_stack = count = n_placed = 0
    for root in range(n):
        if index[root] != 0:
            continue
        v = root
        n_calls = 0
        while True:
            if index[v] == 0:
                n_visited += 1
                index[v] = low_link[v] = n_visited
                call_stack[n_calls] = stack[n_stack] = v
                n_calls += 1
                n_stack += 1
            if ahead[v] < stop[v]:
                u = target[ahead[v]] >> shift
                ahead[v] += 1
                if index[u] == 0:
                    v = u
                elif of[u] < 0:
                    low_link[v] = min(low_link[v], index[u])
                continue
            if low_link[v] == index[v]:
                u = -1
                while u != v:
                    n_stack -= 1
                    u = stack[n_stack]
                    of[u] = count
                    order[n_placed] = u
                    n_placed += 1
                count += 1
                starts[count] = n_placed
            n_calls -= 1
            if n_calls == 0:
                break
            u = v
            v = call_stack[n_calls - 1]
            low_link[v] = min(low_link[v], low_link[u])
    return count


def set_ranks(start: Any, stop: Any, target: Any, shift: int, order: Any, starts: Any, of: Any, ranks: Any) -> int:
    """Fill in the rank of each component, one above the highest of its successors; returns the number of ranks."""
    highest = -1
    for c in range(len(ranks)):
        ranks[c] = 0
        for i in range(starts[c], starts[c + 1]):
            for k in range(start[order[i]], stop[order[i]]):
                other = of[target[k] >> shift]
                if other != c:
                    ranks[c] = max(ranks[c], ranks[other] + 1)
        highest = max(highest, ranks[c])
    return highest + 1
