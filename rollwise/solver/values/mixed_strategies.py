"""Mixed strategies of several decisions at once, such that no mover gains by taking another edge.

The action values of the edges depend on all the chances, and nearly linearly. Linearised, this is a polymatrix game
between the decisions (each pair has a matrix of costs), and its equilibrium is a linear complementarity problem, solved
by Lemke's pivots (Lemke 1965): from a large extra cost of everything they follow a path of equilibria until that cost
is gone, and the path cannot end before (Howson 1972).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
MAX_PIVOTS = 20_000
MIN_PIVOT = 1e-11  # no smaller pivot
PERTURBATION = 1e-7  # random, of the costs, so that no two pivots are equally good
MIN_SCALE = 1e-12  # smaller differences between edges are rounding
PARTS_PER_ONE = 1 << 53


def to_parts(strategies: NDArray[np.float64]) -> NDArray[np.int64]:
    """Strategies as whole numbers of PARTS_PER_ONE, shape (..., moves): the likeliest move takes the remainder.

    >>> to_parts(np.array([[0.25, 0.75, 0.0]])).tolist() == [[PARTS_PER_ONE // 4, PARTS_PER_ONE // 4 * 3, 0]]
    True
    """
    parts: Any = np.floor(strategies * PARTS_PER_ONE).astype(np.int64)
    remainder = PARTS_PER_ONE - parts.sum(axis=-1)
    is_used = strategies.sum(axis=-1) > 0
    likeliest = np.argmax(strategies, axis=-1)[..., None]
    added = np.take_along_axis(parts, likeliest, axis=-1) + np.where(is_used, remainder, 0)[..., None]
    np.put_along_axis(parts, likeliest, added, axis=-1)
    return np.asarray(parts)


@dataclass(frozen=True)
class PolymatrixGame:
    """Mixed decisions, a row each: ``chances`` of their edges and ``action_values`` to the mover, shape (decisions, n).

    ``open``: edges that a mixed strategy may take; the other places are no edges, or never taken.
    """

    chances: Floats
    action_values: Floats
    open: Flags

    @property
    def gain(self) -> Floats:
        """Gain of the mover at each decision by always taking the best edge."""
        mean = np.sum(np.where(self.chances > 0, self.chances * self.action_values, 0.0), axis=1)
        largest: Floats = np.where(self.open, self.action_values, -np.inf).max(axis=1) - mean
        return largest

    def equilibrium(self, jacobian: Floats) -> Floats:
        """Chances of an equilibrium of the linearised game; ``jacobian``: derivatives of action values by chances.

        Its shape is (open edges, open edges), row by row; a column holds the effects of one edge's chance. The chances
        stay as they are where the pivots fail.
        """
        row_of = np.nonzero(self.open)[0]
        weights = self.chances[self.open]
        scale = np.full(len(self.open), MIN_SCALE)
        np.maximum.at(scale, row_of, np.abs(jacobian).sum(axis=1))
        best = np.where(self.open, self.action_values, -np.inf).max(axis=1)
        constants = (best[row_of] - self.action_values[self.open] + jacobian @ weights) / scale[row_of]
        chances_by_place = np.zeros(self.open.shape)
        chances = _polymatrix_equilibrium(constants[:, None] / len(self.open) - jacobian / scale[row_of, None], row_of)
        chances_by_place[self.open] = weights if chances is None else chances
        return chances_by_place


def _polymatrix_equilibrium(costs: Floats, row_of: Ints) -> Floats | None:
    """Chances, those of each row adding up to 1, under which each edge with a positive chance costs least of its row.

    ``costs``: shape (edges, edges): the cost of an edge is the sum of its costs with each edge, times their chances.
    """
    edges, rows = len(costs), int(row_of[-1]) + 1
    member = (row_of == np.arange(rows)[:, None]).astype(np.float64)
    matrix = np.zeros((edges + rows, edges + rows))
    matrix[:edges, :edges] = costs - costs.min() + 1.0  # the same more for every edge
    matrix[:edges, edges:], matrix[edges:, :edges] = -member.T, member
    constants = np.concatenate([np.zeros(edges), -np.ones(rows)])
    solution = _solve_complementarity(matrix, constants)
    if solution is None:
        return None
    chances = np.maximum(solution[:edges], 0.0)
    total = member @ chances
    return None if (total < PERTURBATION).any() else np.asarray(chances / total[row_of])


def _solve_complementarity(matrix: Floats, fixed: Floats) -> Floats | None:
    """x >= 0 with y = matrix x + constants >= 0 and x y = 0, by Lemke's pivots; None where these do not end."""
    size = len(fixed)
    noise = PERTURBATION * np.random.default_rng(1).random(size)
    table = np.concatenate([np.eye(size), -matrix, -np.ones((size, 1)), (fixed + noise)[:, None], fixed[:, None]], 1)
    basis, covering = np.arange(size), 2 * size
    entering, row = covering, int(np.argmin(table[:, covering + 1]))
    for _ in range(MAX_PIVOTS):
        table[row] /= table[row, entering]
        column = table[:, entering].copy()
        column[row] = 0.0
        table -= column[:, None] * table[row]
        leaving, basis[row] = int(basis[row]), entering
        if leaving == covering:
            solution = np.zeros(2 * size + 1)
            solution[basis] = table[:, covering + 2]
            return solution[size:covering]
        entering = leaving + size if leaving < size else leaving - size
        positive = np.flatnonzero(table[:, entering] > MIN_PIVOT)
        if not len(positive):
            break
        row = int(positive[np.argmin(table[positive, covering + 1] / table[positive, entering])])
    return None
