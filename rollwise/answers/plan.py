"""The answer of ``plan``: the estimated cost of a solve."""

from __future__ import annotations

from dataclasses import dataclass

from rollwise.answers.sizes import BYTES, in_thousands, time_in_words
from rollwise.solver.model.jsonable import Jsonable

SMALL_SOLVE_S = 20.0  # at most, of a small solve
SMALL_SOLVE_BYTES = 1_000_000_000  # bytes of memory, likewise


@dataclass(frozen=True)
class SolvePlan(Jsonable):
    """The estimated cost of a solve.

    Possible ``boards`` (estimated from a million on) and ``edges`` of the compiled turn; ``seconds`` on two idle cores
    of this machine, mostly right within a factor of two, without compiling the turn and, the first time on a machine,
    the kernels; bytes of ``memory``, those of the program included, and bytes ``kept`` in the cache, both approximate.
    ``solved``: True if the cache has the solution, or no question needs one. ``unrecorded``: results whose transitions
    are computed slowly, each with the reason.
    """

    JSON = "boards edges seconds memory kept solved unrecorded?"

    boards: int
    edges: int
    seconds: float
    memory: int
    kept: int
    solved: bool
    unrecorded: tuple[str, ...] = ()

    @property
    def is_small(self) -> bool:
        """True if the solve is small enough to begin without an announcement."""
        return self.seconds <= SMALL_SOLVE_S and self.memory <= SMALL_SOLVE_BYTES

    @property
    def takes(self) -> str:
        """The cost in words: ``about 40 seconds, 300 MB of memory and 20 MB on disk``."""
        memory, disk = in_thousands(self.memory, BYTES), in_thousands(self.kept, BYTES)
        return f"about {time_in_words(self.seconds)}, {memory} of memory and {disk} on disk"
