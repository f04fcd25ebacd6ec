"""What ``why`` answers with: a difference of two moves in parts, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rollwise.answer import Assumed, picked, plain_assumed


@dataclass(frozen=True)
class Part:
    """What one class of ends makes of the difference.

    ``called`` is the class; ``chance`` and mean ``value`` are under the best move, ``other_chance`` and ``other_value``
    under the other, a value None where the class does not come about. ``seats``, at tables: what each seat loses by
    it. On score sheets ``points`` are those of the turn on average, bonuses included, and ``rest`` is by how much what
    is still to come after it is worth more than all that was to come before the turn.
    """

    called: str
    chance: float
    value: float | None
    other_chance: float
    other_value: float | None
    part: float
    seats: tuple[float, ...] | None = None
    points: float | None = None
    rest: float | None = None
    other_points: float | None = None
    other_rest: float | None = None

    def plain(self, has_points: bool) -> dict[str, Any]:
        """As JSON shows it."""
        told = {"class": self.called, **picked(self, "chance", "value", "other_chance", "other_value", "part")}
        told |= picked(self, "points", "rest", "other_points", "other_rest") if has_points else {}
        return told if self.seats is None else {**told, "seats": list(self.seats)}


@dataclass(frozen=True)
class LinePart:
    """A line of a score sheet: what it holds at the end on average, after either move, and the difference."""

    line: str
    value: float
    other_value: float
    part: float

    def plain(self) -> dict[str, Any]:
        """As JSON shows it."""
        return {"line": self.line, "value": self.value, "other_value": self.other_value, "part": self.part}


@dataclass(frozen=True)
class Why:
    """What makes the ``difference`` between the ``best`` move and the ``other``, in ``parts``.

    ``value`` and ``other_value`` are what the moves are worth; the difference is how much better the best is, so 0 or
    more where low is good too. With p and v the chance and the mean value of a class of ends under the best move, q and
    w under the other, and r the ``reference``, a part is p (v - r) - q (w - r), times -1 where low is good. Parts add
    up to the difference just as floats: each is a multiple of one small power of 2, and what rounding leaves stands in
    the largest. ``seats``, at tables: what each seat loses if the best is played. ``lines``, where they were asked for:
    the same difference line by line of the sheet. ``words`` tell it in a paragraph.
    """

    game: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    mover: int
    unit: str
    sense: str
    best: str
    other: str
    value: float
    other_value: float
    difference: float
    reference: float
    parts: tuple[Part, ...]
    label: str = ""
    objective: str = ""
    lines: tuple[LinePart, ...] | None = None
    seats: tuple[float, ...] | None = None
    words: str = ""
    assumed: Assumed | None = None

    @property
    def has_points(self) -> bool:
        """Is it told what the turn makes, and what the rest is worth then?"""
        return any(part.points is not None or part.other_points is not None for part in self.parts)

    def plain(self) -> dict[str, Any]:
        """As JSON shows it."""
        told = picked(self, "game", "parameters", "state", "mover", "unit", "sense")
        told |= picked(self, "best", "other", "value", "other_value", "difference", "reference")
        told["parts"] = [part.plain(self.has_points) for part in self.parts]
        told |= {} if self.lines is None else {"lines": [line.plain() for line in self.lines]}
        told |= {} if self.seats is None else {"seats": list(self.seats)}
        return {**told, **plain_assumed(self.assumed), "words": self.words}
