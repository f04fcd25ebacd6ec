"""What ``plan`` answers with: what a solve will take."""

from __future__ import annotations

from dataclasses import dataclass

from rollwise.answers.sizes import BYTES, in_thousands, time_in_words
from rollwise.solver.model.jsonable import Jsonable

SMALL_SECONDS = 20.0  # a small solve takes no longer
SMALL_MEMORY = 1_000_000_000  # ... and no more bytes of memory


@dataclass(frozen=True)
class SolvePlan(Jsonable):
    """What a solve will take, reckoned and not tried.

    ``boards`` that can be (about so many, where there are a million or more) and ``edges`` of the compiled turn;
    ``seconds`` on two cores of this machine that have nothing else to do, mostly right within a factor of two, without
    compiling the turn and, the first time on a machine, the program's own loops; bytes of ``memory``, those of the
    program among them, and bytes ``kept`` in the cache, both about. ``solved``: is it in the cache, or does a question
    need no solve before it? ``unrecorded``: results that are settled slowly, each with the reason.
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
        """Is it done before anybody wonders?"""
        return self.seconds <= SMALL_SECONDS and self.memory <= SMALL_MEMORY

    @property
    def takes(self) -> str:
        """What it takes in words: ``about 40 seconds, 300 MB of memory and 20 MB on disk``."""
        memory, kept = in_thousands(self.memory, BYTES), in_thousands(self.kept, BYTES)
        return f"about {time_in_words(self.seconds)}, {memory} of memory and {kept} on disk"
