"""One turn of one board, or of several, backed up again from stored board values: values of every state and move.

Every number is a row (value, lower, upper); the bounds include all rounding errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.game import Bounded, Decision, End, Goto, Node, NodeKey, TurnGame
from rollwise.solver.model.outcome import outcome
from rollwise.solver.model.rounding import down, up
from rollwise.solver.turn.algebra import Algebra, V, almost_sure_nodes
from rollwise.solver.turn.arrays import UNIT, backup, rounding_bound
from rollwise.solver.turn.graph import NO_RESULT, Leaf, TurnGraph
from rollwise.solver.turn.perspective import Constants, compact_codes
from rollwise.solver.turn.questions import moves_left_out, question_moves, question_node
from rollwise.solver.turn.ranked_moves import RankedMoves, first_best
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.transitions import SCALAR, UsedFields

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Read = Callable[[Ints], tuple[Floats, Floats]]
VALUE, LOWER, UPPER = 0, 1, 2


class SolvedTurn(Algebra[V]):
    """Values of nodes of a solved turn: that of some boards (by index) with the same root."""

    draws: Any = ()  # randomised decisions

    def __init__(self, game: TurnGame, graph: TurnGraph, boards: Ints) -> None:
        super().__init__(game.turn)
        self.game, self.graph, self.boards = game, graph, boards
        self.of_root = int(np.broadcast_to(game.root(game.boards().columns(boards)), len(boards))[0])
        self.has_leaf: NDArray[np.bool_] = graph.root_leaves[self.of_root]

    def node_of(self, node: Node) -> int | None:
        """The compiled node of a state of the solved turn, or of an end of it; None for others."""
        if isinstance(node, Goto):
            return self.graph.node_of(node.state)
        if isinstance(node, End):
            leaf = self.graph.leaf_of.get((node.result, Fraction(node.reward)))
            return leaf if leaf is not None and self.has_leaf[leaf] else None
        return None

    def _solved_value(self, node: Goto | End) -> V | None:
        node_id = self.node_of(node)
        return None if node_id is None else self._node_value(node_id)

    def _node_value(self, node: int) -> V:
        """The value of a compiled node."""
        raise NotImplementedError


class Turns(SolvedTurn[Floats]):
    """All values of the turns of several boards (by index) that start in the same root, one lane a board.

    ``read`` returns (values, radius) of boards by index; ``uses`` are the fields of ``Transition`` that the game's kind
    uses, or a reader. ``nodes``: float64, shape (n_nodes, lanes, 3), nan for nodes that a turn from this root cannot
    reach; ``root``: the rows of the state in which the turns start. Nodes past the solved turn
    (``TurnGame.unsolved_node``) have values (value, lower, upper) on each board as well.
    """

    slack: Any = 0.0  # how far bounds were moved outward, one a lane

    def __init__(
        self, game: TurnGame, graph: TurnGraph, boards: Ints, read: Read, uses: UsedFields | TransitionReader = SCALAR
    ) -> None:
        super().__init__(game, graph, boards)
        self.read = read
        constants = Constants(game.boards().size)
        self.reader = (
            uses if isinstance(uses, TransitionReader) else TransitionReader(game, graph, constants, uses=uses)
        )
        used = np.flatnonzero(self.has_leaf)
        rows = self._leaves(self.reader, used)
        leaves = np.full((graph.n_leaves, *rows.shape[1:]), np.nan)
        leaves[used] = rows
        self.nodes: Floats = self._back_up(leaves)
        self.root: Floats = self.nodes[graph.roots[self.of_root]]

    def _back_up(self, leaves: Floats) -> Floats:
        """One backup of every node from the leaves, rounded outward."""
        flat = leaves.reshape(len(leaves), -1)
        self.slack = 2 * rounding_bound(self.graph, flat).reshape(leaves.shape[1:]).max(axis=1)
        values = self._outward(backup(self.graph, flat, self.game.sense).reshape(-1, *leaves.shape[1:]), self.slack)
        if self.game.measure == "win" and self.game.sense == "max":
            for certain, part in ((0.0, UPPER), (1.0, LOWER)):
                lanes = np.flatnonzero((leaves[..., part] == certain).any(axis=0))
                if len(lanes):  # exactly, where every end in reach is so
                    is_sure = almost_sure_nodes(self.graph, leaves[:, lanes, part], certain)
                    nodes, here = np.nonzero(is_sure & np.isfinite(values[:, lanes, VALUE]))
                    values[nodes, lanes[here]] = certain
        return values

    def _leaves(self, reader: TransitionReader, used: Ints) -> Floats:
        """Leaves of a reader's graph: (value, lower, upper) on each board, without the rounding error."""
        constants = reader.constants
        moves = reader.transitions(used, self.boards)
        places = constants.place.copy()  # other threads may add constants meanwhile
        ahead, small = compact_codes(moves.codes, constants)
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
        rows: Floats = np.where(small[..., None] & 1, other, same)
        return rows + moves.rewards[..., None] if len(moves.rewards) else rows

    def _outward(self, rows: Floats, by: Any) -> Floats:
        """Rows with their bounds moved outward by this much."""
        rows[..., LOWER] -= by
        rows[..., UPPER] += by
        if self.game.measure == "win":  # no chance lies outside 0..1 (what is illegal, at an infinity, stays there)
            np.clip(rows, 0.0, 1.0, out=rows, where=np.isfinite(rows))
        return rows

    def _node_value(self, node: int) -> Floats:
        return np.asarray(self.nodes[node])

    def _end_value(self, end: End) -> Floats:
        """The value of an end that no solved turn reaches."""
        reward = Fraction(end.reward)
        graph = replace(self.graph, results=(end.result,), leaves=(Leaf(0, reward, reward),))
        constants = Constants(self.reader.constants.n_boards, self.reader.constants.bits)
        reader = TransitionReader(self.game, graph, constants, uses=self.reader.uses)
        rows: Floats = self._leaves(reader, np.zeros(1, dtype=np.int64))[0]
        by = self.slack + 8 * UNIT * np.where(np.isfinite(rows), np.abs(rows), 0.0).max(axis=-1)
        return self._outward(rows, by).reshape(self.nodes.shape[1:])

    def _bounded_value(self, cut: Bounded) -> Floats:
        bounds = np.array([float(cut.lower), float(cut.lower), float(cut.upper)])
        return np.array(np.broadcast_to(bounds, self.nodes.shape[1:]))

    def _mean(self, parts: Iterator[tuple[int, Floats]]) -> Floats:
        """The weighted mean, summed in the same order for any number of boards."""
        total, largest = np.zeros(self.nodes.shape[1:]), np.zeros(self.nodes.shape[1:])
        weights, rows = zip(*parts, strict=True)
        for weight, row in zip(weights, rows, strict=True):
            total += weight * row
            largest = np.maximum(largest, np.where(np.isfinite(row), np.abs(row), 0.0))
        mean = self._outward(total / sum(weights), (len(rows) + 4) * UNIT * largest.max(axis=-1))
        every = np.stack(rows)
        is_sure = (every == every[0]).all(axis=0) & (np.abs(every[0] - 0.5) == 0.5)  # 0 and 1 are not rounded
        return np.where(is_sure, every[0], mean)

    def _best(self, options: Iterator[Floats]) -> Floats:
        rows = np.stack(list(options))
        best: Floats = rows.max(axis=0) if self.game.sense == "max" else rows.min(axis=0)
        return best

    def _first_legal(self, options: Iterator[Floats]) -> Floats:
        """The first option that is legal, on each board."""
        return reduce(lambda first, after: np.where(np.isinf(first[..., :1]), after, first), options)

    def intervals(self, rows: Floats) -> Floats:
        """Rows of ``nodes``, or of ``value_of``, as (value, lower, upper) of the mover."""
        return rows

    def own(self) -> tuple[Floats, Any]:
        """Values of nodes to the mover, more is better, shape (n_nodes, lanes), and of each lane the tie: the distance
        to the best up to which moves are as good.
        """
        ends = [place for place in np.flatnonzero(self.has_leaf) if self.graph.leaves[place].result != NO_RESULT]
        rows = self.nodes[ends]
        rows = np.where(np.isfinite(rows), rows, 0.0)
        value = self.nodes[..., VALUE]
        tie = (rows[..., UPPER] - rows[..., LOWER]).max(axis=0, initial=0.0)
        return value.copy() if self.game.sense == "max" else -value, tie


def _plus_points(row: Floats, points: int) -> Floats:
    """A row (value, lower, upper) and so many points more, rounded outward."""
    if not points:
        return row
    value, lower, upper = row + points
    return np.array([value, down(lower), up(upper)])


class OneTurn(Turns):
    """All values of one board's turn; further arguments as of ``Turns``."""

    def __init__(self, game: TurnGame, graph: TurnGraph, board: Mapping[str, int], *more: Any) -> None:
        super().__init__(game, graph, np.array([game.boards().index_of(**board)]), *more)
        self.nodes, self.root = self.nodes[:, 0], self.root[0]
        self.board = board
        self._then: dict[NodeKey, list[tuple[str, Floats, float]]] = {}  # many moves lead to the same decision

    def rows(self) -> Floats:
        """(value, lower, upper) of every node, shape (n_nodes, 3); nan for nodes out of reach."""
        return self.nodes

    def moves(self, state: NodeKey, *, all_moves: bool = False) -> Iterator[tuple[str, Floats]]:
        """(move, (value, lower, upper)) of each legal move in this state, in the game's own order.

        Before a forced throw the only move is ``roll``. ``all_moves``: also dominated moves that the game leaves out of
        its turns. Raises StateError where no move is left.
        """
        is_over = True
        for move in question_moves(self.game, state):
            row = self.value_of(move.after)
            if np.isnan(row).any():
                raise ModelError(f"{self.game} leads from {state} to what is not of this turn: {move.name}")
            if np.isfinite(row[VALUE]):
                is_over = False
                yield move.name, row
        for move in moves_left_out(self.game, self.board, state, all_moves):
            yield move.name, _plus_points(self.value_of(move.after), move.points)
        if is_over:
            raise StateError("no move is left here", over="the turn is over")

    def best(self, node: Decision) -> Node:
        """The first of the moves indistinguishable from the best; raises StateError where none is legal."""
        rows = [self.intervals(self.value_of(after)).tolist() for _, after in node.moves]
        place = first_best(rows, self.game.sense)
        if place is None:
            raise StateError("no move is left here, the turn is over")
        return node.moves[place][1]

    def then(self, node: Node) -> list[tuple[str, Floats, float]]:
        """The moves of the decision that follows a node at once, best first, each with its row and its loss.

        Empty where dice fall first, or where no decision is left: only a ``Goto`` leads to the state of a question.
        """
        state: NodeKey | None = None
        while isinstance(node, Goto):
            state = node.state
            node = question_node(self.game, state)
        if state is None or not isinstance(node, Decision):
            return []
        if state not in self._then:
            moves = list(self.moves(state))
            judged = RankedMoves(np.array([[row for _, row in moves]]), self.game.sense)
            self._then[state] = [(*moves[place], float(judged.loss[0, place])) for place in judged.order[0].tolist()]
        return self._then[state]


class TableTurns(Turns):
    """The same at a table: every row is a vector, one share a seat from the mover; ``nodes``: (n_nodes, lanes, seats).

    ``reader`` reads the table's results (``solver.turn.vectors.table_reader``); ``read`` returns shares and radius by
    seat. ``mixed`` are the randomised decisions; moves within ``tie`` of the best are as good. ``radius``, one a lane,
    bounds the error of all numbers.
    """

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        boards: Ints,
        read: Read,
        reader: TransitionReader,
        mixed: Any,
        tie: float,
    ) -> None:
        self.tie, self.draws, self.radius = tie, mixed.on(boards), np.zeros(len(boards))
        super().__init__(game, graph, boards, read, reader)

    def _back_up(self, leaves: Floats) -> Floats:
        from rollwise.solver.turn.vectors import table_backup

        leaves[~self.has_leaf] = 0.0
        nodes = table_backup(self.graph, leaves, self.tie, self.draws)
        nodes[~self.graph.reachable(int(self.graph.roots[self.of_root]))] = np.nan  # no state of this turn
        return nodes

    def _leaves(self, reader: TransitionReader, used: Ints) -> Floats:
        """Shares of leaves of a reader's graph on each board; updates the radius of each board."""
        from rollwise.solver.turn.vectors import rotated_to_mover, rows_of_endings

        constants = reader.constants
        ahead, small = compact_codes(reader.transitions(used, self.boards).codes, constants)
        endings = rows_of_endings(constants, reader.uses.n_shares)[0]
        rows, off = endings, np.zeros(len(ahead) + len(endings))
        if len(ahead):
            shares, radius = self.read(ahead)
            rows, off[: len(ahead)] = np.concatenate([shares + 0.0, endings]), radius.max(axis=-1)  # no -0
        off = off[small >> constants.bits].max(axis=0) + 2 * self.graph.terms * UNIT
        self.radius = np.maximum(self.radius, off)
        return rotated_to_mover(rows, small, constants.bits)

    def _outward(self, rows: Floats, by: Any) -> Floats:
        return rows

    def _bounded_value(self, cut: Bounded) -> Floats:
        return np.full(self.nodes.shape[1:], -np.inf)

    def _best(self, options: Iterator[Floats]) -> Floats:
        """The first of the options that are best for the mover, on each board."""
        rows = np.stack(list(options))
        own = rows[..., 0]
        first = np.argmax(own >= own.max(axis=0) - self.tie, axis=0)
        chosen: Floats = np.take_along_axis(rows, np.expand_dims(first, (0, -1)), axis=0)[0]
        return chosen

    def own(self) -> tuple[Floats, Any]:
        """See ``Turns``."""
        return self.nodes[..., 0].copy(), self.tie

    def intervals(self, shares: Floats) -> Floats:
        """The mover's share with its bounds, within 0..1; what is illegal, at an infinity, stays there."""
        own = shares[..., 0]
        radius = self.radius if np.ndim(own) else self.radius[0]
        rows = np.stack([own, own - radius, own + radius], axis=-1)
        return np.clip(rows, 0.0, 1.0, out=rows, where=np.isfinite(rows))


class OneTableTurn(OneTurn, TableTurns):
    """One board's turn at a table: every row is a vector of shares, the mover's first."""


class _NoExactValue(Exception):
    """An end leads to a board without an exact value."""


class ExactTurn(SolvedTurn[tuple[Fraction, ...]]):
    """One board's turn in fractions: least and largest value of a node, empty where it is illegal.

    ``nodes`` are exact values of the turn's nodes, None where there is none. ``boards`` are exact values by index of
    the boards after ends past the solved turn.
    """

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        board: Mapping[str, int],
        nodes: Sequence[Fraction | None],
        boards: Mapping[int, Fraction] | None = None,
    ) -> None:
        super().__init__(game, graph, np.array([game.boards().index_of(**board)]))
        self.exact, self.board, self.ahead = nodes, board, boards or {}

    def rows(self) -> Floats:
        """The exact values as floats, three times the same; infinite where there is none."""
        none = -np.inf if self.game.sense == "max" else np.inf
        values = np.array([none if value is None else float(value) for value in self.exact])
        return np.repeat(values[:, None], 3, axis=1)

    def fraction(self, node: Node) -> Fraction | None:
        """The exact value of a node; None where it is illegal on this board or depends on a node past a cut."""
        try:
            ends = self.value_of(node)
        except _NoExactValue:
            return None
        return ends[0] if ends and ends[0] == ends[1] else None

    def _node_value(self, node: int) -> tuple[Fraction, ...]:
        value = self.exact[node]
        return () if value is None else (value, value)

    def _end_value(self, end: End) -> tuple[Fraction, ...]:
        space = self.game.boards()
        after = outcome(self.game, tuple(self.board[name] for name in space.names), end.result)
        if not after.legal:
            return ()
        value = after.value + Fraction(end.reward)
        if after.following is not None:
            next_value = self.ahead.get(space.index_of(**dict(zip(space.names, after.following, strict=True))))
            if next_value is None:
                raise _NoExactValue
            value += self.game.total - next_value if after.other else next_value
        return value, value

    def _bounded_value(self, cut: Bounded) -> tuple[Fraction, ...]:
        return Fraction(cut.lower), Fraction(cut.upper)

    def _mean(self, parts: Iterator[tuple[int, tuple[Fraction, ...]]]) -> tuple[Fraction, ...]:
        """The weighted mean; a throw with an illegal outcome is illegal itself."""
        weights, ends = zip(*parts, strict=True)
        if not all(ends):
            return ()
        return tuple(sum(map(mul, weights, each), Fraction(0)) / sum(weights) for each in zip(*ends, strict=True))

    def _best(self, options: Iterator[tuple[Fraction, ...]]) -> tuple[Fraction, ...]:
        better = max if self.game.sense == "max" else min
        return tuple(map(better, zip(*filter(None, options), strict=True)))

    def _first_legal(self, options: Iterator[tuple[Fraction, ...]]) -> tuple[Fraction, ...]:
        return next(filter(None, options), ())

    def fractions(self, state: NodeKey, *, all_moves: bool = False) -> dict[str, Fraction]:
        """Exact values of the moves of a state, by name; ``all_moves`` as in ``moves``."""
        moves = [*question_moves(self.game, state), *moves_left_out(self.game, self.board, state, all_moves)]
        pairs = ((move, self.fraction(move.after)) for move in moves)
        return {move.name: value + move.points for move, value in pairs if value is not None}
