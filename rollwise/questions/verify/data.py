"""Claims of rule sheets: their sources by title, and their verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from rollwise.games.claims import Verdict
from rollwise.solver.model.errors import UnknownName
from rollwise.solver.model.plain import count_of, quoted

SOURCES = {  # file names by title, with the author if the sheet names one
    "Six By 6, by Michael Williams": "000_796d08fcfb18cd8f.txt",
    "Sixzee Rules, by freethedice.com": "001_803e37a6f80f8c56.txt",
    "Six-Dice Zilch": "002_7e84cd89ad580b3b.txt",
    "Piggy Six": "003_4224d89a97a61c6e.txt",
    "TACTIC rules for dice games": "004_cc367fea0fd9d5c8.txt",
}
UNREAD = "unread"  # of a user's sheet
VERDICTS = ("confirmed", "refuted", "depends", "pending", UNREAD)
MEANINGS = {
    "confirmed": "it is so, at the precision stated",
    "refuted": "it is not so",
    "depends": "it is so under some of the readings named",
    "pending": "not settled: the game is not built yet, or its answer does not tell",
    UNREAD: "it cannot be read, and the reading says why",
}


def place_of(source: str) -> tuple[int, str]:
    """The sort key of a source: rule sheets first, in their order."""
    return ([*SOURCES, source].index(source), source)


def match_source(text: str, sources: Collection[str]) -> str:
    """The source with this title or file name, or part of it; raises UnknownName for none or several.

    >>> match_source("six by", SOURCES)
    'Six By 6, by Michael Williams'
    """
    words = " ".join(text.lower().split())
    titles_of = {source: (source.lower(), SOURCES.get(source, source).lower()) for source in sources}
    whole = [source for source, names in titles_of.items() if words in names]
    fits = whole or [source for source, names in titles_of.items() if words and any(words in name for name in names)]
    if len(fits) != 1:
        titles = ", ".join(f"'{source}'" for source in sorted(fits or sources, key=place_of))
        fault = f"{quoted(text)} fits several sources" if fits else f"no source is called {quoted(text)}; sources"
        raise UnknownName(f"{fault}: {titles}", field="source")
    return fits[0]


def with_verdicts(rows: Sequence[Verdict], *, refuted: bool = False, depends: bool = False) -> list[Verdict]:
    """The rows with these verdicts, or all where none is named."""
    verdicts = ["refuted"] * refuted + ["depends"] * depends or VERDICTS
    return [row for row in rows if row.verdict in verdicts]


def counts(rows: Sequence[Verdict]) -> str:
    """The number of claims in all, and by verdict.

    >>> counts([])
    '0 claims'
    """
    numbers: Counter[str] = Counter(row.verdict for row in rows)
    by_verdict = ", ".join(f"{numbers[verdict]} {verdict}" for verdict in VERDICTS if numbers[verdict])
    return ": ".join(filter(None, (count_of(len(rows), "claim"), by_verdict)))
