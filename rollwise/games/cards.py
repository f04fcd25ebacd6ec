"""Strategy cards: policies in so few numbers that a person can use them, from ``research/find_cards.py``.

The numbers of a card are data, in ``cards.toml`` beside a game: ``parameters`` and ``rules_version`` name the game,
``found`` the quality of the search, ``cost`` the cost of the card, in a duel to an opponent who knows it, and
``cost_to_best`` to the best player. The values of best play in ``small`` games of the same rules show, without the
search, whether these rules are still the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rollwise.games.data_files import text_of
from rollwise.games.registry import REGISTRY, room


@dataclass(frozen=True)
class Cost:
    """Cost of a card per game, in the game's unit: ``lower <= true value <= upper``."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class BestPlay:
    """Distance of best play from thresholds: of its ``decisions`` (stop, or throw on) the ``violations``, where it
    throws on although it would stop with fewer points, all else equal. ``every``: step of both scores in the count.
    """

    decisions: int
    violations: int
    every: int


@dataclass(frozen=True)
class SimplerCard:
    """Simpler numbers of the same card, with one term less."""

    numbers: dict[str, Any]
    cost: Cost
    cost_to_best: Cost | None


@dataclass(frozen=True)
class SmallGame:
    """Value of best play in a small game: ``lower <= true value <= upper``."""

    parameters: dict[str, Any]
    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class CardNumbers:
    """Stored card of a game.

    The search had ``starts`` starts; ``card_policies.make_policy`` turns ``numbers`` into a policy.
    """

    game: str
    parameters: dict[str, Any]
    rules_version: int
    found: str
    cost: Cost
    numbers: dict[str, Any]
    best_play: BestPlay | None = None
    simpler: SimplerCard | None = None
    starts: int | None = None
    cost_to_best: Cost | None = None
    small: tuple[SmallGame, ...] = ()


@dataclass(frozen=True)
class OtherParameters:
    """Way to make a card for other parameters: from ``thresholds`` of the best play, or from a ``first turn``.

    ``needs``: parameters that must have these values; ``target`` is free.
    """

    how: str
    needs: Mapping[str, Any] = field(default_factory=dict)


OTHER_PARAMETERS = {
    "pig": OtherParameters("thresholds"),
    "piggy-six": OtherParameters("thresholds", {"players": 2, "max_dice": 2}),
    "yahtzee": OtherParameters("first turn", {"objective": "score"}),
}


def list_cards() -> list[str]:
    """Games that have a card."""
    return [name for name in REGISTRY if _card_text(name)]


def load_card(game: str) -> CardNumbers | None:
    """Stored card of a game, or None."""
    text = _card_text(game)
    return parse_card(tomllib.loads(text)) if text else None


def _card_text(game: str) -> str:
    package = room(game)
    return text_of(package, "cards") if package else ""


def parse_card(data: Mapping[str, Any]) -> CardNumbers:
    """Card from the data of its file."""
    best_play, simpler = data.get("best_play"), data.get("simpler")
    parsed = {
        "cost": Cost(**data["cost"]),
        "cost_to_best": _to_best(data),
        "best_play": BestPlay(**best_play) if best_play else None,
        "simpler": SimplerCard(simpler["numbers"], Cost(**simpler["cost"]), _to_best(simpler)) if simpler else None,
        "small": tuple(SmallGame(**small) for small in data.get("small", ())),
    }
    return CardNumbers(**{**data, **parsed})


def _to_best(data: Mapping[str, Any]) -> Cost | None:
    return Cost(**data["cost_to_best"]) if "cost_to_best" in data else None
