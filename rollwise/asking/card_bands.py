"""Thresholds of Pig and Piggy Six by bands of both scores, read off the best play.

In each band the threshold is taken with which the best play disagrees least: every decision on the wrong side counts
what it loses there, weighted with the chance that a turn which never holds comes to it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from rollwise.asking.ladders import ROLL, Ladders, decided_boards, ladders
from rollwise.games.cards.rules import TO_THE_END
from rollwise.solver.kinds.kind import Solution
from rollwise.solver.model.game import Chance, Goto, NodeKey, TurnGame
from rollwise.solver.turn.graph import states_in_order
from rollwise.solver.turn.query import moves_asked

BANDS = 10


@dataclass(frozen=True)
class Bands:
    """Hold-at thresholds by bands of ``width``, the mover's score first; ``finish`` as the rule has it."""

    width: int
    table: tuple[tuple[int, ...], ...]
    finish: tuple[int, ...] = ()


def bands_of(opened: Solution, target: int) -> Bands:
    """The thresholds with the fewest weighted errors; ``finish`` where reaching the target does not end the game."""
    game = opened.game
    width = -(-target // BANDS)
    chances = _chances(game, game.roots()[0])
    holds: dict[tuple[int, int], _Errors] = defaultdict(_Errors)
    ends: dict[int, _Errors] = defaultdict(_Errors)
    for some in ladders(opened, decided_boards(game)):
        _read(game, some, target, width, chances, holds, ends)
    n = -(-target // width)
    table = tuple(
        tuple(holds[mine, theirs].best(1, target - mine * width, TO_THE_END) for theirs in range(n))
        for mine in range(n)
    )
    finish = tuple(ends[theirs].best(target, target + width * BANDS) for theirs in range(n)) if ends else ()
    return Bands(width, table, finish)


class _Errors:
    """What it loses to hold, and to roll, at each total, over the decisions of a band."""

    def __init__(self) -> None:
        self.of_rolling: dict[int, float] = defaultdict(float)
        self.of_holding: dict[int, float] = defaultdict(float)

    def note(self, total: int, gain: float) -> None:
        """Holding is better by ``gain``, weighted; or worse, if it is below 0."""
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


def _read(
    game: TurnGame,
    some: Ladders,
    target: int,
    width: int,
    chances: dict[NodeKey, float],
    holds: dict[tuple[int, int], _Errors],
    ends: dict[int, _Errors],
) -> None:
    columns = game.boards().columns(some.boards)
    mine, theirs = np.asarray(columns.mine), np.asarray(columns.theirs)
    first = np.asarray(columns.seat) == 0 if "seat" in game.boards().names else np.zeros(len(mine), dtype=bool)
    for rest, ladder in some.ladders.items():
        for rung in ladder:
            gains = chances[(rung.total, *rest)] * np.nan_to_num(rung.gain)
            reaches = mine + rung.total >= target
            counts = [column[~reaches | first].tolist() for column in (mine, theirs, reaches, gains)]
            for a, b, is_end, gain in zip(*counts, strict=True):
                if is_end:
                    ends[b // width].note(a + rung.total, gain)
                else:
                    holds[a // width, b // width].note(rung.total, gain)


def _chances(game: TurnGame, root: NodeKey) -> dict[NodeKey, float]:
    """The chance that a turn which never holds comes to each state."""
    words = list(states_in_order(game.turn, [root]))[::-1]
    chances = {state: 0.0 for state, _ in words}
    chances[root] = 1.0
    for state, _ in words:
        word = next((move.after for move in moves_asked(game, state) if move.name == ROLL), None)
        if not isinstance(word, Chance):
            continue
        ways = sum(weight for weight, _ in word.outcomes)
        for weight, after in word.outcomes:
            if isinstance(after, Goto) and after.state in chances:
                chances[after.state] += chances[state] * weight / ways
    return chances
