"""Exact optimal values of a game that is said state by state.

The whole graph is laid out, taken apart into strongly connected components, and solved in fractions from the ends
backwards. Small games only: it is the yardstick that the quick solver is held against.
"""

from __future__ import annotations

from collections import ChainMap, deque
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, cast

import networkx as nx
from flint import fmpq

from rollwise.solver.exact.equations import Rational, rational
from rollwise.solver.exact.policy_iteration import AffineValue, policy_iteration
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import Bounded, Chance, Decision, End, Goto, Node, NodeKey
from tests.reference.flatten import Earn, StateGame

END, CHANCE, MAX, MIN = range(4)
MOST_NODES = 400_000
Edge = tuple[int, int, Rational]  # child, weight, points on the way


def solve_states(game: StateGame, starts: Iterable[NodeKey] = ()) -> dict[NodeKey, Fraction]:
    """Exact optimal values of every state that can be reached from ``starts`` (by default the first state).

    What is proven: each value satisfies its Bellman equation exactly, and the best moves end the game with certainty.
    Where one player alone could go on for ever, the value is the best among ways of play that end; where two could
    between them, a ModelError asks what that is worth (in an ``endless`` game only where neither side ends or gains).
    A game with a cut (``Bounded``) is solved with both ends of it, and only states whose two values agree are returned.
    Raises TooLarge for more than 400,000 nodes, or where the value of a start depends on what lies past a cut.
    """
    wanted = [tuple(state) for state in starts] or [tuple(game.first())]
    graph = _Explicit(game, wanted)
    values = graph.solve(side=0)
    if graph.cut:
        upper = graph.solve(side=1)
        values = {state: value for state, value in values.items() if upper[state] == value}
        lost = next((state for state in wanted if state not in values), None)
        if lost is not None:
            raise TooLarge(f"the exact value of {lost} depends on what lies past a cut of {game}")
    return values


class _Explicit:
    """The graph: node by node a kind and edges; ends are nodes without edges, worth ``worth[node]``."""

    def __init__(self, game: StateGame, starts: list[NodeKey]) -> None:
        self.game = game
        self.kind: list[int] = []
        self.edges: list[list[Edge]] = []
        self.weights: dict[int, int] = {}  # chance nodes: the sum of their weights
        self.worth: dict[int, tuple[Rational, Rational]] = {}
        self.node: dict[NodeKey, int] = {}
        self.cut = False
        self._waiting: list[NodeKey] = []
        self._solved: dict[int, _Component] = {}
        for start in starts:
            self._node_of(start)
        while self._waiting:
            state = self._waiting.pop()
            self._fill(self.node[state], game.node(*state), MIN if game.minimises(*state) else MAX)

    def _node_of(self, state: NodeKey) -> int:
        if state not in self.node:
            self.node[state] = self._new()
            self._waiting.append(state)
        return self.node[state]

    def _new(self) -> int:
        if len(self.kind) >= MOST_NODES:
            raise TooLarge(f"{self.game} has more than {MOST_NODES} nodes, too many to solve one by one")
        self.kind.append(END)
        self.edges.append([])
        return len(self.kind) - 1

    def _fill(self, node: int, word: Node, owner: int) -> None:
        if isinstance(word, End | Bounded):
            ends: Any = (word.result, word.result) if isinstance(word, End) else (word.lower, word.upper)
            low, high = map(rational, ends)
            self.worth[node] = low, high
            self.cut |= low != high
            return
        self.kind[node] = owner if isinstance(word, Decision) else CHANCE
        if isinstance(word, Goto):
            self.edges[node] = [(*self._child(word, owner), 1)]
        elif isinstance(word, Chance):
            self.edges[node] = [(*self._child(after, owner), weight) for weight, after in word.outcomes]
        else:
            assert isinstance(word, Decision)
            self.edges[node] = [(*self._child(after, owner), 1) for _, after in word.moves]
        self.edges[node] = [(child, weight, points) for child, points, weight in self.edges[node]]
        if self.kind[node] == CHANCE:
            self.weights[node] = sum(weight for _, weight, _ in self.edges[node])
        if not self.edges[node]:
            raise ModelError(f"{self.game} has a state that offers nothing: {self._name(node)}")

    def _child(self, word: Node, owner: int) -> tuple[int, Rational]:
        if isinstance(word, Goto):
            points = rational(word.reward) if isinstance(word, Earn) else fmpq(0)
            return self._node_of(word.state), points
        child = self._new()
        self._fill(child, word, owner)
        return child, fmpq(0)

    def _name(self, node: int) -> str:
        return next((str(state) for state, known in self.node.items() if known == node), f"within node {node}")

    @cached_property
    def _components(self) -> list[tuple[set[int], bool]]:
        """(nodes that lead to each other, does one lead to itself?), in Tarjan's order: what is led to comes first."""
        ahead = {node: [child for child, *_ in edges] for node, edges in enumerate(self.edges)}
        graph: Any = nx.DiGraph(cast(Any, ahead))
        found = []
        for members in nx.strongly_connected_components(graph):
            node = next(iter(members))
            found.append((members, len(members) > 1 or graph.has_edge(node, node)))
        return found

    def solve(self, side: int) -> dict[NodeKey, Fraction]:
        """All states, with the lower (0) or upper (1) end of every cut."""
        values: dict[int, Rational] = {node: worth[side] for node, worth in self.worth.items()}
        for number, (members, is_cyclic) in enumerate(self._components):
            node = next(iter(members))
            if is_cyclic:
                if number not in self._solved:  # the other end of a cut: begin with the moves found for the first
                    self._solved[number] = _Component(self, members, values)
                component = self._solved[number]
                component.known = values
                policy_iteration(component, str(self.game), endless=self.game.endless)
                values.update(component.backed)
                if self.game.endless:
                    component.require_end(values)
            elif self.edges[node]:
                values[node] = self._back_up(node, values)
        self._check(values)
        return {state: Fraction(int(values[n].numerator), int(values[n].denominator)) for state, n in self.node.items()}

    def _check(self, values: dict[int, Rational]) -> None:
        """Every Bellman equation, once more and on its own."""
        for node, edges in enumerate(self.edges):
            if edges and values[node] != self._back_up(node, values):
                raise ArithmeticError(f"{self.game}: the equation of {self._name(node)} does not hold")

    def _back_up(self, node: int, values: Mapping[int, Rational]) -> Rational:
        """One node from its children."""
        edges = self.edges[node]
        if self.kind[node] != CHANCE:
            return (max if self.kind[node] == MAX else min)(values[child] + points for child, _, points in edges)
        return sum(((values[c] + points) * weight for c, weight, points in edges), fmpq(0)) / self.weights[node]


class _Component:
    """One strongly connected component as a ``Problem``.

    The unknowns are the nodes that a depth-first walk meets again while they are still open: without them the rest has
    no cycle, and ``order`` lists it children first.
    """

    def __init__(self, graph: _Explicit, members: set[int], known: dict[int, Rational]) -> None:
        self.graph = graph
        self.members = members
        self.known = known
        self.order, self.unknown = self._walk()
        self.place = {node: place for place, node in enumerate(self.unknown)}
        self.position = {node: position for position, node in enumerate(self.order)}
        self.backed: dict[int, Rational] = {}
        if not graph.game.endless:
            self._require_ends()
        self.chosen = self._way_out()

    def _walk(self) -> tuple[list[int], list[int]]:
        """(members, each after all it leads to but the unknowns; the unknowns)."""
        first = min(self.members)
        order: list[int] = []
        again: dict[int, None] = {}
        open_, done = {first}, set()
        stack = [(first, iter(self.graph.edges[first]))]
        while stack:
            node, ahead = stack[-1]
            for child, *_ in ahead:
                if child in open_:
                    again[child] = None
                elif child in self.members and child not in done:
                    open_.add(child)
                    stack.append((child, iter(self.graph.edges[child])))
                    break
            else:
                stack.pop()
                open_.discard(node)
                done.add(node)
                order.append(node)
        return order, list(again)

    def _require_ends(self) -> None:
        """Two players who could between them go on for ever have no value yet."""
        if not {MAX, MIN} <= {self.graph.kind[node] for node in self.members}:
            return
        self._require_left(lambda node: self.graph.edges[node])

    def require_end(self, values: Mapping[int, Rational]) -> None:
        """Each side's chosen moves end play against every reply that is as good as the best (``solver.exact``)."""

        def moves(node: int, side: int) -> list[Edge]:
            if self.graph.kind[node] in (CHANCE, side):
                return self._edges(node)
            return [edge for edge in self.graph.edges[node] if values[edge[0]] + edge[2] == values[node]]

        for side in (MAX, MIN):
            self._require_left(partial(moves, side=side))

    def _require_left(self, moves: Callable[[int], list[Edge]]) -> None:
        """Raise ModelError where these moves can stay among the members for ever, whatever the dice."""
        staying = set(self.members)
        leading: dict[int, list[int]] = {}
        for node in self.members:
            for child, *_ in moves(node):
                leading.setdefault(child, []).append(node)
        waiting = list(self.members)
        while waiting:  # whoever must leave may be what others stayed for
            node = waiting.pop()
            if node in staying and not self._can_stay(node, moves(node), staying):
                staying.discard(node)
                waiting += leading.get(node, ())
        if staying:
            game, state = self.graph.game, self.graph._name(min(staying))
            raise ModelError(f"{game} can be played for ever from {state}; say what that is worth")

    def _can_stay(self, node: int, moves: list[Edge], staying: set[int]) -> bool:
        inside = (child in staying for child, *_ in moves)
        return all(inside) if self.graph.kind[node] == CHANCE else any(inside)

    def _way_out(self) -> dict[int, int]:
        """Moves (by number) that end with certainty: every choice goes one step nearer to the way out."""
        parents: dict[int, list[tuple[int, int]]] = {}
        fresh: deque[int] = deque()
        for node in self.members:
            for number, (child, *_) in enumerate(self.graph.edges[node]):
                if child not in parents:
                    parents[child] = []
                    if child not in self.members:
                        fresh.append(child)
                parents[child].append((node, number))
        found: dict[int, int] = {}
        while fresh:
            for node, number in parents.get(fresh.popleft(), ()):
                if node not in found:
                    found[node] = number
                    fresh.append(node)
        if len(found) < len(self.members):
            state = self.graph._name(min(self.members - set(found)))
            raise ModelError(f"{self.graph.game} never ends from {state}")
        return {node: number for node, number in found.items() if self.graph.kind[node] != CHANCE}

    def affine(self) -> list[AffineValue]:
        """Where each unknown leads under the present moves: its chance runs down the order until it meets unknowns."""
        return [self._affine(node) for node in self.unknown]

    def _affine(self, start: int) -> AffineValue:
        found = AffineValue()
        mass = {start: fmpq(1)}
        for position in range(self.position[start], -1, -1):
            node = self.order[position]
            if node not in mass:
                continue
            here = mass.pop(node)
            edges = self._edges(node)
            weights = self.graph.weights.get(node, 1)
            for child, weight, points in edges:
                share = here * weight / weights
                found.constant += share * points
                if child in self.place:
                    place = self.place[child]
                    found.slope[place] = found.slope.get(place, fmpq(0)) + share
                    found.targets.add(place)
                elif child in self.members:
                    mass[child] = mass.get(child, fmpq(0)) + share
                else:
                    found.constant += share * self.known[child]
                    found.leaves = True
        return found

    def _edges(self, node: int) -> list[Edge]:
        edges = self.graph.edges[node]
        return edges if self.graph.kind[node] == CHANCE else [edges[self.chosen[node]]]

    def improve(self, values: list[Rational]) -> tuple[list[Rational], bool]:
        """See ``Problem``; ``backed`` then holds all members."""
        self.backed = {}
        moved = False
        now = dict(zip(self.unknown, values, strict=True))
        read = ChainMap(now, self.backed, self.known)
        for node in self.order:
            self.backed[node] = self.graph._back_up(node, read)
            if self.graph.kind[node] != CHANCE:
                found = [read[child] + points for child, _, points in self.graph.edges[node]]
                if found[self.chosen[node]] != self.backed[node]:
                    self.chosen[node] = found.index(self.backed[node])
                    moved = True
        return [self.backed[node] for node in self.unknown], moved
