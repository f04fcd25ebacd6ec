"""What ``why`` answers with: a difference of two moves in parts, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rollwise.answers.advice import Assumed
from rollwise.solver.model.jsonable import Jsonable


@dataclass(frozen=True)
class WhyPart(Jsonable):
    """What one class of ends makes of the difference.

    ``called`` is the class; ``chance`` and mean ``value`` are under the best move, ``other_chance`` and ``other_value``
    under the other, a value None where the class does not come about. ``seats``, at tables: what each seat loses by
    it. On score sheets ``points`` are those of the turn on average, bonuses included, and ``rest`` is by how much what
    is still to come after it is worth more than all that was to come before the turn.
    """

    JSON = (
        "class=called chance value other_chance other_value part "
        "has_points?(points rest other_points other_rest) seats?"
    )

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

    @property
    def has_points(self) -> bool:
        """Is it told what the turn makes, and what the rest is worth then?"""
        return self.points is not None or self.other_points is not None


@dataclass(frozen=True)
class LinePart(Jsonable):
    """A line of a score sheet: what it holds at the end on average, after either move, and the difference."""

    line: str
    value: float
    other_value: float
    part: float


@dataclass(frozen=True)
class Why(Jsonable):
    """What makes the ``difference`` between the ``best`` move and the ``other``, in ``parts``.

    ``value`` and ``other_value`` are what the moves are worth; the difference is how much better the best is, so 0 or
    more where low is good too. With p and v the chance and the mean value of a class of ends under the best move, q and
    w under the other, and r the ``reference``, a part is p (v - r) - q (w - r), times -1 where low is good. Parts add
    up to the difference just as floats: each is a multiple of one small power of 2, and what rounding leaves stands in
    the largest. ``seats``, at tables: what each seat loses if the best is played. ``lines``, where they were asked for:
    the same difference line by line of the sheet. ``words`` tell it in a paragraph.
    """

    JSON = (
        "game parameters state mover unit sense best other value other_value difference reference "
        "parts lines? seats? assumed? words"
    )

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
    label: str = ""
    objective: str = ""
    lines: tuple[LinePart, ...] | None = None
    seats: tuple[float, ...] | None = None
    words: str = ""
    assumed: Assumed | None = None

    @property
    def has_points(self) -> bool:
        """The same of any part."""
        return any(part.has_points for part in self.parts)
