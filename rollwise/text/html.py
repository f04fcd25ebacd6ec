"""Blocks as HTML, for the web page and for standalone files; it loads nothing from elsewhere."""

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
from rollwise.text.numbers import page_places, percent, shorten_fraction

SEATS = re.compile(r"\b([Ss])eat(s?) (\d+(?:(?:, | and | or | to )\d+)*)\b")
RANGE = re.compile(r"(-?\d+)(?:-(-?\d+))?")
BAR_WIDTH = 100.0  # in per cent
DIM_CLASS = ' class="dim"'
DECORATIVE = 'preserveAspectRatio="none" aria-hidden="true"'  # drawings that only repeat a number


class Html(str):
    """Text that is HTML already: templates and ``element`` insert it unescaped. It may be a cell."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def render_html(blocks: Sequence[Block | Html]) -> Html:
    """Blocks one below the other."""
    return Html("\n".join(part for block in blocks for part in ([block] if isinstance(block, Html) else _block(block))))


def join_html(*parts: str) -> Html:
    """Texts, escaped, and elements in sequence."""
    return Html("".join(part if isinstance(part, Html) else name_players(escape(part), marked=True) for part in parts))


def name_players(words: str, *, marked: bool = False) -> str:
    """Text with seats, counted from 0, written as players; ``marked``: in elements that scripts replace by names.

    >>> name_players("for seat 0: seats 0, 2 are out"), name_players("Seat 1", marked=True)
    ('for player 1: players 1, 3 are out', '<span data-seat="1">Player 2</span>')
    """

    def named(match: re.Match[str]) -> str:
        numbers = re.sub("[0-9]+", lambda seat: str(int(seat[0]) + 1), match[3])
        player = f"{'P' if match[1] == 'S' else 'p'}layer{match[2]} {numbers}"
        return f'<span data-seat="{match[3]}">{player}</span>' if marked and match[3].isdigit() else player

    return SEATS.sub(named, words)


def element(tag: str, *inside: str, **attributes: str) -> Html:
    """An element such as ``table.cells``; text is escaped, and attributes without a value are left out.

    >>> element("a.onward", "1 < 2", href="/?a=1&b=2", aria_current="")
    '<a class="onward" href="/?a=1&amp;b=2">1 &lt; 2</a>'
    """
    name, _, sorts = tag.partition(".")
    named = {"class": sorts.replace(".", " "), **attributes}
    pairs = "".join(f' {k.replace("_", "-")}="{escape(name_players(value))}"' for k, value in named.items() if value)
    return Html(f"<{name}{pairs}>{join_html(*inside)}</{name}>")


def document(title: str, style: str, body: str, head: str = "") -> str:
    """A standalone page."""
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
            yield from (element("p", f"{name}: {shorten_fraction(exact)}") for name, exact in block.named)
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
            yield folded_details("spread", block.title, columns(block.rows, block.title), numbers, *notes)
        case _:
            assert_never(block)


def _table(block: CellTable) -> Iterator[Html]:
    """A table; a block above a row becomes a row of its own."""
    if block.heading:
        yield element("h2", block.heading)
    heads, *rows = ([_cell(each) for each in row] for row in block.rows)
    above = [element("th", name, scope="colgroup", colspan=str(width)) for name, _, width in block.over]
    for place, words in sorted(block.above.items(), reverse=True):
        rows.insert(place - 1, [join_html(*(words.texts if isinstance(words, Sentence) else [words.text]))])
    sort, cells = ("cells.long", "td") if block.is_long else ("cells", "td.number")
    over = [element("td"), *above] if above else []
    yield scrolling(table(sort, heads, rows, cells, over=over), block.heading or heads[0])


def _cell(cell: TableCell) -> str:
    match cell:
        case Bar():
            return bar(cell.share)
        case ThrownDice():
            drawn = [dice(faces) for faces in (cell.dice, *cell.then) if faces]
            return join_html(*drawn, *([element("small", f" +{cell.more}")] if cell.more else []))
        case ProvedNumber():
            return cell.text(page_places(cell.value, cell.unit))
        case Html():
            return cell
    return str(cell)


def _facts(block: Facts) -> Iterator[Html]:
    """Named numbers, those by seat below a heading."""
    for name, some in groupby(block.rows, key=lambda fact: "" if fact.seat is None else fact.name):
        if name:
            yield element("h2", name)
        yield pairs("facts", [(_seat(fact) if name else fact.name, _number(fact)) for fact in some])


def _seat(fact: Fact) -> Html:
    return join_html(f"Seat {fact.seat}", *([element("em", " to move")] if fact.is_mover else []))


def _number(fact: Fact) -> Html:
    return element("span.number", fact.value.with_unit(page_places(fact.value.value, fact.value.unit)))


# --- elements of a page -----------------------------------------------------------------------------------


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
    """A table whose first column names the row; ``over``: cells of a line above the heads, ``has_sums``: the last row
    holds the sums of the others."""
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
    """A region that scrolls where its content is too wide."""
    return element("div.scrolls", inside, tabindex="0", role="region", aria_label=label)


def pairs(sort: str, named: Sequence[tuple[str, str]]) -> Html:
    """Names and values as a description list."""
    return element(f"dl.{sort}", *(element("div", element("dt", name), element("dd", each)) for name, each in named))


def folded_details(sort: str, title: str, *inside: str, address: str = "", page: str = "") -> Html:
    """Folded content; ``address``: fetched when opened, also a page of its own, linked by the text ``page``."""
    fetches = {"hx_get": address, "hx_trigger": "toggle once", "hx_target": "find .fold"} if address else {}
    inside = (element("div.fold", element("a", page, href=address)),) if address else inside
    return element(f"details.{sort}", element("summary", title), *inside, **fetches)


def bar(share: float) -> Html:
    """A bar as wide as its place where the share is 1."""
    filled = f'<rect class="filled" width="{BAR_WIDTH * share:.2f}" height="4"/>'
    return Html(
        f'<svg class="bar" viewBox="0 0 100 4" {DECORATIVE}><rect class="track" width="100" height="4"/>{filled}</svg>'
    )


def columns(rows: Sequence[tuple[str, float]], label: str) -> Html:
    """A histogram of chances of numbers, or of ranges: columns to scale whose areas are the chances.

    A long range at an end is dim, and cut to the width of the others. The first, middle and last have labels.
    """
    spans = [(int(low), int(high or low) + 1) for name, _ in rows for low, high in RANGE.findall(name)]
    usual = sorted(end - begin for begin, end in spans)[len(spans) // 2]
    low, high = max(spans[0][0], spans[0][1] - usual), min(spans[-1][1], spans[-1][0] + usual)
    heights = [chance / (end - begin) for (begin, end), (_, chance) in zip(spans, rows, strict=True)]
    dx, dy, drawn = BAR_WIDTH / (high - low), BAR_WIDTH / (max(heights) or 1.0), ""
    for (begin, end), height in zip(spans, heights, strict=True):
        x, width, y = max(begin, low) - low, min(end, high) - max(begin, low), BAR_WIDTH - dy * height
        place = f'x="{dx * x:.2f}" y="{y:.2f}" width="{0.86 * dx * width:.2f}" height="{dy * height:.2f}"'
        drawn += f"<rect{DIM_CLASS if width < end - begin else ''} {place}/>"
    svg = element(
        "svg.columns", Html(drawn), viewBox="0 0 100 100", preserveAspectRatio="none", role="img", aria_label=label
    )
    middle = min(range(len(rows)), key=lambda place: abs(sum(spans[place]) - low - high))
    ends = [rows[place][0] for place in sorted({0, middle, len(rows) - 1})]
    return join_html(svg, element("p.scale", *(element("span", name) for name in ends), aria_hidden="true"))


def die(face: int) -> Html:
    """A die, which the page draws once (``dice.html``)."""
    return Html(f'<svg class="die" viewBox="0 0 100 100" aria-hidden="true"><use href="#die-{face}"/></svg>')


def dice(faces: Sequence[int], lit: Sequence[int] | None = None) -> Html:
    """A throw; with ``lit`` the other dice are dim."""
    drawn, unlit = "", list(faces if lit is None else lit)
    for place, face in enumerate(faces):
        at = f' x="{104 * place}"' if place else ""
        drawn += f'<use href="#die-{face}"{at}{"" if face in unlit else DIM_CLASS}/>'
        unlit.remove(face) if face in unlit else None
    size, label = f"0 0 {104 * len(faces) - 4} 100", " ".join(map(str, faces))
    return Html(f'<svg class="rolled" viewBox="{size}" role="img" aria-label="{label}">{drawn}</svg>')
