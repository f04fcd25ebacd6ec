"""The ledger: every claim with its verdict, by source: a summary, lines for the terminal, and a Markdown table."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from pathlib import Path

from rollwise.exporting.files import alone, check_output, new_aside
from rollwise.games.claims import Verdict
from rollwise.games.registry import REGISTRY
from rollwise.solver.game.errors import RollwiseError, UnknownName
from rollwise.text import columns, wrapped

SOURCES = {  # title, and author where the sheet names one
    "000_796d08fcfb18cd8f.txt": "Six By 6, by Michael Williams",
    "001_803e37a6f80f8c56.txt": "Sixzee Rules, by freethedice.com",
    "002_7e84cd89ad580b3b.txt": "Six-Dice Zilch",
    "003_4224d89a97a61c6e.txt": "Piggy Six",
    "004_cc367fea0fd9d5c8.txt": "TACTIC rules for dice games",
}
UNREAD = "unread"  # of a sheet of one's own
VERDICTS = ("confirmed", "refuted", "depends", "pending", UNREAD)
COLUMNS = ("claim", "statement", "stated", "exact", "decimal", "verdict", "reading")
MEANINGS = {
    "confirmed": "it is so, at the precision stated",
    "refuted": "it is not so",
    "depends": "it is so under some of the readings named",
    "pending": "not settled: the game is not built yet, or its answer does not tell",
    UNREAD: "it cannot be read, and the reading says why",
}
STDOUT = "-"


def title_of(source: str) -> str:
    """What people call a source.

    >>> title_of("000_796d08fcfb18cd8f.txt"), title_of("my sheet.toml")
    ('Six By 6, by Michael Williams', 'my sheet.toml')
    """
    return SOURCES.get(source, source)


def the_source(named: str, known: Collection[str]) -> str:
    """The source of that title or file name, or with that in it; raises UnknownName where it is none, or not one.

    >>> the_source("six by", SOURCES)
    '000_796d08fcfb18cd8f.txt'
    """
    wanted = " ".join(named.lower().split())
    called = {source: (source.lower(), title_of(source).lower()) for source in known}
    same = [source for source, names in called.items() if wanted in names]
    found = same or [source for source, names in called.items() if wanted and any(wanted in name for name in names)]
    if len(found) != 1:
        titles = ", ".join(f"'{title_of(source)}'" for source in sorted(found or known))
        said = f"'{named}' fits several sources" if found else f"no source is called '{named}'; sources"
        raise UnknownName(f"{said}: {titles}", field="source")
    return found[0]


def of_verdicts(rows: Sequence[Verdict], *, refuted: bool = False, depends: bool = False) -> list[Verdict]:
    """The rows with these verdicts, or all where none is asked for."""
    wanted = {verdict for verdict, asked in (("refuted", refuted), ("depends", depends)) if asked}
    return [row for row in rows if not wanted or row.verdict in wanted]


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


def counts(rows: Sequence[Verdict]) -> str:
    """How many rows there are, by verdict.

    >>> counts([])
    '0 claims'
    """
    of_verdict = {verdict: sum(row.verdict == verdict for row in rows) for verdict in VERDICTS}
    told = ", ".join(f"{number} {verdict}" for verdict, number in of_verdict.items() if number)
    return f"{len(rows)} claim{'s' * (len(rows) != 1)}: {told}" if rows else "0 claims"


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
    lines = [f"# {head}", "", counts(rows) + (f", of {of}." if of not in (None, len(rows)) else ".")]
    if rows:
        names, *body = summary(rows)
        lines += [
            "",
            _row(names),
            _row(["---", *["--:"] * (len(names) - 1)]),
            *(_row(list(map(_cell, row))) for row in body),
        ]
    meanings = " ".join(f"*{verdict}*: {meaning}." for verdict, meaning in MEANINGS.items() if verdict != UNREAD)
    lines += ["", f"{about} {meanings}"]
    if left_out:
        needs = "claim that needs" if left_out == 1 else "claims that need"
        lines += ["", f"Not in this table: {left_out} {needs} a long solve (`rollwise verify --slow`)."]
    for source, of_source in by_source(rows):
        lines += ["", f"## {_cell(title_of(source))}", "", counts(of_source) + "."]
        for game, of_game in by_game(of_source):
            lines += ["", f"### {_title(game)}", "", *_table(of_game)]
    return "\n".join(lines) + "\n"


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


def ledger_path(output: str | Path) -> Path:
    """The file that will be written; raises BadInput where it cannot be, before anything is computed.

    >>> ledger_path("missing/ledger.md")
    Traceback (most recent call last):
    rollwise.BadInput: missing/ledger.md cannot be written: there is no folder 'missing'
    """
    return check_output(Path(output))


def write_ledger(output: Path, text: str) -> Path:
    """Write the ledger aside and rename it into place; ``ledger_path`` has found the place fit."""
    with alone(output, wait=True):
        try:
            aside = new_aside(output)
            try:
                aside.write_text(text, encoding="utf-8")
                os.replace(aside, output)
            finally:
                aside.unlink(missing_ok=True)
        except OSError as error:
            raise RollwiseError(f"{output} was not written: {error.strerror}") from error
    return output


def _title(game: str) -> str:
    return f"{title_of_game(game)} (`{game}`)" if game in REGISTRY else f"`{game}`" if game else title_of_game(game)


def _table(rows: Iterable[Verdict]) -> list[str]:
    lines = [_row(COLUMNS), _row(["---"] * len(COLUMNS))]
    for row in rows:
        decimal = "" if row.decimal == row.exact else row.decimal
        cells = (f"`{row.id}`", row.statement, row.stated, row.exact, decimal, row.verdict, row.reading)
        lines.append(_row([_cell(cell) for cell in cells]))
    return lines


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(text: str | None) -> str:
    """One cell: no line breaks, and nothing that Markdown would take for the end of the cell or for a tag."""
    return " ".join((text or "").replace("|", "\\|").replace("<", "&lt;").split())
