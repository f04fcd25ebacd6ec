"""Can play stay on some boards for ever? Looked up in the graph, not told by numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.groups import RootGroup
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.perspective import ILLEGAL, Constants

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def trapped(
    constants: Constants, groups: Sequence[RootGroup], boards: Ints, room: tuple[Floats, Floats] | None = None
) -> int | None:
    """A board on which the players could together stay among these boards for ever; None where there is none.

    ``room``: two arrays of values to work in, the first zero on all boards, which it is afterwards too where there is
    none.
    """
    inside, after = room or (constants.room(0.0), constants.room(0.0))
    inside[boards] = 1.0
    inside[constants.n_boards + constants.place[ILLEGAL]] = -np.inf
    waiting = [(group.backup, group.moves, group.boards) for group in groups]
    left = len(boards)
    while left:
        for backup, moves, some in waiting:
            backup.stays(moves, inside, some, after)
        staying = []
        for backup, moves, some in waiting:
            stays = after[some] == 1.0
            inside[some[~stays]] = 0.0
            if stays.any():
                staying.append((backup, moves.of(np.flatnonzero(stays)), some[stays]))
        if sum(len(some) for *_, some in staying) == left:
            return int(staying[0][2][0])
        waiting, left = staying, sum(len(some) for *_, some in staying)
    return None


def endless_play(game: TurnGame, board: int) -> ModelError:
    """The error that says from where."""
    named = game.boards().board(board)
    return ModelError(f"{game} can be played for ever from {named}; say what that is worth")
