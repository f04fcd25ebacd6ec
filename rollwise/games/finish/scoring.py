"""The row of Finish: the effect of a roll, and the chips that must have been paid."""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.model.dice import Faces

SPACES = 6  # of the row, and as many dice

NEW = -1  # the row of a new round: empty, and its opener has not rolled yet


def reached(faces: Faces, placed: int) -> int:
    """The length of the row once these dice are added to the numbers from 1 to ``placed``.

    >>> reached((1, 2, 3, 6, 6, 1), 0), reached((6, 2), 4)
    (3, 4)
    """
    while placed < SPACES and placed + 1 in faces:
        placed += 1
    return placed


def outcome(faces: Faces, row: int) -> str | int:
    """The effect of a roll: it ``wins`` the game, ``finishes`` the round, gives the row a new length, or ``pays``.

    >>> outcome((1, 2, 3, 4, 5, 6), NEW), outcome((1, 2, 3, 4, 5, 6), 0), outcome((4, 1, 3), 3), outcome((5,), 5)
    ('wins', 'finishes', 4, 'pays')
    """
    placed = max(row, 0)
    after = reached(faces, placed)
    return "pays" if after == placed else lengthened(row, after)


def lengthened(row: int, after: int) -> str | int:
    """The effect of a row that is made longer, up to the number ``after``.

    >>> lengthened(NEW, 6), lengthened(0, 6), lengthened(NEW, 3)
    ('wins', 'finishes', 3)
    """
    if after == SPACES:
        return "wins" if row == NEW else "finishes"
    return after


def _least_paid(chips: Any, row: Any) -> Any:
    """The fewest chips that can have been paid to the pot when players hold these.

    While all are in, a finished round takes one chip from each player but the finisher, who gains players - 1: the same
    number for all, modulo players. So, modulo players, each player's chips and payments add up to the same number. An
    opener who placed nothing has paid for the whole row, or is out.
    """
    players = len(chips)
    agreed = np.min([((together - chips) % players).sum(axis=0) for together in range(players)], axis=0)
    out = (chips == 0).any(axis=0)
    return np.maximum(np.where(out, 0, agreed), np.where(row == 0, np.where(out, 1, SPACES), 0))
