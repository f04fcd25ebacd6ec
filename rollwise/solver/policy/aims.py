"""Exact optimal chances and means of a single turn for a player with one aim.

Backward induction (Bellman 1957) on the compiled turn in whole numbers: each node has a fixed scale, so that nothing is
divided until the end; all aims are columns of one array.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import NodeKey
from rollwise.solver.model.sheet import Aim
from rollwise.solver.turn.algebra import Reduction, back_up, integer_scales, reduction
from rollwise.solver.turn.graph import NO_RESULT, Layer, TurnGraph

Wholes = NDArray[Any]  # int64 where that is large enough, else Python's own integers
MAX_INT64 = 2**63 - 1


@dataclass(frozen=True)
class AimProspects:
    """Optimal chance of each mark of an aim, and the optimal mean of its points, with a number of rolls."""

    chances: dict[str, Fraction]
    points: Fraction


def prospects(
    graph: TurnGraph, aims: Mapping[str, Aim], before: Mapping[int, NodeKey]
) -> dict[str, dict[int, AimProspects]]:
    """The prospects of each aim by number of rolls; each chance and each mean has an optimal policy of its own.

    ``before``: the states, by number of rolls. Raises ModelError for a state that no turn comes to.
    """
    node = {rolls: _node(graph, state) for rolls, state in before.items()}
    columns = [(name, mark) for name, aim in aims.items() for mark in (*aim.marks, None)]
    best = best_means(graph, [_leaf_values(graph, aims[name], mark) for name, mark in columns], node.values())
    by_aim: dict[str, dict[int, AimProspects]] = {name: {} for name in aims}
    for rolls, place in node.items():
        best_of = dict(zip(columns, best[place], strict=True))
        for name, aim in aims.items():
            chances = {mark: best_of[name, mark] for mark in aim.marks}
            by_aim[name][rolls] = AimProspects(chances, best_of[name, None])
    return by_aim


def _node(graph: TurnGraph, state: NodeKey) -> int:
    node = graph.node_of(state)
    if node is None:
        raise ModelError(f"no turn comes to the state {state}")
    return node


def _leaf_values(graph: TurnGraph, aim: Aim, mark: str | None) -> list[Fraction]:
    """Value of each leaf: its points where it counts, or 1 where these reach the mark."""
    points = [_points(aim, graph.results[leaf.result], leaf.lower) for leaf in graph.leaves]
    if mark is None:
        return points
    return [Fraction(number >= aim.marks[mark]) for number in points]


def _points(aim: Aim, result: Any, earned: Fraction) -> Fraction:
    if not aim.counts(result):
        return Fraction(0)
    return earned if aim.points is None else Fraction(aim.points(result))


def best_means(graph: TurnGraph, values: list[list[Fraction]], nodes: Iterable[int]) -> dict[int, tuple[Fraction, ...]]:
    """Optimal mean of each list of leaf values, by node, of these nodes.

    Raises ModelError for turns with a cut.
    """
    if any(leaf.result == NO_RESULT for leaf in graph.leaves):
        raise ModelError("a turn with a cut has no best means of its own")
    units = [lcm(*(number.denominator for number in row)) for row in values]
    scale, factor = integer_scales(graph)
    leaves = [[int(number * unit) for number in row] for row, unit in zip(values, units, strict=True)]
    largest = max((abs(number) for row in leaves for number in row), default=0)
    dtype: type = np.int64 if max(scale) * max(largest, 1) <= MAX_INT64 else object
    factors: Wholes = np.array(factor, dtype=dtype)[:, None]

    def scaled(ufunc: np.ufunc) -> Reduction:
        def gather(children: Wholes, layer: Layer) -> Wholes:
            low = int(graph.start[layer.first - graph.n_leaves])
            return reduction(ufunc)(children * factors[low : low + len(children)], layer)

        return gather

    numbers = back_up(graph, np.array(leaves, dtype=dtype).T, scaled(np.add), scaled(np.maximum))
    return {
        node: tuple(
            Fraction(int(number), scale[node] * unit) for number, unit in zip(numbers[node], units, strict=True)
        )
        for node in nodes
    }
