"""The answer of ``sweep`` and ``solve_all``: a row for each game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rollwise.solver.model.jsonable import HIDDEN, Jsonable

WITH_VALUE = {"when": "label"}
SOLVED, STORED, NOTHING, LEFT_OUT, FAILED = "solved", "was kept", "nothing to keep", "left out", "failed"


@dataclass(frozen=True)
class SolvedRow(Jsonable):
    """A game with its rule ``parameters``, and its result; ``said`` are the parameters chosen for this row.

    ``state``: ``solved`` just now, ``was kept`` from before, ``nothing to keep`` (each question computes its answer),
    ``left out`` (too expensive) or ``failed``; ``reason`` explains the last two. Others have ``boards`` and ``seconds``
    of the solve, and the value of the start: ``value`` with proved bounds, in games without choices a list by seat, or
    None where values belong to bets.
    """

    game: str
    parameters: Mapping[str, Any]
    said: Mapping[str, Any] = field(metadata=HIDDEN)
    state: str
    reason: str = ""
    boards: int = field(default=0, metadata=WITH_VALUE)
    seconds: float = field(default=0.0, metadata=WITH_VALUE)
    label: str = ""
    unit: str = field(default="", metadata=WITH_VALUE)
    value: Any = field(default=None, metadata=WITH_VALUE)
    lower: Any = field(default=None, metadata=WITH_VALUE)
    upper: Any = field(default=None, metadata=WITH_VALUE)
