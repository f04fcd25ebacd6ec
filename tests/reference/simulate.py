"""Games played by chance and a policy: what the solver says, seen from the other side.

Games are played from the words of ``turn`` and from ``transition`` alone (through ``tests.reference.flatten``): no turn
graph, no kernel, no code is shared with the solver. A *policy* is asked once for each decision that comes up, and what
follows a state is laid out the first time a game comes there; after that a throw is one look-up.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import sqrt
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Bounded, Chance, Decision, End, Goto, Node, NodeKey, TurnGame, moves_by_name
from rollwise.solver.turn.arrays import backup
from rollwise.solver.turn.graph import Leaf, TurnGraph
from rollwise.solver.turn.perspective import Constants, leaf_values
from rollwise.solver.turn.transition_reader import TransitionReader
from tests.reference.flatten import Earn, Flattened, flatten

Policy: TypeAlias = Callable[[Mapping[str, int], NodeKey, Sequence[str]], str]
AT_ONCE = 1 << 16  # random numbers drawn together
SAME_WORTH = 1e-12  # moves nearer than this to the best count as equally good: the first is taken


@dataclass(frozen=True)
class Played:
    """``mean`` of what seat 0 got in ``n_games`` games, and its standard ``error``."""

    mean: float
    error: float
    n_games: int

    def __str__(self) -> str:
        return f"{self.mean:.6f} +- {self.error:.6f} ({self.n_games} games)"


def simulate(game: TurnGame, policies: Policy | Sequence[Policy], n_games: int, seed: int) -> Played:
    """Play ``n_games`` games from the start.

    ``policies``: one for everybody, or one a seat. A policy gets the board as the mover sees it, the state of the turn,
    and the names of the moves that are legal there, in the game's own order; it returns one of them. A game counts, for
    seat 0: in a duel 1 for a win and 1/2 for a draw (or the margin), alone all points or turns together.
    """
    each = [policies] if callable(policies) else list(policies)
    rules = _Rules(flatten(game), each)
    rolls = _random_numbers(np.random.default_rng(seed))
    start = rules.first()
    total = squares = 0.0
    for _ in range(n_games):
        gained = _play(start, rolls)
        total += gained
        squares += gained * gained
    mean = total / n_games
    spread = max(0.0, squares / n_games - mean * mean)
    return Played(mean, sqrt(spread / max(1, n_games - 1)), n_games)


def _random_numbers(generator: np.random.Generator) -> Iterator[float]:
    """Numbers from 0 up to 1, drawn in blocks."""
    while True:
        yield from generator.random(AT_ONCE).tolist()


class _Throw:
    """A throw: ``ways`` are summed weights; ``after`` are, outcome by outcome, (points on the way, what is next)."""

    __slots__ = ("after", "lay", "ways")

    def __init__(self, ways: list[float], lay: Callable[[int], tuple[float, Any]]) -> None:
        self.ways = ways
        self.after: list[tuple[float, Any] | None] = [None] * len(ways)
        self.lay = lay


def _play(start: tuple[float, _Throw | None], rolls: Iterator[float]) -> float:
    """One game: from throw to throw until nothing comes after."""
    gained, throw = start
    while throw is not None:
        seen = bisect_right(throw.ways, next(rolls))
        step = throw.after[seen]
        if step is None:
            step = throw.after[seen] = throw.lay(seen)
        gained += step[0]
        throw = step[1]
    return gained


@dataclass
class _Rules:
    """What follows what, under the policies, laid out as far as games have come."""

    game: Flattened
    policies: list[Policy]
    throws: dict[NodeKey, tuple[float, _Throw | None]] = field(default_factory=dict)

    def first(self) -> tuple[float, _Throw | None]:
        """The start of a game."""
        state = self.game.first()
        return self.follow(Goto(*state), state)

    def follow(self, word: Node, at: NodeKey) -> tuple[float, _Throw | None]:
        """(points, next throw) after a word that was said in the state ``at``; None at the end of the game."""
        points = 0.0
        passed: list[tuple[NodeKey, float]] = []
        while True:
            if isinstance(word, Goto):
                points += float(word.reward) if isinstance(word, Earn) else 0.0
                at = word.state
                if at in self.throws:
                    return self._note(passed, points + self.throws[at][0], self.throws[at][1])
                passed.append((at, points))
                word = self.game.node(*at)
            elif isinstance(word, Decision):
                word = self._decide(word, at)
            elif isinstance(word, Chance):
                return self._note(passed, points, self._throw(word, at))
            elif isinstance(word, End):
                return self._note(passed, points + float(cast(float, word.result)), None)
            else:
                raise ModelError(f"a game came to {at}, past the cut of {self.game}")

    def _note(self, passed: list[tuple[NodeKey, float]], points: float, throw: _Throw | None) -> tuple[float, Any]:
        for state, before in passed:
            self.throws[state] = points - before, throw
        return points, throw

    def _throw(self, word: Chance, at: NodeKey) -> _Throw:
        whole = sum(weight for weight, _ in word.outcomes)
        ways = [seen / whole for seen in accumulate(weight for weight, _ in word.outcomes)]
        return _Throw([*ways[:-1], 1.0], lambda seen: self.follow(word.outcomes[seen][1], at))

    def _decide(self, word: Decision, at: NodeKey) -> Node:
        player, board, state = at
        moves = moves_by_name(word, self.game.node)
        if not moves:
            raise ModelError(f"{self.game} offers nothing at {at}")
        policy = self.policies[player % len(self.policies)]
        names = self.game.game.boards().names
        chosen = policy(dict(zip(names, board, strict=True)), state, list(moves))
        if chosen not in moves:
            raise ModelError(f"the policy plays '{chosen}' at {at}; moves: {', '.join(moves)}")
        return moves[chosen]


def optimal_policy(game: TurnGame, graph: TurnGraph, values: NDArray[np.float64]) -> Policy:
    """The policy of solved board values: one backup of the turn for each board, then the first of the best moves."""
    rooms: dict[tuple[Any, ...], NDArray[np.float64]] = {}
    space = game.boards()
    place = {leaf: number for number, leaf in enumerate(graph.leaves)}
    results = {result: number for number, result in enumerate(graph.results)}

    decisions: dict[tuple[NodeKey, tuple[str, ...]], dict[str, Node]] = {}

    def nodes_of(board: Mapping[str, int]) -> NDArray[np.float64]:
        numbers = tuple(board.values())
        if numbers not in rooms:
            rooms[numbers] = _node_values(game, graph, values, space.index_of(**board))
        return rooms[numbers]

    def decision(state: NodeKey, names: Sequence[str]) -> dict[str, Node]:
        key = state, tuple(names)
        if key not in decisions:
            decisions[key] = _decision(game, state, names)
        return decisions[key]

    def worth(word: Node, nodes: NDArray[np.float64]) -> float:
        if isinstance(word, Goto):
            node = graph.node_of(word.state)
            return float(nodes[node]) if node is not None else worth(game.turn(*word.state), nodes)
        if isinstance(word, Chance):
            whole = sum(weight for weight, _ in word.outcomes)
            return sum(weight * worth(after, nodes) for weight, after in word.outcomes) / whole
        if isinstance(word, Decision):
            return (max if game.sense == "max" else min)(worth(after, nodes) for _, after in word.moves)
        if isinstance(word, Bounded):
            return float(word.lower)
        assert isinstance(word, End)
        reward = Fraction(word.reward)
        return float(nodes[place[Leaf(results[word.result], reward, reward)]])

    def policy(board: Mapping[str, int], state: NodeKey, names: Sequence[str]) -> str:
        moves, nodes = decision(state, names), nodes_of(board)
        sign = 1.0 if game.sense == "max" else -1.0
        found = [sign * worth(moves[name], nodes) for name in names]
        best = max(found)
        return next(name for name, value in zip(names, found, strict=True) if value >= best - SAME_WORTH * abs(best))

    return policy


def _decision(game: TurnGame, state: NodeKey, names: Sequence[str]) -> dict[str, Node]:
    """The moves of the one decision within a state's word that has all these names."""
    found: list[dict[str, Node]] = []

    def look(word: Node) -> None:
        if isinstance(word, Decision):
            moves = moves_by_name(word, game.turn)
            if set(names) <= set(moves):
                found.append(moves)
            for after in moves.values():
                look(after)
        elif isinstance(word, Chance):
            for _, after in word.outcomes:
                look(after)

    look(game.turn(*state))
    if len(found) != 1:
        raise ModelError(f"{state} of {game} has {len(found)} decisions between {', '.join(names)}")
    return found[0]


def _node_values(game: TurnGame, graph: TurnGraph, values: NDArray[np.float64], board: int) -> NDArray[np.float64]:
    """Values of all nodes of a turn on one board; nan where a node does not belong to its root."""
    constants = Constants(game.boards().size)
    reader = TransitionReader(game, graph, constants)
    index = np.array([board])
    root = int(np.asarray(game.root(game.boards().columns(index))).reshape(-1)[0])
    leaves = np.flatnonzero(graph.reachable(int(graph.roots[root]))[: graph.n_leaves])
    moves = reader.transitions(leaves, index)
    room = constants.room(np.nan)
    room[: constants.n_boards] = values
    constants.write(room, game.sense, -1)
    found = np.full((graph.n_leaves, 1), np.nan)
    found[leaves] = leaf_values(moves.codes, room, room, float(game.total))
    if len(moves.rewards):
        found[leaves] += moves.rewards
    return np.asarray(backup(graph, found, game.sense)[:, 0])
