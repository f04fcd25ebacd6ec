"""Boxes of a score sheet as a field of a question: a list of their names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Drawn, Field, Form, box_of, set_form
from rollwise.solver.model.plain import is_nothing, parts, quoted


@dataclass(frozen=True)
class BoxNames(Field):
    """Some of the ``boxes``, each once, typed as ``threes,fives``; ``-`` or ``none`` is an empty list."""

    boxes: tuple[str, ...]
    drawn: Drawn = field(default="boxes", kw_only=True)

    @property
    def form(self) -> Form:
        """Some of the boxes."""
        return set_form(self.boxes)

    def read(self, value: Any) -> tuple[str, ...]:
        """The boxes, in the order of the sheet."""
        words = [] if is_nothing(value) else parts(value, at_spaces=False)
        if words is None or isinstance(value, int):
            raise StateError(f"{self.name} is a list of boxes like {','.join(self.boxes[:2])}, got {quoted(value)}")
        named = [box_of(self.name, part, self.boxes) for part in words]
        for box in named:
            if named.count(box) > 1:
                raise StateError(f"{self.name} names '{box}' twice")
        return tuple(box for box in self.boxes if box in named)

    def show(self, value: Any) -> str:
        """As typed: threes,fives or none."""
        return ",".join(value) or "none"

    def joins(self, word: str) -> bool:
        """Always true: names of boxes contain spaces."""
        return True
