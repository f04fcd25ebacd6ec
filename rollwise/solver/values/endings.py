"""Chances of sorts of endings at a table whose seats all follow the solution's policy.

A chance x solves x = T x, where T takes one turn under the policy (an absorbing Markov chain: Kemeny and Snell 1960).
It is backed up as the response value of a seat other than the mover's: there the mover follows the policy. With e the
most by which one backup still moves x, rounding added, and w >= 1 + T w (the expected turns of the shares'
certificate), the error of x is at most e w, and that of the boards of later levels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import FLOAT32_MARGIN, error_bound
from rollwise.solver.turn.vectors import ending_chances
from rollwise.solver.values.anderson import evaluate_linear
from rollwise.solver.values.table_backups import Group, SolveState

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
OTHER_SEAT = 1  # the first that is not the mover's


class EndingChances:
    """Chances of all boards solved so far, by the name of the sort."""

    def __init__(self, solve: SolveState) -> None:
        self.solve = solve
        self.sorts = solve.game.endings()
        self.chances = {name: np.zeros_like(solve.values) for name in self.sorts}  # a row has the same in every place
        self.error = {name: np.full(solve.space.size, np.nan) for name in self.sorts}
        self.largest = dict.fromkeys(self.sorts, solve.game.uncertain)

    def solve_level(self, groups: list[Group], boards: Ints) -> None:
        """Solve boards that lead to each other and to solved ones."""
        solve = self.solve
        for name, is_counted in self.sorts.items():
            chances, size = self.chances[name], solve.space.size
            constants = ending_chances(solve.reader.constants, solve.seats, is_counted)
            chances[size : size + len(constants)] = constants[:, None]

            def sweep(chances: Floats = chances) -> None:
                for _, out, group_boards in solve.respond(groups, chances):
                    chances[group_boards] = out[:, OTHER_SEAT, None]

            what = f"the chances of {name.replace('_', ' ')} at {solve.game}"
            moved = evaluate_linear(chances, boards, sweep, what, cyclic=solve.game.cyclic)
            turns = solve.expected_turns[boards, OTHER_SEAT]
            self.error[name][boards] = error_bound(
                float(moved.max()) + solve.rounding, turns, self.largest[name], FLOAT32_MARGIN
            )
            self.largest[name] = max(self.largest[name], float(self.error[name][boards].max()))

    def resume(self, name: str, stored: Floats, boards: Ints) -> None:
        """Restore the chances of these boards from a checkpoint."""
        self.chances[name][boards], self.error[name][boards] = stored[boards, :1], stored[boards, 1]
        self.largest[name] = float(stored[boards, 1].max(initial=0.0))

    def arrays(self) -> dict[str, Floats]:
        """Chance and its error bound, float64, shape (boards, 2), nan for impossible boards."""
        size = self.solve.space.size
        return {
            name: np.stack([np.where(np.isnan(self.error[name]), np.nan, chances[:size, 0]), self.error[name]], axis=-1)
            for name, chances in self.chances.items()
        }
