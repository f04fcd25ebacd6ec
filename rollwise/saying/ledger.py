"""The ledger: every claim with its verdict, by source: a summary, lines for the terminal, and a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from rollwise.answers.claims import MEANINGS, SOURCES, UNREAD, VERDICTS, counts, title_of
from rollwise.games.claims import Verdict
from rollwise.games.registry import REGISTRY
from rollwise.saying.blocks import Block, CellTable, Heading, Sentence
from rollwise.saying.layout import columns, wrapped
from rollwise.saying.markdown import markdown

COLUMNS = ("claim", "statement", "stated", "exact", "decimal", "verdict", "reading")


def summary(rows: Sequence[Verdict]) -> list[list[str]]:
    """A table by source: how many claims there are, and how many of each verdict that there is; the first row names it.

    >>> summary([])
    [['source', 'claims']]
    """
    present = [verdict for verdict in VERDICTS if any(row.verdict == verdict for row in rows)]
    table = [["source", "claims", *present]]
    for source in sorted({row.source for row in rows}):
        table.append(_counted(title_of(source), [row for row in rows if row.source == source], present))
    return [*table, _counted("all", rows, present)] if len(table) > 2 else table


def _counted(name: str, rows: Sequence[Verdict], verdicts: Sequence[str]) -> list[str]:
    return [name, str(len(rows)), *(str(sum(row.verdict == verdict for row in rows)) for verdict in verdicts)]


def verdict_lines(every: Sequence[Verdict], shown: Sequence[Verdict]) -> list[str]:
    """The summary of every row, then those that are to be shown, as the terminal has them."""
    table = summary(every)
    lines = [*columns(table, right=range(1, len(table[0]))), ""]
    unclear = [verdict for verdict in ("depends", "pending") if verdict in table[0]]
    lines += [f"{verdict}: {MEANINGS[verdict]}" for verdict in unclear] + [""] * bool(unclear)
    for row in shown:
        lines += [f"{row.verdict.upper():10} {row.id}", *_indented("", row.statement)]
        lines += [*_indented("stated", row.stated), *_indented("exact", row.exact or "-")]
        if row.decimal and row.decimal != row.exact:
            lines += _indented("decimal", row.decimal)
        if row.reading:
            lines += _indented("reading", row.reading)
    return [
        *lines,
        *([""] if shown else []),
        f"shown: {len(shown)} of {counts(every)}" if len(shown) < len(every) else counts(every),
    ]


def _indented(label: str, text: str) -> list[str]:
    """A text of a row, after what it is."""
    before = " " * 11 + (f"{label:9}" if label else "")
    return wrapped(text, len(before), before)


def left_out_line(number: int) -> str:
    """What to say of slow claims that were not checked.

    >>> left_out_line(1)
    '1 claim needs a long solve and is left out; --slow checks it too'
    """
    if number == 1:
        return "1 claim needs a long solve and is left out; --slow checks it too"
    return f"{number} claims need a long solve and are left out; --slow checks them too"


def ledger(rows: Sequence[Verdict], left_out: int = 0, of: int | None = None) -> str:
    """The ledger as Markdown, by source and game; ``left_out`` slow claims are not in it, ``of`` tells of more rows."""
    head, about = heading(rows)
    blocks: list[Block] = [
        Heading(head),
        Sentence([counts(rows) + (f", of {of}." if of not in (None, len(rows)) else ".")]),
    ]
    if rows:
        table = summary(rows)
        blocks.append(CellTable(table, right=range(1, len(table[0]))))
    meanings = " ".join(f"*{verdict}*: {meaning}." for verdict, meaning in MEANINGS.items() if verdict != UNREAD)
    blocks.append(Sentence([f"{about} {meanings}"]))
    if left_out:
        needs = "claim that needs" if left_out == 1 else "claims that need"
        blocks.append(Sentence([f"Not in this table: {left_out} {needs} a long solve (`rollwise verify --slow`)."]))
    for source, of_source in by_source(rows):
        blocks += [Heading(title_of(source), 2), Sentence([f"{counts(of_source)}."])]
        for game, of_game in by_game(of_source):
            blocks += [Heading(_title(game), 3), _table(of_game)]
    return markdown(blocks)


def heading(rows: Sequence[Verdict]) -> tuple[str, str]:
    """The heading of a page, and what its columns hold."""
    computed = "`exact` was computed from the rules when this page was written."
    if all(row.source in SOURCES for row in rows):
        return (
            "What the rule sheets state",
            f"Statements are in our words, `stated` is what the rule sheet says; {computed}",
        )
    return "Claims, and what is so", f"`stated` is what the claim says; {computed}"


def by_source(rows: Sequence[Verdict]) -> list[tuple[str, list[Verdict]]]:
    """Rows by source, those of a game together; a game's claims keep their order."""
    ordered = sorted(rows, key=lambda row: (row.source, row.game))
    return [(source, list(group)) for source, group in groupby(ordered, key=lambda row: row.source)]


def by_game(rows: Sequence[Verdict]) -> list[tuple[str, list[Verdict]]]:
    """The rows of a source, by game."""
    return [(game, list(group)) for game, group in groupby(rows, key=lambda row: row.game)]


def title_of_game(game: str) -> str:
    """The title of a game; throws of dice may be of none."""
    return REGISTRY[game].title if game in REGISTRY else game or "Throws of dice"


def _title(game: str) -> str:
    return f"{title_of_game(game)} (`{game}`)" if game in REGISTRY else f"`{game}`" if game else title_of_game(game)


def _table(rows: Iterable[Verdict]) -> CellTable:
    cells = [COLUMNS]
    for row in rows:
        decimal = "" if row.decimal == row.exact else row.decimal or ""
        cells.append((f"`{row.id}`", row.statement, row.stated, row.exact or "", decimal, row.verdict, row.reading))
    return CellTable(cells)
