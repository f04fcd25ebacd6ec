"""The verdict on every claim of the rule sheets that needs no long solve, found once for all tests."""

from __future__ import annotations

from functools import cache

from rollwise.games.claims import Verdict, check, claims


@cache
def verdicts() -> dict[str, Verdict]:
    """By the claim's id, in the order of the ledger."""
    return {claim.id: check(claim) for claim in claims() if not claim.slow}
