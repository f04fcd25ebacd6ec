"""Blocks rendered as lines of text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise
from typing import TypeAlias

from rollwise.solver.model.moves import parse_move
from rollwise.text.blocks import (
    Amount,
    Bar,
    Bars,
    Block,
    CellTable,
    DrawnLines,
    Facts,
    FirstThatFits,
    Fractions,
    Glossary,
    Heading,
    Inked,
    MoveText,
    ProvedNumber,
    Sentence,
    StateFields,
    TableCell,
    ThrowMap,
    ThrownDice,
)
from rollwise.text.layout import align_columns, align_rows, fraction_lines, wrap_state, wrap_text
from rollwise.text.numbers import TABLE_PLACES
from rollwise.text.screen import Screen, bar, dice, limit_width, line_width, paint, paint_heat, screen, visible_len

Blocks: TypeAlias = Block | Sequence[Block]  # one, or some that stand together

MIN_BAR_CHARS = 4  # of a column of bars, which fills the room
NARROW_CHARS = 60  # on narrower lines dice and moves are shortened
MAX_MOVE_CHARS = 28
MAX_ROWS_BELOW = 12  # longer tables have no lines below their rows
MEANINGFUL_INKS = ("good", "bad")  # bars of these are left out without colour


def render_text(blocks: Sequence[Blocks], on: Screen | None = None, *, exact: bool = False) -> list[str]:
    """The lines of blocks, with an empty line between blocks or groups of them; ``exact``: long fractions too.

    ``on``: the screen, by default that of standard output.
    """
    on = on or screen()
    groups: list[list[str]] = []
    with limit_width(on.width):
        printer = _Printer(on, exact)
        for some in blocks:
            if isinstance(some, Sequence):
                groups.append([line for block in some for part in printer.parts(block) for line in part])
            else:
                groups += printer.parts(some)
    lines: list[str] = []
    for group in filter(None, groups):
        lines += [""] if lines else []
        lines += [line.rstrip() for line in group]
    return lines


class _Printer:
    """Renderer of the blocks of one answer; ``left_out``: heads of columns without room."""

    def __init__(self, on: Screen, exact: bool) -> None:
        self.on, self.exact, self.width = on, exact, line_width()
        self.left_out: set[str] = set()

    def parts(self, block: Block) -> list[list[str]]:
        """The lines of a block, in several parts that empty lines separate."""
        match block:
            case Heading():
                return [wrap_text(block.text, hanging=2)]
            case Sentence():
                lines = [line for text in block.texts for line in wrap_text(text, block.hanging)]
                return [self.painted(lines, block.ink)]
            case StateFields():
                return [[" " * block.indent + line for line in self.painted(wrap_state(block.text), block.ink)]]
            case DrawnLines():
                return [list(block.lines)]
            case Fractions():
                return [["exactly", *fraction_lines(block.named)]]
            case CellTable():
                return [[*wrap_text(block.heading), *self.table(block)]]
            case FirstThatFits():
                way = next((way for way in block.ways if all(map(self.fits, way))), block.ways[-1])
                return [self.table(table) for table in way]
            case ThrowMap():
                return [list(self.map(block))]
            case Facts():
                return self.facts(block)
            case Glossary():
                words = [word for word in block.words if block.heads.get(word[0]) not in self.left_out]
                return [self.painted(wrap_text("; ".join(map(": ".join, words))), block.ink)]
            case Bars():
                rows: list[list[TableCell]] = [
                    [name, Amount("value", n), Bar(n / block.most)] for name, n in block.rows
                ]
                return [[*wrap_text(block.title), *self.table(CellTable(rows, right=(0, 1))), *block.notes]]

    def painted(self, lines: Sequence[str], ink: str) -> list[str]:
        """Lines in one colour."""
        return [paint(line, ink, self.on) if ink else line for line in lines]

    # --- tables -------------------------------------------------------------------------------------------------------

    def table(self, table: CellTable) -> list[str]:
        """The lines of a table: ranked columns are left out where a line is short, and bars fill the room.

        If that is too wide still, cells wrap, and columns go below their rows.
        """
        if table.is_long:
            return _list_lines(table)
        widths, places = self.fitting_columns(table)
        if table.below and len(widths) - 1 not in places and len(table.rows) <= MAX_ROWS_BELOW + 1:
            return self.table(_with_last_column_below(table))
        self.left_out |= {str(head) for place, head in enumerate(table.rows[0]) if place not in places}
        room = max(MIN_BAR_CHARS, MIN_BAR_CHARS + self.width - _total_width(widths, places))
        fractions = self.exact or _total_width(widths, places) <= self.width
        texts = [[self.cell(row[place], room, fractions=fractions) for place in places] for row in table.rows]
        right = [number for number, place in enumerate(places) if place in table.right]
        over = [_head_line(table.over, texts)] if table.over else []
        if not table.above:
            return [*over, *align_columns(texts, right, table.names)]
        above = {place: self.parts(block)[0] for place, block in table.above.items()}
        lines = [[*above.get(place, ()), line] for place, line in enumerate(align_rows(texts, right))]
        return [*over, *chain(*lines), *above.get(len(lines), ())]

    def fitting_columns(self, table: CellTable) -> tuple[list[int], list[int]]:
        """The least width of each column, and the places of the columns that fit side by side."""
        by_place = list(zip(*table.rows, strict=True))
        widths = [max(map(self.min_width, cells)) for cells in by_place]
        fitting = [place for place, cells in enumerate(by_place) if self.on.color or not any(map(_is_colour, cells))]
        while _total_width(widths, fitting) > self.width and any(map(table.ranks.get, fitting)):
            fitting.remove(max(fitting, key=lambda place: (table.ranks.get(place, 0), place)))
        return widths, fitting

    def min_width(self, cell: TableCell) -> int:
        """The least width of a cell."""
        return MIN_BAR_CHARS if isinstance(cell, Bar) else visible_len(self.cell(cell))

    def fits(self, table: CellTable) -> bool:
        """True if all columns that may not be left out fit."""
        return _total_width(*self.fitting_columns(table)) <= self.width

    def cell(self, cell: TableCell, room: int = MIN_BAR_CHARS, *, fractions: bool = True) -> str:
        """The text of a cell; ``room``: width of a bar."""
        narrow = self.width < NARROW_CHARS
        match cell:
            case Bar():
                text = bar(cell.share, min(cell.max_chars, room), self.on)
                return paint(text, cell.ink, self.on) if cell.ink else text
            case ProvedNumber():
                if cell.exact and "/" not in cell.exact:
                    return cell.exact
                return (
                    f"{cell.text(TABLE_PLACES)} ({cell.exact})" if fractions and cell.exact else cell.text(TABLE_PLACES)
                )
            case ThrownDice():
                text = dice(cell.dice, 12 if narrow else 18) if cell.dice else ""
                text += "".join(f", then {dice(more, 5)}" for more in cell.then)
                return f"{text} +{cell.more}" if cell.more else text
            case MoveText():
                return _shorten_move(cell.text, self.width // 2 if narrow else MAX_MOVE_CHARS, always=narrow)
            case Inked() | Amount():
                return paint(str(cell), cell.ink, self.on) if cell.ink else str(cell)
        return cell

    def map(self, block: ThrowMap) -> Iterator[str]:
        """A throw of two dice as a square."""
        faces = range(1, 1 + max(map(max, block.pairs)))
        width = max(len(text) for text, _ in block.pairs.values()) + (1 if self.width < NARROW_CHARS else 2)
        yield block.title
        yield "    " + "".join(f"{face:>{width}}" for face in faces)
        for one in faces:
            cells = [block.pairs[min(one, two), max(one, two)] for two in faces]
            yield f"{one:>3} " + "".join(paint_heat(f"{text:>{width}}", warmth, self.on) for text, warmth in cells)

    def facts(self, block: Facts) -> list[list[str]]:
        """One line for each number; fractions beside it, or below with ``exact``."""
        wholes = [len(fact.value.with_unit().partition(".")[0]) for fact in block.rows]
        rows = []
        for fact, whole in zip(block.rows, wholes, strict=True):
            whose = "" if fact.seat is None else f", seat {fact.seat}{' (to move)' * fact.is_mover}"
            shown = " " * (max(wholes) - whole) + fact.value.with_unit()  # decimal points are aligned
            rows.append([fact.name + whose, shown, fact.value.interval, fact.value.short if fact.has_fraction else ""])
        table = CellTable(rows, ranks={3: 1})
        is_beside = 3 in self.fitting_columns(table)[1]
        exact = [(row[0], fact.value.exact or "") for row, fact in zip(rows, block.rows, strict=True)]
        facts = zip(exact, block.rows, strict=True)
        long = [named for named, fact in facts if fact.has_fraction and not (is_beside and fact.value.short)]
        return [self.table(table), *([["exactly", *fraction_lines(long)]] if self.exact and long else [])]


def _total_width(widths: Sequence[int], places: Sequence[int]) -> int:
    """The width of these columns side by side."""
    return sum(widths[place] + 2 for place in places) - 2


def _is_colour(cell: TableCell) -> bool:
    return isinstance(cell, Bar) and cell.ink in MEANINGFUL_INKS


def _with_last_column_below(table: CellTable) -> CellTable:
    """The table with the last column moved below each row."""
    states = {place: StateFields(str(row[-1]), 4, "faint") for place, row in enumerate(table.rows[1:], 2) if row[-1]}
    return replace(table, rows=[row[:-1] for row in table.rows], above=states, below=False)


def _head_line(over: Sequence[tuple[str, str, int]], texts: Sequence[Sequence[str]]) -> str:
    """The line of titles above the heads, in short where one is too long."""
    widths = [max(map(visible_len, column)) + 2 for column in zip(*texts, strict=True)]
    ends = list(accumulate((n for *_, n in over), initial=1))
    rooms = [sum(widths[first:last]) - 2 for first, last in pairwise(ends)]
    in_full = all(len(name) <= room for (name, *_), room in zip(over, rooms, strict=True))
    names = [(name if in_full else short).rjust(room) for (name, short, _), room in zip(over, rooms, strict=True)]
    return " " * widths[0] + "  ".join(names)


def _list_lines(table: CellTable) -> list[str]:
    """Two columns, the second a list that wraps within its column."""
    name_width = max(len(str(name)) for name, _ in table.rows) + 2
    lines = []
    for name, of in table.rows:
        folded = textwrap.wrap(str(of), line_width() - name_width)
        lines += [f"{str(name) if n == 0 else '':{name_width}}{line}" for n, line in enumerate(folded)]
    return lines


def _shorten_move(text: str, room: int, *, always: bool) -> str:
    """A move, or its steps, that fits a column: without points, and truncated if still too long."""
    if always or len(text) > room:
        text = ", ".join(parse_move(step).without_points for step in text.split(", "))
    return text if len(text) <= room else f"{text[: room - 2]}.."
