"""The ledger: every claim with its verdict, by source: a summary, lines for the terminal, and a Markdown table."""

from __future__ import annotations

from collections import Counter
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
    present = verdicts_of(rows)
    groups = [(title_of(source), of_source) for source, of_source in by_source(rows)]
    groups += [("all", list(rows))] if len(groups) > 1 else []
    table = [["source", "claims", *present]]
    for name, some in groups:
        numbers: Counter[str] = Counter(row.verdict for row in some)
        table.append([name, str(len(some)), *(str(numbers[verdict]) for verdict in present)])
    return table


def verdicts_of(rows: Iterable[Verdict]) -> list[str]:
    """The verdicts that there are, in their order."""
    return sorted({row.verdict for row in rows}, key=VERDICTS.index)


def verdict_lines(every: Sequence[Verdict], shown: Sequence[Verdict]) -> list[str]:
    """The summary of every row, then those that are to be shown, as the terminal has them."""
    table = summary(every)
    lines = [*columns(table, right=range(1, len(table[0]))), ""]
    unclear = [verdict for verdict in ("depends", "pending") if verdict in table[0]]
    lines += [f"{verdict}: {MEANINGS[verdict]}" for verdict in unclear] + [""] * bool(unclear)
    for row in shown:
        lines += [f"{row.verdict.upper():10} {row.id}", *wrapped(" " * 11 + row.statement, 11)]
        for label, text in facts(row, nothing="-"):
            lines += wrapped(" " * 11 + f"{label:9}{text}", 20)
    lines += [""] * bool(shown)
    return [*lines, f"shown: {len(shown)} of {counts(every)}" if len(shown) < len(every) else counts(every)]


def facts(row: Verdict, nothing: str) -> list[tuple[str, str]]:
    """What there is to tell of a claim beside its statement, each by its label; ``nothing`` where nothing is exact."""
    always = [("stated", row.stated), ("exact", row.exact or nothing)]
    decimal = "" if row.decimal == row.exact else row.decimal
    return always + [(label, text) for label, text in (("decimal", decimal), ("reading", row.reading)) if text]


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
    table = summary(rows)
    blocks: list[Block] = [Heading(head), Sentence([f"{counts_of(rows, of)}."])]
    blocks += [CellTable(table, right=range(1, len(table[0])))] if rows else []
    meanings = " ".join(f"*{verdict}*: {meaning}." for verdict, meaning in MEANINGS.items() if verdict != UNREAD)
    blocks.append(Sentence([f"{about} {meanings}"]))
    blocks += [Sentence([f"{left_out_line(left_out)}."])] if left_out else []
    for source, of_source in by_source(rows):
        blocks += [Heading(title_of(source), 2), Sentence([f"{counts(of_source)}."])]
        for game, of_game in by_game(of_source):
            blocks += [Heading(_title(game), 3), _table(of_game)]
    return markdown(blocks)


def counts_of(rows: Sequence[Verdict], of: int | None) -> str:
    """How many rows there are by verdict, and of how many these are chosen."""
    return counts(rows) + (f", of {of}" if of not in (None, len(rows)) else "")


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
    of_rows = [
        {"claim": f"`{row.id}`", "statement": row.statement, "verdict": row.verdict, **dict(facts(row, nothing=""))}
        for row in rows
    ]
    return CellTable([COLUMNS, *([cells.get(name, "") for name in COLUMNS] for cells in of_rows)])
