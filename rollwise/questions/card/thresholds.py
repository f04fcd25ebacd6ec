"""Stopping decisions of a turn by rising total, and how far the best play is from a threshold policy.

A group holds the decisions between stopping and throwing on that differ in the turn's points alone: at Pig all of them,
at Ten Thousand those with the same number of dice left. A threshold fits a group on a board if the best play never
throws on above a total at which it stops. Only decisions that the best play reaches count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.games.card_policies import UNTIL_WON
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


def stopping_decisions(
    solution: Solution, boards: Ints
) -> Iterator[tuple[Ints, dict[tuple[Any, ...], list[StoppingDecision]]]]:
    """The stopping decisions of these boards (indices), some of one root at a time.

    With the boards come their decisions by the rest of the turn's state, in order of rising total.
    """
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
            yield chunk, by_rest


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
    for some, by_rest in stopping_decisions(solution, boards):
        for by_total in by_rest.values():
            stopped = np.zeros(len(some), dtype=bool)
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


BANDS = 10


@dataclass(frozen=True)
class Bands:
    """Hold-at thresholds by bands of ``width``, the mover's score first; ``finish`` as the rule has it."""

    width: int
    table: tuple[tuple[int, ...], ...]
    finish: tuple[int, ...] = ()


def bands_of(solution: Solution, target: int) -> Bands:
    """The thresholds with the fewest weighted errors; ``finish`` where reaching the target does not end the game."""
    game = solution.game
    width = -(-target // BANDS)
    chances = _arrival_chances(game, game.roots()[0])
    holds: dict[tuple[int, int], _ThresholdErrors] = defaultdict(_ThresholdErrors)
    ends: dict[int, _ThresholdErrors] = defaultdict(_ThresholdErrors)
    for boards, by_rest in stopping_decisions(solution, boards_without_last_turn(game)):
        columns = game.boards().columns(boards)
        mine, theirs = np.asarray(columns.mine), np.asarray(columns.theirs)
        first = np.asarray(columns.seat) == 0 if "seat" in game.boards().names else np.zeros(len(mine), dtype=bool)
        for rest, by_total in by_rest.items():
            for decision in by_total:
                gains = chances[(decision.total, *rest)] * np.nan_to_num(decision.gain)
                reaches = mine + decision.total >= target
                counts = [column[~reaches | first].tolist() for column in (mine, theirs, reaches, gains)]
                for own, other, is_end, gain in zip(*counts, strict=True):
                    if is_end:
                        ends[other // width].note(own + decision.total, gain)
                    else:
                        holds[own // width, other // width].note(decision.total, gain)
    n_bands = -(-target // width)
    table = tuple(
        tuple(holds[mine, theirs].best(1, target - mine * width, UNTIL_WON) for theirs in range(n_bands))
        for mine in range(n_bands)
    )
    finish = tuple(ends[theirs].best(target, target + width * BANDS) for theirs in range(n_bands)) if ends else ()
    return Bands(width, table, finish)


class _ThresholdErrors:
    """Losses of holding and of rolling, by total, summed over the decisions of a band."""

    def __init__(self) -> None:
        self.of_rolling: dict[int, float] = defaultdict(float)
        self.of_holding: dict[int, float] = defaultdict(float)

    def note(self, total: int, gain: float) -> None:
        """Add a decision in which holding gains ``gain`` (weighted) over rolling; below 0 it loses that."""
        if gain > 0:
            self.of_rolling[total] += gain
        else:
            self.of_holding[total] -= gain

    def best(self, low: int, high: int, beyond: int | None = None) -> int:
        """The threshold from ``low`` to ``high`` with the fewest errors; ``beyond`` if ``high`` is as good."""
        errors = sum(self.of_holding.values())
        best, least = low, float("inf")
        for threshold in range(low, high + 1):
            if threshold > low:
                errors += self.of_rolling.get(threshold - 1, 0.0) - self.of_holding.get(threshold - 1, 0.0)
            if errors < least - 1e-15:
                best, least = threshold, errors
        return beyond if beyond is not None and least >= errors - 1e-15 else best


def _arrival_chances(game: TurnGame, root: NodeKey) -> dict[NodeKey, float]:
    """The chance that a turn without holding reaches each of its nodes."""
    nodes = list(states_successors_first(game.turn, [root]))[::-1]
    chances = {state: 0.0 for state, _ in nodes}
    chances[root] = 1.0
    for state, _ in nodes:
        node = next((move.after for move in question_moves(game, state) if move.name == ROLL), None)
        if not isinstance(node, Chance):
            continue
        ways = sum(weight for weight, _ in node.outcomes)
        for weight, after in node.outcomes:
            if isinstance(after, Goto) and after.state in chances:
                chances[after.state] += chances[state] * weight / ways
    return chances
