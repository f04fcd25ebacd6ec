"""How a turn ends after a move if it is played on by the best play: by class, with chances and means.

Chance is carried forwards from the word of the move to the ends of the turn (``solver.policy.carried``). A class of ends
is told by what an end does to the board, by its result, and by the states that the turn has come through, if the game
marks any: a game that is decided is told first, then what the game itself says, then a bust or what is banked.
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
from rollwise.solver.policy.carried import carry, mean_of_ends
from rollwise.solver.turn.algebra import Legality
from rollwise.solver.turn.arrays import UNIT, roundings
from rollwise.solver.turn.graph import NO_RESULT
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, Move, OneTableTurn, OneTurn

Floats = NDArray[np.float64]
WON, LOST, SHARED, OVER = "won at once", "lost at once", "shared at once", "the game ends"
BUST, BANKED, ON, PASSES = "bust", "banked", "goes on", "passes on"
PAST = "past what is followed"


@dataclass(frozen=True)
class TurnEnd:
    """One end of a turn: its chance, the result (None where it is not followed), what the turn itself earns, and the
    board that follows, None where the game is over.
    """

    chance: float
    result: Any
    reward: Fraction
    following: Numbers | None


@dataclass(frozen=True)
class Ending:
    """One class of ends, after one move: its ``chance``, and what it is worth on average.

    ``value``, ``lower`` and ``upper`` are the mover's, points made before included; ``shares`` are by seat, at tables.
    ``points``: those that the turn makes, bonuses of the sheet included, where it fills boxes that hold points.
    ``ends`` are its single ends.
    """

    called: str
    chance: float
    value: float
    lower: float
    upper: float
    shares: tuple[float, ...] | None = None
    points: float | None = None
    ends: tuple[TurnEnd, ...] = ()


@dataclass(frozen=True)
class _End:
    """One end of a turn (None: not known), its row of the turn (a vector at tables), and the marks come through."""

    chance: float
    worth: Floats
    end: End | None
    seen: frozenset[str]


def endings_of_turn(turn: OneTurn, position: Position, moves: Sequence[Move]) -> list[list[Ending]]:
    """For each of some moves of a position the classes in which the turn ends then.

    The chances of a move's classes are 1 together, but for rounding.
    """
    game, numbers = turn.game, tuple(turn.board[name] for name in turn.game.boards().names)
    effect = cache(partial(outcome, game, numbers))
    name_of = cache(lambda result, seen: called(game, turn.board, result, effect(result), seen))
    told = []
    carried = _Carried(turn, len(moves))
    for move, ends in zip(moves, carried.ends([move.after for move in moves]), strict=True):
        by_class: dict[str, list[tuple[_End, Effect | None]]] = {}
        for each in ends:
            name = name_of(each.end.result, each.seen) if each.end else PAST
            by_class.setdefault(name, []).append((each, effect(each.end.result) if each.end else None))
        held = float(position.points + move.points)
        told.append([_class(turn, name, some, held, position.mover, carried.off) for name, some in by_class.items()])
    return told


def called(game: TurnGame, board: Any, result: Any, after: Effect, seen: frozenset[str]) -> str:
    """The class of an end of a turn: the first that fits."""
    if after.following is None and game.measure == "win" and not game.ends_named:
        share = after.shares[0] if after.shares else after.worth
        return WON if share == 1 else LOST if share == 0 else SHARED
    own = game.ending_name(board, result, seen)
    if own:
        return own
    if isinstance(game, PointGame) and game.busts:
        return BUST if game.ended(board, result).bust else BANKED
    return OVER if after.following is None else PASSES if after.other else ON


def _class(
    turn: OneTurn, name: str, some: Sequence[tuple[_End, Effect | None]], held: float, mover: int, off: float
) -> Ending:
    """One class: means, and bounds with the rounding of the chances, which are ``off`` by so much, and of the sums."""
    chances = [end.chance for end, _ in some]
    rows = [turn.intervals(end.worth) for end, _ in some]

    def mean(numbers: Iterable[float]) -> float:
        """The mean of some numbers, one an end."""
        return mean_of_ends(chances, list(numbers), off)[0]

    shares = points = None
    if isinstance(turn, OneTableTurn):
        by_place = [mean(float(end.worth[place]) for end, _ in some) for place in range(len(some[0][0].worth))]
        shares = tuple(np.roll(by_place, mover).tolist())
    if fills_boxes(turn.game):
        points = mean(float(each.end.reward + after.worth) if each.end and after else 0.0 for each, after in some)
    value, lower, upper = bounded_mean(chances, [row.tolist() for row in rows], off, held, turn.game.measure == "win")
    ends = tuple(
        TurnEnd(each.chance, each.end.result, Fraction(each.end.reward), after.following)
        if each.end and after
        else TurnEnd(each.chance, None, Fraction(0), None)
        for each, after in some
    )
    return Ending(name, fsum(chances), value, lower, upper, shares, points, ends)


def bounded_mean(
    chances: Sequence[float], rows: Sequence[Sequence[float]], off: float, held: float, is_chance: bool
) -> tuple[float, float, float]:
    """(value, lower, upper) of a class from those of its ends, with the points ``held`` before, rounded outward."""
    means = [mean_of_ends(chances, [row[part] for row in rows], off) for part in (VALUE, LOWER, UPPER)]
    (value, _), (lower, below), (upper, above) = means
    lower = down(held + (lower - below)) if held or below else lower
    upper = up(held + (upper + above)) if held or above else upper
    return held + value, max(0.0, lower) if is_chance else lower, min(1.0, upper) if is_chance else upper


def fills_boxes(game: TurnGame) -> bool:
    """Does a turn put points into boxes, and are points what is wanted?"""
    return isinstance(game, Boxes) and game.measure != "win"


class _Carried:
    """Chance on its way through the turn of one board from several words.

    A column is the number of the word and a set of marks, a bit each, the lowest ones.
    """

    def __init__(self, turn: OneTurn, n_words: int) -> None:
        self.turn, self.game, self.graph = turn, turn.game, turn.graph
        marks = {name: {tuple(state) for state in states} for name, states in self.game.marks().items()}
        self.names = list(marks)
        self.bits: dict[NodeKey, int] = {}
        for bit, states in enumerate(marks.values()):
            for state in states:
                self.bits[state] = self.bits.get(state, 0) | 1 << bit
        self.chance = np.zeros((self.graph.n_nodes, n_words << len(marks)))
        self.outside: list[tuple[float, Node, int]] = []  # ends that no solved turn comes to
        self.n_put = 0  # words that chance came to

    @property
    def off(self) -> float:
        """How far off a chance may be, relative to itself: on the way to a node, from there on, between marks."""
        return (3 * self.n_put + roundings(self.graph) + (len(self.graph.segments) << len(self.names))) * UNIT

    def ends(self, words: Sequence[Node]) -> list[list[_End]]:
        """All ends that play comes to from each word on."""
        turn, graph, n_marks = self.turn, self.graph, len(self.names)
        for number, word in enumerate(words):
            self.put(word, 1.0, number << n_marks)
        carry(turn, self.chance, self.marked())
        found: list[list[_End]] = [[] for _ in words]
        for leaf, column in np.argwhere(self.chance[: graph.n_leaves]).tolist():
            told = graph.leaves[leaf]
            end = None if told.result == NO_RESULT else End(graph.results[told.result], told.lower)
            ended = _End(float(self.chance[leaf, column]), turn.nodes[leaf], end, self.seen(column))
            found[column >> n_marks].append(ended)
        for chance, after, column in self.outside:
            ended = _End(chance, turn.worth(after), after if isinstance(after, End) else None, self.seen(column))
            found[column >> n_marks].append(ended)
        return found

    def marked(self) -> NDArray[np.int64] | None:
        """The marks of every node; an end of the turn has none."""
        if not self.bits:
            return None
        found = np.zeros(self.graph.n_nodes, dtype=np.int64)
        for state, bits in self.bits.items():
            node = self.graph.node_of(state)
            if node is not None and node >= self.graph.n_leaves:
                found[node] |= bits
        return found

    def seen(self, column: int) -> frozenset[str]:
        """The marks of a column."""
        return frozenset(name for bit, name in enumerate(self.names) if column >> bit & 1)

    def put(self, word: Node, chance: float, column: int) -> None:
        """Chance comes to a word: on to the nodes of the solved turn, and to ends past it."""
        self.n_put += 1
        node = self.turn.node_of(word)
        if node is not None:
            self.chance[node, column] += chance
        elif isinstance(word, Goto):
            self.put(self.game.turn(*word.state), chance, column | self.bits.get(word.state, 0))
        elif isinstance(word, Chance):
            total = sum(weight for weight, _ in word.outcomes)
            for weight, after in word.outcomes:
                self.put(after, chance * weight / total, column)
        elif isinstance(word, FirstLegal):
            self.put(next(filter(Legality(self.game, self.turn.board).worth, word.words)), chance, column)
        elif isinstance(word, Decision):
            self.put(self.turn.best(word), chance, column)
        else:
            assert isinstance(word, End | Bounded)
            self.outside.append((chance, word, column))
