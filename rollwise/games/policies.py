"""Rules of thumb that people play by, in ``policies.py`` beside a game: policies by name in ``POLICIES``.

A policy is a function of the state (a mapping with the fields of a question and the game's parameters) and of the
moves that are legal there, in the game's own order; it returns one of them, or, for a mixed strategy,
the weight of each. It may read fields outside the turn (scores, boxes) too, but then its evaluation separates boards by
them, and takes longer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rollwise.games.registry import module_in_room
from rollwise.solver.model.errors import UnknownName
from rollwise.solver.model.names import did_you_mean, matched
from rollwise.solver.model.plain import quoted

# a mixed strategy returns a mapping from moves to weights: see ``rollwise.questions.compare.compute``
Policy: TypeAlias = Callable[[Mapping[str, Any], Sequence[str]], str]


@dataclass(frozen=True)
class RuleOfThumb:
    """Rule of thumb: a help line in plain words, and the policy that plays it."""

    help: str
    policy: Policy


def policies(game: str) -> dict[str, RuleOfThumb]:
    """Rules of thumb of a game by name; raises UnknownGame."""
    return getattr(module_in_room(game, "policies"), "POLICIES", {})


def policy(game: str, name: str) -> RuleOfThumb:
    """Rule of thumb by name in any spelling; raises UnknownName with the nearest name."""
    rules = policies(game)
    match = matched(name, rules)
    if match is None:
        hint = did_you_mean(name, rules)
        listed = ", ".join(rules) or "none of its own"
        raise UnknownName(
            f"'{game}' has no policy {quoted(name)}{hint}; it has: {listed}; or give a file, rule.py:function, "
            "or a table that export wrote"
        )
    return rules[match]
