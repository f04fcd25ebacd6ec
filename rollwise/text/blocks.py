"""Blocks of a printed answer, the same for the terminal, for Markdown and for HTML.

The ``text`` of each question builds them (``rollwise.questions.ask.text``, ...) and knows no screen; ``terminal``,
``html`` and ``markdown`` render them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rollwise.text.numbers import EXACTLY, TEXT_PLACES, change, fraction, half_width, loss, n_places, number

NUMBER_WORDS: dict[str, Callable[[float, str, int], str]] = {"value": number, "change": change, "loss": loss}

# --- cells of tables --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inked:
    """A text with a colour, which only repeats the meaning of the text."""

    text: str
    ink: str = ""

    def __str__(self) -> str:
        return self.text


class MoveText(Inked):
    """A move, or the steps of one, shortened where there is little room."""


@dataclass(frozen=True)
class Amount:
    """A number of one ``sort``, formatted by ``rollwise.text.numbers``; empty for None."""

    sort: Literal["value", "change", "loss"]
    number: float | None
    unit: str = "probability"
    places: int = TEXT_PLACES
    ink: str = ""

    def __str__(self) -> str:
        return "" if self.number is None else NUMBER_WORDS[self.sort](self.number, self.unit, self.places)


@dataclass(frozen=True)
class ProvedNumber:
    """A number with certified bounds, and its exact fraction if it has one."""

    value: float
    lower: float
    upper: float
    unit: str
    exact: str | None = None

    def __str__(self) -> str:
        return self.text()

    @property
    def interval(self) -> str:
        """Half the width of the interval, in words."""
        return half_width(self.lower, self.upper, self.unit) if self.exact is None else EXACTLY

    @property
    def short(self) -> str:
        """The fraction, if it is short enough to stand beside the number."""
        return fraction(self.exact) or ""

    def text(self, places: int | None = None) -> str:
        """The number with as many decimal places as are certain, or with so many."""
        return number(self.value, self.unit, n_places(self.lower, self.upper, self.unit) if places is None else places)

    def with_unit(self, places: int | None = None) -> str:
        """The same with its unit."""
        return self.text(places) + ("" if self.unit == "probability" else f" {self.unit}")


@dataclass(frozen=True)
class Bar:
    """A bar for a number from 0 to 1, at most ``max_chars`` long, shorter where there is less room.

    Bars whose ``ink`` carries their meaning, good or bad, are left out without colour.
    """

    share: float
    max_chars: int = 40
    ink: str = ""

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True)
class ThrownDice:
    """A throw, the throws ``then`` after it, and how many ``more`` throws have the same outcome."""

    dice: tuple[int, ...]
    then: tuple[tuple[int, ...], ...] = ()
    more: int = 0

    def __str__(self) -> str:
        faces = ", then ".join(" ".join(map(str, dice)) for dice in (self.dice, *self.then))
        return f"{faces} +{self.more}" if self.more else faces


TableCell: TypeAlias = str | Inked | Amount | ProvedNumber | Bar | ThrownDice


# --- blocks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heading:
    """A heading; ``level`` 1 is the title of a page."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Sentence:
    """Texts, each on lines of its own; lines after the first are indented by ``hanging``."""

    texts: Sequence[str]
    hanging: int = 0
    ink: str = ""


@dataclass(frozen=True)
class StateFields:
    """The fields of a question as users type them."""

    text: str
    indent: int = 0
    ink: str = ""


@dataclass(frozen=True)
class DrawnLines:
    """Lines already laid out for one screen."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Fractions:
    """Exact fractions by name, too long to stand beside their numbers."""

    named: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class TableColumn:
    """A column of a table; on short lines columns with the highest ``rank`` are left out first, those with 0 never."""

    head: str
    cells: Sequence[TableCell]
    right: bool = False
    rank: int = 0


@dataclass(frozen=True)
class CellTable:
    """Rows of cells, the heads first; the first column names the row, those in ``right`` are flush right.

    ``names``: so many columns are repeated before columns that go on below. ``is_long``: of two columns, the last is a
    list. ``ranks``: see ``TableColumn``, by place. ``over``: titles above the heads from the second column on: long and
    short text, number of columns. ``above``: blocks above a row, by its place, or below the last one. ``below``: the
    last column, of states, stands below its row where there is no room for it.
    """

    rows: Sequence[Sequence[TableCell]]
    right: Sequence[int] = ()
    names: int = 1
    heading: str = ""
    is_long: bool = False
    ranks: Mapping[int, int] = field(default_factory=dict)
    over: Sequence[tuple[str, str, int]] = ()
    above: Mapping[int, Sentence | StateFields] = field(default_factory=dict)
    below: bool = False


def table_of(columns: Sequence[TableColumn], *, names: int = 1, below: bool = False) -> CellTable:
    """A table of the columns that have cells, with strong heads."""
    full = [column for column in columns if column.cells]
    return CellTable(
        [[Inked(column.head, "strong") for column in full], *zip(*(column.cells for column in full), strict=True)],
        right=[place for place, column in enumerate(full) if column.right],
        names=names,
        ranks={place: column.rank for place, column in enumerate(full)},
        below=below,
    )


@dataclass(frozen=True)
class FirstThatFits:
    """Several layouts of the same table: the first that fits the screen, else the last."""

    ways: Sequence[Sequence[CellTable]]


@dataclass(frozen=True)
class ThrowMap:
    """The outcomes of a throw of two dice as a square: by pair, lower face first, a text and its warmth.

    The warmth is from 0 (worst) to 1 (best), 0.5 for the mean of the throw.
    """

    title: str
    pairs: Mapping[tuple[int, int], tuple[str, float]]


@dataclass(frozen=True)
class Fact:
    """A named number, perhaps of a ``seat``; ``share``: the length of its bar, from 0 to 1."""

    name: str
    value: ProvedNumber
    seat: int | None = None
    is_mover: bool = False
    share: float = 0.0

    @property
    def has_fraction(self) -> bool:
        """True for a fraction that is no whole number."""
        return "/" in (self.value.exact or "")


@dataclass(frozen=True)
class Facts:
    """Named numbers."""

    rows: Sequence[Fact]


@dataclass(frozen=True)
class Glossary:
    """Words and their meanings; a word in ``heads`` is left out together with the column of that head."""

    words: Sequence[tuple[str, str]]
    heads: Mapping[str, str] = field(default_factory=dict)
    ink: str = ""


@dataclass(frozen=True)
class Bars:
    """A histogram: rows of name and chance, and ``notes`` on outcomes without a row."""

    title: str
    rows: Sequence[tuple[str, float]]
    notes: Sequence[str] = ()

    @property
    def most(self) -> float:
        """The largest chance, of the longest bar."""
        return max((chance for _, chance in self.rows), default=1.0) or 1.0


TextBlock: TypeAlias = Heading | Sentence | StateFields | DrawnLines | Fractions | Glossary
Block: TypeAlias = TextBlock | CellTable | FirstThatFits | ThrowMap | Facts | Bars
