"""What the rule sheets say about odds and examples, and whether it is so.

A claim is data: what is stated, how precisely, and how to compute it from the game's own rules. Each module of this
package holds the claims of one game in ``CLAIMS``, in the order of the rule sheet. Those that need no program stand in
a TOML file of the same name (``sheets`` says what such a file holds), and by their id alone in ``CLAIMS``. Games
themselves are imported only when a claim is checked.
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
    counted,
    more_than,
    rounded_to,
    shown,
    stated_numbers,
    unread,
)
from rollwise.games.claims.sheets import claim_of, rows_of
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
    "counted",
    "more_than",
    "rounded_to",
    "shown",
    "stated_numbers",
    "unread",
]


def claims(game: str | None = None) -> list[Claim]:
    """The claims about one game, or all; raises UnknownGame for a name that neither games nor claims know."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    wanted = registry.spelt(game)  # a claim may be of a game that is not there yet
    every = [claim for name in modules for claim in _of_module(name)]
    found = [claim for claim in every if game is None or claim.game == (wanted or plain(game))]
    if game is not None and not found:
        registry.find(game)
    return found


def _of_module(name: str) -> list[Claim]:
    """The claims of one module and of the TOML file beside it; raises ModelError where the two do not fit together."""
    listed: tuple[Claim | str, ...] = getattr(import_module(f"{__name__}.{name}"), "CLAIMS", ())
    text, sheet = text_of(__name__, name), f"{name}.toml"
    rows = {row.id: claim_of(row) for row in (rows_of(text, sheet) if text else [])}
    named = [entry for entry in listed if isinstance(entry, str)]
    if sorted(named) != sorted(rows):
        raise ModelError(f"{name} names {', '.join(named)}, and {sheet} has {', '.join(rows)}")
    return [rows[entry] if isinstance(entry, str) else entry for entry in listed]
