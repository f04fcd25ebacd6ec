"""Rules of thumb for Six-Dice Zilch: each counts the most points of a throw; they differ in when to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rollwise.games.policies import Policy, RuleOfThumb
from rollwise.games.zilch.scoring import SPECIALS
from rollwise.solver.model.moves import parse_move


def points(move: str) -> int:
    """Points of a move that keeps dice.

    >>> points("keep 1 1 5 for 250"), points("score straight")
    (250, 1500)
    """
    done = parse_move(move)
    return done.points or SPECIALS[done.box]


def most_points(stops: Callable[[Mapping[str, Any]], bool]) -> Policy:
    """Count the most points of a throw; then stop where ``stops`` is true and the rules allow it."""

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        if "roll" in moves or "stop" in moves:
            choice = "stop" if stops(state) else "roll"
            return choice if choice in moves else moves[0]
        return max(moves, key=points)

    return policy


POLICIES = {
    "stop-at-350": RuleOfThumb("count all that scores, stop as soon as 350 are there", most_points(lambda s: True)),
    "stop-at-500": RuleOfThumb("count all that scores, stop with 500 or more", most_points(lambda s: s["turn"] >= 500)),
    "few-dice": RuleOfThumb(
        "count all that scores, roll on with three dice or more, else stop", most_points(lambda s: s["dice"] <= 2)
    ),
}
