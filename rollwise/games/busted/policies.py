"""Rules of thumb for Busted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.games.policies import RuleOfThumb

JAIL = 7
ENOUGH = 20  # chips on spaces that can be taken, which hold 56 at most


def always_pass(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Pass whenever that is allowed."""
    return moves[0]


def roll_at_a_full_board(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Roll again while many chips lie where they can be taken."""
    there = sum(chips for space, chips in state["board"].items() if space != JAIL)
    return "roll" if "pass" not in moves or there >= ENOUGH else "pass"


POLICIES = {
    "always-pass": RuleOfThumb("pass whenever that is allowed", always_pass),
    "roll-at-a-full-board": RuleOfThumb(
        f"roll again while {ENOUGH} chips or more lie on the spaces without 7", roll_at_a_full_board
    ),
}
