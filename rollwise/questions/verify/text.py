"""The ledger: every claim with its verdict, by source, for the terminal, in Markdown and as a standalone HTML page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from rollwise.games.claims import Verdict
from rollwise.games.registry import REGISTRY, game_class
from rollwise.questions.verify.data import MEANINGS, SOURCES, UNREAD, VERDICTS, counts, place_of
from rollwise.text.blocks import Block, CellTable, Heading, Sentence
from rollwise.text.html import document
from rollwise.text.layout import align_columns, wrap_text
from rollwise.text.markdown import render_markdown

COLUMNS = ("claim", "statement", "stated", "exact", "decimal", "verdict", "reading")


def summary(rows: Sequence[Verdict]) -> list[list[str]]:
    """Table by source of the numbers of claims and of each verdict; the first row has the heads.

    >>> summary([])
    [['source', 'claims']]
    """
    present = verdicts_of(rows)
    groups = by_source(rows)
    groups += [("all", list(rows))] if len(groups) > 1 else []
    table = [["source", "claims", *present]]
    for name, some in groups:
        numbers: Counter[str] = Counter(row.verdict for row in some)
        table.append([name, str(len(some)), *(str(numbers[verdict]) for verdict in present)])
    return table


def verdicts_of(rows: Iterable[Verdict]) -> list[str]:
    """The verdicts that occur, in the order of VERDICTS."""
    return sorted({row.verdict for row in rows}, key=VERDICTS.index)


def verdict_lines(every: Sequence[Verdict], shown: Sequence[Verdict]) -> list[str]:
    """The summary of every row, then the ``shown`` ones in full, for the terminal."""
    table = summary(every)
    lines = [*align_columns(table, right=range(1, len(table[0]))), ""]
    unclear = [verdict for verdict in ("depends", "pending") if verdict in table[0]]
    lines += [f"{verdict}: {MEANINGS[verdict]}" for verdict in unclear] + [""] * bool(unclear)
    for row in shown:
        lines += [f"{row.verdict.upper():10} {row.id}", *wrap_text(" " * 11 + row.statement, 11)]
        for label, text in facts(row, nothing="-"):
            lines += wrap_text(" " * 11 + f"{label:9}{text}", 20)
    lines += [""] * bool(shown)
    return [*lines, f"shown: {len(shown)} of {counts(every)}" if len(shown) < len(every) else counts(every)]


def facts(row: Verdict, nothing: str) -> list[tuple[str, str]]:
    """(label, text) of a claim beside its statement; ``nothing`` stands for an absent exact value."""
    always = [("stated", row.stated), ("exact", row.exact or nothing)]
    decimal = "" if row.decimal == row.exact else row.decimal
    return always + [(label, text) for label, text in (("decimal", decimal), ("reading", row.reading)) if text]


def unchecked_line(number: int) -> str:
    """A line on slow claims that were not checked.

    >>> unchecked_line(1)
    '1 claim needs a long solve and is left out; --slow checks it too'
    """
    if number == 1:
        return "1 claim needs a long solve and is left out; --slow checks it too"
    return f"{number} claims need a long solve and are left out; --slow checks them too"


def ledger_markdown(rows: Sequence[Verdict], left_out: int = 0, of: int | None = None) -> str:
    """The ledger as Markdown, by source and game; ``left_out``: slow claims not in it; ``of``: rows in all."""
    head, about = heading(rows)
    table = summary(rows)
    blocks: list[Block] = [Heading(head), Sentence([f"{counts_of(rows, of)}."])]
    blocks += [CellTable(table, right=range(1, len(table[0])))] if rows else []
    meanings = " ".join(f"*{verdict}*: {meaning}." for verdict, meaning in MEANINGS.items() if verdict != UNREAD)
    blocks.append(Sentence([f"{about} {meanings}"]))
    blocks += [Sentence([f"{unchecked_line(left_out)}."])] if left_out else []
    for source, of_source in by_source(rows):
        blocks += [Heading(source, 2), Sentence([f"{counts(of_source)}."])]
        for game, of_game in by_game(of_source):
            blocks += [Heading(_title(game), 3), _table(of_game)]
    return render_markdown(blocks)


def counts_of(rows: Sequence[Verdict], of: int | None) -> str:
    """The numbers of rows by verdict, and of all rows where some were filtered out."""
    return counts(rows) + (f", of {of}" if of not in (None, len(rows)) else "")


def heading(rows: Sequence[Verdict]) -> tuple[str, str]:
    """The heading of a page, and a sentence on its columns."""
    computed = "`exact` was computed from the rules when this page was written."
    if all(row.source in SOURCES for row in rows):
        return (
            "What the rule sheets state",
            f"Statements are in our words, `stated` is what the rule sheet says; {computed}",
        )
    return "Claims and their verdicts", f"`stated` is what the claim says; {computed}"


def by_source(rows: Sequence[Verdict]) -> list[tuple[str, list[Verdict]]]:
    """Rows by source, those of a game together; a game's claims keep their order."""
    ordered = sorted(rows, key=lambda row: (place_of(row.source), row.game))
    return [(source, list(group)) for source, group in groupby(ordered, key=lambda row: row.source)]


def by_game(rows: Sequence[Verdict]) -> list[tuple[str, list[Verdict]]]:
    """The rows of a source, by game."""
    return [(game, list(group)) for game, group in groupby(rows, key=lambda row: row.game)]


def title_of_game(game: str) -> str:
    """The title of a game; claims on throws of dice may have none."""
    return game_class(game).title if game in REGISTRY else game or "Throws of dice"


def _title(game: str) -> str:
    return f"{title_of_game(game)} (`{game}`)" if game in REGISTRY else f"`{game}`" if game else title_of_game(game)


def _table(rows: Iterable[Verdict]) -> CellTable:
    of_rows = [
        {"claim": f"`{row.id}`", "statement": row.statement, "verdict": row.verdict, **dict(facts(row, nothing=""))}
        for row in rows
    ]
    return CellTable([COLUMNS, *([cells.get(name, "") for name in COLUMNS] for cells in of_rows)])


# --- the page ------------------------------------------------------------------------------------------------------

HTML = (".html", ".htm")
STYLE = Path(__file__).with_name("ledger.css")

# so that no verdict is marked by colour alone
MARKS = {"confirmed": "✓", "refuted": "✗", "depends": "?", "pending": "…", "unread": "!"}
CSP_META = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"


def render_ledger(path: Path | None, rows: Sequence[Verdict], left_out: int = 0, *, of: int | None = None) -> str:
    """The ledger as HTML for a file .html, else, and for standard output, as Markdown."""
    is_page = path is not None and path.suffix.lower() in HTML
    return ledger_html(rows, left_out, of=of) if is_page else ledger_markdown(rows, left_out, of)


def ledger_html(rows: Sequence[Verdict], left_out: int = 0, *, of: int | None = None) -> str:
    """The whole page; ``left_out`` and ``of`` as in ``ledger_markdown``."""
    return document(heading(rows)[0], f"\n{STYLE.read_text()}", "\n".join(_page(rows, left_out, of)), CSP_META)


def _page(rows: Sequence[Verdict], left_out: int, of: int | None) -> Iterator[str]:
    present = verdicts_of(rows)
    head, about = heading(rows)
    yield f"<header><h1>{head}</h1><p>{counts_of(rows, of)}.</p>"
    about = re.sub("`(.+?)`", r"<i>\1</i>", about)
    yield f'<p class="soft">{about}</p>'
    if left_out:
        yield f'<p class="soft">{unchecked_line(left_out)}.</p>'
    yield from _summary(rows)
    yield '<ul class="soft">' + "".join(f"<li>{_mark(one)}: {MEANINGS[one]}</li>" for one in present) + "</ul></header>"
    for name in ["all", *present] if len(present) > 1 else []:  # buttons beside the main part: style alone follows them
        checked = " checked" if name == "all" else ""
        yield f'<input type="radio" name="only" id="only-{name}"{checked}>'
        yield f'<label class="choose choosing" for="only-{name}">{name}</label>'
    yield "<main>"
    for number, (source, of_source) in enumerate(by_source(rows), 1):
        yield f'<section id="s{number}"><h2>{escape(source)}</h2><p class="soft">{counts(of_source)}</p>'
        for game, of_game in by_game(of_source):
            yield f'<h3>{escape(title_of_game(game))}</h3><div class="claims">'
            yield from map(_claim, of_game)
            yield "</div>"
        yield "</section>"
    yield "</main>"


def _summary(rows: Sequence[Verdict]) -> Iterator[str]:
    """The table by source, with links to the sections."""
    head, *body = summary(rows)
    if not body:
        return
    phone = '<th><span class="word">{0}</span><b class="sign {0}" title="{0}">{1}</b></th>'  # the list below explains
    heads = (phone.format(name, MARKS[name]) if name in MARKS else f"<th>{name}</th>" for name in head)
    yield f'<div class="scroll"><table><thead><tr>{"".join(heads)}</tr></thead><tbody>'
    sections = len(by_source(rows))
    for number, (name, *numbers) in enumerate(body, 1):
        shown = f'<a href="#s{number}">{escape(name)}</a>' if number <= sections else escape(name)
        yield f"<tr><td>{shown}</td>" + "".join(f"<td>{cell}</td>" for cell in numbers) + "</tr>"
    yield "</tbody></table></div>"


def _mark(verdict: str) -> str:
    return f'<b class="{verdict}">{MARKS[verdict]} {verdict}</b>'


def _claim(row: Verdict) -> str:
    """One claim as a card."""
    of_reading = {"reading": ' class="reading"'}
    about = "".join(
        f"<dt>{label}</dt><dd{of_reading.get(label, '')}>{escape(text)}</dd>" for label, text in facts(row, nothing="–")
    )
    return (
        f'<article class="claim {row.verdict}"><h4><span>{escape(row.id)}</span>{_mark(row.verdict)}</h4>'
        f"<p>{escape(row.statement)}</p><dl>{about}</dl></article>"
    )
