"""Rules of thumb for Bluff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.games.policies import Policy, RuleOfThumb

EVEN = 10  # more than half of all throws come to this or more


def caller(least: int) -> Policy:
    """Call the total, but at least ``least`` and more than the last call; accept calls that most throws reach."""

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        if moves == ["roll"]:
            return "roll"
        if "total" in state:
            call = f"call {max(state['total'], least)}"
            return call if call in moves else moves[0]
        return "accept" if state["call"] <= EVEN and "accept" in moves else "challenge"

    return policy


def coin(state: Mapping[str, Any], moves: Sequence[str]) -> Any:
    """Mixed strategy: every legal call with the same weight, and a coin decides whether to accept one."""
    return dict.fromkeys(moves, 1.0)


POLICIES = {
    "honest": RuleOfThumb("call what you see where you may, else the next number; accept calls up to 10", caller(3)),
    "nine-at-least": RuleOfThumb("call what you see, but 9 for anything less; accept calls up to 10", caller(9)),
    "coin": RuleOfThumb("every call is as likely as any other, and a coin says whether to accept", coin),
}
