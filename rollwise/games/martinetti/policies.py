"""Rules of thumb for Martinetti with crossing=free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.games.policies import RuleOfThumb


def all_offered(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Cross off all that the roll offers, as with crossing=forced."""
    return moves[0]  # moves are listed from the most squares down


POLICIES = {"forced": RuleOfThumb("cross off as many numbers as the roll offers", all_offered)}
