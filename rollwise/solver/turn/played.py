"""One turn as it is played by a rule: which decisions it comes to, and how likely it ends where.

The compiled turn (``solver.turn.graph``) makes states that lead to the same one node. Somebody who plays by a rule may
tell them apart, so here every decision of the turn is a node of its own, with the names of its moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Decision, Node, NodeKey, TurnGame, named_moves
from rollwise.solver.turn.algebra import back_up, gathered
from rollwise.solver.turn.arrays import UNIT, backup, roundings
from rollwise.solver.turn.graph import CHANCE, TurnGraph, _Builder, states_in_order

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Decided:
    """A decision of the turn: its state and the names of its moves, in the game's own order."""

    state: NodeKey
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


class _StateByState(_Builder):
    """Makes nodes as the compiler does, after the leaves of the compiled turn, but each decision one of its own."""

    def __init__(self, game: TurnGame, graph: TurnGraph) -> None:
        super().__init__(game)
        self.results = {result: number for number, result in enumerate(graph.results)}
        for leaf in graph.leaves:
            self.intern_leaf(leaf.result, leaf.lower, leaf.upper)
        self.decisions: list[Decided] = []

    def intern_state(self, word: Node, state: NodeKey) -> int:
        """The node of a state's word."""
        if not isinstance(word, Decision):
            return self.intern(word, state)
        moves = named_moves(word, self.game.turn)
        self.decisions.append(Decided(state, tuple(moves)))
        return self.add_choice(tuple(self.intern(after, state) for after in moves.values()))


class PlayedTurn:
    """A turn laid out with the leaves of the compiled one, and with every decision a node.

    ``children``, ``weights`` (0 but for chance) and ``kinds`` are by node, children before their parents; ``decided``
    has the decisions by node, ``roots`` the nodes of the roots. A choice that is no decision of anybody
    (``model.no_worse``) is a node without an entry there.
    """

    def __init__(self, game: TurnGame, graph: TurnGraph) -> None:
        self.game, self.n_leaves = game, graph.n_leaves
        builder, roots = _StateByState(game, graph), [tuple(root) for root in game.roots()]
        for state, word in states_in_order(game.turn, roots):
            builder.node[state] = builder.intern_state(word, state)
        self.laid_out = laid_out = builder.number(roots)
        self.decided = {cast(int, laid_out.node_of(each.state)): each for each in builder.decisions}
        self.n_nodes, self.roots = laid_out.n_nodes, laid_out.roots.tolist()
        self.kinds = [0] * self.n_leaves + laid_out.kind.tolist()
        self.children, self.weights = (
            [[]] * self.n_leaves + [edges[low:high] for low, high in pairwise(laid_out.start.tolist())]
            for edges in (laid_out.child.tolist(), laid_out.weight.tolist())
        )

    @cached_property
    def _off(self) -> float:
        """How far off the chance of a leaf may be, relative to itself."""
        return roundings(self.laid_out) * UNIT

    def legal(self, leaves: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which nodes are legal where these leaves are: shape (n_leaves, lanes) to (n_nodes, lanes)."""
        return back_up(self.laid_out, leaves, gathered(np.logical_and), gathered(np.logical_or))

    def worth(self, leaves: Floats, sense: str) -> Floats:
        """(value, lower, upper) of every node on one board from those of its leaves, shape (n_leaves, 3)."""
        return backup(self.laid_out, leaves, sense)

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
            self._off,
        )
