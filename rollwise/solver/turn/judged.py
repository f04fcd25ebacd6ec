"""Moves judged: best first, which of them cannot be told from the best, and what each of the others loses."""

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


def first_good(rows: Sequence[Sequence[float]], sense: str) -> int | None:
    """The first of some moves, (value, lower, upper) each, that cannot be told from the best; None: none is legal."""
    legal = [row for row in rows if isfinite(row[VALUE])]
    if not legal:
        return None
    top = (max if sense == "max" else min)(legal, key=itemgetter(VALUE))
    good = (isfinite(row[VALUE]) and row[UPPER] >= top[LOWER] and row[LOWER] <= top[UPPER] for row in rows)
    return list(good).index(True)


class Judged:
    """Decisions, a row each, with their moves in the game's own order.

    ``worths``: float64, shape (rows, moves, 3), (value, lower, upper) of each move, value infinite where it is illegal;
    ``sense``: max or min, what the mover wants. Rows without a legal move are left out: ``kept`` are the places of the
    others, and all that follows is theirs. ``order`` and ``ranked`` (values) are best first, ``listed`` says which of
    them are legal, ``top`` is the first move's interval, ``good`` (by move, in the game's own order) which moves cannot
    be told from it, ``best`` the first of these, and ``loss`` how much worse than the first move each is: 0 for those
    that are good.
    """

    def __init__(self, worths: Floats, sense: str) -> None:
        sign = 1 if sense == "max" else -1
        legal = np.isfinite(worths[..., VALUE])
        self.kept = np.flatnonzero(legal.any(axis=1))
        if len(self.kept) < len(worths):
            worths, legal = worths[self.kept], legal[self.kept]
        self.count = legal.sum(axis=1)
        value = worths[..., VALUE]
        self.order = np.argsort(np.where(legal, -sign * value, np.inf), axis=1, kind="stable")
        self.listed = np.arange(worths.shape[1]) < self.count[:, None]
        self.ranked = np.take_along_axis(value, self.order, axis=1)
        self.top = worths[np.arange(len(worths)), self.order[:, 0]]
        above, below = worths[..., UPPER] >= self.top[:, None, LOWER], worths[..., LOWER] <= self.top[:, None, UPPER]
        self.good = legal & above & below
        self.best = np.argmax(self.good, axis=1)
        self._worths, self._legal = worths, legal
        with np.errstate(invalid="ignore"):
            behind = np.maximum(0.0, sign * (self.top[:, None, VALUE] - value))
        self.loss = np.where(self.good, 0.0, behind)

    @cached_property
    def decided(self) -> NDArray[np.bool_]:
        """Of chances: every move, of several, wins for certain, or every one loses."""
        first = self.top[:, VALUE]
        is_decided: NDArray[np.bool_] = np.isin(first, (0.0, 1.0)) & (self.count > 1)
        rows = np.flatnonzero(is_decided)
        is_same = (self._worths[rows] == first[rows, None, None]).all(axis=2)
        is_decided[rows] = (is_same | ~self._legal[rows]).all(axis=1)
        return is_decided

    def begin_with(self, rows: Ints, moves: Ints) -> None:
        """Of moves that are equally good these, one a row, are the best."""
        order = self.order[rows]
        others = order[order != moves[:, None]].reshape(len(rows), order.shape[1] - 1)
        self.best[rows], self.order[rows] = moves, np.column_stack([moves, others])

    @property
    def second_loss(self) -> Floats:
        """What the second move loses; 0 where there is none."""
        second = np.where(self.count > 1, self.order[:, min(1, self.order.shape[1] - 1)], self.order[:, 0])
        found: Floats = self.loss[np.arange(len(second)), second]
        return found

    def outward(self, summed: NDArray[np.bool_]) -> None:
        """Round the bounds of first moves outward once more, in rows (of all) whose numbers are rounded sums."""
        for side, away in ((LOWER, down), (UPPER, up)):
            self.top[:, side] = np.where(summed[self.kept], away(self.top[:, side]), self.top[:, side])

    @property
    def widest(self) -> float:
        """The widest interval of a first move."""
        return float(np.max(self.top[:, UPPER] - self.top[:, LOWER], initial=0.0))
