"""Blocks as HTML, for the page and for files of one page; nothing in it comes from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from rollwise.saying.blocks import (
    Bar,
    Bars,
    Block,
    CellTable,
    DrawnLines,
    Fact,
    Facts,
    Fractions,
    Glossary,
    Heading,
    ProvedNumber,
    Sentence,
    StateFields,
    TableCell,
)
from rollwise.saying.numbers import TOLD, percent

WHOLE = 100.0  # of a bar, in per cent


def html(blocks: Sequence[Block]) -> str:
    """Blocks one below the other."""
    return "\n".join(line for block in blocks for line in _block(block))


def document(title: str, style: str, body: str, head: str = "") -> str:
    """A page that needs nothing beside it."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n{head}'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def bar(length: float) -> str:
    """A bar of so many per cent of its place."""
    return (
        '<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="track" width="100" height="4"/><rect class="filled" width="{length:.2f}" height="4"/></svg>'
    )


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield f"<h{block.level}>{escape(block.text)}</h{block.level}>"
        case Sentence():
            yield from (f"<p>{escape(text)}</p>" for text in block.texts)
        case StateFields():
            yield f"<p>{escape(block.text)}</p>"
        case DrawnLines():
            yield f"<pre>{escape(chr(10).join(block.lines))}</pre>"
        case Fractions():
            yield from (f"<p>{escape(name)}: {escape(exact)}</p>" for name, exact in block.named)
        case CellTable():
            yield from _table(block)
        case Facts():
            yield from _facts(block)
        case Glossary():
            words = "".join(f"<div><dt>{escape(a)}</dt><dd>{escape(b)}</dd></div>" for a, b in block.words)
            yield f'<dl class="meanings">{words}</dl>'
        case Bars():
            yield f'<details class="spread"><summary>{escape(block.title)}</summary>'
            for name, chance in block.rows:
                yield _lined("lined thin", escape(name), percent(chance), WHOLE * chance / block.most)
            yield f'<p class="note">{escape(" ".join(block.notes))}</p></details>' if block.notes else "</details>"


def _table(table: CellTable) -> Iterator[str]:
    heads, *rows = table.rows
    if table.heading:
        yield f"<h2>{escape(table.heading)}</h2>"
    yield f'<div class="scrolls" tabindex="0" role="region" aria-label="{escape(table.heading or _cell(heads[0]))}">'
    yield f'<table class="cells{" long" if table.is_long else ""}"><thead><tr>'
    yield "".join(f'<th scope="col">{_cell(cell)}</th>' for cell in heads) + "</tr></thead><tbody>"
    number = "<td>" if table.is_long else '<td class="number">'
    for first, *cells in rows:
        yield f'<tr><th scope="row">{_cell(first)}</th>{"".join(f"{number}{_cell(cell)}</td>" for cell in cells)}</tr>'
    yield "</tbody></table></div>"


def _cell(cell: TableCell) -> str:
    if isinstance(cell, Bar):
        return bar(WHOLE * cell.share)
    return escape(cell.text(TOLD) if isinstance(cell, ProvedNumber) else str(cell))


def _facts(block: Facts) -> Iterator[str]:
    """Numbers by seat with a bar each, below what they are; single ones side by side with that."""
    for name, some in groupby(block.rows, key=lambda fact: "" if fact.seat is None else fact.name):
        facts = list(some)
        if name:
            yield f"<h2>{escape(name)}</h2>"
            for fact in facts:
                mover = " <em>to move</em>" if fact.is_mover else ""
                kind = "lined mover" if fact.is_mover else "lined"
                yield _lined(kind, f"Seat {fact.seat}{mover}", _number(fact), WHOLE * fact.share)
        else:
            told = (f'<div><dt>{escape(one.name)}</dt><dd class="number">{_number(one)}</dd></div>' for one in facts)
            yield f'<dl class="facts">{"".join(told)}</dl>'


def _number(fact: Fact) -> str:
    exact = f" <small>{fact.value.short}</small>" if fact.value.short else ""
    return f"{escape(fact.value.with_unit(TOLD))}{exact}"


def _lined(kind: str, name: str, number: str, length: float) -> str:
    return f'<div class="{kind}"><span>{name}</span><span class="number">{number}</span>{bar(length)}</div>'
