"""Claims of the rule sheets about odds and examples, each checked against the game's own rules.

A claim is data: the stated value, its precision, and a function that computes it from the rules. Each module of this
package holds the claims of one game in ``CLAIMS``, in the order of the rule sheet. Claims without a function stand in
a TOML file of the same name (its format: ``sheets``), and by their id alone in ``CLAIMS``. Games are imported only
when a claim is checked.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

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
from rollwise.games.data_files import text_of
from rollwise.solver.model.errors import ModelError
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
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    registered_name = registry.spelt(game)  # a claim may be of a game that is not there yet
    all_claims = [claim for name in modules for claim in _of_module(name)]
    selected = [claim for claim in all_claims if game is None or claim.game == (registered_name or plain(game))]
    if game is not None and not selected:
        registry.find(game)
    return selected


def _of_module(name: str) -> list[Claim]:
    """Claims of one module and of the TOML file beside it; raises ModelError where the two do not agree."""
    listed: tuple[Claim | str, ...] = getattr(import_module(f"{__name__}.{name}"), "CLAIMS", ())
    text, sheet = text_of(__name__, name), f"{name}.toml"
    rows = {row.id: make_claim(row) for row in (parse_rows(text, sheet) if text else [])}
    named = [entry for entry in listed if isinstance(entry, str)]
    if sorted(named) != sorted(rows):
        raise ModelError(f"{name} names {', '.join(named)}, and {sheet} has {', '.join(rows)}")
    return [rows[entry] if isinstance(entry, str) else entry for entry in listed]
