"""Rules of thumb for Shut the Box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.games.policies import RuleOfThumb
from rollwise.solver.model.moves import parse_move


def tiles(move: str) -> tuple[int, ...]:
    """Numbers that a move shuts, the highest first.

    >>> tiles("shut 3 5"), tiles("leave")
    ((5, 3), ())
    """
    return tuple(sorted(parse_move(move).dice, reverse=True))


def highest_first(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Shut the highest number that can be shut, and throw one die as soon as that is allowed."""
    return "one die" if "one die" in moves else max(moves, key=tiles)


POLICIES = {
    "highest-first": RuleOfThumb("shut the highest number that can be shut; one die as soon as may be", highest_first)
}
