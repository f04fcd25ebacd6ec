"""Fields of score sheets: scores by box, names of boxes; and the bonuses that boxes earn together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Drawn, Field, Form, Number, set_form, whole_number
from rollwise.solver.model.names import did_you_mean, matched
from rollwise.solver.model.plain import (
    is_nothing,
    pairs,
    parts,
    quoted,
)


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


@dataclass(frozen=True)
class Scores(Field):
    """A map from box names to the scores they allow, typed as ``sixes:18,chance:23``.

    ``bonuses`` are those that boxes earn together; the boxes of the first are the upper part of the sheet. ``line``:
    the field of points that stand on the sheet outside its boxes.
    """

    allowed: Mapping[str, Sequence[int]] = field(default_factory=dict)
    bonuses: tuple[Bonus, ...] = ()
    line: Number | None = None

    @property
    def form(self) -> Form:
        """A sheet: for some boxes one of the scores that each can hold."""
        return {"form": "map", "boxes": {box: list(scores) for box, scores in self.allowed.items()}}

    def read(self, argument: Any) -> dict[str, int]:
        """Scores by box name, in the order of the sheet."""
        boxes = [] if is_nothing(argument) else pairs(argument)
        if boxes is None:
            raise StateError(f"{self.name} is a list like box:score,..., got {quoted(argument)}")
        scores: dict[str, int] = {}
        for name, score in boxes:
            box = box_of(self.name, name, self.allowed)
            if box in scores:
                raise StateError(f"{self.name} names '{box}' twice")
            value = whole_number(f"{self.name} {box}", score)
            if value not in self.allowed[box]:
                raise StateError(f"box '{box}' can hold {listed(self.allowed[box])}, got {quoted(value)}")
            scores[box] = value
        return {box: scores[box] for box in self.allowed if box in scores}

    def show(self, value: Any) -> str:
        """As typed: sixes:18,chance:23."""
        return ",".join(f"{box}:{score}" for box, score in value.items()) if value else "none"

    def joins(self, word: str) -> bool:
        """True of every word: names of boxes contain spaces."""
        return True


def box_of(field_name: str, name: Any, boxes: Mapping[str, Any] | Sequence[str]) -> str:
    """The box of this name, as its sheet spells it; raises StateError where there is none."""
    box = matched(name, boxes)
    if box is None:
        text = quoted(name.replace("_", " ") if isinstance(name, str) else name)
        raise StateError(f"{field_name} has no box {text}{did_you_mean(name, boxes)}; boxes: {', '.join(boxes)}")
    return box


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


def listed(values: Sequence[int]) -> str:
    """Whole numbers as a short text: runs of three or more as ``a to b``.

    >>> listed([0, 5, 6, 7, 8])
    '0, 5 to 8'
    """
    runs: list[list[int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
