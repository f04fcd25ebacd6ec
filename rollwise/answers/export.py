"""The answer of ``export``: the files written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Exported:
    """The files of an export: ``rows`` and ``bytes`` of all ``files``, some of which were ``already`` complete.

    ``seconds`` is the whole time, a solve included. ``stand_for``: other decisions that rows stand for, in words.
    """

    path: Path
    rows: int
    format: str
    bytes: int
    seconds: float
    files: int = 1
    already: int = 0
    stand_for: str = ""
