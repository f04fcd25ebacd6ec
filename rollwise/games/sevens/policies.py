"""Rules of thumb for Sevens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.games.policies import Policy, RuleOfThumb


def stop_at(points: int) -> Policy:
    """Stop when the dice left over count so many points or fewer."""

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        return "stop" if "stop" in moves and sum(state["left"]) <= points else moves[-1]

    return policy


def two_dice_left(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Stop when at most two dice are left over."""
    return "stop" if "stop" in moves and len(state["left"]) <= 2 else moves[-1]


POLICIES = {
    "stop-at-8": RuleOfThumb("stop when the dice left over count 8 points or fewer", stop_at(8)),
    "stop-at-10": RuleOfThumb("stop when the dice left over count 10 points or fewer", stop_at(10)),
    "two-dice-left": RuleOfThumb("stop when at most two dice are left over", two_dice_left),
}
