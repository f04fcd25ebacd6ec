"""Rules of thumb that people play by, one module a game: ``POLICIES`` names them, each with a line on what it does.

A policy is a function of the state (a mapping with the fields of a question and the game's parameters) and of the
moves that are legal there, in the game's own order; it returns one of them, or, where the best play is a mix, how often
it makes each. Fields that are not part of the turn (scores, boxes) may be looked at too, but then boards are told apart
by them, and there is more to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

from rollwise.games.registry import find
from rollwise.solver.model.errors import UnknownName
from rollwise.solver.model.names import did_you_mean, matched
from rollwise.solver.model.plain import quoted

# one that mixes returns a mapping from moves to how often each is made, its own affair: ``rollwise.asking.compare``
Policy: TypeAlias = Callable[[Mapping[str, Any], Sequence[str]], str]


@dataclass(frozen=True)
class RuleOfThumb:
    """A rule of thumb: what a person would say it does, and the function that plays it."""

    help: str
    policy: Policy


def policies(game: str) -> dict[str, RuleOfThumb]:
    """The rules of thumb of a game by name; raises UnknownGame."""
    module = f"{__name__}.{find(game).name.replace('-', '_')}"
    if find_spec(module) is None:
        return {}
    found: dict[str, RuleOfThumb] = import_module(module).POLICIES
    return found


def policy(game: str, name: str) -> RuleOfThumb:
    """One of them, however it is written; raises UnknownName with the nearest name."""
    known = policies(game)
    found = matched(name, known)
    if found is None:
        hint = did_you_mean(name, known)
        listed = ", ".join(known) or "none of its own"
        raise UnknownName(
            f"'{game}' has no policy {quoted(name)}{hint}; it has: {listed}; or give a file, rule.py:function, "
            "or a table that export wrote"
        )
    return known[found]
