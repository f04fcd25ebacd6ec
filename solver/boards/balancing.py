"""Chances by which several decisions are drawn, so that nobody who moves at one of them would rather take another edge.

What the edges are worth moves with all the chances, and nearly by fixed slopes. With slopes taken for fixed this is a
linear complementarity problem of few unknowns: p = P(p + (w + S (p - q)) / s), where q are the chances now, w what the
edges are worth now, S the slopes, s a scale for each decision, and P leads back to chances, decision by decision. It is
met by steps that look one step ahead, which do not go round where two decisions chase each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
MOST_STEPS = 20_000
NEARER = 1e-4  # of how far off the first chances are: near enough, since slopes are not fixed
FAINTEST = 1e-12  # no smaller difference between edges is told from rounding


@dataclass(frozen=True)
class Drawn:
    """Decisions, a row each, their edges side by side: ``chances`` and ``worths`` to the mover, shape (decisions, n).

    ``open``: edges that may be drawn; the other places are no edges, or are left alone.
    """

    chances: Floats
    worths: Floats
    open: Flags

    @property
    def gain(self) -> Floats:
        """What the mover could gain at each decision by always taking the best edge."""
        mean = np.sum(np.where(self.chances > 0, self.chances * self.worths, 0.0), axis=1)
        most: Floats = np.where(self.open, self.worths, -np.inf).max(axis=1) - mean
        return most

    def balanced(self, slopes: Floats) -> Floats:
        """Chances from which nobody would go away, if what the open edges are worth moves with them by ``slopes``.

        ``slopes``: shape (open edges, open edges), row by row; a column is what moves with the chance of that edge.
        """
        scale = np.full(self.open.shape, FAINTEST)
        scale[self.open] = np.maximum(np.abs(slopes).sum(axis=1), FAINTEST)
        scale = np.broadcast_to(scale.max(axis=1, keepdims=True), scale.shape)[self.open]
        by, worths, start = slopes / scale[:, None], self.worths[self.open] / scale, self.chances[self.open]
        step = 0.5 / max(1e-3, float(np.linalg.norm(by, 2)))

        def moved(base: Floats, seen: Floats, far: float) -> Floats:
            wanted = np.zeros(self.open.shape)
            wanted[self.open] = base + far * (worths + by @ (seen - start))
            return to_chances(wanted, self.open)[self.open]

        now, first = start, np.inf
        for number in range(MOST_STEPS):
            off = float(np.max(np.abs(moved(now, now, 1.0) - now))) if number % 16 == 0 else np.inf
            first = off if number == 0 else first
            if off <= NEARER * first:
                break
            now = moved(now, moved(now, now, step), step)
        found = np.zeros(self.open.shape)
        found[self.open] = now
        return found


def to_chances(rows: Floats, is_open: Flags) -> Floats:
    """The nearest chances of each row, which add up to 1 over the places that are open."""
    falling = -np.sort(np.where(is_open, -rows, np.inf), axis=1)  # closed places last
    places = np.arange(1, rows.shape[1] + 1)
    with np.errstate(invalid="ignore"):
        over = (np.cumsum(falling, axis=1) - 1) / places
    kept = np.sum((falling > over) & np.isfinite(falling), axis=1)
    level = over[np.arange(len(rows)), kept - 1]
    found: Floats = np.where(is_open, np.maximum(rows - level[:, None], 0.0), 0.0)
    return found / found.sum(axis=1, keepdims=True)
