"""``verify``: what the rule sheets state, computed exactly and compared at the precision stated."""

from __future__ import annotations

from games.claims import Verdict, check, claims


def verify(game: str | None = None) -> list[Verdict]:
    """Check every claim, or those of one game; raises UnknownGame for a name that no claim and no game has.

    A verdict is confirmed, refuted, depends (on a reading) or pending (its game is not there yet).

    >>> [row.verdict for row in verify("drop-dead")]
    ['confirmed']
    """
    return [check(claim) for claim in claims(game)]
