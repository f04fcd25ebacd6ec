"""End components (de Alfaro 1997) of boards: sets in which play can stay for ever. A graph search, no numbers."""

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


def find_endless_board(
    constants: Constants, groups: Sequence[RootGroup], boards: Ints, work: tuple[Floats, Floats] | None = None
) -> int | None:
    """A board of an end component among these boards; None where play must leave them.

    A board is dropped when its turn can no longer stay inside, whatever the players choose; the fixed point is left.
    ``work``: two arrays of values to work in, the first zero on all boards, and again where there is none.
    """
    inside, stays_inside = work or (constants.room(0.0), constants.room(0.0))
    inside[boards] = 1.0
    inside[constants.n_boards + constants.place[ILLEGAL]] = -np.inf
    candidates = [(group.backup, group.moves, group.boards) for group in groups]
    n_inside = len(boards)
    while n_inside:
        for backup, transitions, group_boards in candidates:
            backup.stays(transitions, inside, group_boards, stays_inside)
        staying = []
        for backup, transitions, group_boards in candidates:
            stays = stays_inside[group_boards] == 1.0
            inside[group_boards[~stays]] = 0.0
            if stays.any():
                staying.append((backup, transitions.of(np.flatnonzero(stays)), group_boards[stays]))
        if sum(len(group_boards) for *_, group_boards in staying) == n_inside:
            return int(staying[0][2][0])
        candidates, n_inside = staying, sum(len(group_boards) for *_, group_boards in staying)
    return None


def endless_play_error(game: TurnGame, board: int) -> ModelError:
    """ModelError that names a board from which play can go on for ever."""
    fields = game.boards().board(board)
    return ModelError(f"{game} can be played for ever from {fields}; say what that is worth")
