"""How much a single turn can be made to give by a player who goes for one thing only: best chances and means, exactly.

Backward induction on the compiled turn in whole numbers: each node has a fixed scale, so that nothing is divided until
the end; all aims are columns of one array.
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
from rollwise.solver.turn.algebra import Gather, back_up, gathered, scales
from rollwise.solver.turn.graph import NO_RESULT, Layer, TurnGraph

Wholes = NDArray[Any]  # int64 where that is large enough, else Python's own integers
LARGEST = 2**63 - 1


@dataclass(frozen=True)
class AimProspects:
    """Of one aim, with so many rolls: the best chance of each of its marks, and the most points on average."""

    chances: dict[str, Fraction]
    points: Fraction


def prospects(
    graph: TurnGraph, aims: Mapping[str, Aim], before: Mapping[int, NodeKey]
) -> dict[str, dict[int, AimProspects]]:
    """The prospects of each aim by number of rolls; each chance and each mean has its own best way to play.

    ``before``: the states to tell them of, by number of rolls. Raises ModelError for a state that no turn comes to.
    """
    node = {rolls: _node(graph, state) for rolls, state in before.items()}
    asked = [(name, mark) for name, aim in aims.items() for mark in (*aim.marks, None)]
    best = best_means(graph, [_worth(graph, aims[name], mark) for name, mark in asked], node.values())
    found: dict[str, dict[int, AimProspects]] = {name: {} for name in aims}
    for rolls, place in node.items():
        told = dict(zip(asked, best[place], strict=True))
        for name, aim in aims.items():
            chances = {mark: told[name, mark] for mark in aim.marks}
            found[name][rolls] = AimProspects(chances, told[name, None])
    return found


def _node(graph: TurnGraph, state: NodeKey) -> int:
    node = graph.node_of(state)
    if node is None:
        raise ModelError(f"no turn comes to the state {state}")
    return node


def _worth(graph: TurnGraph, aim: Aim, mark: str | None) -> list[Fraction]:
    """What each leaf is worth: its points where it counts, or 1 where these are as many as the mark."""
    points = [_points(aim, graph.results[leaf.result], leaf.lower) for leaf in graph.leaves]
    if mark is None:
        return points
    return [Fraction(number >= aim.marks[mark]) for number in points]


def _points(aim: Aim, result: Any, earned: Fraction) -> Fraction:
    if not aim.counts(result):
        return Fraction(0)
    return earned if aim.points is None else Fraction(aim.points(result))


def best_means(graph: TurnGraph, worths: list[list[Fraction]], nodes: Iterable[int]) -> dict[int, tuple[Fraction, ...]]:
    """The highest mean of each worth, one number a leaf, that a turn can have from each of these nodes.

    Raises ModelError for turns with a cut.
    """
    if any(leaf.result == NO_RESULT for leaf in graph.leaves):
        raise ModelError("a turn with a cut has no best means of its own")
    units = [lcm(*(number.denominator for number in worth)) for worth in worths]
    scale, factor = scales(graph)
    leaves = [[int(number * unit) for number in worth] for worth, unit in zip(worths, units, strict=True)]
    most = max((abs(number) for worth in leaves for number in worth), default=0)
    kind: type = np.int64 if max(scale) * max(most, 1) <= LARGEST else object
    factors: Wholes = np.array(factor, dtype=kind)[:, None]

    def scaled(ufunc: np.ufunc) -> Gather:
        def gather(children: Wholes, layer: Layer) -> Wholes:
            low = int(graph.start[layer.first - graph.n_leaves])
            return gathered(ufunc)(children * factors[low : low + len(children)], layer)

        return gather

    numbers = back_up(graph, np.array(leaves, dtype=kind).T, scaled(np.add), scaled(np.maximum))
    return {
        node: tuple(
            Fraction(int(number), scale[node] * unit) for number, unit in zip(numbers[node], units, strict=True)
        )
        for node in nodes
    }
