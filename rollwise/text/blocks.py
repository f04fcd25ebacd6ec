"""What an answer is made of when it is printed: blocks, the same for the terminal, for Markdown and for HTML.

A builder makes them, one an answer (``rollwise.text.advice``, ``outcomes``, ``why``, ``card``), and knows no screen;
``terminal``, ``html`` and ``markdown`` print them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rollwise.text.numbers import EXACTLY, TOLD, change, digits, fraction, loss, number, width

WORDED: dict[str, Callable[[float, str, int], str]] = {"value": number, "change": change, "loss": loss}

# --- cells of tables --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inked:
    """A text in the colour of a screen that has any, which only repeats what the text says."""

    text: str
    ink: str = ""

    def __str__(self) -> str:
        return self.text


class MoveText(Inked):
    """A move, or several steps of one: in short where there is little room."""


@dataclass(frozen=True)
class Amount:
    """A number of one ``sort``, as ``rollwise.text.numbers`` words it; empty where there is none."""

    sort: Literal["value", "change", "loss"]
    number: float | None
    unit: str = "probability"
    places: int = TOLD
    ink: str = ""

    def __str__(self) -> str:
        return "" if self.number is None else WORDED[self.sort](self.number, self.unit, self.places)


@dataclass(frozen=True)
class ProvedNumber:
    """A number that is proved to lie between two others, and the fraction that it is, where that is known."""

    value: float
    lower: float
    upper: float
    unit: str
    exact: str | None = None

    def __str__(self) -> str:
        return self.text()

    @property
    def interval(self) -> str:
        """Half the width of where it lies."""
        return width(self.lower, self.upper, self.unit) if self.exact is None else EXACTLY

    @property
    def short(self) -> str:
        """The fraction, where it is short enough to stand beside the number."""
        return fraction(self.exact) or ""

    def text(self, places: int | None = None) -> str:
        """The number: with as many digits as are sure, or with so many."""
        return number(self.value, self.unit, digits(self.lower, self.upper, self.unit) if places is None else places)

    def with_unit(self, places: int | None = None) -> str:
        """The same with its unit."""
        return self.text(places) + ("" if self.unit == "probability" else f" {self.unit}")


@dataclass(frozen=True)
class Bar:
    """A bar for a number from 0 to 1, of so many characters where it is 1: fewer where there is less room.

    Where bars have an ``ink`` that says what they are, good or bad, they are left out without colour.
    """

    share: float
    longest: int = 40
    ink: str = ""

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True)
class ThrownDice:
    """Dice that fell, ``then`` others, and how many ``more`` throws come to the same."""

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
    """What follows is about this; ``level`` 1 is the title of a page."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Sentence:
    """Texts, each from the beginning of a line; the second and further lines of one stand ``hanging`` to the right."""

    texts: Sequence[str]
    hanging: int = 0
    ink: str = ""


@dataclass(frozen=True)
class StateFields:
    """The fields of a question, as they would be typed."""

    text: str
    indent: int = 0
    ink: str = ""


@dataclass(frozen=True)
class DrawnLines:
    """Lines that were laid out for one screen."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Fractions:
    """What numbers are exactly, by name, where that is too long to stand beside them."""

    named: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class TableColumn:
    """A column of a table; ``rank``: those with the highest are left out first where a line is short, never 0."""

    head: str
    cells: Sequence[TableCell]
    right: bool = False
    rank: int = 0


@dataclass(frozen=True)
class CellTable:
    """Rows of cells, the heads first; the first column says what a row is of, those in ``right`` are numbers.

    ``names``: so many columns stand again before what a short line has no room for. ``is_long``: of two columns, the
    last is a list. ``ranks``: see ``TableColumn``, by place. ``over``: what stands above the heads of the second and
    further columns, in full and in short, and above how many. ``above``: what stands above a row, by its place, or
    below the last one. ``below``: does the last column, of states, stand below its row where there is no room for it?
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
    """A table of those of these columns that have cells, its heads strong."""
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
    """Several ways to lay out the same: on a screen the first that has room there, else the last."""

    ways: Sequence[Sequence[CellTable]]


@dataclass(frozen=True)
class ThrowMap:
    """A square of what a throw of two dice leads to: by the pair, the lower face first, a text and how good that is.

    From 0 to 1: a half is as good as all of it on average.
    """

    title: str
    pairs: Mapping[tuple[int, int], tuple[str, float]]


@dataclass(frozen=True)
class Fact:
    """A number and what it is, of a ``seat`` perhaps, or of who is to move; ``share``: how long its bar is."""

    name: str
    value: ProvedNumber
    seat: int | None = None
    is_mover: bool = False
    share: float = 0.0

    @property
    def has_fraction(self) -> bool:
        """Is there more to say exactly than the number?"""
        return "/" in (self.value.exact or "")


@dataclass(frozen=True)
class Facts:
    """Numbers, each with what it is."""

    rows: Sequence[Fact]


@dataclass(frozen=True)
class Glossary:
    """Words, and what they mean; one in ``heads`` is left out where the column of that head is."""

    words: Sequence[tuple[str, str]]
    heads: Mapping[str, str] = field(default_factory=dict)
    ink: str = ""


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


TextBlock: TypeAlias = Heading | Sentence | StateFields | DrawnLines | Fractions | Glossary
Block: TypeAlias = TextBlock | CellTable | FirstThatFits | ThrowMap | Facts | Bars
