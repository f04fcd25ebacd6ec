"""Compile a turn into a graph: states become nodes, equal nodes become one, leaves are the turn's results.

Nodes are numbered leaves first, then by layer (a node's children lie in lower layers) and kind, so that a layer is
one slice of the arrays and one NumPy operation (``solver.turn.arrays``).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.errors import ModelError
from rollwise.solver.game.memory import keep_newest
from rollwise.solver.game.model import Beyond, Chance, Choice, End, Go, Prefer, State, TurnGame, Word

CHANCE, CHOICE = 1, 2
NO_RESULT = -1
MOST_TERMS = 64  # children of a chance node
MOST_KEPT, MOST_EDGES = 64, 1 << 20  # of compiled turns that are kept: some tens of megabytes


@dataclass(frozen=True)
class Leaf:
    """Where a turn ends: the index of its result and the turn's own reward, or (result -1) bounds past a cut."""

    result: int
    lower: Fraction
    upper: Fraction


class Layer(NamedTuple):
    """One layer's nodes of one kind, ``first`` to ``end - 1``: views of a turn graph's arrays, as NumPy takes them.

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
    ``start[i + 1]``; ``total`` is the sum of a chance node's weights. ``made`` is the order in which nodes were
    completed, children first and close to their readers. ``segments`` rows are (kind, first node, end node): one
    layer's nodes of one kind. ``terms`` bounds the rounding of one backup: of the sums over a path of
    (number of children + 3) the mean, where choices make it as large as they can. ``root_leaves``, shape (roots,
    leaves): which leaves a turn from each root can end in.
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
        return layers_of(self)

    def node_of(self, state: State) -> int | None:
        """The node of a state of the turn; None where no turn comes to that state."""
        wanted = hash_state(state)
        place = int(np.searchsorted(self.state_hash, wanted))
        if place < len(self.state_hash) and self.state_hash[place] == wanted:
            return int(self.state_node[place])
        return None

    def reachable(self, root: int) -> NDArray[np.bool_]:
        """True for the nodes, shape (n_nodes,), that a turn from this node can come to."""
        return reachable(self.n_leaves, self.start, self.child, self.segments, root)

    def children(self, node: int) -> Iterator[tuple[int, int]]:
        """(child, weight) pairs of one inner node."""
        i = node - self.n_leaves
        for edge in range(int(self.start[i]), int(self.start[i + 1])):
            yield int(self.child[edge]), int(self.weight[edge])


def layers_of(graph: TurnGraph) -> list[Layer]:
    """The segments of a graph, ready for one backup after the other."""
    child = graph.child.astype(np.intp)
    weight, total = graph.weight.astype(np.float64)[:, None], graph.total.astype(np.float64)[:, None]
    found = []
    for kind, first, end in graph.segments.tolist():
        nodes = slice(first - graph.n_leaves, end - graph.n_leaves)
        low, high = int(graph.start[nodes.start]), int(graph.start[nodes.stop])
        starts = graph.start[nodes] - low
        found.append(Layer(kind, first, end, child[low:high], weight[low:high], starts, total[nodes]))
    return found


def reachable(
    n_leaves: int, start: NDArray[np.int64], child: NDArray[np.int32], segments: NDArray[np.int64], root: int
) -> NDArray[np.bool_]:
    """True for the nodes that can be come to from ``root``."""
    needed = np.zeros(n_leaves + len(start) - 1, dtype=bool)
    needed[root] = True
    for _, first, end in segments[::-1].tolist():
        inside = first - n_leaves + np.flatnonzero(needed[first:end])
        if len(inside):
            needed[child[edges_of(start, inside)]] = True
    return needed


def edges_of(start: NDArray[np.int64], nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The edges of these inner nodes (counted from the first of them), one node's after the other's."""
    low, count = start[nodes], start[nodes + 1] - start[nodes]
    before = np.cumsum(count) - count
    found: NDArray[np.int64] = np.repeat(low - before, count) + np.arange(int(count.sum()))
    return found


def hash_state(state: State) -> np.uint64:
    """64 bits that name a state (the compiler checks that no two states of a turn share them)."""
    return np.uint64(int.from_bytes(hashlib.blake2b(repr(state).encode(), digest_size=8).digest(), "little"))


_KEPT: dict[TurnGame, TurnGraph] = {}


def compile_turn(game: TurnGame) -> TurnGraph:
    """The turn graph of a game; raises ModelError, naming the state, where a word is malformed.

    It is compiled once for as long as not too many others are asked for: it is shared, and nobody may change it.
    """
    try:
        hash(game)
    except TypeError:  # a game with a list in it
        return _compiled(game)
    graph = _KEPT.pop(game, None) or _compiled(game)
    _KEPT[game] = graph  # the newest now
    keep_newest(_KEPT, MOST_KEPT)
    while sum(kept.n_edges for kept in list(_KEPT.values())) > MOST_EDGES:
        keep_newest(_KEPT, len(_KEPT) - 1)
    return graph


def _compiled(game: TurnGame) -> TurnGraph:
    roots = [tuple(root) for root in game.roots()]
    builder = _Builder(game)
    for state, word in states_in_order(game.turn, roots):
        builder.node[state] = builder.intern(word, state)
    return builder.number(roots)


def targets(word: Word) -> list[State]:
    """States that a word leads to within the turn."""
    if isinstance(word, Go):
        return [word.state]
    if isinstance(word, Chance):
        inside = [after for _, after in word.outcomes]
    elif isinstance(word, Choice):
        inside = [after for _, after in word.moves]
    else:
        return []
    found: list[State] = []
    for after in inside:
        if isinstance(after, Go):
            found.append(after.state)
        elif isinstance(after, Chance | Choice):
            found += targets(after)
    return found


def states_in_order(word_of: Callable[..., Word], roots: list[State]) -> Iterator[tuple[State, Word]]:
    """States with their words, each after all that it leads to; ModelError where a state leads back to itself."""
    done: set[State] = set()
    open_: set[State] = set()
    stack: list[tuple[State, Word, Iterator[State]]] = []

    def enter(state: State) -> None:
        word = word_of(*state)
        open_.add(state)
        stack.append((state, word, iter(targets(word))))

    for root in roots:
        if root not in done:
            enter(root)
        while stack:
            state, word, ahead = stack[-1]
            for following in ahead:
                if following in open_:
                    raise ModelError(f"turn state {following} leads back to itself")
                if following not in done:
                    enter(following)
                    break
            else:
                stack.pop()
                open_.discard(state)
                done.add(state)
                yield state, word


class _Builder:
    """Interns words bottom up; nodes get provisional ids in the order in which they are completed."""

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.node: dict[State, int] = {}
        self.known: dict[Hashable, int] = {}
        self.results: dict[Hashable, int] = {}
        self.leaf: list[tuple[int, Leaf]] = []
        self.inner: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = []
        self.layer: list[int] = []
        self.terms: list[float] = []

    def intern(self, word: Word, state: State) -> int:
        if isinstance(word, Go):
            return self.node[word.state]
        if isinstance(word, End):
            if word.result not in self.results:
                require_plain(word.result, state)
            result = self.results.setdefault(word.result, len(self.results))
            reward = Fraction(word.reward)
            return self.add_leaf(Leaf(result, reward, reward))
        if isinstance(word, Beyond):
            return self.add_leaf(Leaf(NO_RESULT, Fraction(word.lower), Fraction(word.upper)))
        if isinstance(word, Chance):
            return self.intern_chance(word, state)
        if isinstance(word, Choice):
            if not word.moves:
                raise ModelError(f"turn state {state} offers no move")
            children = tuple(dict.fromkeys(self.intern(after, state) for _, after in word.moves))
            return children[0] if len(children) == 1 else self.add_inner(CHOICE, children, (0,) * len(children))
        if isinstance(word, Prefer):
            raise ModelError(
                f"{self.game}: turn state {state} prefers one word to another; a solved turn says who decides, "
                "by Chance or Choice, and which result is legal on a board is for settle to say"
            )
        raise ModelError(f"{self.game}: turn state {state} gives {word!r}, which is no word of a turn")

    def intern_chance(self, word: Chance, state: State) -> int:
        weights: dict[int, int] = {}
        for weight, after in word.outcomes:
            if not isinstance(weight, int) or weight <= 0:
                raise ModelError(f"turn state {state} has the weight {weight!r}, not a positive integer")
            child = self.intern(after, state)
            weights[child] = weights.get(child, 0) + weight
        if not weights:
            raise ModelError(f"turn state {state} has no outcome")
        if len(weights) == 1:
            return next(iter(weights))
        if len(weights) > MOST_TERMS:
            weights = self.in_parts(weights)
        return self.add_inner(CHANCE, tuple(weights), tuple(weights.values()))

    def in_parts(self, weights: dict[int, int]) -> dict[int, int]:
        """The same chance over the means of some children each: sums of few terms round by less."""
        children = list(weights)
        size = math.isqrt(len(children) - 1) + 1
        parts: dict[int, int] = {}
        for begin in range(0, len(children), size):
            some = children[begin : begin + size]
            ways = tuple(weights[child] for child in some)
            part = some[0] if len(some) == 1 else self.add_inner(CHANCE, tuple(some), ways)
            parts[part] = parts.get(part, 0) + sum(ways)
        return parts

    def add_leaf(self, leaf: Leaf) -> int:
        if leaf not in self.known:
            self.known[leaf] = len(self.layer)
            self.leaf.append((len(self.layer), leaf))
            self.layer.append(0)
            self.terms.append(3)
        return self.known[leaf]

    def add_inner(self, kind: int, children: tuple[int, ...], weights: tuple[int, ...]) -> int:
        key = (kind, children, weights)
        if key not in self.known:
            self.known[key] = len(self.layer)
            self.inner.append((len(self.layer), kind, children, weights))
            self.layer.append(1 + max(self.layer[child] for child in children))
            below = [self.terms[child] for child in children]
            if kind == CHANCE:
                mean = sum(weight * terms for weight, terms in zip(weights, below, strict=True)) / sum(weights)
                self.terms.append(len(children) + 3 + mean)
            else:
                self.terms.append(max(below))
        return self.known[key]

    def number(self, roots: list[State]) -> TurnGraph:
        order = sorted(range(len(self.inner)), key=lambda i: (self.layer[self.inner[i][0]], self.inner[i][1], i))
        final = np.empty(len(self.layer), dtype=np.int32)
        for new, (old, _) in enumerate(self.leaf):
            final[old] = new
        for new, i in enumerate(order):
            final[self.inner[i][0]] = len(self.leaf) + new
        nodes = [self.inner[i] for i in order]
        start = np.zeros(len(nodes) + 1, dtype=np.int64)
        np.cumsum([len(node[2]) for node in nodes], out=start[1:])
        child = final[np.fromiter((c for node in nodes for c in node[2]), dtype=np.int64, count=int(start[-1]))]
        weight = np.fromiter((w for node in nodes for w in node[3]), dtype=np.int64, count=int(start[-1]))
        hashes = np.array([hash_state(state) for state in self.node], dtype=np.uint64)
        by_hash = np.argsort(hashes)
        if len(np.unique(hashes)) < len(hashes):
            raise ModelError("two states of the turn have the same 64-bit name")
        node_of_state = final[np.fromiter(self.node.values(), dtype=np.int64, count=len(self.node))]
        n_leaves = len(self.leaf)
        root_nodes = [int(final[self.node[root]]) for root in roots]
        segments = self.segments(nodes)
        return TurnGraph(
            results=tuple(self.results),
            leaves=tuple(leaf for _, leaf in self.leaf),
            roots=np.array(root_nodes, dtype=np.int64),
            start=start,
            child=child,
            weight=weight,
            total=np.array([sum(node[3]) for node in nodes], dtype=np.int64),
            kind=np.array([node[1] for node in nodes], dtype=np.int8),
            made=np.argsort(np.array([node[0] for node in nodes])).astype(np.int32),
            segments=segments,
            state_hash=hashes[by_hash],
            state_node=node_of_state[by_hash],
            root_leaves=np.array([reachable(n_leaves, start, child, segments, root)[:n_leaves] for root in root_nodes]),
            terms=math.ceil(max(self.terms)) + 1,
        )

    def segments(self, nodes: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]]) -> NDArray[np.int64]:
        rows: list[list[int]] = []
        keys = [(self.layer[node[0]], node[1]) for node in nodes]
        for place, key in enumerate(keys):
            if place == 0 or key != keys[place - 1]:
                rows.append([key[1], len(self.leaf) + place, 0])
            rows[-1][2] = len(self.leaf) + place + 1
        return np.array(rows, dtype=np.int64).reshape(len(rows), 3)


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


def require_plain(result: Any, state: State) -> None:
    """Raise ModelError for a result that the cache would give back as another one, or as one of another type."""
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
