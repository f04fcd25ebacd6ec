"""How a turn ends after a move if it is played on by the best play: by class, with chances and means.

Chance is carried forwards from the word of the move to the ends of the turn (``solver.play.carried``). A class of ends
is told by what an end does to the board, by its result, and by the states that the turn has come through, if the game
marks any: a game that is decided is told first, then what the game itself says, then a bust or what is banked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.errors import ModelError
from rollwise.solver.game.model import Beyond, Chance, Choice, End, Go, Position, Prefer, State, TurnGame, Word
from rollwise.solver.game.outcome import Effect, Numbers, outcome
from rollwise.solver.game.rounding import down, up
from rollwise.solver.game.sheet import Boxes
from rollwise.solver.game.turn_points import PointGame
from rollwise.solver.play.carried import carry, good_at_table, good_of, mean_of_ends
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
    """One end of a turn: a row of the turn (a vector at tables), what the turn earns, and its result, if known."""

    chance: float
    worth: Floats
    reward: Fraction
    result: Any
    seen: frozenset[str]
    is_known: bool = True


def endings_of_turn(turn: OneTurn, position: Position, moves: Sequence[Move]) -> list[list[Ending]]:
    """For each of some moves of a position the classes in which the turn ends then.

    The chances of a move's classes are 1 together, but for rounding.
    """
    game, numbers = turn.game, tuple(turn.board[name] for name in turn.game.boards().names)
    afters: dict[Any, Effect] = {}
    names: dict[Any, str] = {}
    told = []
    carried = _Carried(turn, len(moves))
    for move, ends in zip(moves, carried.ends([move.after for move in moves]), strict=True):
        by_class: dict[str, list[tuple[_End, Effect | None]]] = {}
        for end in ends:
            after = None
            if end.is_known:
                if end.result not in afters:
                    afters[end.result] = outcome(game, numbers, end.result)
                after = afters[end.result]
                if (end.result, end.seen) not in names:
                    names[end.result, end.seen] = called(game, turn.board, end.result, after, end.seen)
            name = names[end.result, end.seen] if after else PAST
            by_class.setdefault(name, []).append((end, after))
        held = float(position.points + move.points)
        told.append([_class(turn, name, some, held, position.mover, carried.off) for name, some in by_class.items()])
    return told


def called(game: TurnGame, board: Any, result: Any, after: Effect, seen: frozenset[str]) -> str:
    """The class of an end of a turn: the first that fits."""
    if after.following is None and game.measure == "win":
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
        points = mean(float(end.reward + after.worth) if after else 0.0 for end, after in some)
    value, lower, upper = bounded_mean(chances, [row.tolist() for row in rows], off, held, turn.game.measure == "win")
    ends = tuple(TurnEnd(end.chance, end.result, end.reward, after.following if after else None) for end, after in some)
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
        self.bits: dict[State, int] = {}
        for bit, states in enumerate(marks.values()):
            for state in states:
                self.bits[state] = self.bits.get(state, 0) | 1 << bit
        self.chance = np.zeros((self.graph.n_nodes, n_words << len(marks)))
        self.outside: list[tuple[float, Word, int]] = []  # ends that no solved turn comes to
        self.n_put = 0  # words that chance came to

    @property
    def off(self) -> float:
        """How far off a chance may be, relative to itself: on the way to a node, from there on, between marks."""
        return (3 * self.n_put + roundings(self.graph) + (len(self.graph.segments) << len(self.names))) * UNIT

    def ends(self, words: Sequence[Word]) -> list[list[_End]]:
        """All ends that play comes to from each word on."""
        turn, graph, n_marks = self.turn, self.graph, len(self.names)
        for number, word in enumerate(words):
            self.put(word, 1.0, number << n_marks)
        if isinstance(turn, OneTableTurn):
            lots = {draw.node: draw.chances for draw in turn.draws}
            carry(graph, self.chance, good_at_table(turn.nodes[:, 0], turn.tie), marked=self.marked(), lots=lots)
        else:
            carry(graph, self.chance, good_of(turn.rows(), self.game.sense), marked=self.marked())
        found: list[list[_End]] = [[] for _ in words]
        for leaf, column in np.argwhere(self.chance[: graph.n_leaves]).tolist():
            chance, end, seen = float(self.chance[leaf, column]), graph.leaves[leaf], self.seen(column)
            is_known = end.result != NO_RESULT
            reward, result = (end.lower, graph.results[end.result]) if is_known else (Fraction(0), None)
            found[column >> n_marks].append(_End(chance, turn.nodes[leaf], reward, result, seen, is_known))
        for chance, after, column in self.outside:
            is_known = isinstance(after, End)
            reward, result = (Fraction(after.reward), after.result) if isinstance(after, End) else (Fraction(0), None)
            ended = _End(chance, turn.worth(after), reward, result, self.seen(column), is_known)
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

    def put(self, word: Word, chance: float, column: int) -> None:
        """Chance comes to a word: on to the nodes of the solved turn, and to ends past it."""
        self.n_put += 1
        node = self.turn.node_of(word)
        if node is not None:
            self.chance[node, column] += chance
        elif isinstance(word, Go):
            self.put(self.game.turn(*word.state), chance, column | self.bits.get(word.state, 0))
        elif isinstance(word, Chance):
            total = sum(weight for weight, _ in word.outcomes)
            for weight, after in word.outcomes:
                self.put(after, chance * weight / total, column)
        elif isinstance(word, Prefer):
            self.put(next(after for after in word.words if self.is_legal(after)), chance, column)
        elif isinstance(word, Choice):
            self.put(self.best(word), chance, column)
        else:
            assert isinstance(word, End | Beyond)
            self.outside.append((chance, word, column))

    def is_legal(self, word: Word) -> bool:
        """May this be played on the board?"""
        return isfinite(self.turn.intervals(self.turn.worth(word))[VALUE])

    def best(self, word: Choice) -> Word:
        """The first of the moves that cannot be told from the best."""
        after = [inner for _, inner in word.moves]
        rows = np.array([self.turn.intervals(self.turn.worth(inner)) for inner in after])
        begin, count, child = np.zeros(1, dtype=np.int64), np.array([len(after)]), np.arange(len(after))
        turn = self.turn
        if isinstance(turn, OneTableTurn):
            good = good_at_table(rows[:, VALUE], turn.tie)
        else:
            good = good_of(rows, self.game.sense)
        may = good(child, begin, count)
        if not may.any():
            raise ModelError(f"{self.game} has a decision without a legal move after this one")
        return after[int(np.argmax(may))]
