"""Thresholds of Pig and Piggy Six by bands of both scores, read off the best play.

Each band gets the threshold of least disagreement with the best play: every decision on the wrong side counts its
loss, weighted with the chance that a turn without holding reaches it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from rollwise.games.card_policies import UNTIL_WON
from rollwise.questions.card.thresholds import ROLL, StoppingDecisions, boards_without_last_turn, stopping_decisions
from rollwise.solver.kinds.kind import Solution
from rollwise.solver.model.game import Chance, Goto, NodeKey, TurnGame
from rollwise.solver.turn.graph import states_successors_first
from rollwise.solver.turn.questions import question_moves

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
    for decisions in stopping_decisions(solution, boards_without_last_turn(game)):
        _add_errors(game, decisions, target, width, chances, holds, ends)
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


def _add_errors(
    game: TurnGame,
    decisions: StoppingDecisions,
    target: int,
    width: int,
    chances: dict[NodeKey, float],
    holds: dict[tuple[int, int], _ThresholdErrors],
    ends: dict[int, _ThresholdErrors],
) -> None:
    columns = game.boards().columns(decisions.boards)
    mine, theirs = np.asarray(columns.mine), np.asarray(columns.theirs)
    first = np.asarray(columns.seat) == 0 if "seat" in game.boards().names else np.zeros(len(mine), dtype=bool)
    for rest, by_total in decisions.by_rest.items():
        for decision in by_total:
            gains = chances[(decision.total, *rest)] * np.nan_to_num(decision.gain)
            reaches = mine + decision.total >= target
            counts = [column[~reaches | first].tolist() for column in (mine, theirs, reaches, gains)]
            for own, other, is_end, gain in zip(*counts, strict=True):
                if is_end:
                    ends[other // width].note(own + decision.total, gain)
                else:
                    holds[own // width, other // width].note(decision.total, gain)


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
