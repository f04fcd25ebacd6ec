"""Boxes of a score sheet as a field of a question: a list of their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rollwise.solver.game.errors import StateError
from rollwise.solver.game.fields import Field


@dataclass(frozen=True)
class BoxNames(Field):
    """Some of the ``boxes``, each once, typed as ``threes,fives``; ``-`` or ``none`` is an empty list."""

    boxes: tuple[str, ...]

    def parse(self, given: Any) -> tuple[str, ...]:
        """The boxes, in the order of the sheet."""
        if given in ("-", "none", "", None):
            return ()
        if isinstance(given, str):
            named = [part.strip().replace("_", " ") for part in given.split(",")]
        elif isinstance(given, Sequence):
            named = [str(part) for part in given]
        else:
            raise StateError(f"{self.name} is a list of boxes like {','.join(self.boxes[:2])}, got {given!r}")
        for box in named:
            if box not in self.boxes:
                raise StateError(f"{self.name} has no box '{box}'; boxes: {', '.join(self.boxes)}")
            if named.count(box) > 1:
                raise StateError(f"{self.name} names '{box}' twice")
        return tuple(box for box in self.boxes if box in named)

    def show(self, value: Any) -> str:
        """As typed: threes,fives or none."""
        return ",".join(value) or "none"
