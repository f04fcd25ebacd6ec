"""Layout of lines of text: wrapping, and tables of texts.

No line is wider than the screen, except unbreakable ones such as a command to paste. ``align_columns`` lays out every
table so, and ``fold_line`` every other printed line.
"""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

from rollwise.text.numbers import shorten_fraction
from rollwise.text.screen import ESCAPES, line_width, ljust, rjust, visible_len

LABEL_CHARS, WORDS_CHARS = 12, 20  # least width of a column of few words, and of many
BELOW_INDENT = 4  # indent of columns that stand below their row
WRAP_OPTIONS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
UNBREAKABLE = re.compile(r"(?<=[\d±]) ")  # a blank that keeps "42 %" and "± 2e-12" on one line


def wrap_text(text: str, hanging: int = 0) -> list[str]:
    """Text in lines; words longer than a line stay whole."""
    return textwrap.wrap(text, line_width(), subsequent_indent=" " * hanging, **WRAP_OPTIONS)


def wrap_state(state: str) -> list[str]:
    """A state in lines, broken after a field or a comma only, since names of boxes have spaces.

    >>> len(wrap_state("filled=" + ",".join(["three of a kind:20"] * 8))) > 1
    True
    """
    lines = [""]
    for piece in re.split(r"(?<=,)|(?<= )(?=\w+=)", state):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > line_width():
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines if line]


def fold_line(line: str, max_width: int | None = None) -> list[str]:
    """A line wrapped to the screen; commands to paste and coloured lines stay whole."""
    if visible_len(line) <= (max_width or line_width()) or "\x1b" in line or line.lstrip().startswith("rollwise "):
        return [line]
    indent = len(line) - len(line.lstrip())
    return wrap_text(line, indent + 2 * bool(indent))


def align_columns(rows: Sequence[Sequence[str]], right: Sequence[int] = (), names: int = 1) -> list[str]:
    """Rows as aligned lines that fit the screen; the columns in ``right`` are flush right.

    Where a line is too short, words wrap within their column. Where that is not enough, further columns of numbers
    stand in a table of their own after the first ``names`` columns, and all others below their row.
    """
    min_widths = [_min_width(column) for column in zip(*rows, strict=True)]
    room = line_width() - sum(min_widths[:names]) - 2 * names
    name_columns = list(range(names)) if right and max(min_widths[names:], default=0) <= room else []
    groups, used_width = [[0]], min_widths[0]
    for place in range(1, len(min_widths)):
        if used_width + 2 + min_widths[place] > line_width() and place >= names:
            groups.append(list(name_columns))
            used_width = sum(min_widths[name] + 2 for name in name_columns) - 2 if name_columns else BELOW_INDENT - 2
        groups[-1].append(place)
        used_width += 2 + min_widths[place]
    tables: list[list[list[str]]] = []
    for group in groups:
        max_width = line_width() - (BELOW_INDENT if tables and not name_columns else 0)
        flush = [place for place, column in enumerate(group) if column in right]
        cells = [[row[column] for column in group] for row in rows]
        tables.append(_row_lines(cells, flush, max_width, [min_widths[column] for column in group]))
    if name_columns:
        return list(chain(*chain(tables[0], *([[""], *table] for table in tables[1:]))))
    return [
        (" " * BELOW_INDENT if part else "") + line
        for row in zip(*tables, strict=True)
        for part, lines in enumerate(row)
        for line in lines
        if line or not part
    ]


def align_rows(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows as aligned lines without wrapping: one line a row, however wide. Cells may have colour."""
    return list(chain(*_row_lines(rows, right)))


def _min_width(column: Sequence[str]) -> int:
    """How narrow a column may become."""
    full = max(map(visible_len, column))
    low = min(full, max(LABEL_CHARS, min(WORDS_CHARS, full // 2)))
    longer = {cell for cell in column if visible_len(cell) > low}
    return max([low, *(visible_len(word) for cell in longer for word in UNBREAKABLE.sub("\xa0", cell).split(" "))])


def _row_lines(
    rows: Sequence[Sequence[str]], right: Sequence[int], max_width: int = 0, min_widths: Sequence[int] = ()
) -> list[list[str]]:
    """The lines of each row; columns are narrowed, down to ``min_widths``, where that wraps the fewest cells."""
    lengths = [sorted(map(visible_len, column)) for column in zip(*rows, strict=True)]
    widths = [each[-1] for each in lengths]
    while max_width and sum(widths) + 2 * (len(widths) - 1) > max_width and widths != min_widths:
        broken = [len(each) - bisect_left(each, width) for each, width in zip(lengths, widths, strict=True)]
        wider = [place for place, width in enumerate(widths) if width > min_widths[place]]
        widths[min(wider, key=lambda place: (broken[place], -widths[place]))] -= 1
    lays = [rjust if place in right else ljust for place in range(len(widths))]
    return [
        [
            "  ".join(lay(cell, width) for lay, cell, width in zip(lays, line, widths, strict=True)).rstrip()
            for line in cells
        ]
        for cells in (zip_longest(*map(_cell_lines, row, widths), fillvalue="") for row in rows)
    ]


def _cell_lines(cell: str, width: int) -> list[str]:
    """A cell in lines, each in the colour of the cell."""
    if visible_len(cell) <= width:
        return [cell]
    begins, ends = ESCAPES.findall(cell) or ("", "")
    parts = textwrap.wrap(UNBREAKABLE.sub("\xa0", ESCAPES.sub("", cell)), width, **WRAP_OPTIONS)
    return [begins + part.replace("\xa0", " ") + ends for part in parts]


def fraction_lines(named: Sequence[tuple[str, str]]) -> list[str]:
    """Fractions by name, long ones on lines of their own, the longest shortened."""
    chars, lines = line_width(), []
    for name, exact in named:
        text = shorten_fraction(exact)
        if len(name) + len(text) + 4 <= chars:
            lines.append(f"  {name}  {text}")
        else:
            lines += [f"  {name}", *(f"    {part}" for part in textwrap.wrap(text, chars - 4, break_on_hyphens=False))]
    return lines
