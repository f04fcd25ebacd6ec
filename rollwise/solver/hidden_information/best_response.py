"""What the moves of a question are worth where dice are hidden, read off the stored values and mixes of one board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.hidden_information.stage import NONE, USES, Stage
from rollwise.solver.model.game import NodeKey, TurnGame
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.exact_mixes import PARTS
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import Constants, among, leaf_values
from rollwise.solver.turn.transition_reader import TransitionReader

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NUMBERS = ("values", "lower", "upper")
ROLL = "roll"


class StoredRows(Protocol):
    """Stored arrays, by name, of which rows are read."""

    def rows(self, name: str, places: Ints) -> NDArray[Any]:
        """These rows of an array."""


@dataclass(frozen=True)
class MixedMove:
    """A move: ``bounds`` (value, lower, upper) of what it is worth to whoever makes it, when the other player keeps to
    the stored mix, and how often it is made (None before the throw, which has to be made).
    """

    name: str
    bounds: tuple[float, float, float]
    probability: float | None = None


@dataclass(frozen=True)
class Ended:
    """An end of the turn: its chance, its result, and (value, lower, upper) to who made the last move."""

    chance: float
    result: Any
    bounds: tuple[float, ...]


class HiddenTurn:
    """One board (by index) of a solved game."""

    def __init__(self, game: TurnGame, graph: TurnGraph, stage: Stage, kept: StoredRows, board: int) -> None:
        self.game, self.graph, self.stage, self.kept = game, graph, stage, kept
        space = game.boards()
        self.board = np.array([board])
        self.root = int(np.broadcast_to(game.root(space.columns(self.board)), 1)[0])
        self.answers = game.answers(tuple(game.roots()[self.root]))
        self.leaf = stage.leaf[self.root]
        self.legal = self.leaf[0] != NONE  # (calls, replies)
        constants = Constants(space.size)
        used = np.unique(self.leaf[self.leaf != NONE])
        codes = TransitionReader(game, graph, constants, uses=USES).transitions(used, self.board).codes[:, 0]
        ahead, small = among(codes, constants)
        ended = [[np.nan if isinstance(worth, str) else float(worth)] * 3 for worth in constants.place]
        known = np.concatenate([np.stack([kept.rows(name, ahead) for name in NUMBERS], axis=-1), ended])
        sides = ((known[:, same], known[:, other]) for same, other in ((0, 0), (1, 2), (2, 1)))
        worth = np.stack([leaf_values(small, *side, 1.0) for side in sides], axis=-1)
        self.worth = worth[np.searchsorted(used, self.leaf)]  # (throws, calls, replies, 3), to the caller
        self.calls: Ints = kept.rows("calls", self.board)[0]
        self.replies: Ints = kept.rows("replies", self.board)[0]

    def moves(self, state: NodeKey) -> list[MixedMove]:
        """The moves of a state, in the game's own order; none where nobody knows that this is where they are."""
        if state == tuple(self.game.roots()[self.root]):
            value, lower, upper = (float(self.kept.rows(name, self.board)[0]) for name in NUMBERS)
            return [MixedMove(ROLL, (value, lower, upper))]
        throws = self.stage.throws[self.root]
        if state in throws:
            return self._calls(throws.index(state))
        return self._replies(self.stage.calls.index(self.answers[state])) if state in self.answers else []

    def ends(self, state: NodeKey, move: str) -> list[Ended]:
        """How the turn ends after a move, against the stored mixes; none before the throw."""
        throws, calls = self.stage.throws[self.root], self.stage.calls
        if state in throws:
            throw, call = throws.index(state), calls.index(move)
            of = np.flatnonzero(self.legal[call])
            chances = self.replies[call, of] / self.replies[call, of].sum()
            return self._ended(chances, self.leaf[throw, call, of], self.worth[throw, call, of])
        if state not in self.answers:
            return []
        call, reply = calls.index(self.answers[state]), self.stage.replies.index(move)
        ways = self.stage.weights * self.calls[:, call]
        ways = ways if ways.any() else self.stage.weights
        worth = 1.0 - self.worth[:, call, reply][:, [0, 2, 1]]
        return self._ended(ways / ways.sum(), self.leaf[:, call, reply], worth)

    def _ended(self, chances: Floats, leaves: Ints, worth: Floats) -> list[Ended]:
        """Ends that can be, each with what it is worth to who made the move."""
        found = []
        for chance, leaf, row in zip(chances.tolist(), leaves.tolist(), worth.tolist(), strict=True):
            if chance:
                found.append(Ended(chance, self.graph.results[self.graph.leaves[leaf].result], tuple(row)))
        return found

    def note(self, state: NodeKey) -> str:
        """What to say of a question whose call tells nothing; empty for others."""
        call = self.answers.get(state)
        if call is None or self.calls[:, self.stage.calls.index(call)].any():
            return ""
        return (
            f"At its best nobody would {call} here. The numbers are those of all throws as the dice fall; the mix is "
            "what keeps a caller from it."
        )

    def replies_to(self, state: NodeKey, call: str) -> list[tuple[str, Fraction, Any]]:
        """After a call with a throw in sight: each reply, how likely it is, and the result that it comes to."""
        throw, place = self.stage.throws[self.root].index(state), self.stage.calls.index(call)
        return [
            (
                self.stage.replies[reply],
                Fraction(int(self.replies[place, reply]), PARTS),
                self._result(throw, place, reply),
            )
            for reply in np.flatnonzero(self.legal[place]).tolist()
        ]

    def shown(self, state: NodeKey, reply: str) -> list[tuple[Fraction | None, Any]]:
        """After a reply to a call: each result that the hidden dice can come to, and how likely it is.

        None where the call is never made, for then it says nothing of the dice.
        """
        call, place = self.stage.calls.index(self.answers[state]), self.stage.replies.index(reply)
        ways = [int(of) * int(made) for of, made in zip(self.stage.weights, self.calls[:, call], strict=True)]
        found: dict[Any, int] = {}
        for throw, weight in enumerate(ways):
            result = self._result(throw, call, place)
            found[result] = found.get(result, 0) + weight
        known, whole = len(found) == 1, sum(ways)
        return [
            (Fraction(1) if known else Fraction(n, whole) if whole else None, result) for result, n in found.items()
        ]

    def _result(self, throw: int, call: int, reply: int) -> Any:
        return self.graph.results[self.graph.leaves[int(self.leaf[throw, call, reply])].result]

    def _allowed(self) -> list[int]:
        """The places of the calls that are allowed."""
        return [int(place) for place in np.flatnonzero(self.legal.any(axis=1))]

    def _calls(self, throw: int) -> list[MixedMove]:
        """What each call is worth to whoever sees this throw."""
        found = []
        for call in self._allowed():
            of = np.flatnonzero(self.legal[call])
            bounds = _mean(self.replies[call, of], self.worth[throw, call, of])
            found.append(MixedMove(self.stage.calls[call], bounds, float(self.calls[throw, call]) / PARTS))
        return _overlapping(found)

    def _replies(self, call: int) -> list[MixedMove]:
        """What each reply is worth to whoever hears this call.

        How likely each throw is then follows from the caller's mix. A call that is never made tells nothing: what the
        replies are worth is said of all throws as they fall, and the mix need not be of the best.
        """
        ways = self.stage.weights * self.calls[:, call]
        is_made = bool(ways.any())
        found = []
        for reply in np.flatnonzero(self.legal[call]).tolist():
            left = self.worth[:, call, reply]
            value, low, high = _mean(ways if is_made else self.stage.weights, left)
            own = 1.0 - value, 1.0 - high, 1.0 - low
            found.append(MixedMove(self.stage.replies[reply], own, float(self.replies[call, reply]) / PARTS))
        return _overlapping(found) if is_made else found


def _mean(weights: Ints, rows: Floats) -> tuple[float, float, float]:
    """The mean of rows (value, lower, upper), bounds rounded outward; weights are whole numbers."""
    weight = weights / weights.sum()
    value, lower, upper = (weight[:, None] * rows).sum(axis=0).tolist()
    outward = (len(rows) + 8) * UNIT
    return value, max(lower - outward, 0.0), min(upper + outward, 1.0)


def _overlapping(moves: Sequence[MixedMove]) -> list[MixedMove]:
    """The same with intervals that tell no move of the mix from the best.

    Moves are mixed since they are worth the same. Mixes are rounded, so they are worth a trifle more or less against
    each other; bounds are moved outward by it.
    """
    best = max(move.bounds[0] for move in moves)
    trifle = max((best - move.bounds[0] for move in moves if move.probability), default=0.0)
    found = []
    for move in moves:
        value, lower, upper = move.bounds
        found.append(replace(move, bounds=(value, max(lower - trifle, 0.0), min(upper + trifle, 1.0))))
    return found
