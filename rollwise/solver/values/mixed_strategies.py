"""Chances by which several decisions are drawn, so that nobody who moves at one of them would rather take another edge.

What the edges are worth moves with all the chances, and nearly by fixed slopes. With slopes taken for fixed this is a
game between the decisions in which each pair of them has a matrix of costs, and an equilibrium of it is a linear
complementarity problem, which Lemke's pivots solve: from a large extra cost of everything they walk along a path of
equilibria until that cost is gone (Howson 1972; the path cannot end before).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
MOST_PIVOTS = 20_000
SMALLEST = 1e-11  # no smaller pivot
ASIDE = 1e-7  # by so much costs are moved at random, so that no two pivots are equally good
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
        Where the pivots come to nothing, the chances stay as they are.
        """
        row_of = np.nonzero(self.open)[0]
        now = self.chances[self.open]
        scale = np.full(len(self.open), FAINTEST)
        np.maximum.at(scale, row_of, np.abs(slopes).sum(axis=1))
        most = np.where(self.open, self.worths, -np.inf).max(axis=1)
        fixed = (most[row_of] - self.worths[self.open] + slopes @ now) / scale[row_of]
        found = np.zeros(self.open.shape)
        chances = _equilibrium(fixed[:, None] / len(self.open) - slopes / scale[row_of, None], row_of)
        found[self.open] = now if chances is None else chances
        return found


def _equilibrium(costs: Floats, row_of: Ints) -> Floats | None:
    """Chances, those of each row adding up to 1, under which each edge that is drawn costs least of its row.

    ``costs``: shape (edges, edges): what an edge costs is the sum of its costs with each edge, times their chances.
    """
    edges, rows = len(costs), int(row_of[-1]) + 1
    member = (row_of == np.arange(rows)[:, None]).astype(np.float64)
    matrix = np.zeros((edges + rows, edges + rows))
    matrix[:edges, :edges] = costs - costs.min() + 1.0  # the same more for every edge
    matrix[:edges, edges:], matrix[edges:, :edges] = -member.T, member
    given = np.concatenate([np.zeros(edges), -np.ones(rows)])
    found = _complementary(matrix, given)
    if found is None:
        return None
    chances = np.maximum(found[:edges], 0.0)
    total = member @ chances
    return None if (total < ASIDE).any() else np.asarray(chances / total[row_of])


def _complementary(matrix: Floats, given: Floats) -> Floats | None:
    """x >= 0 with y = matrix x + given >= 0 and x y = 0, by Lemke's pivots; None where they come to no end."""
    size = len(given)
    aside = ASIDE * np.random.default_rng(1).random(size)
    table = np.concatenate([np.eye(size), -matrix, -np.ones((size, 1)), (given + aside)[:, None], given[:, None]], 1)
    basis, extra = np.arange(size), 2 * size
    entering, row = extra, int(np.argmin(table[:, extra + 1]))
    for _ in range(MOST_PIVOTS):
        table[row] /= table[row, entering]
        others = table[:, entering].copy()
        others[row] = 0.0
        table -= others[:, None] * table[row]
        leaving, basis[row] = int(basis[row]), entering
        if leaving == extra:
            found = np.zeros(2 * size + 1)
            found[basis] = table[:, extra + 2]
            return found[size:extra]
        entering = leaving + size if leaving < size else leaving - size
        positive = np.flatnonzero(table[:, entering] > SMALLEST)
        if not len(positive):
            break
        row = int(positive[np.argmin(table[positive, extra + 1] / table[positive, entering])])
    return None
