"""Claims of the rule sheets about odds and examples, each checked against the game's own rules.

A claim is data: each TOML file of this package holds the claims of one game, in the order of the rule sheet (its
format: ``sheets``). A claim that needs a program names a function of the module beside the file. Games are imported
only when a claim is checked.
"""

from __future__ import annotations

import pkgutil

from rollwise.games import registry
from rollwise.games.claims.claim import (
    ALWAYS,
    EXACTLY,
    IMPOSSIBLE,
    IN_WORDS,
    MOSTLY,
    WHOLE_PERCENT,
    Certified,
    Claim,
    Precision,
    Value,
    Verdict,
    check,
    equal_to,
    format_value,
    more_than,
    rounded_to,
    stated_numbers,
    unread_verdict,
)
from rollwise.games.claims.sheets import make_claim, parse_rows
from rollwise.games.data_files import file_names, text_of
from rollwise.solver.model.plain import plain

__all__ = [
    "ALWAYS",
    "EXACTLY",
    "IMPOSSIBLE",
    "IN_WORDS",
    "MOSTLY",
    "WHOLE_PERCENT",
    "Certified",
    "Claim",
    "Precision",
    "Value",
    "Verdict",
    "check",
    "claims",
    "equal_to",
    "format_value",
    "more_than",
    "rounded_to",
    "stated_numbers",
    "unread_verdict",
]


def claims(game: str | None = None) -> list[Claim]:
    """Claims about one game, or all; raises UnknownGame for a name of neither a game nor a claim."""
    registered_name = registry.spelt(game)  # a claim may be of a game that is not there yet
    entry = registry.REGISTRY.get(registered_name or "")
    names = sorted({*file_names(__name__), *(m.name for m in pkgutil.iter_modules(__path__))}) if entry is None else [entry.module.rpartition(".")[2]]
    all_claims = [claim for name in names for claim in _of_sheet(name)]
    selected = [claim for claim in all_claims if game is None or claim.game == (registered_name or plain(game))]
    if game is not None and not selected:
        registry.find(game)
    return selected


def _of_sheet(name: str) -> list[Claim]:
    """Claims of one sheet, in its order; none where there is no such sheet."""
    text = text_of(__name__, name)
    if _listed(name):
        rows = {row.id: make_claim(row) for row in (parse_rows(text, f"{name}.toml") if text else [])}
        return [rows[entry] if isinstance(entry, str) else entry for entry in _listed(name)]
    return [make_claim(row) for row in parse_rows(text, f"{name}.toml", f"{__name__}.{name}")] if text else []


def _listed(name: str) -> tuple[Claim | str, ...]:
    from importlib import import_module
    from importlib.util import find_spec

    return getattr(import_module(f"{__name__}.{name}"), "CLAIMS", ()) if find_spec(f"{__name__}.{name}") else ()
