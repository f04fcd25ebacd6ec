"""``verify``: what the rule sheets state, computed exactly and compared at the precision stated."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Verified:
    """One claim and its verdict: confirmed, refuted, depends (on a reading) or pending (its game is not there yet)."""

    id: str
    game: str
    source: str
    statement: str
    stated: str
    exact: str | None
    decimal: str | None
    verdict: str
    reading: str

    def plain(self) -> dict[str, Any]:
        """As JSON shows it."""
        return asdict(self)


def verify(game: str | None = None) -> list[Verified]:
    """Check every claim, or those of one game; raises UnknownGame for a name that no claim and no game has.

    >>> [row.verdict for row in verify("drop-dead")]
    ['confirmed']
    """
    from games.claims import check, claims

    return [Verified(**asdict(check(claim))) for claim in claims(game)]
