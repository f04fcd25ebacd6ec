"""Why a move is better than another, as plain data for a page."""

from __future__ import annotations

from dataclasses import dataclass

from rollwise.explained import Why
from rollwise.why_text import meaning, parts_table


@dataclass(frozen=True)
class Reasons:
    """``words`` in sentences; the table: heads, rows, sums; ``best`` and ``other`` each head ``width`` columns."""

    words: tuple[str, ...]
    best: str
    other: str
    width: int
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sums: tuple[str, ...]
    meaning: str


def reasons_of(found: Why) -> Reasons:
    """The reasons as a page shows them."""
    table, width = parts_table(found)
    heads, *rows, sums = map(tuple, table)
    words = found.words.replace(". What it ", ".\nWhat it ").split("\n")
    return Reasons(tuple(words), found.best, found.other, width, heads, tuple(rows), sums, meaning(found))
