"""Check of the chances of sorts of endings at a table under the policy that the stored shares imply.

The chance x of every board takes the place of a deviating seat's value in the proof of shares, and its error e that of
the radius. In the columns of the seats that do not move the mover follows the policy. If on every board

    e >= |T x - x| + rounding + T e,

then e falls by the rounding at least in every turn, so the policy ends the game, and the true chance is within e of x.
At the end e is the game's own uncertainty.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.checker.backup import UNIT
from rollwise.solver.checker.bounds import excess
from rollwise.solver.checker.table import Claims, TableProof
from rollwise.solver.checker.transitions import read_transition
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Counts = Callable[[tuple[Fraction, ...]], bool]
OTHER_SEAT = 1  # the first after the mover
MAX_PARTS = 1_000_000  # of a share of a win


class _EndingsProof(TableProof):
    """One backup of every board; ``chances``: float64, shape (boards, 2), a chance and its error."""

    def __init__(self, game: TurnGame, graph: TurnGraph, claims: Claims, chances: Floats, counted: Counts) -> None:
        assert isinstance(claims.tie, float)
        super().__init__(game, graph, claims, claims.tie)
        self.is_counted = counted
        self.rows[:, 1], self.rows[:, 2] = chances[:, 0, None], chances[:, 1, None]

    def leaf(self, number: int, boards: Ints) -> tuple[Floats, NDArray[np.bool_]]:
        """See ``TableProof``: an ending is counted, or not."""
        numbers, lost = super().leaf(number, boards)
        leaf = self.graph.leaves[number]
        if leaf.result != NO_RESULT:
            transition = read_transition(self.game, boards, self.graph.results[leaf.result], self.seats)
            for shares in np.unique(transition.shares[:, transition.over], axis=1).T:
                fractions = tuple(Fraction(float(share)).limit_denominator(MAX_PARTS) for share in shares)
                lanes = transition.over & (transition.shares == shares[:, None]).all(axis=0)
                numbers[lanes, 1] = float(self.is_counted(fractions))
        return numbers, lost

    def compare(self, boards: Ints, after: Floats, lost: NDArray[np.bool_]) -> None:
        """See ``TableProof``."""
        stored, backed_up = self.rows[boards, :, OTHER_SEAT], after[:, :, OTHER_SEAT]
        rounding = (self.graph.terms + 8) * UNIT * (1 + np.abs(backed_up[:, 2]))
        over = excess(np.abs(backed_up[:, 1] - stored[:, 1]) + rounding + backed_up[:, 2], stored[:, 2])
        self.failures.add(boards, np.where(lost, np.inf, over), "the error of an ending's chance is too small")


def endings_hold(game: TurnGame, graph: TurnGraph, claims: Claims, chances: Floats, counted: Counts) -> str | None:
    """The error in the chances of a sort of endings under proved shares, in words; None where all hold."""
    proof = _EndingsProof(game, graph, claims, chances, counted)
    with np.errstate(invalid="ignore"):  # a stored nan is found by the comparison
        proof.run(lambda share: None)
    return proof.failures.first_failure(game)
