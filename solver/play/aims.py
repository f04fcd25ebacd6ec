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

from rollwise.solver.game.errors import ModelError
from rollwise.solver.game.model import State
from rollwise.solver.game.sheet import Aim
from rollwise.solver.turn.graph import CHANCE, NO_RESULT, TurnGraph

Wholes = NDArray[Any]  # int64 where that is large enough, else Python's own integers
LARGEST = 2**63 - 1


@dataclass(frozen=True)
class AimProspects:
    """Of one aim, with so many rolls: the best chance of each of its marks, and the most points on average."""

    chances: dict[str, Fraction]
    points: Fraction


def prospects(
    graph: TurnGraph, aims: Mapping[str, Aim], before: Mapping[int, State]
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


def _node(graph: TurnGraph, state: State) -> int:
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
    scale, factor = _scales(graph)
    leaves = [[int(number * unit) for number in worth] for worth, unit in zip(worths, units, strict=True)]
    most = max((abs(number) for worth in leaves for number in worth), default=0)
    kind: type = np.int64 if max(scale) * max(most, 1) <= LARGEST else object
    numbers: Wholes = np.empty((graph.n_nodes, len(worths)), dtype=kind)
    numbers[: graph.n_leaves] = np.array(leaves, dtype=kind).T
    factors: Wholes = np.array(factor, dtype=kind)[:, None]
    for of_kind, first, end in graph.segments.tolist():
        i, j = first - graph.n_leaves, end - graph.n_leaves
        low, high = int(graph.start[i]), int(graph.start[j])
        children = numbers[graph.child[low:high]] * factors[low:high]
        gather = np.add if of_kind == CHANCE else np.maximum
        numbers[first:end] = gather.reduceat(children, graph.start[i:j] - low, axis=0)
    return {
        node: tuple(
            Fraction(int(number), scale[node] * unit) for number, unit in zip(numbers[node], units, strict=True)
        )
        for node in nodes
    }


def _scales(graph: TurnGraph) -> tuple[list[int], list[int]]:
    """Scales of nodes and factors of edges: a node counts in 1 / scale, a child times its factor as its parent does."""
    scale, factor = [1] * graph.n_nodes, [1] * graph.n_edges
    start, child, weight = graph.start.tolist(), graph.child.tolist(), graph.weight.tolist()
    for i, of_kind in enumerate(graph.kind.tolist()):
        low, high = start[i], start[i + 1]
        common = lcm(*{scale[after] for after in child[low:high]})
        for edge in range(low, high):
            factor[edge] = common // scale[child[edge]] * (weight[edge] if of_kind == CHANCE else 1)
        scale[graph.n_leaves + i] = common * (int(graph.total[i]) if of_kind == CHANCE else 1)
    return scale, factor
