"""Numbers that lead to each other, backed up again and again by workers in step until a rule says that this will do.

What comes out is a guess, however still it lies: ``solver.components.certificates`` says how far off it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollwise.solver.components.team import Team

Part = Callable[[int, int], float]
GoesOn = Callable[[float], bool]


class Sweeps:
    """A step of a team: sweeps over the same numbers.

    A sweep is some ``parts``, one after the other: each backs up the share of worker ``rank`` of so many, and returns
    by how much that moved a number, if the rule needs to know. The rule ``goes_on`` is asked after each sweep, by one
    worker while the others wait, with the most that was moved; it may write where the next sweep begins. Unless they
    ``share`` it one worker does it all: waiting for each other would take longer.
    """

    def __init__(self, parts: Sequence[Part], goes_on: GoesOn, share: bool = True) -> None:
        self.parts, self.goes_on, self.share = parts, goes_on, share
        self.is_over = False
        self._moved: dict[int, float] = {}  # by rank

    def run(self, rank: int, team: Team) -> None:
        """One worker's share of all sweeps."""
        workers, sync = (team.workers, team.sync) if self.share else (1, team.heed)
        while rank < workers and not self.is_over:
            most = 0.0
            for part in self.parts:
                self._moved[rank] = most = max(most, part(rank, workers))
                sync()
            if rank == 0:
                self.is_over = not self.goes_on(max(self._moved.values()))
            sync()


def sweep_until(sweep: Callable[[], None], goes_on: Callable[[], bool]) -> None:
    """Sweep, and again as long as ``goes_on`` says; the sweep has workers of its own, or none."""

    def whole(rank: int, workers: int) -> float:
        sweep()
        return 0.0

    Sweeps([whole], lambda moved: goes_on()).run(0, Team(1))
