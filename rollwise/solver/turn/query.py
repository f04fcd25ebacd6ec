"""One turn of one board, or of several, rebuilt from stored board values: what every state and move is worth.

Every number comes as a row (value, lower, upper); the bounds hold with all rounding included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.game import Bounded, Chance, Decision, End, Goto, Node, NodeKey, TurnGame, named_moves
from rollwise.solver.model.outcome import outcome
from rollwise.solver.model.rounding import down, up
from rollwise.solver.turn.algebra import Algebra, V, sure_nodes
from rollwise.solver.turn.arrays import UNIT, backup, rounding
from rollwise.solver.turn.graph import NO_RESULT, Leaf, TurnGraph
from rollwise.solver.turn.judged import Judged, first_good
from rollwise.solver.turn.perspective import Constants, among
from rollwise.solver.turn.transition_reader import WORTHS, TransitionReader, Uses

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Read = Callable[[Ints], tuple[Floats, Floats]]
VALUE, LOWER, UPPER = 0, 1, 2


@dataclass(frozen=True)
class Move:
    """One move: its name and what follows it, with so many points more."""

    name: str
    after: Node
    points: int = 0


def moves_of(game: TurnGame, word: Node) -> list[Move]:
    """The named moves of a decision in the game's own order."""
    return [Move(name, after) for name, after in named_moves(word, game.turn).items()]


def left_out(game: TurnGame, board: Mapping[str, int], state: NodeKey, all_moves: bool) -> list[Move]:
    """The moves that the turn does not name: those as good as one that it does, or all of them."""
    found = [Move(*move) for move in game.left_out(board, state)]
    if game.measure == "win" and any(move.points for move in found):
        raise ModelError(f"{game} is played to win, and no move of it is worth points less than another")
    return [move for move in found if all_moves or not move.points]


def word_asked(game: TurnGame, state: NodeKey) -> Node:
    """The word of a state that a question is about."""
    asked = game.asked(*state)
    return game.turn(*state) if asked is None else asked


def can_be_asked(game: TurnGame, graph: TurnGraph, state: NodeKey) -> bool:
    """Does a turn come to this state, be it one of the solved turn or one past it?"""
    return graph.node_of(state) is not None or game.asked(*state) is not None


def moves_asked(game: TurnGame, state: NodeKey) -> list[Move]:
    """The moves of a state that a question is about, ``roll`` where a throw must be made, none at an end."""
    word = word_asked(game, state)
    while isinstance(word, Goto):
        word = game.turn(*word.state)
    named = moves_of(game, word)
    return named if named or isinstance(word, End) else [Move("roll", word)]


def followed(game: TurnGame, move: Move) -> Node:
    """What a move leads to; of one that throws dice the throw, though play may be asked about just before it too."""
    word = move.after
    if game.two_steps or not (move.name == "roll" or move.name.startswith("keep ")) or not isinstance(word, Goto):
        return word
    then = game.turn(*word.state)
    if isinstance(then, Decision) and [name for name, _ in then.moves] == ["roll"]:
        return then.moves[0][1]
    return then if isinstance(then, Chance) else word


class SolvedTurn(Algebra[V]):
    """Worths of words of a turn of which every node is known: that of some boards (by index) with the same root."""

    draws: Any = ()  # decisions that are drawn by lot

    def __init__(self, game: TurnGame, graph: TurnGraph, boards: Ints) -> None:
        super().__init__(game.turn)
        self.game, self.graph, self.boards = game, graph, boards
        self.of_root = int(np.broadcast_to(game.root(game.boards().columns(boards)), len(boards))[0])
        self.has_leaf: NDArray[np.bool_] = graph.root_leaves[self.of_root]

    def node_of(self, word: Node) -> int | None:
        """The node that a word is, where that is easily told: a state of the solved turn, or an end of it."""
        if isinstance(word, Goto):
            return self.graph.node_of(word.state)
        if isinstance(word, End):
            leaf = self.graph.leaf_of.get((word.result, Fraction(word.reward)))
            return leaf if leaf is not None and self.has_leaf[leaf] else None
        return None

    def _known(self, word: Goto | End) -> V | None:
        node = self.node_of(word)
        return None if node is None else self._of_node(node)

    def _of_node(self, node: int) -> V:
        """The worth of a node."""
        raise NotImplementedError


class Turns(SolvedTurn[Floats]):
    """All values of the turns of several boards (by index) that start in the same root, one lane a board.

    ``read`` gives (values, radius) of boards by index; ``uses`` are what the game's kind uses of ``Settled``, or a
    settler that was made before. ``nodes``: float64, shape (n_nodes, lanes, 3); ``root``: those of the state that the
    turns start in. What a turn from this root cannot come to is nan. Words, those past the solved turn too
    (``TurnGame.asked``), are worth (value, lower, upper) on each board.
    """

    slack: Any = 0.0  # how far bounds were moved outward, one a lane

    def __init__(
        self, game: TurnGame, graph: TurnGraph, boards: Ints, read: Read, uses: Uses | TransitionReader = WORTHS
    ) -> None:
        super().__init__(game, graph, boards)
        self.read = read
        constants = Constants(game.boards().size)
        self.settler = (
            uses if isinstance(uses, TransitionReader) else TransitionReader(game, graph, constants, uses=uses)
        )
        used = np.flatnonzero(self.has_leaf)
        rows = self._leaves(self.settler, used)
        leaves = np.full((graph.n_leaves, *rows.shape[1:]), np.nan)
        leaves[used] = rows
        self.nodes: Floats = self._backed_up(leaves)
        self.root: Floats = self.nodes[graph.roots[self.of_root]]

    def _backed_up(self, leaves: Floats) -> Floats:
        """Every node from the leaves, rounded outward."""
        flat = leaves.reshape(len(leaves), -1)
        self.slack = 2 * rounding(self.graph, flat).reshape(leaves.shape[1:]).max(axis=1)
        found = self._outward(backup(self.graph, flat, self.game.sense).reshape(-1, *leaves.shape[1:]), self.slack)
        if self.game.measure == "win" and self.game.sense == "max":
            for sure, part in ((0.0, UPPER), (1.0, LOWER)):
                lanes = np.flatnonzero((leaves[..., part] == sure).any(axis=0))
                if len(lanes):  # exactly, where all that play can come to is so
                    is_sure = sure_nodes(self.graph, leaves[:, lanes, part], sure)
                    nodes, here = np.nonzero(is_sure & np.isfinite(found[:, lanes, VALUE]))
                    found[nodes, lanes[here]] = sure
        return found

    def _leaves(self, settler: TransitionReader, used: Ints) -> Floats:
        """These leaves of a settler's graph: (value, lower, upper) on each board, but for the rounding."""
        constants = settler.constants
        moves = settler.transitions(used, self.boards)
        places = constants.place.copy()  # other threads may come to other ends meanwhile
        ahead, small = among(moves.codes, constants)
        values, radius = self.read(ahead) if len(ahead) else (np.zeros(0), np.zeros(0))
        numbers = np.zeros((len(ahead) + len(places), 3))
        numbers[: len(ahead)] = np.stack([values, values - radius, values + radius], axis=-1)
        shrunk = Constants(len(ahead))
        shrunk.place = places
        for part, side in ((VALUE, -1), (LOWER, -1), (UPPER, 1)):
            shrunk.write(numbers[:, part], self.game.sense, side)
            numbers[len(ahead) :, part] += side * self.game.uncertain * (part != VALUE)
        same = numbers[small >> 1]
        other = float(self.game.total) - same[..., [VALUE, UPPER, LOWER]]
        seen: Floats = np.where(small[..., None] & 1, other, same)
        return seen + moves.rewards[..., None] if len(moves.rewards) else seen

    def _outward(self, rows: Floats, by: Any) -> Floats:
        """Rows of worths with their bounds so much further out."""
        rows[..., LOWER] -= by
        rows[..., UPPER] += by
        if self.game.measure == "win":  # no chance lies outside 0..1 (what is illegal, at an infinity, stays there)
            np.clip(rows, 0.0, 1.0, out=rows, where=np.isfinite(rows))
        return rows

    def _of_node(self, node: int) -> Floats:
        return np.asarray(self.nodes[node])

    def _ended(self, end: End) -> Floats:
        """An end that no solved turn comes to."""
        reward = Fraction(end.reward)
        graph = replace(self.graph, results=(end.result,), leaves=(Leaf(0, reward, reward),))
        constants = Constants(self.settler.constants.n_boards, self.settler.constants.bits)
        settler = TransitionReader(self.game, graph, constants, uses=self.settler.uses)
        rows: Floats = self._leaves(settler, np.zeros(1, dtype=np.int64))[0]
        by = self.slack + 8 * UNIT * np.where(np.isfinite(rows), np.abs(rows), 0.0).max(axis=-1)
        return self._outward(rows, by).reshape(self.nodes.shape[1:])

    def _beyond(self, cut: Bounded) -> Floats:
        bounds = np.array([float(cut.lower), float(cut.lower), float(cut.upper)])
        return np.array(np.broadcast_to(bounds, self.nodes.shape[1:]))

    def _mixed(self, parts: Iterator[tuple[int, Floats]]) -> Floats:
        """The weighted mean, added up in the same order for any number of boards."""
        total, largest = np.zeros(self.nodes.shape[1:]), np.zeros(self.nodes.shape[1:])
        weights, rows = zip(*parts, strict=True)
        for weight, row in zip(weights, rows, strict=True):
            total += weight * row
            largest = np.maximum(largest, np.where(np.isfinite(row), np.abs(row), 0.0))
        mean = self._outward(total / sum(weights), (len(rows) + 4) * UNIT * largest.max(axis=-1))
        every = np.stack(rows)
        is_sure = (every == every[0]).all(axis=0) & (np.abs(every[0] - 0.5) == 0.5)  # 0 and 1 are not rounded
        return np.where(is_sure, every[0], mean)

    def _chosen(self, options: Iterator[Floats]) -> Floats:
        rows = np.stack(list(options))
        best: Floats = rows.max(axis=0) if self.game.sense == "max" else rows.min(axis=0)
        return best

    def _preferred(self, options: Iterator[Floats]) -> Floats:
        """On each board the first that is legal there."""
        return reduce(lambda found, after: np.where(np.isinf(found[..., :1]), after, found), options)

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
    """All values of one board's turn; the rest is ``known`` as to ``Turns``."""

    def __init__(self, game: TurnGame, graph: TurnGraph, board: Mapping[str, int], *known: Any) -> None:
        super().__init__(game, graph, np.array([game.boards().index_of(**board)]), *known)
        self.nodes, self.root = self.nodes[:, 0], self.root[0]
        self.board = board
        self._then: dict[NodeKey, list[tuple[str, Floats, float]]] = {}  # many moves lead to the same decision

    def rows(self) -> Floats:
        """(value, lower, upper) of every node, shape (n_nodes, 3); nan for what this turn cannot come to."""
        return self.nodes

    def moves(self, state: NodeKey, *, all_moves: bool = False) -> Iterator[tuple[str, Floats]]:
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

    def best(self, word: Decision) -> Node:
        """The first of the moves that cannot be told from the best; raises StateError where none is legal."""
        rows = [self.intervals(self.worth(after)).tolist() for _, after in word.moves]
        place = first_good(rows, self.game.sense)
        if place is None:
            raise StateError("no move is left here, the turn is over")
        return word.moves[place][1]

    def then(self, word: Node) -> list[tuple[str, Floats, float]]:
        """The moves of the decision that a word leads to at once, best first, each with its row and its loss.

        None where dice fall first, or where nothing is left to decide: a state asked about later is one that a ``Goto``
        leads to.
        """
        state: NodeKey | None = None
        while isinstance(word, Goto):
            state = word.state
            word = word_asked(self.game, state)
        if state is None or not isinstance(word, Decision):
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
        self,
        game: TurnGame,
        graph: TurnGraph,
        boards: Ints,
        read: Read,
        settler: TransitionReader,
        mixed: Any,
        tie: float,
    ) -> None:
        self.tie, self.draws, self.radius = tie, mixed.on(boards), np.zeros(len(boards))
        super().__init__(game, graph, boards, read, settler)

    def _backed_up(self, leaves: Floats) -> Floats:
        from rollwise.solver.turn.vectors import table_backup

        leaves[~self.has_leaf] = 0.0
        nodes = table_backup(self.graph, leaves, self.tie, self.draws)
        nodes[~self.graph.reachable(int(self.graph.roots[self.of_root]))] = np.nan  # no state of this turn
        return nodes

    def _leaves(self, settler: TransitionReader, used: Ints) -> Floats:
        """Shares of these leaves of a settler's graph on each board; notes how far off those of a board may be."""
        from rollwise.solver.turn.vectors import rows_of_endings, seen_from_mover

        constants = settler.constants
        ahead, small = among(settler.transitions(used, self.boards).codes, constants)
        endings = rows_of_endings(constants, settler.uses.n_shares)[0]
        rows, off = endings, np.zeros(len(ahead) + len(endings))
        if len(ahead):
            shares, radius = self.read(ahead)
            rows, off[: len(ahead)] = np.concatenate([shares + 0.0, endings]), radius.max(axis=-1)  # no -0
        off = off[small >> constants.bits].max(axis=0) + 2 * self.graph.terms * UNIT
        self.radius = np.maximum(self.radius, off)
        return seen_from_mover(rows, small, constants.bits)

    def _outward(self, rows: Floats, by: Any) -> Floats:
        return rows

    def _beyond(self, cut: Bounded) -> Floats:
        return np.full(self.nodes.shape[1:], -np.inf)

    def _chosen(self, options: Iterator[Floats]) -> Floats:
        """The first of those that are best for the mover, on each board."""
        rows = np.stack(list(options))
        own = rows[..., 0]
        first = np.argmax(own >= own.max(axis=0) - self.tie, axis=0)
        found: Floats = np.take_along_axis(rows, np.expand_dims(first, (0, -1)), axis=0)[0]
        return found

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


class _Unknown(Exception):
    """An end leads to a board whose exact value is not known."""


class ExactTurn(SolvedTurn[tuple[Fraction, ...]]):
    """One board's turn in fractions: the least and the most that a word can be worth, nothing where it is illegal.

    ``nodes`` are exact values of the turn's nodes, None where there is none. ``known`` are exact values of boards by
    index: those that an end leads to that is past the solved turn.
    """

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        board: Mapping[str, int],
        nodes: Sequence[Fraction | None],
        known: Mapping[int, Fraction] | None = None,
    ) -> None:
        super().__init__(game, graph, np.array([game.boards().index_of(**board)]))
        self.exact, self.board, self.ahead = nodes, board, known or {}

    def rows(self) -> Floats:
        """The exact values as floats, three times the same; infinite where there is none."""
        none = -np.inf if self.game.sense == "max" else np.inf
        values = np.array([none if value is None else float(value) for value in self.exact])
        return np.repeat(values[:, None], 3, axis=1)

    def fraction(self, word: Node) -> Fraction | None:
        """The exact value of a word; None where it is illegal on this board or depends on what lies past a cut."""
        try:
            ends = self.worth(word)
        except _Unknown:
            return None
        return ends[0] if ends and ends[0] == ends[1] else None

    def _of_node(self, node: int) -> tuple[Fraction, ...]:
        value = self.exact[node]
        return () if value is None else (value, value)

    def _ended(self, end: End) -> tuple[Fraction, ...]:
        space = self.game.boards()
        after = outcome(self.game, tuple(self.board[name] for name in space.names), end.result)
        if not after.legal:
            return ()
        value = after.worth + Fraction(end.reward)
        if after.following is not None:
            found = self.ahead.get(space.index_of(**dict(zip(space.names, after.following, strict=True))))
            if found is None:
                raise _Unknown
            value += self.game.total - found if after.other else found
        return value, value

    def _beyond(self, cut: Bounded) -> tuple[Fraction, ...]:
        return Fraction(cut.lower), Fraction(cut.upper)

    def _mixed(self, parts: Iterator[tuple[int, tuple[Fraction, ...]]]) -> tuple[Fraction, ...]:
        """The weighted mean; a throw that can come to what is illegal is so itself."""
        weights, ends = zip(*parts, strict=True)
        if not all(ends):
            return ()
        return tuple(sum(map(mul, weights, each), Fraction(0)) / sum(weights) for each in zip(*ends, strict=True))

    def _chosen(self, options: Iterator[tuple[Fraction, ...]]) -> tuple[Fraction, ...]:
        better = max if self.game.sense == "max" else min
        return tuple(map(better, zip(*filter(None, options), strict=True)))

    def _preferred(self, options: Iterator[tuple[Fraction, ...]]) -> tuple[Fraction, ...]:
        return next(filter(None, options), ())

    def fractions(self, state: NodeKey, *, all_moves: bool = False) -> dict[str, Fraction]:
        """Exact values of the moves of a state, by name; ``all_moves`` as in ``moves``."""
        named = [*moves_asked(self.game, state), *left_out(self.game, self.board, state, all_moves)]
        pairs = ((move, self.fraction(move.after)) for move in named)
        return {move.name: value + move.points for move, value in pairs if value is not None}
