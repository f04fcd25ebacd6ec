"""Rows of games whose best play is a mix: what every move is worth, and how often it is made, board by board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.model import State
from rollwise.solver.kinds.kind import Opened

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class MixTargets:
    """What the moves of some decisions are worth, one after the other, and behind them a row for what is no move.

    ``rows``: shape (decisions, most moves), where each move's number stands; ``names``: the same shape, places in
    ``all_names``. ``probabilities``, in the same order, are those of the board whose ``values`` were asked last, one
    board at a time.
    """

    lanes = 1

    def __init__(self, opened: Opened, listed: Sequence[tuple[State, Sequence[str]]]) -> None:
        self.opened = opened
        self.states = [state for state, _ in listed]
        self.all_names = list(dict.fromkeys(name for _, names in listed for name in names))
        named = {name: number for number, name in enumerate(self.all_names)}
        counts = [len(names) for _, names in listed]
        self.n_moves = sum(counts)
        shape = len(listed), max(counts)
        self.rows: Ints = np.full(shape, self.n_moves, dtype=np.int64)
        self.names: Ints = np.zeros(shape, dtype=np.int64)
        first = 0
        for i, (_, names) in enumerate(listed):
            self.rows[i, : len(names)] = np.arange(first, first + len(names))
            self.names[i, : len(names)] = [named[name] for name in names]
            first += len(names)
        self.probabilities: Floats = np.zeros(0)

    def values(self, boards: Ints) -> Floats:
        """(value, lower, upper) of each move on each board, shape (lanes, moves + 1, 3)."""
        found = np.full((len(boards), self.n_moves + 1, 3), -np.inf)
        often = np.zeros((len(boards), self.n_moves + 1))
        for lane, board in enumerate(boards.tolist()):
            for i, state in enumerate(self.states):
                for place, move in zip(self.rows[i].tolist(), self.opened.moves(board, state), strict=False):
                    found[lane, place] = move.value, move.lower, move.upper
                    often[lane, place] = 1.0 if move.probability is None else move.probability
        self.probabilities = often.ravel()
        return found
