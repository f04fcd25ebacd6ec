"""The ledger: every claim of the rule sheets with its verdict, as a Markdown table for people."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from rollwise.exporting.files import alone, check_output, new_aside
from rollwise.games.claims import Verdict
from rollwise.games.registry import REGISTRY
from rollwise.solver.game.errors import BadInput, RollwiseError

SOURCES = {  # title, and author where the sheet names one
    "000_796d08fcfb18cd8f.txt": "Six By 6, by Michael Williams",
    "001_803e37a6f80f8c56.txt": "Sixzee Rules, by freethedice.com",
    "002_7e84cd89ad580b3b.txt": "Six-Dice Zilch",
    "003_4224d89a97a61c6e.txt": "Piggy Six",
    "004_cc367fea0fd9d5c8.txt": "TACTIC rules for dice games",
}
VERDICTS = ("confirmed", "refuted", "depends", "pending")
COLUMNS = ("claim", "statement", "stated", "exact", "decimal", "verdict", "reading")
MEANING = (
    "Statements are in our words, `stated` is what the rule sheet says; `exact` was computed from the rules when this "
    "page was written. *confirmed*: it is so, at the precision stated. *refuted*: it is not. *depends*: it is so under "
    "some of the readings named. *pending*: the rules of the game are not built yet."
)


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


def ledger(rows: Sequence[Verdict], left_out: int = 0) -> str:
    """The ledger as Markdown, grouped by source and game; ``left_out`` says how many slow claims are not in it."""
    ordered = sorted(rows, key=lambda row: (row.source, row.game))  # stable: a game's claims keep their order
    lines = ["# What the rule sheets state", "", counts(rows) + ".", "", MEANING]
    if left_out:
        needs = "claim that needs" if left_out == 1 else "claims that need"
        lines += ["", f"Not in this table: {left_out} {needs} a long solve (`rollwise verify --slow`)."]
    for source, of_source in groupby(ordered, key=lambda row: row.source):
        group = list(of_source)
        lines += ["", f"## {_source(source)}", "", counts(group) + "."]
        for game, of_game in groupby(group, key=lambda row: row.game):
            lines += ["", f"### {_title(game)}", "", *_table(of_game)]
    return "\n".join(lines) + "\n"


def check_ledger(output: str | Path) -> Path:
    """The file that will be written; raises BadInput where it cannot be, before anything is computed.

    >>> check_ledger("missing/ledger.md")
    Traceback (most recent call last):
    rollwise.BadInput: missing/ledger.md cannot be written: there is no folder 'missing'
    """
    if str(output) == "-":
        raise BadInput("the ledger is written to a file: --output ledger.md")
    return check_output(Path(output))


def write_ledger(output: Path, text: str) -> Path:
    """Write the ledger aside and rename it into place; ``check_ledger`` has found the place fit."""
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


def _source(source: str) -> str:
    return f"{SOURCES[source]} ({source})" if source in SOURCES else source


def _title(game: str) -> str:
    return f"{REGISTRY[game].title} (`{game}`)" if game in REGISTRY else f"`{game}`"


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
