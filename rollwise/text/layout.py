"""Lines of text: how they are wrapped, and tables of texts.

No line is wider than the screen but for what cannot be broken, as a command to paste. ``columns`` lays out every
table so, and ``folded`` every other line as it is printed.
"""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

from rollwise.text.numbers import shortened
from rollwise.text.screen import ESCAPES, length, line_width, ljust, rjust

LABEL, WORDS = 12, 20  # characters that a column of some words, and of many, has at least
BELOW = 4  # blanks before the columns that stand below a row
WHOLE: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
TOGETHER = re.compile(r"(?<=[\d±]) ")  # blanks that no line ends with: of "42 %", "± 2e-12"


def wrapped(text: str, hanging: int = 0, before: str = "") -> list[str]:
    """Text in lines, ``before`` at the beginning of the first; words longer than a line stay whole."""
    rest = " " * hanging
    return textwrap.wrap(before + text, line_width(), subsequent_indent=rest, **WHOLE)


def state_lines(state: str) -> list[str]:
    """A state in lines that end after a field or after a comma: names of boxes have spaces.

    >>> len(state_lines("filled=" + ",".join(["three of a kind:20"] * 8))) > 1
    True
    """
    lines = [""]
    for piece in re.split(r"(?<=,)|(?<= )(?=\w+=)", state):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > line_width():
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines if line]


def folded(line: str, wide: int | None = None) -> list[str]:
    """A line as lines that the screen has room for; commands to paste stay whole, and so does what is painted."""
    if length(line) <= (wide or line_width()) or "\x1b" in line or line.lstrip().startswith("rollwise "):
        return [line]
    indent = len(line) - len(line.lstrip())
    return wrapped(line, indent + 2 * bool(indent))


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = (), names: int = 1) -> list[str]:
    """Rows as aligned lines that the screen has room for; the columns in ``right`` are set flush right.

    Where a line is too short words go on below, in their column. Where that is not enough, numbers that are left over
    stand in a further table after the first ``names`` columns; words, and what has no room there, below their row.
    """
    least = [_least(column) for column in zip(*rows, strict=True)]
    beside = line_width() - sum(least[:names]) - 2 * names
    again = list(range(names)) if right and max(least[names:], default=0) <= beside else []
    groups, used = [[0]], least[0]
    for place in range(1, len(least)):
        if used + 2 + least[place] > line_width() and place >= names:
            groups.append(list(again))
            used = sum(least[name] + 2 for name in again) - 2 if again else BELOW - 2
        groups[-1].append(place)
        used += 2 + least[place]
    tables: list[list[list[str]]] = []
    for group in groups:
        wide = line_width() - (BELOW if tables and not again else 0)
        flush = [place for place, column in enumerate(group) if column in right]
        cells = [[row[column] for column in group] for row in rows]
        tables.append(_lines_of(cells, flush, wide, [least[column] for column in group]))
    if again:
        return list(chain(*chain(tables[0], *([[""], *table] for table in tables[1:]))))
    return [
        (" " * BELOW if part else "") + line
        for row in zip(*tables, strict=True)
        for part, lines in enumerate(row)
        for line in lines
        if line or not part
    ]


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """The same for those who lay their tables out themselves: a line a row, however wide. Cells may have colour."""
    return list(chain(*_lines_of(rows, right)))


def _least(column: Sequence[str]) -> int:
    """How narrow a column may become."""
    wide = max(map(length, column))
    few = min(wide, max(LABEL, min(WORDS, wide // 2)))
    longer = {cell for cell in column if length(cell) > few}
    return max([few, *(length(word) for cell in longer for word in TOGETHER.sub("\xa0", cell).split(" "))])


def _lines_of(
    rows: Sequence[Sequence[str]], right: Sequence[int], wide: int = 0, least: Sequence[int] = ()
) -> list[list[str]]:
    """The lines of each row; columns are narrowed, to their ``least``, where this breaks the fewest cells."""
    lengths = [sorted(map(length, column)) for column in zip(*rows, strict=True)]
    widths = [each[-1] for each in lengths]
    while wide and sum(widths) + 2 * (len(widths) - 1) > wide and widths != least:
        broken = [len(each) - bisect_left(each, have) for each, have in zip(lengths, widths, strict=True)]
        wider = [place for place, have in enumerate(widths) if have > least[place]]
        widths[min(wider, key=lambda place: (broken[place], -widths[place]))] -= 1
    lays = [rjust if place in right else ljust for place in range(len(widths))]
    return [
        [
            "  ".join(lay(cell, have) for lay, cell, have in zip(lays, line, widths, strict=True)).rstrip()
            for line in cells
        ]
        for cells in (zip_longest(*map(_in_lines, row, widths), fillvalue="") for row in rows)
    ]


def _in_lines(cell: str, wide: int) -> list[str]:
    """A cell in lines; where it has a colour, each of them has."""
    if length(cell) <= wide:
        return [cell]
    begins, ends = ESCAPES.findall(cell) or ("", "")
    parts = textwrap.wrap(TOGETHER.sub("\xa0", ESCAPES.sub("", cell)), wide, **WHOLE)
    return [begins + part.replace("\xa0", " ") + ends for part in parts]


def exact_lines(named: Sequence[tuple[str, str]]) -> list[str]:
    """Fractions by name, long ones in lines of their own, the longest shortened."""
    wide, lines = line_width(), []
    for name, exact in named:
        text = shortened(exact)
        if len(name) + len(text) + 4 <= wide:
            lines.append(f"  {name}  {text}")
        else:
            lines += [f"  {name}", *(f"    {part}" for part in textwrap.wrap(text, wide - 4, break_on_hyphens=False))]
    return lines
