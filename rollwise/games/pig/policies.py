"""Rules of thumb for Pig."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.games.policies import Policy, RuleOfThumb


def hold_at(points: int) -> Policy:
    """Roll until the turn total reaches ``points`` or wins (Neller and Presser 2004)."""

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        enough = min(points, state["target"] - state["mine"])
        return "hold" if state["turn"] >= enough and "hold" in moves else "roll"

    return policy


def keep_pace(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Roll for the win once a player lacks 29 or fewer, else hold at 21 and an eighth of the other player's lead.

    Eighths go to the nearest whole number, halves up, also of a lead of one's own: 4 behind hold at 22, 4 ahead at 21
    (Neller and Presser 2010, "Practical Play of the Dice Game Pig").
    """
    if "hold" not in moves:
        return "roll"
    missing = state["target"] - state["mine"]
    if min(missing, state["target"] - state["theirs"]) <= 29:
        return "hold" if state["turn"] >= missing else "roll"
    return "hold" if state["turn"] >= 21 + (state["theirs"] - state["mine"] + 4) // 8 else "roll"


POLICIES = {
    "hold-at-20": RuleOfThumb("hold as soon as the turn is worth 20 points or wins", hold_at(20)),
    "hold-at-25": RuleOfThumb("hold as soon as the turn is worth 25 points or wins", hold_at(25)),
    "keep-pace": RuleOfThumb(
        "roll for the win once a player lacks 29, else hold at 21 and an eighth of the lead, halves rounded up",
        keep_pace,
    ),
}
