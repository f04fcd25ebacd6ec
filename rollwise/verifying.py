"""``verify``: what the rule sheets state, computed exactly and compared at the precision stated."""

from __future__ import annotations

from rollwise.games.claims import Claim, Verdict, check, claims
from rollwise.games.registry import REGISTRY
from rollwise.progress import Progress


def verify(game: str | None = None, *, slow: bool = False) -> list[Verdict]:
    """Check every claim, or those of one game; raises UnknownGame for a name that no claim and no game has.

    A verdict is confirmed, refuted, depends (on a reading) or pending (its game is not there yet). Claims that need a
    long solve are left out, unless ``slow`` asks for them too; ``left_out`` names them.

    >>> {row.verdict for row in verify("ten-thousand")}
    {'confirmed'}
    """
    chosen = [claim for claim in claims(game) if slow or not _is_slow(claim)]
    rows: list[Verdict] = []
    with Progress("claims", verb="checking") as progress:
        for claim in chosen:
            progress.share(len(rows) / len(chosen))
            rows.append(check(claim))
    return rows


def left_out(game: str | None = None) -> list[str]:
    """The claims that are checked only where ``slow`` asks for them.

    >>> left_out("ten-thousand")
    []
    """
    return [claim.id for claim in claims(game) if _is_slow(claim)]


def _is_slow(claim: Claim) -> bool:
    """A claim about a game that is not there yet takes no time: it is pending."""
    return claim.slow and claim.game in REGISTRY
