"""The transition of a table of two as that of a duel: a constant-sum game, so one number is the value of a board."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Columns, Game, Transition, TurnGame


def as_duel(transition: Transition) -> Transition:
    """The transition of a table of two as a duel's: the reward of an end is the mover's share, the first.

    So one ``transition`` serves a game for two and for more. Raises ModelError for shares whose sum is not 1.

    >>> int(as_duel(Transition(over=True, shares=[3, 1], per=4)).reward)
    3
    """
    if transition.shares is None:
        return transition
    rows = [np.asarray(row, dtype=np.int64) for row in transition.shares]
    over = np.asarray(transition.over, dtype=bool)
    if len(rows) != 2 or not np.all(np.where(over, sum(rows), transition.per) == transition.per):
        raise ModelError(f"a duel is shared by two seats, in {transition.per} parts together")
    return replace(transition, shares=None, reward=np.where(over, rows[0], np.asarray(transition.reward)))


class TableForTwo(TurnGame):
    """Mixin before the class of a table: for two players it is a duel."""

    def transition(self, board: Columns, result: Any) -> Transition:
        """As at the table."""
        return as_duel(super().transition(board, result))


def is_duel(game: Game) -> bool:
    """True for a game of two opponents, in which the turn passes to the other side of one value."""
    return game.kind in ("duel", "duel-rows", "hidden")
