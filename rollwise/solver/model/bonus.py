"""A bonus of a score sheet as a person sees it: what its boxes hold, and what is enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bonus:
    """What ``boxes`` earn together with ``enough`` points, or, where it ``counts``, with so many above nothing."""

    called: str
    boxes: Sequence[str]
    enough: int
    points: int
    counts: bool = False

    def made(self, sheet: Mapping[str, int]) -> int:
        """What the boxes hold of what is enough."""
        return sum(bool(sheet.get(box)) if self.counts else sheet.get(box, 0) for box in self.boxes)
