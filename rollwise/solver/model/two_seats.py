"""A table of two is a duel: what one seat wins more the other wins less, so one number says what a board is worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Game, Transition


def as_duel(said: Transition) -> Transition:
    """What a table of two says, for a duel: the end is worth the mover's share, which comes first.

    So one ``transition`` serves a game for two and for more. Raises ModelError for shares that are not 1 together.

    >>> int(as_duel(Settled(over=True, shares=[3, 1], per=4)).reward)
    3
    """
    if said.shares is None:
        return said
    rows = [np.asarray(row, dtype=np.int64) for row in said.shares]
    over = np.asarray(said.over, dtype=bool)
    if len(rows) != 2 or not np.all(np.where(over, sum(rows), said.per) == said.per):
        raise ModelError(f"a duel is shared by two seats, in {said.per} parts together")
    return replace(said, shares=None, reward=np.where(over, rows[0], np.asarray(said.reward)))


def is_duel(game: Game) -> bool:
    """Do two play against each other, so that the turn passes to the other side of one value?"""
    return game.kind in ("duel", "duel-rows", "hidden")
