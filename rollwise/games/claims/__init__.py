"""Claims of the rule sheets about odds and examples, each checked against the game's own rules.

A claim is data: each TOML file of this package holds the claims of one game, in the order of the rule sheet (its
format: ``sheets``). A claim that needs a program names a function of the module beside the file. Games are imported
only when a claim is checked.
"""

from __future__ import annotations

from rollwise.games import registry
from rollwise.games.claims.claim import Certified, Claim, Value, Verdict, check, unread_verdict
from rollwise.games.claims.plays import sheet_name
from rollwise.games.claims.sheets import parse_rows
from rollwise.games.claims.values import make_claim
from rollwise.games.data_files import file_names, text_of
from rollwise.solver.model.plain import plain

__all__ = ["Certified", "Claim", "Value", "Verdict", "check", "claims", "unread_verdict"]


def claims(game: str | None = None) -> list[Claim]:
    """Claims about one game, or all; raises UnknownGame for a name of neither a game nor a claim."""
    registered = registry.spelt(game)
    names = [sheet_name(registered)] if registered in registry.REGISTRY else file_names(__name__)
    all_claims = [claim for name in names for claim in _of_sheet(name)]
    # a claim may be of a game that is not there yet
    selected = [claim for claim in all_claims if game is None or claim.game == (registered or plain(game))]
    if game is not None and not selected:
        registry.find(game)
    return selected


def _of_sheet(name: str) -> list[Claim]:
    """Claims of one sheet, in its order; none where there is no such sheet."""
    text = text_of(__name__, name)
    return [make_claim(row) for row in parse_rows(text, f"{name}.toml", f"{__name__}.{name}")] if text else []
