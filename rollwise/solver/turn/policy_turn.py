"""One turn under a policy: the decisions that it reaches, and the distribution of its ends.

The compiled turn (``solver.turn.graph``) merges states with the same successors. A policy may distinguish them, so here
every decision of the turn is a node of its own, with the names of its moves.
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
from rollwise.solver.model.game import Decision, Node, NodeKey, TurnGame, moves_by_name
from rollwise.solver.turn.algebra import back_up, reduction
from rollwise.solver.turn.arrays import UNIT, backup, count_roundings
from rollwise.solver.turn.graph import CHANCE, TurnGraph, _Builder, states_successors_first

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TurnDecision:
    """A decision of the turn: its state and the names of its moves, in the game's own order."""

    state: NodeKey
    names: tuple[str, ...]


@dataclass(frozen=True)
class EndsOfTurn:
    """Distribution of the ends of a turn under a policy: ``chances`` of its slots, with sum 1.

    A slot is a leaf of the turn, or several of which the best is taken (bounds past a proven cut): the leaves of slot
    ``i`` are ``leaves[begin[i]:begin[i + 1]]``. ``off``: relative error bound of a chance.
    """

    chances: Floats
    leaves: Ints
    begin: Ints
    off: float


class _PolicyBuilder(_Builder):
    """Builder of nodes like the compiler's, with the leaves of the compiled turn, but without merging decisions."""

    def __init__(self, game: TurnGame, graph: TurnGraph) -> None:
        super().__init__(game)
        self.results = {result: number for number, result in enumerate(graph.results)}
        for leaf in graph.leaves:
            self.intern_leaf(leaf.result, leaf.lower, leaf.upper)
        self.decisions: list[TurnDecision] = []

    def intern_state(self, node: Node, state: NodeKey) -> int:
        """The id of a state's node."""
        if not isinstance(node, Decision):
            return self.intern(node, state)
        moves = moves_by_name(node, self.game.turn)
        self.decisions.append(TurnDecision(state, tuple(moves)))
        return self.add_choice(tuple(self.intern(after, state) for after in moves.values()))


class PolicyTurn:
    """A turn graph for policies, with the leaves of the compiled one, and with every decision a node.

    ``children``, ``weights`` (0 but for chance) and ``kinds`` are by node, children before their parents; ``decided``
    has the decisions by node, ``roots`` the nodes of the roots. A choice that is no player's decision
    (``model.nodes.at_least``) is a node without an entry there.
    """

    def __init__(self, game: TurnGame, graph: TurnGraph) -> None:
        self.game, self.n_leaves = game, graph.n_leaves
        builder, roots = _PolicyBuilder(game, graph), [tuple(root) for root in game.roots()]
        for state, node in states_successors_first(game.turn, roots):
            builder.node_ids[state] = builder.intern_state(node, state)
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
        """Relative error bound of the chance of a leaf."""
        return count_roundings(self.laid_out) * UNIT

    def legal(self, leaves: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Legality of nodes from that of the leaves: shape (n_leaves, lanes) to (n_nodes, lanes)."""
        return back_up(self.laid_out, leaves, reduction(np.logical_and), reduction(np.logical_or))

    def back_up(self, leaves: Floats, sense: str) -> Floats:
        """(value, lower, upper) of every node on one board from those of its leaves, shape (n_leaves, 3)."""
        return backup(self.laid_out, leaves, sense)

    def play(
        self, root: int, legal: Sequence[bool], all_boards: Any, decide: Callable[[Any, int, tuple[str, ...]], Any]
    ) -> Iterator[tuple[Any, EndsOfTurn]]:
        """Policy evaluation of one turn: (some boards, their ends), for boards on which the same nodes are ``legal``.

        ``decide(boards, node, names of its legal moves)`` returns (some of the boards, the move there) pairs for all of
        them; it is called once for every decision that play reaches, earlier ones first.
        """
        n = self.n_leaves
        first = [0.0] * (self.roots[root] + 1)
        first[self.roots[root]] = 1.0
        stack: list[tuple[Any, int, list[float], list[tuple[float, list[int]]]]] = [
            (all_boards, self.roots[root], first, [])
        ]
        while stack:
            boards, top, reach, choices = stack.pop()
            for node in range(top, n - 1, -1):
                chance = reach[node]
                if chance == 0.0:
                    continue
                children, kind = self.children[node], self.kinds[node]
                if kind == CHANCE:
                    weights = self.weights[node]
                    part = chance / sum(weights)
                    for child, weight in zip(children, weights, strict=True):
                        reach[child] += part * weight
                    continue
                legal_children = [child for child in children if legal[child]]
                if len(legal_children) == 1:
                    reach[legal_children[0]] += chance
                    continue
                if node not in self.decided:
                    if max(legal_children) >= n:
                        raise ModelError(f"{self.game} has a choice in a turn that is nobody's decision")
                    choices.append((chance, legal_children))
                    continue
                child_of = {
                    name: child for name, child in zip(self.decided[node].names, children, strict=True) if legal[child]
                }
                decisions = decide(boards, node, tuple(child_of))
                for others, move in decisions[1:]:
                    other_reach = reach[:node]
                    other_reach[child_of[move]] += chance
                    stack.append((others, node - 1, other_reach, list(choices)))
                boards, move = decisions[0]
                reach[child_of[move]] += chance
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
