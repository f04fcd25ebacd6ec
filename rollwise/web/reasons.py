"""Why a move is better than another, as plain data for a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rollwise.answers.why import Why
from rollwise.saying.why import PART, meaning, parts_table

PLACES = 2
LONG = re.compile(r"(-?\d+\.\d{3,})( %|)")


@dataclass(frozen=True)
class Reasons:
    """``words`` in sentences; the table: heads, rows, sums; ``best`` and ``other`` each head ``width`` columns.

    Before these stand what a class is called and its part of the difference, behind them what seats lose.
    """

    words: tuple[str, ...]
    best: str
    other: str
    width: int
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sums: tuple[str, ...]
    meaning: str


def _part_second(cells: Sequence[str], place: int) -> tuple[str, ...]:
    """A row with its part in front of the columns of the moves; values that are long for a screen are rounded."""
    return (cells[0], cells[place], *map(_shortly, cells[1:place]), *cells[place + 1 :])


def _shortly(cell: str) -> str:
    """A value with two digits after its point.

    >>> _shortly("59.163421 %"), _shortly("-0.1254"), _shortly("100.0 %"), _shortly("chance")
    ('59.16 %', '-0.13', '100.0 %', 'chance')
    """
    found = LONG.fullmatch(cell)
    return f"{float(found[1]):.{PLACES}f}{found[2]}" if found else cell


def reasons_of(found: Why) -> Reasons:
    """The reasons as a page shows them."""
    table, _, width = parts_table(found)
    place = table[0].index(PART)
    heads, *rows, sums = [_part_second(cells, place) for cells in table]
    words = found.words.replace(". What it ", ".\nWhat it ").split("\n")
    return Reasons(tuple(words), found.best, found.other, width, heads, tuple(rows), sums, meaning(found))
