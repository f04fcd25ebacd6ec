"""Strongly connected components of a graph kept as lists of followers (numba; the kernels release the GIL)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kept_kernels import compiled


@compiled()
def strong(start: Any, stop: Any, target: Any, beside: int, order: Any, starts: Any, of: Any) -> int:
    """Tarjan's components, each after those it leads to; returns how many there are.

    The followers of node v are ``target[start[v]:stop[v]]``, each shifted right by ``beside`` bits. Filled:
    ``order``, shape (n,), the nodes, component by component; ``starts``, shape (n + 1,), where each component begins;
    ``of``, shape (n,), the component of each node.
    """
    n = len(of)
    when = np.zeros(n, dtype=np.int32)  # a node was found, from 1 on
    back = np.zeros(n, dtype=np.int32)  # the earliest of the nodes without a component that it leads to
    path = np.empty(n, dtype=np.int32)  # from the root on
    waiting = np.empty(n, dtype=np.int32)  # found nodes without a component
    ahead = start.copy()  # the follower to look at next
    of[:] = -1
    starts[0] = 0
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


@compiled()
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
