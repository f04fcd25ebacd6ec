"""Rules of thumb for Finish with placing=free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.games.policies import RuleOfThumb


def all_that_fit(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Add as many dice as fit, as with placing=forced."""
    return moves[0]  # moves are listed from the most dice down


def one_at_a_time(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Add a single die, unless all six can be added."""
    return "place 6" if moves[0] == "place 6" else moves[-1]


POLICIES = {
    "forced": RuleOfThumb("add as many dice as fit", all_that_fit),
    "one-at-a-time": RuleOfThumb("add a single die, unless the whole row can be added", one_at_a_time),
}
