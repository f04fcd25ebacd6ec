"""Strategy cards: a policy in so few numbers that a person can use it, found by ``scripts/find_cards.py``.

The numbers of a card are data, one TOML file a game: ``parameters`` and ``rules_version`` say which game they are for,
``found`` how good they are known to be, ``cost`` what playing by them costs (value, lower, upper, in the game's unit).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, TypeAlias

Bounds: TypeAlias = tuple[float, float, float]  # value, lower, upper


@dataclass(frozen=True)
class Simpler:
    """Numbers of the same card with one term less."""

    numbers: dict[str, Any]
    cost: Bounds


@dataclass(frozen=True)
class Numbers:
    """What is stored of a game's card.

    It was found from ``starts`` starts; ``numbers`` are those that ``rules`` makes a rule of. ``best_play``: how many
    decisions the best play comes to, at how many of them it throws on although it would stop with fewer points, and in
    steps of how many points both scores were looked at.
    """

    game: str
    parameters: dict[str, Any]
    rules_version: int
    found: str
    cost: Bounds
    numbers: dict[str, Any]
    best_play: tuple[int, int, int] | None = None
    simpler: Simpler | None = None
    starts: int | None = None


def known_cards() -> list[str]:
    """The games that have a card."""
    return sorted(
        path.name.removesuffix(".toml").replace("_", "-")
        for path in files(__name__).iterdir()
        if path.name.endswith(".toml")
    )


def numbers_of(game: str) -> Numbers | None:
    """The stored card of a game, or None."""
    path = files(__name__) / f"{game.replace('-', '_')}.toml"
    if not path.is_file():
        return None
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    steady, less = told.get("best_play"), told.get("simpler")
    return Numbers(
        told["game"],
        told["parameters"],
        told["rules_version"],
        told["found"],
        _bounds(told["cost"]),
        told["numbers"],
        (steady["decisions"], steady["violations"], steady["every"]) if steady else None,
        Simpler(less["numbers"], _bounds(less["cost"])) if less else None,
        told.get("starts"),
    )


def _bounds(cost: dict[str, float]) -> Bounds:
    return cost["value"], cost["lower"], cost["upper"]
