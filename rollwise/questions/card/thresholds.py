"""Stopping decisions of a turn by rising total, and how far the best play is from a threshold policy.

A group holds the decisions between stopping and throwing on that differ in the turn's points alone: at Pig all of them,
at Ten Thousand those with the same number of dice left. A threshold fits a group on a board if the best play never
throws on above a total at which it stops. Only decisions that the best play reaches count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.games.cards import BestPlay
from rollwise.solver.kinds.kind import Solution
from rollwise.solver.model.game import Chance, Decision, Goto, Node, NodeKey, TurnGame
from rollwise.solver.turn.graph import states_successors_first
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, Turns
from rollwise.solver.turn.questions import question_moves

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
STOPS, ROLL = ("hold", "stop"), "roll"
MAX_LANES = 60_000_000  # nodes times boards that are backed up together


@dataclass(frozen=True)
class StoppingDecision:
    """The values of stopping and of throwing on at one total, on some boards.

    ``stop`` and ``roll``: float64, shape (boards, 3): value, lower, upper; ``reached``: bool by board.
    """

    total: int
    stop: Floats
    roll: Floats
    reached: Bools

    @property
    def stops(self) -> Bools:
        """Boards where stopping is best, or equally good within the bounds."""
        return np.isfinite(self.stop[:, VALUE]) & (self.stop[:, UPPER] >= self.roll[:, LOWER])

    @property
    def gain(self) -> Floats:
        """The value of stopping less that of throwing on; nan where stopping is not allowed."""
        return np.where(np.isfinite(self.stop[:, VALUE]), self.stop[:, VALUE] - self.roll[:, VALUE], np.nan)


@dataclass(frozen=True)
class StoppingDecisions:
    """Stopping decisions on boards of one root: by the rest of the turn's state, in order of rising total."""

    boards: Ints
    by_rest: dict[tuple[Any, ...], list[StoppingDecision]]


def stopping_decisions(solution: Solution, boards: Ints) -> Iterator[StoppingDecisions]:
    """The stopping decisions of these boards (indices), some boards at a time."""
    game = solution.game
    roots = np.broadcast_to(game.root(game.boards().columns(boards)), len(boards))
    for root in np.unique(roots).tolist():
        nodes = list(states_successors_first(game.turn, [game.roots()[root]]))[::-1]
        rungs = [(state, two) for state, node in nodes if (two := _stop_and_roll(game, state, node)) is not None]
        group = boards[roots == root]
        at_once = max(1, MAX_LANES // (3 * solution.graph.n_nodes))
        for first in range(0, len(group), at_once):
            chunk = group[first : first + at_once]
            turns = solution.turns(chunk)
            reached = _reached_boards(turns, nodes, game.roots()[root])
            by_rest: dict[tuple[Any, ...], list[StoppingDecision]] = {}
            for state, (stop, roll) in rungs:
                decision = StoppingDecision(int(state[0]), turns.value_of(stop), turns.value_of(roll), reached[state])
                by_rest.setdefault(state[1:], []).append(decision)
            for by_total in by_rest.values():
                by_total.sort(key=lambda decision: decision.total)
            yield StoppingDecisions(chunk, by_rest)


def _stop_and_roll(game: TurnGame, state: NodeKey, node: Node) -> tuple[Node, Node] | None:
    """The nodes after stopping and after throwing on, or None for any other state."""
    if not isinstance(node, Decision):
        return None
    moves = {move.name: move.after for move in question_moves(game, state)}
    stop = next((moves[name] for name in STOPS if name in moves), None)
    return None if stop is None or ROLL not in moves else (stop, moves[ROLL])


def _reached_boards(turns: Turns, nodes: list[tuple[NodeKey, Node]], root: NodeKey) -> dict[NodeKey, Bools]:
    """By state of the turn, the boards on which the best play reaches it; any of equally good moves counts."""
    lanes = len(turns.boards)
    reached = {state: np.zeros(lanes, dtype=bool) for state, _ in nodes}
    reached[root][:] = True

    def on(node: Node, where: Bools) -> None:
        if isinstance(node, Goto):
            reached[node.state] |= where
        elif isinstance(node, Chance):
            for _, after in node.outcomes:
                on(after, where)
        elif isinstance(node, Decision):
            values = [turns.value_of(after) for _, after in node.moves]
            most = np.max([value[:, LOWER] for value in values], axis=0)
            for (_, after), value in zip(node.moves, values, strict=True):
                on(after, where & np.isfinite(value[:, VALUE]) & (value[:, UPPER] >= most))

    for state, node in nodes:
        if reached[state].any():
            on(node, reached[state])
    return reached


def count_violations(solution: Solution, boards: Ints) -> BestPlay:
    """Count the reached decisions, and those in which the best play throws on above a total at which it stops."""
    decisions = violations = 0
    for group in stopping_decisions(solution, boards):
        for by_total in group.by_rest.values():
            stopped = np.zeros(len(group.boards), dtype=bool)
            for decision in by_total:
                allowed = decision.reached & np.isfinite(decision.stop[:, VALUE])
                decisions += int(allowed.sum())
                violations += int((allowed & stopped & ~decision.stops).sum())
                stopped |= decision.stops
    return BestPlay(decisions, violations, every=1)


def boards_without_last_turn(game: TurnGame, every: int = 1) -> Ints:
    """Indices of the possible boards without a last turn, those whose scores are both multiples of ``every``."""
    space = game.boards()
    indices = np.arange(space.size)
    columns = space.columns(indices)
    mine, theirs = np.asarray(columns.mine), np.asarray(columns.theirs)
    chosen = (theirs < space.ranges["mine"].stop) & (mine % every == 0) & (theirs % every == 0)
    boards: Ints = indices[np.broadcast_to(game.possible(columns), space.size) & chosen]
    return boards
