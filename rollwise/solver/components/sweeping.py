"""Repeated sweeps of Bellman backups over the same boards, by workers in step, until a stopping rule ends them.

The result is an approximation; ``solver.components.certificates`` bounds its error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollwise.solver.components.team import Team

Part = Callable[[int, int], float]
GoesOn = Callable[[float], bool]


class Sweeps:
    """A joint step of a team: sweeps over the same boards.

    A sweep runs its ``parts`` in order: each backs up the share of worker ``rank`` of ``workers``, and returns the
    largest change, where the stopping rule needs it. One worker calls the rule ``goes_on`` after each sweep, with the
    largest change, while the others wait; the rule may write the values from which the next sweep starts. With
    ``share`` False one worker does it all, since waiting for each other would take longer.
    """

    def __init__(self, parts: Sequence[Part], goes_on: GoesOn, share: bool = True) -> None:
        self.parts, self.goes_on, self.share = parts, goes_on, share
        self.is_over = False
        self._moved: dict[int, float] = {}  # by rank

    def run(self, rank: int, team: Team) -> None:
        """One worker's share of all sweeps."""
        workers, sync = (team.workers, team.sync) if self.share else (1, team.check_stopped)
        while rank < workers and not self.is_over:
            largest = 0.0
            for part in self.parts:
                self._moved[rank] = largest = max(largest, part(rank, workers))
                sync()
            if rank == 0:
                self.is_over = not self.goes_on(max(self._moved.values()))
            sync()


def sweep_until(sweep: Callable[[], None], goes_on: Callable[[], bool]) -> None:
    """Sweep as long as ``goes_on()`` is true; the sweep itself may use workers."""

    def whole(rank: int, workers: int) -> float:
        sweep()
        return 0.0

    Sweeps([whole], lambda moved: goes_on()).run(0, Team(1))
