"""Proof of how likely sorts of endings are at a table, if everybody plays by the policy that the stored shares say.

The chance x of every board stands where the proof of shares has what a seat gets that alone plays otherwise, and how
far off it may be, e, where that has the radius. In the columns of the seats that do not move the mover follows the
policy there. If on every board

    e >= |T x - x| + rounding + T e,

then e falls by the rounding at least in every turn, so the policy ends the game, and the true chance is within e of x.
At the end e is what the game itself leaves uncertain.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.checker.backup import UNIT
from rollwise.solver.checker.bounds import excess
from rollwise.solver.checker.table import Claimed, TableProof
from rollwise.solver.checker.transitions import told
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Counts = Callable[[tuple[Fraction, ...]], bool]
OTHER_SEAT = 1  # the first that does not move
LARGEST_PART = 1_000_000  # no win is shared in finer parts


class _Endings(TableProof):
    """One backup of every board; ``chances``: float64, shape (boards, 2), a chance and how far off it may be."""

    def __init__(self, game: TurnGame, graph: TurnGraph, claimed: Claimed, chances: Floats, counts: Counts) -> None:
        assert isinstance(claimed.tie, float)
        super().__init__(game, graph, claimed, claimed.tie)
        self.counts = counts
        self.rows[:, 1], self.rows[:, 2] = chances[:, 0, None], chances[:, 1, None]

    def leaf(self, number: int, boards: Ints) -> tuple[Floats, NDArray[np.bool_]]:
        """An ending counts, or not."""
        found, lost = super().leaf(number, boards)
        leaf = self.graph.leaves[number]
        if leaf.result != NO_RESULT:
            said = told(self.game, boards, self.graph.results[leaf.result], self.seats)
            for shares in np.unique(said.shares[:, said.over], axis=1).T:
                exactly = tuple(Fraction(float(share)).limit_denominator(LARGEST_PART) for share in shares)
                here = said.over & (said.shares == shares[:, None]).all(axis=0)
                found[here, 1] = float(self.counts(exactly))
        return found, lost

    def compare(self, boards: Ints, after: Floats, lost: NDArray[np.bool_]) -> None:
        """See ``TableProof``."""
        here, ahead = self.rows[boards, :, OTHER_SEAT], after[:, :, OTHER_SEAT]
        rounding = (self.graph.terms + 8) * UNIT * (1 + np.abs(ahead[:, 2]))
        by = excess(np.abs(ahead[:, 1] - here[:, 1]) + rounding + ahead[:, 2], here[:, 2])
        self.failures.add(boards, np.where(lost, np.inf, by), "the chance of an ending is further off than is said,")


def endings_hold(game: TurnGame, graph: TurnGraph, claimed: Claimed, chances: Floats, counts: Counts) -> str | None:
    """What is wrong with the chances of a sort of endings under the policy of shares that hold; None where all hold."""
    proof = _Endings(game, graph, claimed, chances, counts)
    with np.errstate(invalid="ignore"):  # a stored nan is found by the comparison
        proof.run(lambda share: None)
    return proof.failures.told(game)
