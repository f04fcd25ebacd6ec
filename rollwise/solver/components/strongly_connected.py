"""Which boards depend on each other: strongly connected components, and the order to solve them in."""

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


def components(count: int, source: Ints, target: Ints) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Components of a graph on 0..count-1 and their ranks.

    Returns, of each node, its component, its rank, and whether it leads back to itself: nodes of a component share a
    rank, and an edge to another component leads to a lower rank.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    # Equal edges are summed; 256 of them wrap round to a stored 0, and SciPy takes whatever is stored for edges.
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


def topological_levels(component: Ints, rank: Ints) -> list[Ints]:
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


@cache
def kernels(compiled: bool) -> Any:
    """``strong`` and ``rank`` as they are, or compiled: numba's kernels, which release the GIL."""
    if not compiled:
        return SimpleNamespace(strong=strong, rank=rank)
    from rollwise.solver.turn import kept_kernels

    return SimpleNamespace(strong=kept_kernels.compiled()(strong), rank=kept_kernels.compiled()(rank))


def strong_components(
    start: NDArray[np.integer[Any]],
    stop: NDArray[np.integer[Any]],
    target: NDArray[np.integer[Any]],
    beside: int = 0,
    compiled: bool = True,
) -> Strong:
    """Components of a graph whose node v is followed by ``target[start[v]:stop[v]]``, shifted by ``beside`` bits.

    ``compiled``, with a few numbers a node, for graphs of many millions of edges; as it is, for small ones.
    """
    made = kernels(compiled)
    n = len(start)
    order, of = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    starts, room = np.empty(n + 1, dtype=np.int32), np.empty((4, n), dtype=np.int32)
    count = int(made.strong(start, stop, target, beside, order, starts, of, room))
    starts = starts[: count + 1].copy()
    ranks = np.empty(count, dtype=np.int32)
    n_ranks = int(made.rank(start, stop, target, beside, order, starts, of, ranks))
    by_rank = np.argsort(ranks, kind="stable")
    return Strong(order, starts, of, by_rank, np.searchsorted(ranks[by_rank], np.arange(n_ranks + 1)))


def in_order(leads: Mapping[Key, Iterable[Key]]) -> Iterator[list[Key]]:
    """Groups of keys that lead to each other, each group after those that it leads to.

    What is led to without being a key of ``leads`` is left out.

    >>> list(in_order({"a": "bx", "b": "c", "c": "bd", "d": ""}))
    [['d'], ['b', 'c'], ['a']]
    """
    number = {key: number for number, key in enumerate(leads)}
    keys, start, target = list(number), [0], list[int]()
    for following in leads.values():
        target += [number[other] for other in following if other in number]
        start.append(len(target))
    order, starts, of, *room = ([0] * (len(keys) + 1) for _ in range(7))
    count = strong(start[:-1], start[1:], target, 0, order, starts, of[1:], room)
    for low, high in pairwise(starts[: count + 1]):
        yield [keys[node] for node in reversed(order[low:high])]


# --- Tarjan's method, for lists or compiled ---------------------------------------------------------------------------


def strong(start: Any, stop: Any, target: Any, beside: int, order: Any, starts: Any, of: Any, room: Any) -> int:
    """Tarjan's components, each after those it leads to; returns how many there are.

    The followers of node v are ``target[start[v]:stop[v]]``, each shifted right by ``beside`` bits. Filled:
    ``order``, shape (n,), the nodes, component by component; ``starts``, shape (n + 1,), where each component begins;
    ``of``, shape (n,), the component of each node. ``room``, shape (4, n), is written to. All may be lists.
    """
    n = len(of)
    when = room[0]  # a node was found, from 1 on
    back = room[1]  # the earliest of the nodes without a component that it leads to
    path = room[2]  # from the root on
    waiting = room[3]  # found nodes without a component
    ahead = start.copy()  # the follower to look at next
    starts[0] = 0
    for v in range(n):
        when[v] = 0
        of[v] = -1
    found = n_waiting = count = done = 0
    for root in range(n):
        if when[root] != 0:
            continue
        v = root
        n_path = 0
        while True:
            if when[v] == 0:
                found += 1
                when[v] = back[v] = found
                path[n_path] = waiting[n_waiting] = v
                n_path += 1
                n_waiting += 1
            if ahead[v] < stop[v]:
                u = target[ahead[v]] >> beside
                ahead[v] += 1
                if when[u] == 0:
                    v = u
                elif of[u] < 0:
                    back[v] = min(back[v], when[u])
                continue
            if back[v] == when[v]:
                u = -1
                while u != v:
                    n_waiting -= 1
                    u = waiting[n_waiting]
                    of[u] = count
                    order[done] = u
                    done += 1
                count += 1
                starts[count] = done
            n_path -= 1
            if n_path == 0:
                break
            u = v
            v = path[n_path - 1]
            back[v] = min(back[v], back[u])
    return count


def rank(start: Any, stop: Any, target: Any, beside: int, order: Any, starts: Any, of: Any, ranks: Any) -> int:
    """Fills the rank of each component, one more than the highest of those it leads to; returns the number of ranks."""
    most = -1
    for c in range(len(ranks)):
        ranks[c] = 0
        for i in range(starts[c], starts[c + 1]):
            for k in range(start[order[i]], stop[order[i]]):
                other = of[target[k] >> beside]
                if other != c:
                    ranks[c] = max(ranks[c], ranks[other] + 1)
        most = max(most, ranks[c])
    return most + 1
