"""Rules of thumb for Mexico."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.games.mexico.scoring import NAMES, PLACES
from rollwise.games.policies import Policy, RuleOfThumb


def stop_from(lowest: str) -> Policy:
    """Stop with this throw or a higher one, throw everything below again."""

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        return "stop" if "stop" in moves and PLACES[state["roll"]] >= NAMES[lowest] else "roll"

    return policy


def opener_and(ties: bool) -> Policy:
    """Opening: stop with 6-5 or higher; later: with what beats the lowest so far, or, with ``ties``, is no lower."""

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        if "stop" not in moves:
            return "roll"
        place = PLACES[state["roll"]]
        lowest = min((NAMES[thrown] for thrown in state["results"] if thrown), default=None)
        enough = place >= NAMES["6-5"] if lowest is None else place >= lowest if ties else place > lowest
        return "stop" if enough else "roll"

    return policy


POLICIES = {
    "stop-at-a-pair": RuleOfThumb("throw again whatever is below a pair", stop_from("1-1")),
    "beat-the-opener": RuleOfThumb(
        "open with 6-5 or more; later, throw until the lowest is beaten", opener_and(ties=False)
    ),
    "match-the-opener": RuleOfThumb("open with 6-5 or more; later, stop when you are no lower", opener_and(ties=True)),
}
