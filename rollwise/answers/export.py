"""What ``export`` answers with: what was written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Exported:
    """What is there now: ``rows`` and ``bytes`` of all ``files``, of which some were ``already`` there, whole.

    ``seconds`` is the whole time, a solve included. ``stand_for``: what else rows stand for, where they do.
    """

    path: Path
    rows: int
    format: str
    bytes: int
    seconds: float
    files: int = 1
    already: int = 0
    stand_for: str = ""
