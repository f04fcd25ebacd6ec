"""Bonuses of a score sheet: their boxes, the threshold and the points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bonus:
    """Points that ``boxes`` earn together with ``enough`` points, or, where it ``counts``, so many boxes above 0."""

    called: str
    boxes: Sequence[str]
    enough: int
    points: int
    counts: bool = False

    def progress(self, sheet: Mapping[str, int]) -> int:
        """Points, or number of boxes, that count towards ``enough``."""
        return sum(bool(sheet.get(box)) if self.counts else sheet.get(box, 0) for box in self.boxes)
