"""Blocks as HTML, for the page and for files of one page; nothing in it comes from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import assert_never

from rollwise.text.blocks import (
    Bar,
    Bars,
    Block,
    CellTable,
    DrawnLines,
    Fact,
    Facts,
    FirstThatFits,
    Fractions,
    Glossary,
    Heading,
    ProvedNumber,
    Sentence,
    StateFields,
    TableCell,
    ThrowMap,
    ThrownDice,
)
from rollwise.text.numbers import percent, places, shortened

SEATS = re.compile(r"\b([Ss])eat(s?) (\d+(?:(?:, | and | or | to )\d+)*)\b")
RANGE = re.compile(r"(-?\d+)(?:-(-?\d+))?")
WHOLE = 100.0  # of a bar, in per cent
DIM = ' class="dim"'
UNSEEN = 'preserveAspectRatio="none" aria-hidden="true"'  # of drawings that only repeat a number


class Html(str):
    """Text that is HTML already; a page puts it in as it is, and so does ``element``. It may stand in a cell."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def html(blocks: Sequence[Block | Html]) -> Html:
    """Blocks one below the other."""
    return Html("\n".join(part for block in blocks for part in ([block] if isinstance(block, Html) else _block(block))))


def joined(*parts: str) -> Html:
    """Texts and elements one after the other."""
    return Html("".join(part if isinstance(part, Html) else seated(escape(part), marked=True) for part in parts))


def seated(words: str, *, marked: bool = False) -> str:
    """Text in which seats, counted from 0 for programs, are players; ``marked``: with whose name may stand there.

    >>> seated("for seat 0: seats 0, 2 are out"), seated("Seat 1", marked=True)
    ('for player 1: players 1, 3 are out', '<span data-seat="1">Player 2</span>')
    """

    def named(found: re.Match[str]) -> str:
        numbers = re.sub("[0-9]+", lambda seat: str(int(seat[0]) + 1), found[3])
        who = f"{'P' if found[1] == 'S' else 'p'}layer{found[2]} {numbers}"
        return f'<span data-seat="{found[3]}">{who}</span>' if marked and found[3].isdigit() else who

    return SEATS.sub(named, words)


def element(tag: str, *inside: str, **attributes: str) -> Html:
    """An element, ``table.cells``; whatever is no HTML yet is escaped, and attributes without a value are left out.

    >>> element("a.onward", "1 < 2", href="/?a=1&b=2", aria_current="")
    '<a class="onward" href="/?a=1&amp;b=2">1 &lt; 2</a>'
    """
    name, _, sorts = tag.partition(".")
    named = {"class": sorts.replace(".", " "), **attributes}
    written = "".join(f' {key.replace("_", "-")}="{escape(seated(value))}"' for key, value in named.items() if value)
    return Html(f"<{name}{written}>{joined(*inside)}</{name}>")


def document(title: str, style: str, body: str, head: str = "") -> str:
    """A page that needs nothing beside it."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n{head}'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _block(block: Block) -> Iterator[Html]:
    match block:
        case Heading():
            yield element(f"h{block.level}", block.text)
        case Sentence():
            yield from (element("p.note" if block.ink == "faint" else "p", text) for text in block.texts)
        case StateFields():
            yield element("p", block.text)
        case DrawnLines():
            yield element("pre", "\n".join(block.lines))
        case Fractions():
            yield from (element("p", f"{name}: {shortened(exact)}") for name, exact in block.named)
        case CellTable():
            yield from _table(block)
        case FirstThatFits():
            yield from (part for each in block.ways[0] for part in _table(each))
        case ThrowMap():
            faces = range(1, 1 + max(map(max, block.pairs)))
            texts = {pair: text for pair, (text, _) in block.pairs.items()}
            rows = [[dice([one]), *(texts[min(one, two), max(one, two)] for two in faces)] for one in faces]
            yield element("h2", block.title)
            yield table("square", ["", *(dice([face]) for face in faces)], rows, "td", aria_label=block.title)
        case Facts():
            yield from _facts(block)
        case Glossary():
            yield pairs("meanings", block.words)
        case Bars():
            notes = [element("p.note", "; ".join(block.notes))] if block.notes else []
            numbers = pairs("counts", [(name, percent(chance, 1)) for name, chance in block.rows])
            yield fold("spread", block.title, columns(block.rows, block.title), numbers, *notes)
        case _:
            assert_never(block)


def _table(block: CellTable) -> Iterator[Html]:
    """A table; what stands above a row of it is a row of its own here."""
    if block.heading:
        yield element("h2", block.heading)
    heads, *rows = ([_cell(each) for each in row] for row in block.rows)
    above = [element("th", name, scope="colgroup", colspan=str(width)) for name, _, width in block.over]
    for place, words in sorted(block.above.items(), reverse=True):
        rows.insert(place - 1, [joined(*(words.texts if isinstance(words, Sentence) else [words.text]))])
    sort, cells = ("cells.long", "td") if block.is_long else ("cells", "td.number")
    over = [element("td"), *above] if above else []
    yield scrolling(table(sort, heads, rows, cells, over=over), block.heading or heads[0])


def _cell(cell: TableCell) -> str:
    match cell:
        case Bar():
            return bar(cell.share)
        case ThrownDice():
            drawn = [dice(faces) for faces in (cell.dice, *cell.then) if faces]
            return joined(*drawn, *([element("small", f" +{cell.more}")] if cell.more else []))
        case ProvedNumber():
            return cell.text(places(cell.value, cell.unit))
        case Html():
            return cell
    return str(cell)


def _facts(block: Facts) -> Iterator[Html]:
    """Numbers, each with what it is, those by seat below what they are."""
    for name, some in groupby(block.rows, key=lambda fact: "" if fact.seat is None else fact.name):
        if name:
            yield element("h2", name)
        yield pairs("facts", [(_seat(fact) if name else fact.name, _number(fact)) for fact in some])


def _seat(fact: Fact) -> Html:
    return joined(f"Seat {fact.seat}", *([element("em", " to move")] if fact.is_mover else []))


def _number(fact: Fact) -> Html:
    return element("span.number", fact.value.with_unit(places(fact.value.value, fact.value.unit)))


# --- parts of which a page is made -----------------------------------------------------------------------------------


def table(
    sort: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    cells: str = "td.number",
    *,
    over: Sequence[str] = (),
    has_sums: bool = False,
    **attributes: str,
) -> Html:
    """A table whose first column says what a row is of; ``over``: cells of a line above the heads, ``has_sums``: the
    last row is what the others are together."""
    columns = (element("th", head, scope="col") if head else element("td") for head in heads)
    top = [element("tr", *over)] if over else []
    lines = [
        element("tr", element("th", first, scope="row"), *(element(cells, each) for each in row))
        for first, *row in rows
    ]
    sums = [element("tfoot", lines.pop())] if has_sums else []
    head = element("thead", *top, element("tr", *columns))
    return element(f"table.{sort}", head, element("tbody", *lines), *sums, **attributes)


def scrolling(inside: Html, label: str) -> Html:
    """What may be larger than its place."""
    return element("div.scrolls", inside, tabindex="0", role="region", aria_label=label)


def pairs(sort: str, named: Sequence[tuple[str, str]]) -> Html:
    """Names, each with what it is."""
    return element(f"dl.{sort}", *(element("div", element("dt", name), element("dd", each)) for name, each in named))


def fold(sort: str, title: str, *inside: str, address: str = "", page: str = "") -> Html:
    """What is seen once it is opened; ``address``: of what is fetched then, which is a ``page`` of its own too."""
    fetches = {"hx_get": address, "hx_trigger": "toggle once", "hx_target": "find .fold"} if address else {}
    inside = (element("div.fold", element("a", page, href=address)),) if address else inside
    return element(f"details.{sort}", element("summary", title), *inside, **fetches)


def bar(share: float) -> Html:
    """A bar of its place's width where the share is 1."""
    filled = f'<rect class="filled" width="{WHOLE * share:.2f}" height="4"/>'
    return Html(
        f'<svg class="bar" viewBox="0 0 100 4" {UNSEEN}><rect class="track" width="100" height="4"/>{filled}</svg>'
    )


def columns(rows: Sequence[tuple[str, float]], label: str) -> Html:
    """How chances of numbers, or ranges of them, are spread: columns on an axis to scale, whose areas are the chances.

    A long range at an end is dim, and cut to the width of the others. Named are the first, the middle and the last.
    """
    spans = [(int(low), int(high or low) + 1) for name, _ in rows for low, high in RANGE.findall(name)]
    usual = sorted(end - begin for begin, end in spans)[len(spans) // 2]
    low, high = max(spans[0][0], spans[0][1] - usual), min(spans[-1][1], spans[-1][0] + usual)
    heights = [chance / (end - begin) for (begin, end), (_, chance) in zip(spans, rows, strict=True)]
    wide, tall, drawn = WHOLE / (high - low), WHOLE / (max(heights) or 1.0), ""
    for (begin, end), height in zip(spans, heights, strict=True):
        x, width, y = max(begin, low) - low, min(end, high) - max(begin, low), WHOLE - tall * height
        place = f'x="{wide * x:.2f}" y="{y:.2f}" width="{0.86 * wide * width:.2f}" height="{tall * height:.2f}"'
        drawn += f"<rect{DIM if width < end - begin else ''} {place}/>"
    svg = element(
        "svg.columns", Html(drawn), viewBox="0 0 100 100", preserveAspectRatio="none", role="img", aria_label=label
    )
    middle = min(range(len(rows)), key=lambda place: abs(sum(spans[place]) - low - high))
    ends = [rows[place][0] for place in sorted({0, middle, len(rows) - 1})]
    return joined(svg, element("p.scale", *(element("span", name) for name in ends), aria_hidden="true"))


def die(face: int) -> Html:
    """A die, which the page draws once (``dice.html``)."""
    return Html(f'<svg class="die" viewBox="0 0 100 100" aria-hidden="true"><use href="#die-{face}"/></svg>')


def dice(faces: Sequence[int], lit: Sequence[int] | None = None) -> Html:
    """A throw; where only these of it are ``lit`` the others are dim."""
    drawn, left = "", list(faces if lit is None else lit)
    for place, face in enumerate(faces):
        at = f' x="{104 * place}"' if place else ""
        drawn += f'<use href="#die-{face}"{at}{"" if face in left else DIM}/>'
        left.remove(face) if face in left else None
    size, label = f"0 0 {104 * len(faces) - 4} 100", " ".join(map(str, faces))
    return Html(f'<svg class="rolled" viewBox="{size}" role="img" aria-label="{label}">{drawn}</svg>')
