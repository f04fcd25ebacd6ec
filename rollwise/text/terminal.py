"""Blocks as lines of text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise
from typing import TypeAlias

from rollwise.answers.moves import does
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
from rollwise.text.layout import aligned, columns, exact_lines, state_lines, wrapped
from rollwise.text.numbers import MOST
from rollwise.text.screen import Screen, bar, dice, heat, length, line_width, narrowed, paint, screen

Blocks: TypeAlias = Block | Sequence[Block]  # one, or some that stand together

SHORTEST_BAR = 4  # of a column of bars, which is as long as there is room
NARROW = 60  # lines shorter than this have dice and moves in short
LONGEST_MOVE = 28
MOST_BELOW = 12  # rows that have a line below them
SAY_WHICH = ("good", "bad")  # inks of bars that say nothing without them


def printed(blocks: Sequence[Blocks], on: Screen | None = None, *, exact: bool = False) -> list[str]:
    """Blocks with an empty line between them, but for those that are given together; ``exact``: long fractions too.

    ``on``: the screen that it is for, by default what standard output shows.
    """
    on = on or screen()
    groups: list[list[str]] = []
    with narrowed(on.width):
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
    """Prints the blocks of one answer; ``left_out`` are heads of columns for which there was no room."""

    def __init__(self, on: Screen, exact: bool) -> None:
        self.on, self.exact, self.width = on, exact, line_width()
        self.left_out: set[str] = set()

    def parts(self, block: Block) -> list[list[str]]:
        """The lines of a block, in several parts where empty lines are to stand between them."""
        match block:
            case Heading():
                return [wrapped(block.text, hanging=2)]
            case Sentence():
                lines = [line for text in block.texts for line in wrapped(text, block.hanging)]
                return [self.painted(lines, block.ink)]
            case StateFields():
                return [[" " * block.indent + line for line in self.painted(state_lines(block.text), block.ink)]]
            case DrawnLines():
                return [list(block.lines)]
            case Fractions():
                return [["exactly", *exact_lines(block.named)]]
            case CellTable():
                return [[*wrapped(block.heading), *self.table(block)]]
            case FirstThatFits():
                way = next((way for way in block.ways if all(map(self.fits, way))), block.ways[-1])
                return [self.table(table) for table in way]
            case ThrowMap():
                return [list(self.map(block))]
            case Facts():
                return self.facts(block)
            case Glossary():
                words = [word for word in block.words if block.heads.get(word[0]) not in self.left_out]
                return [self.painted(wrapped("; ".join(map(": ".join, words))), block.ink)]
            case Bars():
                rows: list[list[TableCell]] = [
                    [name, Amount("value", n), Bar(n / block.most)] for name, n in block.rows
                ]
                return [[*wrapped(block.title), *self.table(CellTable(rows, right=(0, 1))), *block.notes]]

    def painted(self, lines: Sequence[str], ink: str) -> list[str]:
        """Lines in one colour."""
        return [paint(line, ink, self.on) if ink else line for line in lines]

    # --- tables -------------------------------------------------------------------------------------------------------

    def table(self, table: CellTable) -> list[str]:
        """A table: columns that have a rank are left out where a line is short, bars are as long as there is room.

        Where there is still no room, cells go on below, and columns below their rows.
        """
        if table.is_long:
            return _listed(table)
        widths, kept = self.kept(table)
        if table.below and len(widths) - 1 not in kept and len(table.rows) <= MOST_BELOW + 1:
            return self.table(_last_below(table))
        self.left_out |= {str(head) for place, head in enumerate(table.rows[0]) if place not in kept}
        room = max(SHORTEST_BAR, SHORTEST_BAR + self.width - _total(widths, kept))
        fractions = self.exact or _total(widths, kept) <= self.width
        texts = [[self.cell(row[place], room, fractions=fractions) for place in kept] for row in table.rows]
        right = [number for number, place in enumerate(kept) if place in table.right]
        over = [_over(table.over, texts)] if table.over else []
        if not table.above:
            return [*over, *columns(texts, right, table.names)]
        above = {place: self.parts(block)[0] for place, block in table.above.items()}
        lines = [[*above.get(place, ()), line] for place, line in enumerate(aligned(texts, right))]
        return [*over, *chain(*lines), *above.get(len(lines), ())]

    def kept(self, table: CellTable) -> tuple[list[int], list[int]]:
        """How wide each column is at least, and the places of those that fit side by side."""
        by_place = list(zip(*table.rows, strict=True))
        widths = [max(map(self.least, column)) for column in by_place]
        kept = [place for place, column in enumerate(by_place) if self.on.color or not any(map(_says_which, column))]
        while _total(widths, kept) > self.width and any(map(table.ranks.get, kept)):
            kept.remove(max(kept, key=lambda place: (table.ranks.get(place, 0), place)))
        return widths, kept

    def least(self, cell: TableCell) -> int:
        """How wide a cell is at least."""
        return SHORTEST_BAR if isinstance(cell, Bar) else length(self.cell(cell))

    def fits(self, table: CellTable) -> bool:
        """Is there room for all columns but those that may be left out?"""
        return _total(*self.kept(table)) <= self.width

    def cell(self, cell: TableCell, room: int = SHORTEST_BAR, *, fractions: bool = True) -> str:
        """A cell; ``room``: for a bar."""
        narrow = self.width < NARROW
        match cell:
            case Bar():
                text = bar(cell.share, min(cell.longest, room), self.on)
                return paint(text, cell.ink, self.on) if cell.ink else text
            case ProvedNumber():
                if cell.exact and "/" not in cell.exact:
                    return cell.exact
                return f"{cell.text(MOST)} ({cell.exact})" if fractions and cell.exact else cell.text(MOST)
            case ThrownDice():
                text = dice(cell.dice, 12 if narrow else 18) if cell.dice else ""
                text += "".join(f", then {dice(more, 5)}" for more in cell.then)
                return f"{text} +{cell.more}" if cell.more else text
            case MoveText():
                return _shortened(cell.text, self.width // 2 if narrow else LONGEST_MOVE, always=narrow)
            case Inked() | Amount():
                return paint(str(cell), cell.ink, self.on) if cell.ink else str(cell)
        return cell

    def map(self, block: ThrowMap) -> Iterator[str]:
        """A throw of two dice as a square."""
        faces = range(1, 1 + max(map(max, block.pairs)))
        wide = max(len(text) for text, _ in block.pairs.values()) + (1 if self.width < NARROW else 2)
        yield block.title
        yield "    " + "".join(f"{face:>{wide}}" for face in faces)
        for one in faces:
            cells = [block.pairs[min(one, two), max(one, two)] for two in faces]
            yield f"{one:>3} " + "".join(heat(f"{text:>{wide}}", warmth, self.on) for text, warmth in cells)

    def facts(self, block: Facts) -> list[list[str]]:
        """One line a number; fractions beside it, or below where they were asked for."""
        wholes = [len(fact.value.with_unit().partition(".")[0]) for fact in block.rows]
        rows = []
        for fact, whole in zip(block.rows, wholes, strict=True):
            whose = "" if fact.seat is None else f", seat {fact.seat}{' (to move)' * fact.is_mover}"
            shown = " " * (max(wholes) - whole) + fact.value.with_unit()  # points stand below each other
            rows.append([fact.name + whose, shown, fact.value.interval, fact.value.short if fact.has_fraction else ""])
        table = CellTable(rows, ranks={3: 1})
        is_beside = 3 in self.kept(table)[1]
        exact = [(row[0], fact.value.exact or "") for row, fact in zip(rows, block.rows, strict=True)]
        facts = zip(exact, block.rows, strict=True)
        long = [named for named, fact in facts if fact.has_fraction and not (is_beside and fact.value.short)]
        return [self.table(table), *([["exactly", *exact_lines(long)]] if self.exact and long else [])]


def _total(widths: Sequence[int], kept: Sequence[int]) -> int:
    """How wide these columns are side by side."""
    return sum(widths[place] + 2 for place in kept) - 2


def _says_which(cell: TableCell) -> bool:
    return isinstance(cell, Bar) and cell.ink in SAY_WHICH


def _last_below(table: CellTable) -> CellTable:
    """The same with what the last column says below each row."""
    states = {place: StateFields(str(row[-1]), 4, "faint") for place, row in enumerate(table.rows[1:], 2) if row[-1]}
    return replace(table, rows=[row[:-1] for row in table.rows], above=states, below=False)


def _over(over: Sequence[tuple[str, str, int]], texts: Sequence[Sequence[str]]) -> str:
    """A line above the heads that says which columns are whose, in short where a name is too long."""
    widths = [max(map(length, column)) + 2 for column in zip(*texts, strict=True)]
    ends = list(accumulate((n for *_, n in over), initial=1))
    rooms = [sum(widths[first:last]) - 2 for first, last in pairwise(ends)]
    in_full = all(len(name) <= room for (name, *_), room in zip(over, rooms, strict=True))
    names = [(name if in_full else short).rjust(room) for (name, short, _), room in zip(over, rooms, strict=True)]
    return " " * widths[0] + "  ".join(names)


def _listed(table: CellTable) -> list[str]:
    """Two columns, the second of which is a list that goes on below itself."""
    left = max(len(str(name)) for name, _ in table.rows) + 2
    lines = []
    for name, of in table.rows:
        folded = textwrap.wrap(str(of), line_width() - left)
        lines += [f"{str(name) if n == 0 else '':{left}}{line}" for n, line in enumerate(folded)]
    return lines


def _shortened(text: str, room: int, *, always: bool) -> str:
    """A move, or several steps of one, within a column: without points, and cut where that is not short enough."""
    if always or len(text) > room:
        text = ", ".join(does(step).without_points for step in text.split(", "))
    return text if len(text) <= room else f"{text[: room - 2]}.."
