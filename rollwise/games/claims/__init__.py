"""Claims of the rule sheets about odds and examples, each checked against the game's own rules.

A claim is data: ``claims.toml`` in the folder of a game holds its claims, in the order of the rule sheet (its format:
``sheets``). A claim that needs a program names a function of ``claims.py`` beside it. Games are imported only when a
claim is checked.
"""

from __future__ import annotations

from importlib.resources import files

from rollwise.games import registry
from rollwise.games.claims.claim import Certified, Claim, Value, Verdict, check, unread_verdict
from rollwise.games.claims.sheets import parse_rows
from rollwise.games.claims.values import make_claim
from rollwise.games.data_files import text_of
from rollwise.solver.model.plain import plain

__all__ = ["Certified", "Claim", "Value", "Verdict", "check", "claims", "unread_verdict"]


def claims(game: str | None = None) -> list[Claim]:
    """Claims about one game, or all; raises UnknownGame for a name of neither a game nor a claim."""
    registered = registry.spelt(game)
    rooms = [registry.room(registered)] if registered in registry.REGISTRY else _rooms()
    all_claims = [claim for room in rooms for claim in _of_room(room)]
    # a claim may be of a game that is not there yet
    selected = [claim for claim in all_claims if game is None or claim.game == (registered or plain(game))]
    if game is not None and not selected:
        registry.find(game)
    return selected


def _rooms() -> list[str]:
    """Packages of all games."""
    folders = files(registry.__package__).iterdir()
    return [f"{registry.__package__}.{name}" for name in sorted(path.name for path in folders if path.is_dir())]


def _of_room(package: str) -> list[Claim]:
    """Claims of one game, in the order of its sheet; none where there is no such sheet."""
    text = text_of(package, "claims") if package else ""
    sheet = f"{package.rpartition('.')[2]}/claims.toml"
    return [make_claim(row) for row in parse_rows(text, sheet, f"{package}.claims")] if text else []
