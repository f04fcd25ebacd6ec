"""Endings of a turn after a move, under the optimal policy: by class, with chances and means.

A forward pass (``solver.policy.forward_pass``) goes from the node after the move to the ends of the turn. The class of
an end depends on the transition, on the result, and on the marked states that the turn has passed: the end of the game
comes first, then names of the game itself, then bust or banked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import (
    Bounded,
    Chance,
    Decision,
    End,
    FirstLegal,
    Goto,
    Node,
    NodeKey,
    Position,
    TurnGame,
)
from rollwise.solver.model.outcome import Effect, Numbers, outcome
from rollwise.solver.model.rounding import down, up
from rollwise.solver.model.sheet import Boxes
from rollwise.solver.model.turn_points import PointGame
from rollwise.solver.policy.forward_pass import mean_of_ends, push_forward
from rollwise.solver.turn.algebra import Legality
from rollwise.solver.turn.arrays import UNIT, count_roundings
from rollwise.solver.turn.graph import NO_RESULT
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, OneTableTurn, OneTurn
from rollwise.solver.turn.questions import LegalMove

Floats = NDArray[np.float64]
WON, LOST, SHARED, OVER = "won at once", "lost at once", "shared at once", "the game ends"
BUST, BANKED, ON, PASSES = "bust", "banked", "goes on", "passes on"
PAST = "past what is followed"


@dataclass(frozen=True)
class TurnEnd:
    """One end of a turn: its chance, result (None past a cut), the reward of the turn itself, and the board that
    follows, None where the game is over.
    """

    chance: float
    result: Any
    reward: Fraction
    following: Numbers | None


@dataclass(frozen=True)
class Ending:
    """One class of ends, after one move: its ``chance`` and its mean value.

    ``value``, ``lower`` and ``upper`` are the mover's, points earned before included; ``shares`` are by seat, at
    tables. ``points``: those that the turn earns, bonuses of the sheet included, where it fills boxes that hold points.
    ``ends`` are its single ends.
    """

    ending_class: str
    chance: float
    value: float
    lower: float
    upper: float
    shares: tuple[float, ...] | None = None
    points: float | None = None
    ends: tuple[TurnEnd, ...] = ()


@dataclass(frozen=True)
class _End:
    """One end of a turn (None past a cut), its row of the turn (a vector at tables), and the marks it has passed."""

    chance: float
    row: Floats
    end: End | None
    marks: frozenset[str]


def endings_of_turn(turn: OneTurn, position: Position, moves: Sequence[LegalMove]) -> list[list[Ending]]:
    """Classes of ends of the turn after each of some moves of a position.

    The chances of a move's classes are 1 together, but for rounding.
    """
    game, numbers = turn.game, tuple(turn.board[name] for name in turn.game.boards().names)
    effect = cache(partial(outcome, game, numbers))
    name_of = cache(lambda result, marks: ending_class(game, turn.board, result, effect(result), marks))
    endings = []
    flow = _ForwardTurn(turn, len(moves))
    for move, ends in zip(moves, flow.ends([move.after for move in moves]), strict=True):
        by_class: dict[str, list[tuple[_End, Effect | None]]] = {}
        for each in ends:
            name = name_of(each.end.result, each.marks) if each.end else PAST
            by_class.setdefault(name, []).append((each, effect(each.end.result) if each.end else None))
        before = float(position.points + move.points)
        endings.append(
            [_class(turn, name, some, before, position.mover, flow.error) for name, some in by_class.items()]
        )
    return endings


def ending_class(game: TurnGame, board: Any, result: Any, after: Effect, marks: frozenset[str]) -> str:
    """Class of an end of a turn: the first that fits."""
    if after.following is None and game.measure == "win" and not game.ends_named:
        share = after.shares[0] if after.shares else after.value
        return WON if share == 1 else LOST if share == 0 else SHARED
    own = game.ending_name(board, result, marks)
    if own:
        return own
    if isinstance(game, PointGame) and game.busts:
        return BUST if game.result_points(board, result).bust else BANKED
    return OVER if after.following is None else PASSES if after.other else ON


def _class(
    turn: OneTurn, name: str, some: Sequence[tuple[_End, Effect | None]], base: float, mover: int, error: float
) -> Ending:
    """One class: means, and bounds that include the rounding of the sums and the ``error`` of chances."""
    chances = [end.chance for end, _ in some]
    rows = [turn.intervals(end.row) for end, _ in some]

    def mean(numbers: Iterable[float]) -> float:
        """Mean of some numbers, one an end."""
        return mean_of_ends(chances, list(numbers), error)[0]

    shares = points = None
    if isinstance(turn, OneTableTurn):
        by_place = [mean(float(end.row[place]) for end, _ in some) for place in range(len(some[0][0].row))]
        shares = tuple(np.roll(by_place, mover).tolist())
    if has_point_boxes(turn.game):
        points = mean(float(each.end.reward + after.value) if each.end and after else 0.0 for each, after in some)
    value, lower, upper = bounded_mean(chances, [row.tolist() for row in rows], error, base, turn.game.measure == "win")
    ends = tuple(
        TurnEnd(each.chance, each.end.result, Fraction(each.end.reward), after.following)
        if each.end and after
        else TurnEnd(each.chance, None, Fraction(0), None)
        for each, after in some
    )
    return Ending(name, fsum(chances), value, lower, upper, shares, points, ends)


def bounded_mean(
    chances: Sequence[float], rows: Sequence[Sequence[float]], error: float, before: float, is_chance: bool
) -> tuple[float, float, float]:
    """(value, lower, upper) of a class from those of its ends, plus ``before``, rounded outward."""
    means = [mean_of_ends(chances, [row[part] for row in rows], error) for part in (VALUE, LOWER, UPPER)]
    (value, _), (lower, below), (upper, above) = means
    lower = down(before + (lower - below)) if before or below else lower
    upper = up(before + (upper + above)) if before or above else upper
    return before + value, max(0.0, lower) if is_chance else lower, min(1.0, upper) if is_chance else upper


def has_point_boxes(game: TurnGame) -> bool:
    """True for a game played for points in which a turn puts points into boxes."""
    return isinstance(game, Boxes) and game.measure != "win"


class _ForwardTurn:
    """Forward pass through the turn of one board from several nodes.

    A column is the number of the node it starts in and a set of marks, a bit each, the lowest ones.
    """

    def __init__(self, turn: OneTurn, n_starts: int) -> None:
        self.turn, self.game, self.graph = turn, turn.game, turn.graph
        marks = {name: {tuple(state) for state in states} for name, states in self.game.marks().items()}
        self.names = list(marks)
        self.bits: dict[NodeKey, int] = {}
        for bit, states in enumerate(marks.values()):
            for state in states:
                self.bits[state] = self.bits.get(state, 0) | 1 << bit
        self.chance = np.zeros((self.graph.n_nodes, n_starts << len(marks)))
        self.unsolved_ends: list[tuple[float, Node, int]] = []  # ends that are not in the solved turn
        self.n_reached = 0  # number of nodes reached

    @property
    def error(self) -> float:
        """Relative error bound of a chance: on the way to a node, from there on, between marks."""
        return (3 * self.n_reached + count_roundings(self.graph) + (len(self.graph.segments) << len(self.names))) * UNIT

    def ends(self, nodes: Sequence[Node]) -> list[list[_End]]:
        """All ends of the turn reached from each node."""
        turn, graph, n_marks = self.turn, self.graph, len(self.names)
        for number, node in enumerate(nodes):
            self.put(node, 1.0, number << n_marks)
        push_forward(turn, self.chance, self.marked())
        ends_by_node: list[list[_End]] = [[] for _ in nodes]
        for leaf, column in np.argwhere(self.chance[: graph.n_leaves]).tolist():
            turn_leaf = graph.leaves[leaf]
            end = None if turn_leaf.result == NO_RESULT else End(graph.results[turn_leaf.result], turn_leaf.lower)
            ended = _End(float(self.chance[leaf, column]), turn.nodes[leaf], end, self.marks_of(column))
            ends_by_node[column >> n_marks].append(ended)
        for chance, after, column in self.unsolved_ends:
            ended = _End(chance, turn.value_of(after), after if isinstance(after, End) else None, self.marks_of(column))
            ends_by_node[column >> n_marks].append(ended)
        return ends_by_node

    def marked(self) -> NDArray[np.int64] | None:
        """The marks of every node; leaves have none."""
        if not self.bits:
            return None
        marks = np.zeros(self.graph.n_nodes, dtype=np.int64)
        for state, bits in self.bits.items():
            index = self.graph.node_of(state)
            if index is not None and index >= self.graph.n_leaves:
                marks[index] |= bits
        return marks

    def marks_of(self, column: int) -> frozenset[str]:
        """The marks of a column."""
        return frozenset(name for bit, name in enumerate(self.names) if column >> bit & 1)

    def put(self, node: Node, chance: float, column: int) -> None:
        """Push probability from a node on to the nodes of the solved turn, and to ends outside it."""
        self.n_reached += 1
        index = self.turn.node_of(node)
        if index is not None:
            self.chance[index, column] += chance
        elif isinstance(node, Goto):
            self.put(self.game.turn(*node.state), chance, column | self.bits.get(node.state, 0))
        elif isinstance(node, Chance):
            total = sum(weight for weight, _ in node.outcomes)
            for weight, after in node.outcomes:
                self.put(after, chance * weight / total, column)
        elif isinstance(node, FirstLegal):
            self.put(next(filter(Legality(self.game, self.turn.board).value_of, node.nodes)), chance, column)
        elif isinstance(node, Decision):
            self.put(self.turn.best(node), chance, column)
        else:
            assert isinstance(node, End | Bounded)
            self.unsolved_ends.append((chance, node, column))
