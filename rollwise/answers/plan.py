"""What ``plan`` answers with: what a solve will take."""

from __future__ import annotations

from dataclasses import dataclass

from rollwise.solver.game.jsonable import Jsonable


@dataclass(frozen=True)
class SolvePlan(Jsonable):
    """What a solve will take, reckoned and not tried.

    ``boards`` that can be (about so many, where there are a million or more) and ``edges`` of the compiled turn;
    ``seconds`` on two cores that have nothing else to do, honest within a factor of three or so, without compiling the
    turn and, the first time on a machine, the program's own loops; bytes of ``memory``, those of the program among
    them, and bytes ``kept`` in the cache, both about. ``solved``: is it in the cache, or does a question need no solve
    before it? ``unrecorded``: results that are settled slowly, each with the reason.
    """

    JSON = "boards edges seconds memory kept solved unrecorded?"

    boards: int
    edges: int
    seconds: float
    memory: int
    kept: int
    solved: bool
    unrecorded: tuple[str, ...] = ()
