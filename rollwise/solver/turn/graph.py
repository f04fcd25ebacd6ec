"""The turn graph: states compiled into nodes, equal nodes into one, with the turn's results as leaves.

Nodes are numbered leaves first, then by layer (a node's children lie in lower layers) and kind, so that a layer is
one slice of the arrays and one NumPy operation (``solver.turn.arrays``).
"""

from __future__ import annotations

import gc
import hashlib
import json
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.cancellation import raise_if_cancelled
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Bounded, Chance, Decision, End, FirstLegal, Goto, Node, NodeKey, TurnGame
from rollwise.solver.model.limits import evict_oldest

CHANCE, CHOICE = 1, 2
NO_RESULT = -1
MAX_CHANCE_CHILDREN = 64  # children of a chance node
MAX_CACHED_GRAPHS, MAX_CACHED_EDGES = 64, 1 << 20  # compiled turns in memory: some tens of megabytes


@dataclass(frozen=True)
class Leaf:
    """An end of a turn: the index of its result and the turn's own reward, or (result -1) bounds past a cut."""

    result: int
    lower: Fraction
    upper: Fraction


class Layer(NamedTuple):
    """One layer's nodes of one kind, ``first`` to ``end - 1``: views of a turn graph's arrays for NumPy.

    ``child`` are the children of one node after the other, those of the i-th node from ``starts[i]`` on; ``weight``,
    shape (edges, 1), and ``total``, shape (nodes, 1), are floats.
    """

    kind: int
    first: int
    end: int
    child: NDArray[np.intp]
    weight: NDArray[np.float64]
    starts: NDArray[np.int64]
    total: NDArray[np.float64]


@dataclass(frozen=True)
class TurnGraph:
    """One turn as arrays; node ids are rows.

    ``child`` and ``weight`` (0 but for chance) hold the edges of node ``n_leaves + i`` from ``start[i]`` to
    ``start[i + 1]``; ``total`` is the sum of a chance node's weights. ``made`` is the order in which inner nodes
    were completed, children first and close to their readers. ``segments`` rows are (kind, first node, end node): one
    layer's nodes of one kind. ``terms`` bounds the rounding of one backup: the mean over paths of the sum of (number of
    children + 3), where choices make it as large as they can. ``root_leaves``, shape (roots, leaves): True for the
    leaves that a turn from each root can reach.
    """

    results: tuple[Any, ...]
    leaves: tuple[Leaf, ...]
    roots: NDArray[np.int64]
    start: NDArray[np.int64]
    child: NDArray[np.int32]
    weight: NDArray[np.int64]
    total: NDArray[np.int64]
    kind: NDArray[np.int8]
    made: NDArray[np.int32]
    segments: NDArray[np.int64]
    state_hash: NDArray[np.uint64]
    state_node: NDArray[np.int32]
    root_leaves: NDArray[np.bool_]
    terms: int

    @property
    def n_leaves(self) -> int:
        """Number of leaves, the first rows."""
        return len(self.leaves)

    @property
    def n_nodes(self) -> int:
        """Leaves and inner nodes together."""
        return self.n_leaves + len(self.kind)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.child)

    @cached_property
    def leaf_of(self) -> dict[tuple[Any, Fraction], int]:
        """The leaf of each result and reward."""
        every = enumerate(self.leaves)
        return {(self.results[leaf.result], leaf.lower): i for i, leaf in every if leaf.result != NO_RESULT}

    @cached_property
    def layers(self) -> list[Layer]:
        """The segments, ready for one backup after the other."""
        child = self.child.astype(np.intp)
        weight, total = self.weight.astype(np.float64)[:, None], self.total.astype(np.float64)[:, None]
        slices = []
        for kind, first, end in self.segments.tolist():
            nodes = slice(first - self.n_leaves, end - self.n_leaves)
            low, high = int(self.start[nodes.start]), int(self.start[nodes.stop])
            starts = self.start[nodes] - low
            slices.append(Layer(kind, first, end, child[low:high], weight[low:high], starts, total[nodes]))
        return slices

    def node_of(self, state: NodeKey) -> int | None:
        """The node of a state of the turn; None where no turn reaches that state."""
        state_hash = hash_state(state)
        place = int(np.searchsorted(self.state_hash, state_hash))
        if place < len(self.state_hash) and self.state_hash[place] == state_hash:
            return int(self.state_node[place])
        return None

    def reachable(self, root: int) -> NDArray[np.bool_]:
        """True for the nodes, shape (n_nodes,), that a turn from this node can reach."""
        return reachable(self.n_leaves, self.start, self.child, self.segments, root)

    def thrown(self, root: int) -> NDArray[np.int64]:
        """The leaves that dice alone can reach from this node, before any choice."""
        throws = self.segments[self.segments[:, 0] == CHANCE]
        return np.flatnonzero(reachable(self.n_leaves, self.start, self.child, throws, root)[: self.n_leaves])

    def children(self, node: int) -> Iterator[tuple[int, int]]:
        """(child, weight) pairs of one inner node."""
        i = node - self.n_leaves
        for edge in range(int(self.start[i]), int(self.start[i + 1])):
            yield int(self.child[edge]), int(self.weight[edge])


@dataclass(frozen=True)
class TurnCheck:
    """Check of a compiled turn, before anything is solved; ``board`` and ``fields``: of the question that it is for."""

    check: Callable[[TurnGraph], None]
    board: Mapping[str, Any] | None = None
    fields: Mapping[str, Any] | None = None

    def __call__(self, graph: TurnGraph) -> None:
        """Check the turn; raises BadInput."""
        self.check(graph)


def reachable(
    n_leaves: int, start: NDArray[np.int64], child: NDArray[np.int32], segments: NDArray[np.int64], root: int
) -> NDArray[np.bool_]:
    """True for the nodes reachable from ``root``."""
    is_reached = np.zeros(n_leaves + len(start) - 1, dtype=bool)
    is_reached[root] = True
    for _, first, end in segments[::-1].tolist():
        inside = first - n_leaves + np.flatnonzero(is_reached[first:end])
        if len(inside):
            is_reached[child[edges_of(start, inside)]] = True
    return is_reached


def edges_of(start: NDArray[np.int64], nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The edges of these inner nodes (counted from the first of them), one node's after the other's."""
    low, count = start[nodes], start[nodes + 1] - start[nodes]
    before = np.cumsum(count) - count
    edges: NDArray[np.int64] = np.repeat(low - before, count) + np.arange(int(count.sum()))
    return edges


def hash_state(state: NodeKey) -> np.uint64:
    """A 64-bit hash of a state (the compiler checks that no two states of a turn share it)."""
    return np.uint64(int.from_bytes(_digest(state), "little"))


def _digest(state: NodeKey) -> bytes:
    return hashlib.blake2b(repr(state).encode(), digest_size=8).digest()


_GRAPHS: dict[TurnGame, TurnGraph] = {}


def build_graph(game: TurnGame) -> TurnGraph:
    """The turn graph of a game, compiled; raises ModelError, with the state, for a malformed node."""
    roots = [tuple(root) for root in game.roots()]
    builder = _Builder(game)
    with gc_paused():
        for state, node in states_successors_first(game.turn, roots):
            builder.node_ids[state] = builder.intern(node, state)
        return builder.number(roots)


def compile_turn(game: TurnGame) -> TurnGraph:
    """The turn graph of a game, from memory or built now; raises as ``build_graph`` does.

    The graph is shared: no caller may change it.
    """
    return cache_graph(game, cached_graph(game) or build_graph(game))


def cached_graph(game: TurnGame) -> TurnGraph | None:
    """The turn graph of a game in memory; None where there is none."""
    with suppress(TypeError):  # of a game with a list in it
        return _GRAPHS.get(game)
    return None


def cache_graph(game: TurnGame, graph: TurnGraph) -> TurnGraph:
    """The same graph, which is now the newest in memory; the oldest ones are evicted."""
    with suppress(TypeError):
        _GRAPHS.pop(game, None)
        _GRAPHS[game] = graph
        evict_oldest(_GRAPHS, MAX_CACHED_GRAPHS)
        while sum(cached.n_edges for cached in list(_GRAPHS.values())) > MAX_CACHED_EDGES:
            evict_oldest(_GRAPHS, len(_GRAPHS) - 1)
    return graph


compile_turn.cache_clear = _GRAPHS.clear  # type: ignore[attr-defined]  # named as in functools


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector: nodes and states form no reference cycles, so a search for them is wasted."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


def targets(node: Node) -> list[NodeKey]:
    """States of the turn to which a node leads."""
    if isinstance(node, Goto):
        return [node.state]
    if isinstance(node, Chance):
        inside = [after for _, after in node.outcomes]
    elif isinstance(node, Decision):
        inside = [after for _, after in node.moves]
    else:
        return []
    states: list[NodeKey] = []
    for after in inside:
        if isinstance(after, Goto):
            states.append(after.state)
        elif isinstance(after, Chance | Decision):
            states += targets(after)
    return states


def states_successors_first(node_for: Callable[..., Node], roots: list[NodeKey]) -> Iterator[tuple[NodeKey, Node]]:
    """States with their nodes, each after its successors (depth-first); ModelError where a state succeeds itself."""
    is_done: dict[NodeKey, bool] = {}  # of the states entered so far
    stack: list[tuple[NodeKey, Node, Iterator[NodeKey]]] = []

    def enter(state: NodeKey) -> None:
        raise_if_cancelled()
        node = node_for(*state)
        is_done[state] = False
        stack.append((state, node, iter(targets(node))))

    for root in roots:
        if root not in is_done:
            enter(root)
        while stack:
            state, node, ahead = stack[-1]
            for successor in ahead:
                done = is_done.get(successor)
                if done is None:
                    enter(successor)
                    break
                if not done:
                    raise ModelError(f"turn state {successor} leads back to itself")
            else:
                stack.pop()
                is_done[state] = True
                yield state, node


class _Builder:
    """Builder of a turn graph bottom up, equal nodes once; ids are provisional, in the order of completion.

    ``child`` and ``weight`` (0 but for chance) are those of one inner node after the other, ``count`` of each.
    """

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.node_ids: dict[NodeKey, int] = {}
        self.interned: dict[Hashable, int] = {}
        self.results: dict[Hashable, int] = {}
        self.leaves: list[Leaf] = []
        self.leaf_ids: list[int] = []
        self.inner_ids: list[int] = []
        self.kind: list[int] = []
        self.count: list[int] = []
        self.child: list[int] = []
        self.weight: list[int] = []
        self.total: list[int] = []
        self.layer: list[int] = []
        self.terms: list[float] = []

    def intern(self, node: Node, state: NodeKey) -> int:
        if isinstance(node, Decision):  # the most frequent: many sets of dice may be held of a throw
            if not node.moves:
                raise ModelError(f"turn state {state} offers no move")
            return self.intern_choice([after for _, after in node.moves], state)
        if isinstance(node, Goto):
            return self.node_ids[node.state]
        if isinstance(node, End):
            result = self.results.get(node.result)
            if result is None:
                require_plain(node.result, state)
                result = self.results[node.result] = len(self.results)
            return self.intern_leaf(result, node.reward, node.reward)
        if isinstance(node, Bounded):
            return self.intern_leaf(NO_RESULT, node.lower, node.upper)
        if isinstance(node, Chance):
            return self.intern_chance(node, state)
        if isinstance(node, FirstLegal):
            raise ModelError(
                f"{self.game}: turn state {state} is FirstLegal; a node of a solved turn is decided by Chance or "
                "Decision, and transition marks the results that are illegal on a board"
            )
        raise ModelError(f"{self.game}: turn state {state} gives {node!r}, which is no node of a turn")

    def intern_leaf(self, result: int, lower: int | Fraction, upper: int | Fraction) -> int:
        key = (result, lower, upper)  # whole numbers are equal to their fractions, and quicker to look up
        if key not in self.interned:
            leaf = Leaf(result, Fraction(lower), Fraction(upper))
            if leaf not in self.interned:
                self.interned[leaf] = self.add(0, 3)
                self.leaf_ids.append(self.interned[leaf])
                self.leaves.append(leaf)
            self.interned[key] = self.interned[leaf]
        return self.interned[key]

    def intern_choice(self, nodes: Iterable[Node], state: NodeKey) -> int:
        """The id of a choice among some nodes, each once, in the order of first appearance."""
        node_ids, intern = self.node_ids, self.intern
        each = [node_ids[node.state] if isinstance(node, Goto) else intern(node, state) for node in nodes]
        children = tuple(dict.fromkeys(each))
        if len(children) == 1:
            return children[0]
        key = (CHOICE, children)
        if key not in self.interned:
            self.interned[key] = self.add_choice(children)
        return self.interned[key]

    def add_choice(self, children: tuple[int, ...]) -> int:
        self.weight += [0] * len(children)
        self.total.append(0)
        return self.add_inner(CHOICE, children, max(map(self.terms.__getitem__, children)))

    def intern_chance(self, node: Chance, state: NodeKey) -> int:
        weights: dict[int, int] = {}
        node_ids, intern = self.node_ids, self.intern
        for weight, after in node.outcomes:
            if not isinstance(weight, int) or weight <= 0:
                raise ModelError(f"turn state {state} has the weight {weight!r}, not a positive integer")
            child = node_ids[after.state] if isinstance(after, Goto) else intern(after, state)
            weights[child] = weights.get(child, 0) + weight
        if not weights:
            raise ModelError(f"turn state {state} has no outcome")
        if len(weights) == 1:
            return next(iter(weights))
        if len(weights) > MAX_CHANCE_CHILDREN:
            weights = self.in_parts(weights)
        return self.intern_mean(tuple(weights), tuple(weights.values()))

    def in_parts(self, weights: dict[int, int]) -> dict[int, int]:
        """The same chance over means of some children each: sums of few terms have smaller rounding errors."""
        children = list(weights)
        size = math.isqrt(len(children) - 1) + 1
        parts: dict[int, int] = {}
        for begin in range(0, len(children), size):
            members = children[begin : begin + size]
            ways = tuple(weights[child] for child in members)
            part = members[0] if len(members) == 1 else self.intern_mean(tuple(members), ways)
            parts[part] = parts.get(part, 0) + sum(ways)
        return parts

    def intern_mean(self, children: tuple[int, ...], weights: tuple[int, ...]) -> int:
        key = (CHANCE, children, weights)
        if key not in self.interned:
            total = sum(weights)
            mean = sum(weight * self.terms[child] for weight, child in zip(weights, children, strict=True)) / total
            self.interned[key] = self.add_inner(CHANCE, children, len(children) + 3 + mean)
            self.weight += weights
            self.total.append(total)
        return self.interned[key]

    def add_inner(self, kind: int, children: tuple[int, ...], terms: float) -> int:
        self.inner_ids.append(len(self.layer))
        self.kind.append(kind)
        self.count.append(len(children))
        self.child += children
        return self.add(1 + max(map(self.layer.__getitem__, children)), terms)

    def add(self, layer: int, terms: float) -> int:
        self.layer.append(layer)
        self.terms.append(terms)
        return len(self.layer) - 1

    def number(self, roots: list[NodeKey]) -> TurnGraph:
        layer, kind = np.array(self.layer), np.array(self.kind, dtype=np.int8)
        inner, n_leaves = np.array(self.inner_ids, dtype=np.int64), len(self.leaves)
        order = np.lexsort((kind, layer[inner]))
        final = np.empty(len(layer), dtype=np.int32)
        final[self.leaf_ids] = np.arange(n_leaves)
        final[inner[order]] = n_leaves + np.arange(len(inner))
        completion_start, start = np.zeros((2, len(inner) + 1), dtype=np.int64)
        count = np.array(self.count, dtype=np.int64)
        np.cumsum(count, out=completion_start[1:])
        np.cumsum(count[order], out=start[1:])
        edges = edges_of(completion_start, order)
        child = final[np.array(self.child, dtype=np.int64)[edges]]
        hashes = np.frombuffer(b"".join(map(_digest, self.node_ids)), dtype="<u8").astype(np.uint64)
        by_hash = np.argsort(hashes)
        if len(np.unique(hashes)) < len(hashes):
            raise ModelError("two states of the turn have the same 64-bit name")
        node_of_state = final[np.fromiter(self.node_ids.values(), dtype=np.int64, count=len(self.node_ids))]
        root_nodes = [int(final[self.node_ids[root]]) for root in roots]
        segments = self.segments(layer[inner[order]], kind[order])
        return TurnGraph(
            results=tuple(self.results),
            leaves=tuple(self.leaves),
            roots=np.array(root_nodes, dtype=np.int64),
            start=start,
            child=child,
            weight=np.array(self.weight, dtype=np.int64)[edges],
            total=np.array(self.total, dtype=np.int64)[order],
            kind=kind[order],
            made=np.argsort(order).astype(np.int32),
            segments=segments,
            state_hash=hashes[by_hash],
            state_node=node_of_state[by_hash],
            root_leaves=np.array([reachable(n_leaves, start, child, segments, root)[:n_leaves] for root in root_nodes]),
            terms=math.ceil(max(self.terms)) + 1,
        )

    def segments(self, layer: NDArray[np.int64], kind: NDArray[np.int8]) -> NDArray[np.int64]:
        """Rows of ``TurnGraph.segments``: runs of inner nodes of one layer and kind."""
        first = np.flatnonzero(np.diff(layer, prepend=-1) | np.diff(kind, prepend=-1))
        ends = np.append(first[1:], len(kind))
        return np.stack([kind[first], len(self.leaves) + first, len(self.leaves) + ends[: len(first)]], axis=1)


# --- as plain data, for the cache ----------------------------------------------------------------------------------

ARRAYS = (
    "roots",
    "start",
    "child",
    "weight",
    "total",
    "kind",
    "made",
    "segments",
    "state_hash",
    "state_node",
    "root_leaves",
)


def to_plain(graph: TurnGraph) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """A graph as arrays and JSON."""
    leaves = [[leaf.result, str(leaf.lower), str(leaf.upper)] for leaf in graph.leaves]
    plain = {"results": json.loads(json.dumps(graph.results)), "leaves": leaves, "terms": graph.terms}
    return {f"turn_{name}": getattr(graph, name) for name in ARRAYS}, plain


def from_plain(arrays: Mapping[str, NDArray[Any]], plain: Mapping[str, Any]) -> TurnGraph:
    """The graph again."""
    leaves = tuple(Leaf(result, Fraction(lower), Fraction(upper)) for result, lower, upper in plain["leaves"])
    results = tuple(_tuples(result) for result in plain["results"])
    named = {name: arrays[f"turn_{name}"] for name in ARRAYS}
    return TurnGraph(results=results, leaves=leaves, terms=plain["terms"], **named)


def require_plain(result: Any, state: NodeKey) -> None:
    """Raise ModelError for a result that JSON would change, or turn into another type."""
    try:
        back = _tuples(json.loads(json.dumps(result)))
    except (TypeError, ValueError):
        back = None
    if not same_type(result, back):
        raise ModelError(
            f"turn state {state} ends in {result!r}, which cannot be kept: "
            "a result is made of whole numbers, texts, true, false, None and plain tuples of them"
        )


def same_type(one: Any, other: Any) -> bool:
    """Equal, and of one type at every depth: a named tuple equals a plain one, and True equals 1."""
    if type(one) is not type(other) or one != other:
        return False
    return not isinstance(one, tuple) or all(map(same_type, one, other))


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value
