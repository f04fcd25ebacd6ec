"""What an answer is made of when it is told: blocks, the same for the terminal, for Markdown and for HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rollwise.saying.numbers import TOLD, digits, fraction, number, width


@dataclass(frozen=True)
class Heading:
    """What follows is about this; ``level`` 1 is the title of a page."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Sentence:
    """Texts, each from the beginning of a line; the second and further lines of one stand ``hanging`` to the right.

    ``ink``: the colour of a screen that has any, which only repeats what the text says.
    """

    texts: Sequence[str]
    hanging: int = 0
    ink: str = ""


@dataclass(frozen=True)
class State:
    """The fields of a question, as they would be typed."""

    text: str


@dataclass(frozen=True)
class Drawn:
    """Lines that were laid out for one screen."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Fractions:
    """What numbers are exactly, by name, where that is too long to stand beside them."""

    named: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Bar:
    """A cell: a bar for a number from 0 to 1, of so many characters where it is 1."""

    share: float
    longest: int = 40


@dataclass(frozen=True)
class Value:
    """A number that is proved to lie between two others, and the fraction that it is, where that is known."""

    value: float
    lower: float
    upper: float
    unit: str
    exact: str | None = None

    @property
    def interval(self) -> str:
        """Half the width of where it lies."""
        return width(self.lower, self.upper, self.unit)

    @property
    def short(self) -> str:
        """The fraction, where it is short enough to stand beside the number."""
        return fraction(self.exact) or ""

    def told(self, places: int | None = None) -> str:
        """The number with its unit; with as many digits as are sure, where nobody says how many."""
        places = digits(self.lower, self.upper, self.unit) if places is None else places
        return number(self.value, self.unit, places) + ("" if self.unit == "probability" else f" {self.unit}")


Cell: TypeAlias = str | Bar | Value


@dataclass(frozen=True)
class Table:
    """Rows of cells, the heads first; the first column says what a row is of, those in ``right`` are numbers.

    ``names``: so many columns stand again before what a short line has no room for. ``is_long``: of two columns, the
    last is a list.
    """

    rows: Sequence[Sequence[Cell]]
    right: Sequence[int] = ()
    names: int = 1
    heading: str = ""
    is_long: bool = False


@dataclass(frozen=True)
class Fact:
    """A number and what it is, of a ``seat`` perhaps, or of who is to move; ``share``: how long its bar is."""

    name: str
    value: Value
    seat: int | None = None
    is_mover: bool = False
    share: float = 0.0


@dataclass(frozen=True)
class Facts:
    """Numbers, each with what it is."""

    rows: Sequence[Fact]


@dataclass(frozen=True)
class Glossary:
    """Words, and what they mean."""

    words: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Bars:
    """A histogram: a name and a chance each, and ``notes`` on what is not there by itself."""

    title: str
    rows: Sequence[tuple[str, float]]
    notes: Sequence[str] = ()

    @property
    def most(self) -> float:
        """The largest chance, whose bar is the longest."""
        return max((chance for _, chance in self.rows), default=1.0) or 1.0

    def told(self, chance: float) -> str:
        """A chance as it is printed beside its bar."""
        return number(chance, "probability", TOLD)


Block: TypeAlias = Heading | Sentence | State | Drawn | Fractions | Table | Facts | Glossary | Bars
