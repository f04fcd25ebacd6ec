"""Values of the moves of a question with hidden dice, against the stored mixed strategies of the other player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.hidden_information.stage import DUEL_FIELDS, NONE, Stage
from rollwise.solver.model.game import NodeKey, TurnGame
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import Constants, compact_codes, leaf_values
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.values.mixed_strategies import PARTS_PER_ONE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NUMBERS = ("values", "lower", "upper")
ROLL = "roll"


class StoredRows(Protocol):
    """Reader of rows of stored arrays, by name."""

    def rows(self, name: str, places: Ints) -> NDArray[Any]:
        """These rows of an array."""


@dataclass(frozen=True)
class MixedMove:
    """A move: ``bounds`` (value, lower, upper) to its player against the other player's stored mixed strategy, and its
    ``probability`` in the player's own (None before the throw, the only move there).
    """

    name: str
    bounds: tuple[float, float, float]
    probability: float | None = None


@dataclass(frozen=True)
class TurnEnd:
    """An end of the turn: its chance, its result, and (value, lower, upper) to the player of the last move."""

    chance: float
    result: Any
    bounds: tuple[float, ...]


class HiddenTurn:
    """The turn on one board (by index) of a solved game."""

    def __init__(self, game: TurnGame, graph: TurnGraph, stage: Stage, stored: StoredRows, board: int) -> None:
        self.game, self.graph, self.stage, self.stored = game, graph, stage, stored
        space = game.boards()
        self.board = np.array([board])
        self.root = int(np.broadcast_to(game.root(space.columns(self.board)), 1)[0])
        self.answers = game.answers(tuple(game.roots()[self.root]))
        self.leaf = stage.leaf[self.root]
        self.legal = self.leaf[0] != NONE  # (calls, replies)
        constants = Constants(space.size)
        used = np.unique(self.leaf[self.leaf != NONE])
        codes = TransitionReader(game, graph, constants, uses=DUEL_FIELDS).transitions(used, self.board).codes[:, 0]
        ahead, small = compact_codes(codes, constants)
        ended = [[np.nan if isinstance(values, str) else float(values)] * 3 for values in constants.place]
        board_values = np.concatenate([np.stack([stored.rows(name, ahead) for name in NUMBERS], axis=-1), ended])
        sides = ((board_values[:, same], board_values[:, other]) for same, other in ((0, 0), (1, 2), (2, 1)))
        values = np.stack([leaf_values(small, *side, 1.0) for side in sides], axis=-1)
        self.leaf_values = values[np.searchsorted(used, self.leaf)]  # (throws, calls, replies, 3), to the caller
        self.calls: Ints = stored.rows("calls", self.board)[0]
        self.replies: Ints = stored.rows("replies", self.board)[0]

    def moves(self, state: NodeKey) -> list[MixedMove]:
        """The moves of a state, in the game's own order; none of a state that no player can tell from others."""
        if state == tuple(self.game.roots()[self.root]):
            value, lower, upper = (float(self.stored.rows(name, self.board)[0]) for name in NUMBERS)
            return [MixedMove(ROLL, (value, lower, upper))]
        throws = self.stage.throws[self.root]
        if state in throws:
            return self._calls(throws.index(state))
        return self._replies(self.stage.calls.index(self.answers[state])) if state in self.answers else []

    def ends(self, state: NodeKey, move: str) -> list[TurnEnd]:
        """Ends of the turn after a move, against the stored mixed strategies; none before the throw."""
        throws, calls = self.stage.throws[self.root], self.stage.calls
        if state in throws:
            throw, call = throws.index(state), calls.index(move)
            of = np.flatnonzero(self.legal[call])
            chances = self.replies[call, of] / self.replies[call, of].sum()
            return self._ended(chances, self.leaf[throw, call, of], self.leaf_values[throw, call, of])
        if state not in self.answers:
            return []
        call, reply = calls.index(self.answers[state]), self.stage.replies.index(move)
        weights = self.stage.weights * self.calls[:, call]
        weights = weights if weights.any() else self.stage.weights
        values = 1.0 - self.leaf_values[:, call, reply][:, [0, 2, 1]]
        return self._ended(weights / weights.sum(), self.leaf[:, call, reply], values)

    def _ended(self, chances: Floats, leaves: Ints, values: Floats) -> list[TurnEnd]:
        """Ends with a chance above 0, each with its value to the player of the move."""
        ends = []
        for chance, leaf, row in zip(chances.tolist(), leaves.tolist(), values.tolist(), strict=True):
            if chance:
                ends.append(TurnEnd(chance, self.graph.results[self.graph.leaves[leaf].result], tuple(row)))
        return ends

    def note(self, state: NodeKey) -> str:
        """Note on a question about a call that best play never makes; empty for others."""
        call = self.answers.get(state)
        if call is None or self.calls[:, self.stage.calls.index(call)].any():
            return ""
        return (
            f"Best play would never {call} here. So the numbers are means over all throws, by their own chances; the "
            "mix of replies deters the call."
        )

    def replies_to(self, state: NodeKey, call: str) -> list[tuple[str, Fraction, Any]]:
        """(reply, its probability, the result) of each reply to a call, given the throw."""
        throw, place = self.stage.throws[self.root].index(state), self.stage.calls.index(call)
        return [
            (
                self.stage.replies[reply],
                Fraction(int(self.replies[place, reply]), PARTS_PER_ONE),
                self._result(throw, place, reply),
            )
            for reply in np.flatnonzero(self.legal[place]).tolist()
        ]

    def shown(self, state: NodeKey, reply: str) -> list[tuple[Fraction | None, Any]]:
        """Each result of a reply to a call, over the hidden dice, with its probability given the call (Bayes' rule).

        The probability is None where the call is never made, unless there is only one result.
        """
        call, place = self.stage.calls.index(self.answers[state]), self.stage.replies.index(reply)
        ways = [int(of) * int(n_calls) for of, n_calls in zip(self.stage.weights, self.calls[:, call], strict=True)]
        totals: dict[Any, int] = {}
        for throw, weight in enumerate(ways):
            result = self._result(throw, call, place)
            totals[result] = totals.get(result, 0) + weight
        single, whole = len(totals) == 1, sum(ways)
        return [
            (Fraction(1) if single else Fraction(n, whole) if whole else None, result) for result, n in totals.items()
        ]

    def _result(self, throw: int, call: int, reply: int) -> Any:
        return self.graph.results[self.graph.leaves[int(self.leaf[throw, call, reply])].result]

    def _allowed(self) -> list[int]:
        """Places of the legal calls."""
        return [int(place) for place in np.flatnonzero(self.legal.any(axis=1))]

    def _calls(self, throw: int) -> list[MixedMove]:
        """Value of each call to the player with this throw."""
        moves = []
        for call in self._allowed():
            of = np.flatnonzero(self.legal[call])
            bounds = _mean(self.replies[call, of], self.leaf_values[throw, call, of])
            moves.append(MixedMove(self.stage.calls[call], bounds, float(self.calls[throw, call]) / PARTS_PER_ONE))
        return _widen_support(moves)

    def _replies(self, call: int) -> list[MixedMove]:
        """Value of each reply to this call.

        Bayes' rule gives the probability of each throw from the caller's mix. After a call that is never made the
        throws keep their own chances, and the mix of replies need not be optimal.
        """
        ways = self.stage.weights * self.calls[:, call]
        is_called = bool(ways.any())
        moves = []
        for reply in np.flatnonzero(self.legal[call]).tolist():
            rows = self.leaf_values[:, call, reply]
            value, low, high = _mean(ways if is_called else self.stage.weights, rows)
            own = 1.0 - value, 1.0 - high, 1.0 - low
            moves.append(MixedMove(self.stage.replies[reply], own, float(self.replies[call, reply]) / PARTS_PER_ONE))
        return _widen_support(moves) if is_called else moves


def _mean(weights: Ints, rows: Floats) -> tuple[float, float, float]:
    """Mean of rows (value, lower, upper), bounds rounded outward; weights are whole numbers."""
    weight = weights / weights.sum()
    value, lower, upper = (weight[:, None] * rows).sum(axis=0).tolist()
    outward = (len(rows) + 8) * UNIT
    return value, max(lower - outward, 0.0), min(upper + outward, 1.0)


def _widen_support(moves: Sequence[MixedMove]) -> list[MixedMove]:
    """The same moves with bounds so wide that all moves of the mix may be best.

    Moves of a mix have the same value in equilibrium. Mixes are rounded, so their values differ by a trifle; bounds
    are moved outward by it.
    """
    best = max(move.bounds[0] for move in moves)
    trifle = max((best - move.bounds[0] for move in moves if move.probability), default=0.0)
    widened = []
    for move in moves:
        value, lower, upper = move.bounds
        widened.append(replace(move, bounds=(value, max(lower - trifle, 0.0), min(upper + trifle, 1.0))))
    return widened
