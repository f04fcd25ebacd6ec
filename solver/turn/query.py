"""One turn of one board, or of several, rebuilt from stored board values: what every state and move is worth.

Every number comes as a row (value, lower, upper); the bounds hold with all rounding included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.errors import ModelError, StateError
from rollwise.solver.game.model import Beyond, Chance, Choice, End, Go, Prefer, State, TurnGame, Word, named_moves
from rollwise.solver.game.outcome import outcome
from rollwise.solver.game.rounding import down, up
from rollwise.solver.turn.arrays import UNIT, backup, rounding
from rollwise.solver.turn.graph import NO_RESULT, Leaf, TurnGraph
from rollwise.solver.turn.judged import Judged
from rollwise.solver.turn.perspective import Constants, among, leaf_values
from rollwise.solver.turn.settled import WORTHS, Settler, Uses

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Read = Callable[[Ints], tuple[Floats, Floats]]
VALUE, LOWER, UPPER = 0, 1, 2


@dataclass(frozen=True)
class Move:
    """One move: its name and what follows it, with so many points more."""

    name: str
    after: Word
    points: int = 0


def moves_of(game: TurnGame, word: Word) -> list[Move]:
    """The named moves of a decision in the game's own order."""
    return [Move(name, after) for name, after in named_moves(word, game.turn).items()]


def left_out(game: TurnGame, board: Mapping[str, int], state: State, all_moves: bool) -> list[Move]:
    """The moves that the turn does not name: those as good as one that it does, or all of them."""
    found = [Move(*move) for move in game.left_out(board, state)]
    if game.measure == "win" and any(move.points for move in found):
        raise ModelError(f"{game} is played to win, and no move of it is worth points less than another")
    return [move for move in found if all_moves or not move.points]


def word_asked(game: TurnGame, state: State) -> Word:
    """The word of a state that a question is about."""
    asked = game.asked(*state)
    return game.turn(*state) if asked is None else asked


def can_be_asked(game: TurnGame, graph: TurnGraph, state: State) -> bool:
    """Does a turn come to this state, be it one of the solved turn or one past it?"""
    return graph.node_of(state) is not None or game.asked(*state) is not None


def moves_asked(game: TurnGame, state: State) -> list[Move]:
    """The moves of a state that a question is about, ``roll`` where a throw must be made, none at an end."""
    word = word_asked(game, state)
    while isinstance(word, Go):
        word = game.turn(*word.state)
    named = moves_of(game, word)
    return named if named or isinstance(word, End) else [Move("roll", word)]


def followed(game: TurnGame, move: Move) -> Word:
    """What a move leads to; of one that throws dice the throw, though play may be asked about just before it too."""
    word = move.after
    if game.two_steps or not (move.name == "roll" or move.name.startswith("keep ")) or not isinstance(word, Go):
        return word
    then = game.turn(*word.state)
    if isinstance(then, Choice) and [name for name, _ in then.moves] == ["roll"]:
        return then.moves[0][1]
    return then if isinstance(then, Chance) else word


class Turns:
    """All values of the turns of several boards (by index) that start in the same root, one lane a board.

    ``read`` gives (values, radius) of boards by index; ``uses`` are what the game's kind uses of ``Settled``, or a
    settler that was made before. ``nodes``: float64, shape (n_nodes, lanes, 3); ``root``: those
    of the state that the turns start in. What a turn from this root cannot come to is nan.
    """

    nodes: Floats
    root: Floats
    has_leaf: NDArray[np.bool_]
    draws: Any = ()  # decisions that are drawn by lot

    def __init__(
        self, game: TurnGame, graph: TurnGraph, boards: Ints, read: Read, uses: Uses | Settler = WORTHS
    ) -> None:
        self._know(game, graph)
        self.uses = uses.uses if isinstance(uses, Settler) else uses
        constants = Constants(game.boards().size)
        self.settler = uses if isinstance(uses, Settler) else Settler(game, graph, constants, uses=uses)
        self.boards, self.read = boards, read
        root = int(game.root(game.boards().columns(boards))[0])
        self.has_leaf = graph.root_leaves[root]
        leaves = np.full((graph.n_leaves, len(boards), 3), np.nan)
        used = np.flatnonzero(self.has_leaf)
        leaves[used] = self._leaves(self.settler, used)
        flat = leaves.reshape(graph.n_leaves, -1)
        self.slack = 2 * rounding(graph, flat).reshape(len(boards), 3).max(axis=1)
        self.nodes = backup(graph, flat, game.sense).reshape(graph.n_nodes, len(boards), 3)
        self.nodes[..., LOWER] -= self.slack
        self.nodes[..., UPPER] += self.slack
        if game.measure == "win":  # no chance lies outside 0..1 (what is illegal, at an infinity, stays there)
            np.clip(self.nodes, 0.0, 1.0, out=self.nodes, where=np.isfinite(self.nodes))
        self.root = self.nodes[graph.roots[root]]

    def _know(self, game: TurnGame, graph: TurnGraph) -> None:
        self.game = game
        self.graph = graph
        self.leaf_id = graph.leaf_of
        self.has_leaf = np.ones(graph.n_leaves, dtype=bool)
        self.past: dict[State, Floats] = {}  # values of states that are not solved, as far as they were asked for

    def _leaves(self, settler: Settler, used: Ints) -> Floats:
        """These leaves of a settler's graph: (value, lower, upper) on each board, but for the rounding."""
        constants = settler.constants
        moves = settler.transitions(used, self.boards)
        places = constants.place.copy()  # other threads may come to other ends meanwhile
        ahead, small = among(moves.codes, constants)
        values, radius = self.read(ahead) if len(ahead) else (np.zeros(0), np.zeros(0))
        tables = []
        for side, shift in ((-1, 0.0), (-1, -1.0), (1, 1.0)):
            numbers = np.zeros(len(ahead) + len(places))
            numbers[: len(ahead)] = values + shift * radius
            shrunk = Constants(len(ahead))
            shrunk.place = places
            shrunk.write(numbers, self.game.sense, side)
            tables.append(numbers)
        total = float(self.game.total)
        reward = moves.rewards if len(moves.rewards) else 0.0
        value, lower, upper = tables
        return np.stack(
            [
                leaf_values(small, value, value, total) + reward,
                leaf_values(small, lower, upper, total) + reward,
                leaf_values(small, upper, lower, total) + reward,
            ],
            axis=-1,
        )

    def node_of(self, word: Word) -> int | None:
        """The node that a word is, where that is easily told: a state of the solved turn, or an end of it."""
        if isinstance(word, Go):
            return self.graph.node_of(word.state)
        if isinstance(word, End):
            leaf = self.leaf_id.get((word.result, Fraction(word.reward)))
            return leaf if leaf is not None and self.has_leaf[leaf] else None
        return None

    def worth(self, word: Word) -> Floats:
        """(value, lower, upper) of a word on each board; see ``TurnGame.asked`` for what is past the solved turn."""
        node = self.node_of(word)
        if node is not None:
            return np.array(self.nodes[node])
        if isinstance(word, Go):
            if word.state not in self.past:
                self.past[word.state] = self.worth(self.game.turn(*word.state))
            return np.array(self.past[word.state])
        if isinstance(word, End):
            return self._ended(word)
        if isinstance(word, Beyond):
            bounds = np.array([float(word.lower), float(word.lower), float(word.upper)])
            return np.array(np.broadcast_to(bounds, self.nodes.shape[1:]))
        if isinstance(word, Chance):
            return self._mean(word)
        if isinstance(word, Prefer):
            return self._preferred(word)
        assert isinstance(word, Choice)
        rows = np.stack([self.worth(after) for _, after in word.moves])
        best: Floats = rows.max(axis=0) if self.game.sense == "max" else rows.min(axis=0)
        return best

    def _ended(self, word: End) -> Floats:
        """An end that no solved turn comes to."""
        reward = Fraction(word.reward)
        graph = replace(self.graph, results=(word.result,), leaves=(Leaf(0, reward, reward),))
        settler = Settler(self.game, graph, Constants(self.game.boards().size), uses=self.uses)
        row: Floats = self._leaves(settler, np.zeros(1, dtype=np.int64))[0]
        outward = self.slack + 8 * UNIT * np.where(np.isfinite(row), np.abs(row), 0.0).max(axis=-1)
        row[..., LOWER] -= outward
        row[..., UPPER] += outward
        return np.asarray(row)

    def _preferred(self, word: Prefer) -> Floats:
        found = self.worth(word.words[0])
        for after in word.words[1:]:
            found = np.array(np.where(np.isinf(found[..., :1]), self.worth(after), found))
        return found

    def _mean(self, word: Chance) -> Floats:
        mean, largest = self._weighted(word)
        outward = (len(word.outcomes) + 4) * UNIT * largest.max(axis=-1)
        mean[..., LOWER] -= outward
        mean[..., UPPER] += outward
        return mean

    def _weighted(self, word: Chance) -> tuple[Floats, Floats]:
        """The weighted mean, added up in the same order for any number of boards, and the largest number in it."""
        total, largest = np.zeros(self.nodes.shape[1:]), np.zeros(self.nodes.shape[1:])
        for weight, after in word.outcomes:
            row = self.worth(after)
            total += weight * row
            largest = np.maximum(largest, np.where(np.isfinite(row), np.abs(row), 0.0))
        return total / sum(weight for weight, _ in word.outcomes), largest

    def intervals(self, worth: Floats) -> Floats:
        """Rows of ``nodes``, or of ``worth``, as (value, lower, upper) of the mover."""
        return worth

    def own(self) -> tuple[Floats, Any]:
        """What each node is worth to the mover, the more the better, shape (n_nodes, lanes), and the tie of each lane:
        moves that are no further below the best are as good.
        """
        known = [place for place in np.flatnonzero(self.has_leaf) if self.graph.leaves[place].result != NO_RESULT]
        ends = self.nodes[known]
        ends = np.where(np.isfinite(ends), ends, 0.0)
        value = self.nodes[..., VALUE]
        tie = (ends[..., UPPER] - ends[..., LOWER]).max(axis=0, initial=0.0)
        return value.copy() if self.game.sense == "max" else -value, tie


def _with_points(worth: Floats, points: int) -> Floats:
    """A row (value, lower, upper) and so many points more, rounded outward."""
    if not points:
        return worth
    value, lower, upper = worth + points
    return np.array([value, down(lower), up(upper)])


class OneTurn(Turns):
    """All values of one board's turn. ``read`` gives (values, radius) of boards by index."""

    def __init__(
        self, game: TurnGame, graph: TurnGraph, board: Mapping[str, int], read: Read, uses: Uses | Settler = WORTHS
    ) -> None:
        super().__init__(game, graph, np.array([game.boards().index_of(**board)]), read, uses)
        self.nodes, self.root = self.nodes[:, 0], self.root[0]
        self.board = board
        self._then: dict[State, list[tuple[str, Floats, float]]] = {}  # many moves lead to the same decision

    def rows(self) -> Floats:
        """(value, lower, upper) of every node, shape (n_nodes, 3); nan for what this turn cannot come to."""
        return self.nodes

    def _ended(self, word: End) -> Floats:
        row: Floats = super()._ended(word)[0]
        return row

    def moves(self, state: State, *, all_moves: bool = False) -> Iterator[tuple[str, Floats]]:
        """(move, (value, lower, upper)) of each legal move in this state, in the game's own order.

        Before a throw that must be made the only move is ``roll``. ``all_moves``: also those that are never as good as
        another, where the game leaves these out of its turns. Raises StateError where nothing is left to do.
        """
        is_over = True
        for move in moves_asked(self.game, state):
            worth = self.worth(move.after)
            if np.isnan(worth).any():
                raise ModelError(f"{self.game} leads from {state} to what is not of this turn: {move.name}")
            if np.isfinite(worth[VALUE]):
                is_over = False
                yield move.name, worth
        for move in left_out(self.game, self.board, state, all_moves):
            yield move.name, _with_points(self.worth(move.after), move.points)
        if is_over:
            raise StateError("no move is left here", over="the turn is over")

    def then(self, word: Word) -> list[tuple[str, Floats, float]]:
        """The moves of the decision that a word leads to at once, best first, each with its row and its loss.

        None where dice fall first, or where nothing is left to decide: a state asked about later is one that a ``Go``
        leads to.
        """
        state: State | None = None
        while isinstance(word, Go):
            state = word.state
            word = word_asked(self.game, state)
        if state is None or not isinstance(word, Choice):
            return []
        if state not in self._then:
            moves = list(self.moves(state))
            judged = Judged(np.array([[row for _, row in moves]]), self.game.sense)
            self._then[state] = [(*moves[place], float(judged.loss[0, place])) for place in judged.order[0].tolist()]
        return self._then[state]


class TableTurns(Turns):
    """The same at a table: every row is a vector, one share a seat from the mover; ``nodes``: (n_nodes, lanes, seats).

    ``settler`` reads the table's results (``solver.turn.vectors.table_settler``); ``read`` gives shares and radius by
    seat. ``mixed`` are decisions that are drawn by lot, ``tie`` is how near to the best a move is as good. ``radius``,
    one a lane, is how far off any of these numbers may be.
    """

    def __init__(
        self, game: TurnGame, graph: TurnGraph, boards: Ints, read: Read, settler: Settler, mixed: Any, tie: float
    ) -> None:
        from rollwise.solver.turn.vectors import table_backup

        self._know(game, graph)
        self.settler, self.boards, self.read, self.tie = settler, boards, read, tie
        root = int(game.root(game.boards().columns(boards))[0])
        self.has_leaf = graph.root_leaves[root]
        used = np.flatnonzero(self.has_leaf)
        first, self.radius = self._rows(settler, used)
        leaves = np.zeros((graph.n_leaves, *first.shape[1:]))
        leaves[used] = first
        self.radius = self.radius + 2 * graph.terms * UNIT
        self.draws = mixed.on(boards)
        self.nodes = table_backup(graph, leaves, tie, self.draws)
        self.nodes[~graph.reachable(int(graph.roots[root]))] = np.nan  # no state of this turn
        self.root = self.nodes[graph.roots[root]]

    def _rows(self, settler: Settler, used: Ints) -> tuple[Floats, Floats]:
        """Shares of these leaves of a settler's graph on each board, and how far off those of a board may be."""
        from rollwise.solver.turn.vectors import rows_of_endings, seen_from_mover

        constants = settler.constants
        ahead, small = among(settler.transitions(used, self.boards).codes, constants)
        endings = rows_of_endings(constants, settler.uses.n_shares)[0]
        rows, off = endings, np.zeros(len(ahead) + len(endings))
        if len(ahead):
            shares, radius = self.read(ahead)
            rows, off[: len(ahead)] = np.concatenate([shares, endings]), radius.max(axis=-1)
        return seen_from_mover(rows, small, constants.bits), off[small >> constants.bits].max(axis=0)

    def _ended(self, word: End) -> Floats:
        """An end that no solved turn comes to."""
        graph = replace(self.graph, results=(word.result,), leaves=(Leaf(0, Fraction(0), Fraction(0)),))
        settler = Settler(self.game, graph, self.settler.constants, uses=self.settler.uses)
        rows, off = self._rows(settler, np.zeros(1, dtype=np.int64))
        self.radius = np.maximum(self.radius, off + 2 * self.graph.terms * UNIT)
        return np.asarray(rows[0])

    def _mean(self, word: Chance) -> Floats:
        return self._weighted(word)[0]

    def worth(self, word: Word) -> Floats:
        """The shares of a word from the mover, on each board; past a cut nobody goes."""
        if isinstance(word, Choice):
            options = np.stack([self.worth(after) for _, after in word.moves])
            own = options[..., 0]
            first = np.argmax(own >= own.max(axis=0) - self.tie, axis=0)
            chosen: Floats = np.take_along_axis(options, np.expand_dims(first, (0, -1)), axis=0)[0]
            return chosen
        if isinstance(word, Beyond):
            return np.full(self.nodes.shape[1:], -np.inf)
        return super().worth(word)

    def own(self) -> tuple[Floats, Any]:
        """See ``Turns``."""
        return self.nodes[..., 0].copy(), self.tie

    def intervals(self, worth: Floats) -> Floats:
        """The mover's share with its bounds, within 0..1; what is illegal, at an infinity, stays there."""
        own = worth[..., 0]
        radius = self.radius if np.ndim(own) else self.radius[0]
        found = np.stack([own, own - radius, own + radius], axis=-1)
        return np.clip(found, 0.0, 1.0, out=found, where=np.isfinite(found))


class OneTableTurn(OneTurn, TableTurns):
    """One board's turn at a table: every row is a vector of shares, the mover's first."""

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        board: Mapping[str, int],
        read: Read,
        settler: Settler,
        mixed: Any,
        tie: float,
    ) -> None:
        boards = np.array([game.boards().index_of(**board)])
        TableTurns.__init__(self, game, graph, boards, read, settler, mixed, tie)
        self.nodes, self.root, self.board = self.nodes[:, 0], self.root[0], board

    def _ended(self, word: End) -> Floats:
        return np.asarray(TableTurns._ended(self, word)[0])


class _Unknown(Exception):
    """An end leads to a board whose exact value is not known."""


class ExactTurn(OneTurn):
    """The same in fractions: ``nodes`` are exact values of the turn's nodes, None where there is none.

    ``known`` are exact values of boards by index: those that an end leads to that is past the solved turn.
    """

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        board: Mapping[str, int],
        nodes: Sequence[Fraction | None],
        known: Mapping[int, Fraction] | None = None,
    ) -> None:
        self._know(game, graph)
        self.exact, self.board, self.known = nodes, board, known or {}
        space = game.boards()
        columns = space.columns(np.array([space.index_of(**board)]))
        self.has_leaf = graph.root_leaves[int(np.broadcast_to(game.root(columns), 1)[0])]

    def rows(self) -> Floats:
        """The exact values as floats, three times the same; infinite where there is none."""
        none = -np.inf if self.game.sense == "max" else np.inf
        values = np.array([none if value is None else float(value) for value in self.exact])
        return np.repeat(values[:, None], 3, axis=1)

    def fraction(self, word: Word) -> Fraction | None:
        """The exact value of a word; None where it is illegal on this board or depends on what lies past a cut."""
        try:
            ends = self._ends(word)
        except _Unknown:
            return None
        return ends[0] if ends is not None and ends[0] == ends[1] else None

    def _ends(self, word: Word) -> tuple[Fraction, Fraction] | None:
        """The least and the most that a word can be worth; None where it is illegal."""
        node = self.node_of(word)
        if node is not None:
            value = self.exact[node]
            return None if value is None else (value, value)
        if isinstance(word, Go):
            return self._ends(self.game.turn(*word.state))
        if isinstance(word, End):
            value = self._exactly(word)
            return None if value is None else (value, value)
        if isinstance(word, Beyond):
            return Fraction(word.lower), Fraction(word.upper)
        if isinstance(word, Chance):
            parts = [(weight, self._ends(after)) for weight, after in word.outcomes]
            if any(part is None for _, part in parts):
                return None
            total = sum(weight for weight, _ in parts)
            lower, upper = (sum((w * part[end] for w, part in parts if part), Fraction(0)) / total for end in (0, 1))
            return lower, upper
        if isinstance(word, Prefer):
            return next((part for part in map(self._ends, word.words) if part is not None), None)
        assert isinstance(word, Choice)
        options = [part for part in (self._ends(after) for _, after in word.moves) if part is not None]
        better = max if self.game.sense == "max" else min
        return (better(low for low, _ in options), better(high for _, high in options)) if options else None

    def _exactly(self, word: End) -> Fraction | None:
        """The worth of an end that no solved turn comes to, None where it is illegal."""
        space = self.game.boards()
        after = outcome(self.game, tuple(self.board[name] for name in space.names), word.result)
        if not after.legal:
            return None
        value = Fraction(0)
        if after.following is not None:
            found = self.known.get(space.index_of(**dict(zip(space.names, after.following, strict=True))))
            if found is None:
                raise _Unknown
            value = self.game.total - found if after.other else found
        return value + after.worth + Fraction(word.reward)

    def fractions(self, state: State, *, all_moves: bool = False) -> dict[str, Fraction]:
        """Exact values of the moves of a state, by name; ``all_moves`` as in ``moves``."""
        named = [*moves_asked(self.game, state), *left_out(self.game, self.board, state, all_moves)]
        pairs = ((move, self.fraction(move.after)) for move in named)
        return {move.name: value + move.points for move, value in pairs if value is not None}
