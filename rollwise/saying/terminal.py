"""Blocks as lines of text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TypeAlias

from rollwise.saying.blocks import (
    Bar,
    Bars,
    Block,
    Cell,
    Drawn,
    Facts,
    Fractions,
    Glossary,
    Heading,
    Sentence,
    State,
    Table,
    Value,
)
from rollwise.saying.layout import aligned, columns, exact_lines, state_lines, wrapped
from rollwise.saying.numbers import MOST
from rollwise.saying.screen import bar_beside, line_width, paint, screen

Blocks: TypeAlias = Block | Sequence[Block]  # one, or some that stand together

LONGEST_BAR = 40


def printed(blocks: Sequence[Blocks], *, exact: bool = False) -> list[str]:
    """Blocks with an empty line between them, but for those that are given together; ``exact``: long fractions too."""
    groups: list[list[str]] = []
    for some in blocks:
        if isinstance(some, Sequence):
            groups.append([line for block in some for part in _parts(block, exact) for line in part])
        else:
            groups += _parts(some, exact)
    found: list[str] = []
    for group in filter(None, groups):
        found += [""] if found else []
        found += [line.rstrip() for line in group]
    return found


def _parts(block: Block, exact: bool) -> list[list[str]]:
    """The lines of a block; those of numbers may be two parts."""
    match block:
        case Heading():
            return [wrapped(block.text, hanging=2)]
        case Sentence():
            on = screen()
            told = [line for text in block.texts for line in wrapped(text, block.hanging)]
            return [[paint(line, block.ink, on) for line in told] if block.ink else told]
        case State():
            return [state_lines(block.text)]
        case Drawn():
            return [list(block.lines)]
        case Fractions():
            return [["exactly", *exact_lines(block.named)]]
        case Table():
            return [[*wrapped(block.heading), *_table(block, exact)]]
        case Facts():
            return _facts(block, exact)
        case Glossary():
            return [wrapped("; ".join(f"{word}: {meaning}" for word, meaning in block.words))]
        case Bars():
            rows: list[list[Cell]] = [[name, block.told(n), Bar(n / block.most, LONGEST_BAR)] for name, n in block.rows]
            drawn = columns([[_cell(cell) for cell in row] for row in rows], right=(0, 1))
            return [[*wrapped(block.title), *drawn, *block.notes]]


def _table(table: Table, exact: bool) -> list[str]:
    """A table; its fractions where there is room for them, or they were asked for."""
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    if table.is_long:
        return _listed(rows)
    has_fractions = any(isinstance(cell, Value) for row in table.rows for cell in row)
    if has_fractions and not exact and max(map(len, aligned(rows, table.right))) > line_width():
        rows = [[_cell(cell, fractions=False) for cell in row] for row in table.rows]
    return columns(rows, table.right, table.names)


def _listed(rows: Sequence[Sequence[str]]) -> list[str]:
    """Two columns, the second of which is a list that goes on below itself."""
    left = max(len(name) for name, _ in rows) + 2
    found = []
    for name, of in rows:
        folded = textwrap.wrap(of, line_width() - left)
        found += [f"{name if n == 0 else '':{left}}{line}" for n, line in enumerate(folded)]
    return found


def _cell(cell: Cell, *, fractions: bool = True) -> str:
    if isinstance(cell, Bar):
        return bar_beside(cell.share, cell.longest, screen())
    if isinstance(cell, Value):
        if cell.exact and "/" not in cell.exact:
            return cell.exact
        shown = cell.told(MOST).removesuffix(f" {cell.unit}")
        return f"{shown} ({cell.exact})" if fractions and cell.exact else shown
    return cell


def _facts(block: Facts, exact: bool) -> list[list[str]]:
    """One line a number; fractions beside it, or below where they were asked for."""
    rows, fractions = [], []
    for fact in block.rows:
        whose = "" if fact.seat is None else f", seat {fact.seat}{' (to move)' if fact.is_mover else ''}"
        rows.append([fact.name + whose, fact.value.told(), fact.value.interval])
        fractions.append(fact.value if fact.value.exact and "/" in fact.value.exact else None)
    rows = _on_the_point(rows)
    with_short = [[*row, told.short if told else ""] for row, told in zip(rows, fractions, strict=True)]
    beside = max(map(len, aligned(with_short))) <= line_width()
    named = [(row[0], told) for row, told in zip(rows, fractions, strict=True) if told]
    below = [(label, told.exact or "") for label, told in named if not (beside and told.short)]
    blocks = [columns(with_short if beside else rows)]
    return [*blocks, ["exactly", *exact_lines(below)]] if exact and below else blocks


def _on_the_point(rows: list[list[str]]) -> list[list[str]]:
    """The numbers of the second column with their points below each other."""
    before = max(len(row[1].partition(".")[0]) for row in rows)
    return [[row[0], " " * (before - len(row[1].partition(".")[0])) + row[1], *row[2:]] for row in rows]
