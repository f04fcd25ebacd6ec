"""How the best play stops: by how many points of the turn, and how far that is from a threshold.

A *ladder* are the decisions of a turn between stopping and throwing on that differ in the turn's points alone: at Pig
all of them, at Ten Thousand those with the same number of dice left. A threshold is right about a ladder on a board if
the best play never throws on above a total at which it stops. That is looked at wherever the best play itself comes to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.games.cards.facts import BestPlay
from rollwise.solver.kinds.kind import Solution
from rollwise.solver.model.game import Chance, Decision, Goto, Node, NodeKey, TurnGame
from rollwise.solver.turn.graph import states_in_order
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, Turns, moves_asked

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
STOPS, ROLL = ("hold", "stop"), "roll"
LANES = 60_000_000  # nodes times boards that are looked at together


@dataclass(frozen=True)
class Rung:
    """One total of a ladder: what stopping and throwing on are worth on some boards, and where the best play comes.

    ``stop`` and ``roll``: float64, shape (boards, 3): value, lower, upper; ``reached``: bool by board.
    """

    total: int
    stop: Floats
    roll: Floats
    reached: Bools

    @property
    def stops(self) -> Bools:
        """Where stopping is best, or as good as far as proved."""
        return np.isfinite(self.stop[:, VALUE]) & (self.stop[:, UPPER] >= self.roll[:, LOWER])

    @property
    def gain(self) -> Floats:
        """How much more stopping is worth than throwing on; nan where it is not allowed."""
        return np.where(np.isfinite(self.stop[:, VALUE]), self.stop[:, VALUE] - self.roll[:, VALUE], np.nan)


@dataclass(frozen=True)
class Ladders:
    """The ladders of some boards that have one root: by what else the turn shows, the rungs by rising total."""

    boards: Ints
    ladders: dict[tuple[Any, ...], list[Rung]]


def ladders(opened: Solution, boards: Ints) -> Iterator[Ladders]:
    """The ladders of these boards, some at a time; ``boards`` are indices."""
    game = opened.game
    roots = np.broadcast_to(game.root(game.boards().columns(boards)), len(boards))
    for root in np.unique(roots).tolist():
        words = list(states_in_order(game.turn, [game.roots()[root]]))[::-1]
        rungs = [(state, two) for state, word in words if (two := _stop_of(game, state, word)) is not None]
        some = boards[roots == root]
        at_once = max(1, LANES // (3 * opened.graph.n_nodes))
        for first in range(0, len(some), at_once):
            chunk = some[first : first + at_once]
            turns = opened.turns(chunk)
            reached = _reached(turns, words, game.roots()[root])
            by_rest: dict[tuple[Any, ...], list[Rung]] = {}
            for state, (stop, roll) in rungs:
                rung = Rung(int(state[0]), turns.worth(stop), turns.worth(roll), reached[state])
                by_rest.setdefault(state[1:], []).append(rung)
            for ladder in by_rest.values():
                ladder.sort(key=lambda rung: rung.total)
            yield Ladders(chunk, by_rest)


def _stop_of(game: TurnGame, state: NodeKey, word: Node) -> tuple[Node, Node] | None:
    """The two moves of a rung, or None for any other state."""
    if not isinstance(word, Decision):
        return None
    moves = {move.name: move.after for move in moves_asked(game, state)}
    stop = next((moves[name] for name in STOPS if name in moves), None)
    return None if stop is None or ROLL not in moves else (stop, moves[ROLL])


def _reached(turns: Turns, words: list[tuple[NodeKey, Node]], root: NodeKey) -> dict[NodeKey, Bools]:
    """On which boards the best play comes to each state of the turn; of equal moves it may play any."""
    lanes = len(turns.boards)
    reached = {state: np.zeros(lanes, dtype=bool) for state, _ in words}
    reached[root][:] = True

    def on(word: Node, where: Bools) -> None:
        if isinstance(word, Goto):
            reached[word.state] |= where
        elif isinstance(word, Chance):
            for _, after in word.outcomes:
                on(after, where)
        elif isinstance(word, Decision):
            worths = [turns.worth(after) for _, after in word.moves]
            most = np.max([worth[:, LOWER] for worth in worths], axis=0)
            for (_, after), worth in zip(word.moves, worths, strict=True):
                on(after, where & np.isfinite(worth[:, VALUE]) & (worth[:, UPPER] >= most))

    for state, word in words:
        if reached[state].any():
            on(word, reached[state])
    return reached


def steadiness(opened: Solution, boards: Ints) -> BestPlay:
    """Count how often the best play throws on above a total at which it stops, over all that it comes to."""
    decisions = violations = 0
    for some in ladders(opened, boards):
        for ladder in some.ladders.values():
            stopped = np.zeros(len(some.boards), dtype=bool)
            for rung in ladder:
                allowed = rung.reached & np.isfinite(rung.stop[:, VALUE])
                decisions += int(allowed.sum())
                violations += int((allowed & stopped & ~rung.stops).sum())
                stopped |= rung.stops
    return BestPlay(decisions, violations)


def decided_boards(game: TurnGame, every: int = 1) -> Ints:
    """The boards that can be, where no last turn is played, by index: of both scores each so many steps one."""
    space = game.boards()
    indices = np.arange(space.size)
    columns = space.columns(indices)
    mine, theirs = np.asarray(columns.mine), np.asarray(columns.theirs)
    chosen = (theirs < space.ranges["mine"].stop) & (mine % every == 0) & (theirs % every == 0)
    boards: Ints = indices[np.broadcast_to(game.possible(columns), space.size) & chosen]
    return boards
