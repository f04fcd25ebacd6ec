"""The answer of ``sweep`` and ``solve_all``: a row for each game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.solver.model.jsonable import Jsonable

SOLVED, STORED, NOTHING, LEFT_OUT, FAILED = "solved", "was kept", "nothing to keep", "left out", "failed"


@dataclass(frozen=True)
class SolvedRow(Jsonable):
    """A game with its rule ``parameters``, and its result; ``said`` are the parameters chosen for this row.

    ``state``: ``solved`` just now, ``was kept`` from before, ``nothing to keep`` (each question computes its answer),
    ``left out`` (too expensive) or ``failed``; ``reason`` explains the last two. Others have ``boards`` and ``seconds``
    of the solve, and the value of the start: ``value`` with proved bounds, in games without choices a list by seat, or
    None where values belong to bets.
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
        """True if the row has a value."""
        return bool(self.label)
