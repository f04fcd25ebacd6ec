"""One turn of one board, rebuilt from stored board values: what every state and move of it is worth.

Every number comes as a row (value, lower, upper); the bounds hold with all rounding included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from solver.arrays import UNIT, backup, rounding
from solver.duel import Constants, leaf_values
from solver.errors import ModelError
from solver.graph import Leaf, TurnGraph
from solver.model import Beyond, Chance, Choice, End, Go, State, TurnGame, Word
from solver.transitions import Settler

Floats = NDArray[np.float64]
Read = Callable[[NDArray[np.int64]], tuple[Floats, Floats]]
VALUE, LOWER, UPPER = 0, 1, 2


@dataclass(frozen=True)
class Move:
    """One move: its name and what follows it."""

    name: str
    after: Word


def moves_of(game: TurnGame, word: Word) -> list[Move]:
    """The named moves of a decision in the game's own order, those of nested choices after those of the outer one."""
    found: dict[str, Move] = {}
    level: list[Word] = [word]
    seen: set[State] = set()
    while level:
        deeper: list[Word] = []
        for here in level:
            if not isinstance(here, Choice):
                continue
            for name, after in here.moves:
                if name is not None:
                    found.setdefault(name, Move(name, after))
                elif isinstance(after, Go):
                    if after.state not in seen:
                        seen.add(after.state)
                        deeper.append(game.turn(*after.state))
                else:
                    deeper.append(after)
        level = deeper
    return list(found.values())


class OneTurn:
    """All values of one board's turn. ``read`` gives (values, radius) of boards by index."""

    def __init__(self, game: TurnGame, graph: TurnGraph, board: Mapping[str, int], read: Read) -> None:
        self.game = game
        self.graph = graph
        self.leaf_id = {leaf: number for number, leaf in enumerate(graph.leaves)}
        space = game.boards()
        index = np.array([space.index_of(**board)])
        root = int(game.root(space.columns(index))[0])
        leaves = np.zeros((graph.n_leaves, 3))
        used = np.flatnonzero(graph.root_leaves[root])
        leaves[used] = self._leaves(Constants(space.size), used, index, read)
        self.slack = 2 * float(np.max(rounding(graph, leaves)))
        self.nodes = backup(graph, leaves, game.sense)
        self.nodes[:, LOWER] -= self.slack
        self.nodes[:, UPPER] += self.slack
        self.root = self.nodes[graph.roots[root]]

    def _leaves(self, constants: Constants, used: NDArray[np.int64], board: NDArray[np.int64], read: Read) -> Floats:
        moves = Settler(self.game, self.graph, constants).transitions(used, board)
        codes = moves.codes[:, 0]
        following = codes >> 1
        on = following < constants.n_boards
        boards, place = np.unique(following[on], return_inverse=True)
        values, radius = read(boards) if len(boards) else (np.zeros(0), np.zeros(0))
        tables = []
        for side, shift in ((-1, 0.0), (-1, -1.0), (1, 1.0)):
            numbers = np.zeros(len(boards) + len(constants.place))
            numbers[: len(boards)] = values + shift * radius
            shrunk = Constants(len(boards))
            shrunk.place = constants.place
            shrunk.write(numbers, self.game.sense, side)
            tables.append(numbers)
        small = np.empty_like(codes, dtype=np.int64)
        small[on] = 2 * place + (codes[on] & 1)
        small[~on] = 2 * (following[~on] - constants.n_boards + len(boards))
        total = float(self.game.total)
        reward = moves.rewards[:, 0] if len(moves.rewards) else 0.0
        value, lower, upper = tables
        return np.stack(
            [
                leaf_values(small, value, value, total) + reward,
                leaf_values(small, lower, upper, total) + reward,
                leaf_values(small, upper, lower, total) + reward,
            ],
            axis=1,
        )

    def knows(self, state: State) -> bool:
        """True if some turn comes to this state."""
        return self.graph.node_of(state) is not None

    def worth(self, word: Word) -> Floats:
        """(value, lower, upper) of a word."""
        if isinstance(word, Go):
            node = self.graph.node_of(word.state)
            if node is None:
                raise ModelError(f"ModelError: {self.game} has no turn state {word.state}")
            return np.array(self.nodes[node])
        if isinstance(word, End):
            reward = Fraction(word.reward)
            leaf = Leaf(self.graph.results.index(word.result), reward, reward)
            return np.array(self.nodes[self.leaf_id[leaf]])
        if isinstance(word, Beyond):
            return np.array([float(word.lower), float(word.lower), float(word.upper)])
        if isinstance(word, Chance):
            rows = np.stack([self.worth(after) for _, after in word.outcomes])
            weights = np.array([float(weight) for weight, _ in word.outcomes])
            mean: Floats = weights @ rows / weights.sum()
            outward = (len(weights) + 4) * UNIT * float(np.max(np.abs(rows[np.isfinite(rows)]), initial=0.0))
            return np.asarray(mean + np.array([0.0, -outward, outward]))
        rows = np.stack([self.worth(after) for _, after in word.moves])
        best: Floats = rows.max(axis=0) if self.game.sense == "max" else rows.min(axis=0)
        return best

    def moves(self, state: State) -> Iterator[tuple[str, Floats]]:
        """(move, (value, lower, upper)) of each legal move in this state, in the game's own order.

        Before a throw that must be made the only move is ``roll``.
        """
        word = self.game.turn(*state)
        while isinstance(word, Go):
            word = self.game.turn(*word.state)
        named = moves_of(self.game, word)
        if not named and not isinstance(word, End):
            yield "roll", self.worth(word)
        for move in named:
            worth = self.worth(move.after)
            if np.isfinite(worth[VALUE]):
                yield move.name, worth


class OneTableTurn(OneTurn):
    """The same at a table: every row is a vector, one share a seat; ``radius`` is how far off any of them may be."""

    def __init__(self, game: TurnGame, graph: TurnGraph, board: Mapping[str, int], read: Read) -> None:
        from solver.table import table_backup, table_moves, tie_slack

        self.game = game
        self.graph = graph
        self.leaf_id = {leaf: number for number, leaf in enumerate(graph.leaves)}
        space = game.boards()
        index = np.array([space.index_of(**board)])
        columns = space.columns(index)
        root = int(graph.roots[int(game.root(columns)[0])])
        moves = table_moves(game, graph, root, index)
        boards, place = np.unique(moves.following[moves.following >= 0], return_inverse=True)
        leaves = moves.ended.copy()
        if len(boards):
            leaves[moves.following >= 0] = read(boards)[0][place]
        self.seat = int(game.mover(columns)[0])
        radius = read(index)[1]
        self.tie = float(tie_slack(radius.astype(np.float32))[0])
        self.radius = 2 * float(radius[0])
        self.nodes = table_backup(graph, leaves, np.array([self.seat]), self.tie)[:, 0]
        self.root = self.nodes[root]

    def worth(self, word: Word) -> Floats:
        """The shares of a word by seat."""
        if isinstance(word, Chance):
            rows = np.stack([self.worth(after) for _, after in word.outcomes])
            weights = np.array([float(weight) for weight, _ in word.outcomes])
            mean: Floats = weights @ rows / weights.sum()
            return mean
        if isinstance(word, Choice):
            options = [self.worth(after) for _, after in word.moves]
            best = max(float(option[self.seat]) for option in options)
            return next(option for option in options if option[self.seat] >= best - self.tie)
        return super().worth(word)
