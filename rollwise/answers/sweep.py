"""What ``sweep`` and ``solve_all`` answer with: a row for each game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.solver.model.jsonable import Jsonable

SOLVED, KEPT, NOTHING, LEFT_OUT, FAILED = "solved", "was kept", "nothing to keep", "left out", "failed"


@dataclass(frozen=True)
class SolvedRow(Jsonable):
    """A game with its rule ``parameters``, and what became of it; ``said`` are those that were chosen for this row.

    ``state``: ``solved`` just now, ``was kept`` from before, ``nothing to keep`` (it is worked out when it is asked),
    ``left out`` (it would take too much) or ``failed``; ``reason`` says of the last two why. Of others ``boards`` and
    ``seconds`` of the solve, and what the start is worth: ``value`` with proved bounds, a list by seat where nobody
    chooses and it belongs to seats, None where it belongs to bets.
    """

    JSON = "game parameters state reason? solution?(boards seconds label unit value lower upper)"

    game: str
    parameters: Mapping[str, Any]
    said: Mapping[str, Any]
    state: str
    reason: str = ""
    boards: int = 0
    seconds: float = 0.0
    label: str = ""
    unit: str = ""
    value: Any = None
    lower: Any = None
    upper: Any = None

    @property
    def solution(self) -> bool:
        """Is its start worth something here?"""
        return bool(self.label)
