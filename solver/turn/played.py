"""One turn as it is played by a rule: which decisions it comes to, and how likely it ends where.

The compiled turn (``solver.turn.graph``) makes states that lead to the same one node. Somebody who plays by a rule may
tell them apart, so here every state of the turn is a node of its own, with the names of its moves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.errors import ModelError
from rollwise.solver.game.model import Beyond, Chance, Choice, End, Go, State, TurnGame, Word, named_moves
from rollwise.solver.turn.arrays import UNIT, backup, roundings
from rollwise.solver.turn.graph import CHANCE, CHOICE, NO_RESULT, Layer, TurnGraph, layers_of, states_in_order

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Decided:
    """A decision of the turn: its state and the names of its moves, in the game's own order."""

    state: State
    names: tuple[str, ...]


@dataclass(frozen=True)
class EndsOfTurn:
    """How a turn ends that is played by a rule: ``chances`` of its ``slots``, together 1.

    A slot is a leaf of the turn, or several of which the best is taken (bounds past a proven cut): the leaves of slot
    ``i`` are ``leaves[begin[i]:begin[i + 1]]``. ``off``: how far off a chance may be, relative to itself.
    """

    chances: Floats
    leaves: Ints
    begin: Ints
    off: float


class PlayedTurn:
    """All states of a game's turn as nodes, the leaves of the compiled turn first, children before their parents.

    ``start``, ``child``, ``weight``, ``total``, ``kind`` and ``segments`` are as in ``TurnGraph``, so that its backup
    takes this too; ``decided`` has the decisions by node, ``roots`` the nodes of the roots. A choice that is no
    decision of anybody (``model.no_worse``) is a node without an entry there.
    """

    def __init__(self, game: TurnGame, graph: TurnGraph) -> None:
        self.game = game
        self.n_leaves = graph.n_leaves
        self._leaf = graph.leaf_of
        every = enumerate(graph.leaves)
        self._cuts = {(leaf.lower, leaf.upper): place for place, leaf in every if leaf.result == NO_RESULT}
        self._kinds: list[int] = []
        self._layers: list[int] = []
        self._children: list[list[int]] = []
        self._weights: list[list[int]] = []
        self._decided: dict[int, Decided] = {}
        self._of_state: dict[State, int] = {}
        roots = [tuple(root) for root in game.roots()]
        for state, word in states_in_order(game.turn, roots):
            self._of_state[state] = self._add(word, state, asked=True)
        self._number([self._of_state[root] for root in roots])

    # --- made from words ---------------------------------------------------------------------------------------------

    def _add(self, word: Word, state: State, asked: bool) -> int:
        """The node of a word; a choice is the decision of ``state`` where ``asked``, else nobody's."""
        if isinstance(word, Go):
            return self._of_state[word.state]
        if isinstance(word, End):
            return self._leaf[word.result, Fraction(word.reward)]
        if isinstance(word, Beyond):
            return self._cuts[Fraction(word.lower), Fraction(word.upper)]
        if isinstance(word, Chance):
            weights: dict[int, int] = {}
            for weight, after in word.outcomes:
                child = self._add(after, state, asked=False)
                weights[child] = weights.get(child, 0) + weight
            return self._node(CHANCE, list(weights), list(weights.values()))
        if not isinstance(word, Choice):
            raise ModelError(f"turn state {state} gives {word!r}, which is no word of a turn")
        moves = named_moves(word, self.game.turn)
        node = self._node(CHOICE, [self._add(after, state, asked=False) for after in moves.values()])
        if asked:
            self._decided[node] = Decided(state, tuple(moves))
        return node

    def _node(self, kind: int, children: list[int], weights: list[int] | None = None) -> int:
        self._kinds.append(kind)
        layers = (self._layers[child - self.n_leaves] for child in children if child >= self.n_leaves)
        self._layers.append(1 + max(layers, default=0))
        self._children.append(children)
        self._weights.append(weights or [0] * len(children))
        return self.n_leaves + len(self._kinds) - 1

    def _number(self, roots: Sequence[int]) -> None:
        """Lay out by layer and kind, as a backup wants it."""
        n = self.n_leaves
        order = sorted(range(len(self._kinds)), key=lambda i: (self._layers[i], self._kinds[i], i))
        final = list(range(n)) + [0] * len(order)
        for new, old in enumerate(order):
            final[n + old] = n + new
        self.children: list[list[int]] = [[]] * n + [[final[child] for child in self._children[old]] for old in order]
        self.weights: list[list[int]] = [[]] * n + [self._weights[old] for old in order]
        self.decided = {final[node]: found for node, found in self._decided.items()}
        self.roots = [final[root] for root in roots]
        self.kinds = [0] * n + [self._kinds[old] for old in order]
        keys = [(self._layers[old], self._kinds[old]) for old in order]
        cuts = [i for i in range(len(keys)) if i == 0 or keys[i] != keys[i - 1]] + [len(keys)]
        rows = [(keys[low][1], n + low, n + high) for low, high in itertools.pairwise(cuts)]
        self.segments = np.array(rows, dtype=np.int64).reshape(len(rows), 3)
        del self._kinds, self._layers, self._children, self._weights, self._decided, self._of_state

    @property
    def n_nodes(self) -> int:
        """Leaves and all others."""
        return len(self.kinds)

    @cached_property
    def start(self) -> Ints:
        """Where the edges of each node that is no leaf begin."""
        counts = [len(children) for children in self.children[self.n_leaves :]]
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])

    @cached_property
    def child(self) -> Ints:
        """The edges."""
        return np.fromiter((c for children in self.children for c in children), dtype=np.int64)

    @cached_property
    def weight(self) -> Ints:
        """Of each edge, 0 but for chance."""
        return np.fromiter((w for weights in self.weights for w in weights), dtype=np.int64)

    @cached_property
    def total(self) -> Ints:
        """The sum of the weights of each node that is no leaf."""
        return np.array([sum(weights) for weights in self.weights[self.n_leaves :]], dtype=np.int64)

    @cached_property
    def layers(self) -> list[Layer]:
        """The segments, ready for one backup after the other."""
        laid_out: Any = self
        return layers_of(laid_out)

    @cached_property
    def _rounding(self) -> float:
        """So many roundings at most lie between the root and the chance of a leaf."""
        return float(roundings(self))

    # --- played ------------------------------------------------------------------------------------------------------

    def legal(self, leaves: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which nodes are legal where these leaves are: shape (n_leaves, lanes) to (n_nodes, lanes)."""
        found = np.empty((self.n_nodes, leaves.shape[1]), dtype=bool)
        found[: self.n_leaves] = leaves
        for layer in self.layers:
            together = np.logical_and if layer.kind == CHANCE else np.logical_or
            together.reduceat(found[layer.child], layer.starts, axis=0, out=found[layer.first : layer.end])
        return found

    def worth(self, leaves: Floats, sense: str) -> Floats:
        """(value, lower, upper) of every node on one board from those of its leaves, shape (n_leaves, 3)."""
        laid_out: Any = self
        return backup(laid_out, leaves, sense)

    def play(
        self, root: int, legal: Sequence[bool], group: Any, decide: Callable[[Any, int, tuple[str, ...]], Any]
    ) -> Iterator[tuple[Any, EndsOfTurn]]:
        """(some boards, how their turns end), for boards on which the same nodes are ``legal``.

        ``decide(boards, node, names of its legal moves)`` says (some of the boards, the move there) for all of them; it
        is asked about every decision that play comes to, once, earlier ones first.
        """
        n = self.n_leaves
        first = [0.0] * (self.roots[root] + 1)
        first[self.roots[root]] = 1.0
        waiting: list[tuple[Any, int, list[float], list[tuple[float, list[int]]]]] = [
            (group, self.roots[root], first, [])
        ]
        while waiting:
            boards, top, reach, choices = waiting.pop()
            for node in range(top, n - 1, -1):
                here = reach[node]
                if here == 0.0:
                    continue
                children, kind = self.children[node], self.kinds[node]
                if kind == CHANCE:
                    weights = self.weights[node]
                    part = here / sum(weights)
                    for child, weight in zip(children, weights, strict=True):
                        reach[child] += part * weight
                    continue
                open_ = [child for child in children if legal[child]]
                if len(open_) == 1:
                    reach[open_[0]] += here
                    continue
                if node not in self.decided:
                    if max(open_) >= n:
                        raise ModelError(f"{self.game} has a choice in a turn that is nobody's decision")
                    choices.append((here, open_))
                    continue
                child_of = {
                    name: child for name, child in zip(self.decided[node].names, children, strict=True) if legal[child]
                }
                answers = decide(boards, node, tuple(child_of))
                for others, move in answers[1:]:
                    reached = reach[:node]
                    reached[child_of[move]] += here
                    waiting.append((others, node - 1, reached, list(choices)))
                boards, move = answers[0]
                reach[child_of[move]] += here
            yield boards, self._row(reach[:n], choices)

    def _row(self, leaves: list[float], choices: list[tuple[float, list[int]]]) -> EndsOfTurn:
        ends = [(chance, [leaf]) for leaf, chance in enumerate(leaves) if chance > 0.0] + choices
        begin = np.cumsum([0] + [len(leaves) for _, leaves in ends])
        return EndsOfTurn(
            np.array([chance for chance, _ in ends]),
            np.array([leaf for _, leaves in ends for leaf in leaves], dtype=np.int64),
            begin.astype(np.int64),
            self._rounding * UNIT,
        )
