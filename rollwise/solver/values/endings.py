"""How likely sorts of endings are at a table, if everybody plays as the solution does.

A chance x solves x = T x, where T takes one turn under the policy. It is carried through a backup as what others get
who alone would play otherwise: for them the mover's moves are those of the policy. With e the most by which one backup
still moves x, rounding added, and w >= 1 + T w (the waits of the proof of shares), x is off by at most e w, and by what
the boards of later levels are off.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import SINGLE, off_by
from rollwise.solver.turn.vectors import ending_chances
from rollwise.solver.values.anderson import solved
from rollwise.solver.values.table_backups import Group, SolveState

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
OTHER_SEAT = 1  # the first that is not the mover's


class Endings:
    """The chances of every board that is solved so far, by the name of the sort."""

    def __init__(self, solve: SolveState) -> None:
        self.solve = solve
        self.sorts = solve.game.endings()
        self.chances = {name: np.zeros_like(solve.values) for name in self.sorts}  # a row has the same in every place
        self.off = {name: np.full(solve.space.size, np.nan) for name in self.sorts}
        self.furthest = dict.fromkeys(self.sorts, solve.game.uncertain)

    def count(self, groups: list[Group], boards: Ints) -> None:
        """Boards that lead to each other and to those that are counted."""
        solve = self.solve
        for name, counts in self.sorts.items():
            chances, size = self.chances[name], solve.space.size
            ended = ending_chances(solve.settler.constants, solve.seats, counts)
            chances[size : size + len(ended)] = ended[:, None]

            def sweep(chances: Floats = chances) -> None:
                for _, out, mine in solve.both(groups, chances):
                    chances[mine] = out[:, OTHER_SEAT, None]

            what = f"the chances of {name.replace('_', ' ')} at {solve.game}"
            moved = solved(chances, boards, sweep, what, cyclic=solve.game.cyclic)
            waits = solve.waits[boards, OTHER_SEAT]
            self.off[name][boards] = off_by(float(moved.max()) + solve.rounding, waits, self.furthest[name], SINGLE)
            self.furthest[name] = max(self.furthest[name], float(self.off[name][boards].max()))

    def resume(self, name: str, kept: Floats, done: Ints) -> None:
        """Go on from what was kept of these boards."""
        self.chances[name][done], self.off[name][done] = kept[done, :1], kept[done, 1]
        self.furthest[name] = float(kept[done, 1].max(initial=0.0))

    def arrays(self) -> dict[str, Floats]:
        """Chance and how far off it may be, float64, shape (boards, 2), nan where no board can be."""
        size = self.solve.space.size
        return {
            name: np.stack([np.where(np.isnan(self.off[name]), np.nan, chances[:size, 0]), self.off[name]], axis=-1)
            for name, chances in self.chances.items()
        }
