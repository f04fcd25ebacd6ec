"""Ranking of moves by their intervals: best first, those indistinguishable from the best, losses of the others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import isfinite
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.rounding import down, up

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
VALUE, LOWER, UPPER = 0, 1, 2


def first_best(rows: Sequence[Sequence[float]], sense: str) -> int | None:
    """The first of moves, (value, lower, upper) each, indistinguishable from the best; None where none is legal."""
    legal = [row for row in rows if isfinite(row[VALUE])]
    if not legal:
        return None
    top = (max if sense == "max" else min)(legal, key=itemgetter(VALUE))
    good = (isfinite(row[VALUE]) and row[UPPER] >= top[LOWER] and row[LOWER] <= top[UPPER] for row in rows)
    return list(good).index(True)


class RankedMoves:
    """Decisions with ranked moves, a row each, moves in the game's own order.

    ``bounds``: float64, shape (rows, moves, 3), (value, lower, upper) of each move, infinite where it is illegal;
    ``sense``: max or min, the mover's objective. Rows without a legal move are left out: ``legal_rows`` are the places
    of the others, and all attributes are theirs. ``order`` and ``ranked`` (values) are best first, ``listed`` is True
    for the legal ones, ``top`` is the first move's interval, ``good`` (by move, in the game's own order) is True for
    moves whose interval overlaps it, ``best`` the first of these, and ``loss`` the difference from the first move: 0
    for good moves.
    """

    def __init__(self, bounds: Floats, sense: str) -> None:
        sign = 1 if sense == "max" else -1
        legal = np.isfinite(bounds[..., VALUE])
        self.legal_rows = np.flatnonzero(legal.any(axis=1))
        if len(self.legal_rows) < len(bounds):
            bounds, legal = bounds[self.legal_rows], legal[self.legal_rows]
        self.count = legal.sum(axis=1)
        value = bounds[..., VALUE]
        self.order = np.argsort(np.where(legal, -sign * value, np.inf), axis=1, kind="stable")
        self.listed = np.arange(bounds.shape[1]) < self.count[:, None]
        self.ranked = np.take_along_axis(value, self.order, axis=1)
        self.top = bounds[np.arange(len(bounds)), self.order[:, 0]]
        above, below = bounds[..., UPPER] >= self.top[:, None, LOWER], bounds[..., LOWER] <= self.top[:, None, UPPER]
        self.good = legal & above & below
        self.best = np.argmax(self.good, axis=1)
        self._bounds, self._legal = bounds, legal
        with np.errstate(invalid="ignore"):
            behind = np.maximum(0.0, sign * (self.top[:, None, VALUE] - value))
        self.loss = np.where(self.good, 0.0, behind)

    @cached_property
    def decided(self) -> NDArray[np.bool_]:
        """True for rows of chances in which every move, of several, wins for certain, or every one loses."""
        first = self.top[:, VALUE]
        is_decided: NDArray[np.bool_] = np.isin(first, (0.0, 1.0)) & (self.count > 1)
        rows = np.flatnonzero(is_decided)
        is_same = (self._bounds[rows] == first[rows, None, None]).all(axis=2)
        is_decided[rows] = (is_same | ~self._legal[rows]).all(axis=1)
        return is_decided

    def begin_with(self, rows: Ints, moves: Ints) -> None:
        """Make these moves, one a row, the best among equally good ones."""
        order = self.order[rows]
        others = order[order != moves[:, None]].reshape(len(rows), order.shape[1] - 1)
        self.best[rows], self.order[rows] = moves, np.column_stack([moves, others])

    @property
    def second_loss(self) -> Floats:
        """Loss of the second move; 0 where there is none."""
        second = np.where(self.count > 1, self.order[:, min(1, self.order.shape[1] - 1)], self.order[:, 0])
        loss: Floats = self.loss[np.arange(len(second)), second]
        return loss

    def outward(self, summed: NDArray[np.bool_]) -> None:
        """Round the bounds of first moves outward once more, in rows (of all) whose numbers are rounded sums."""
        for side, away in ((LOWER, down), (UPPER, up)):
            self.top[:, side] = np.where(summed[self.legal_rows], away(self.top[:, side]), self.top[:, side])

    @property
    def widest(self) -> float:
        """The widest interval of a first move."""
        return float(np.max(self.top[:, UPPER] - self.top[:, LOWER], initial=0.0))
