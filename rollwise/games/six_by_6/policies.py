"""Rules of thumb for Six By 6 with posting=free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.games.policies import RuleOfThumb


def always_post(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Post whenever that is allowed, as with posting=forced."""
    return moves[0]  # to post is listed first


def never_whole(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Post nothing but sixes."""
    return moves[-1]


POLICIES = {
    "forced": RuleOfThumb("post whatever may be posted", always_post),
    "sixes-only": RuleOfThumb("post nothing but sixes", never_whole),
}
