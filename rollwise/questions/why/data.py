"""The answer of ``why``: the difference of two moves in parts, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rollwise.questions.question import Assumed
from rollwise.solver.model.jsonable import HIDDEN, Jsonable

OF_POINTS = {"when": "has_points"}


@dataclass(frozen=True)
class WhyPart(Jsonable):
    """The part of one class of endings in the difference.

    ``called`` is the class; ``chance`` and mean ``value`` are under the best move, ``other_chance`` and ``other_value``
    under the other, a value None where the class does not occur. ``seats``, at tables: the loss of each seat by it. On
    score sheets ``points`` are the mean points of the turn, bonuses included, and ``rest`` is the mean of the points
    to come after it less the mean of all points to come before the turn.
    """

    called: str = field(metadata={"key": "class"})
    chance: float
    value: float | None
    other_chance: float
    other_value: float | None
    part: float
    points: float | None = field(default=None, metadata=OF_POINTS)
    rest: float | None = field(default=None, metadata=OF_POINTS)
    other_points: float | None = field(default=None, metadata=OF_POINTS)
    other_rest: float | None = field(default=None, metadata=OF_POINTS)
    seats: tuple[float, ...] | None = None

    @property
    def has_points(self) -> bool:
        """True if the part has the points of the turn and the rest."""
        return self.points is not None or self.other_points is not None


@dataclass(frozen=True)
class LinePart(Jsonable):
    """A line of a score sheet: its mean at the end after either move, and the difference."""

    line: str
    value: float
    other_value: float
    part: float


@dataclass(frozen=True)
class Why(Jsonable):
    """The ``difference`` between the ``best`` move and the ``other``, in ``parts``.

    ``value`` and ``other_value`` are the values of the moves; the difference is 0 or more, also where low is good. With
    p and v the chance and the mean value of a class of endings under the best move, q and w under the other, and r the
    ``reference``, a part is p (v - r) - q (w - r), times -1 where low is good. Parts add up exactly to the difference
    as floats: each is a multiple of one small power of 2, and the largest takes the remainder of the rounding.
    ``seats``, at tables: the loss of each seat if the best is played. ``lines``, on request: the same difference line
    by line of the sheet. ``words``: the explanation as a paragraph.
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
    parts: tuple[WhyPart, ...]
    lines: tuple[LinePart, ...] | None = None
    seats: tuple[float, ...] | None = None
    assumed: Assumed | None = None
    words: str = field(kw_only=True)
    label: str = field(kw_only=True, metadata=HIDDEN)
    objective: str = field(kw_only=True, metadata=HIDDEN)

    @property
    def has_points(self) -> bool:
        """True if any part has points."""
        return any(part.has_points for part in self.parts)
