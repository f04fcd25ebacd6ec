"""Strategy cards: a policy in so few numbers that a person can use it, found by ``scripts/find_cards.py``.

The numbers of a card are data, one TOML file a game: ``parameters`` and ``rules_version`` say which game they are for,
``found`` how good they are known to be, ``cost`` what playing by them costs, in a duel to a player who knows them, and
``cost_to_best`` what to the best player. What the best play was worth in ``small``
games of the same rules when they were found tells, without the search, whether these rules are still the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rollwise.games.cards.facts import BestPlay, Cost
from rollwise.games.data_files import named, text_of


@dataclass(frozen=True)
class Simpler:
    """Numbers of the same card with one term less."""

    numbers: dict[str, Any]
    cost: Cost
    cost_to_best: Cost | None


@dataclass(frozen=True)
class Small:
    """What the best play is worth in a small game: ``lower <= true value <= upper``."""

    parameters: dict[str, Any]
    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class CardNumbers:
    """What is stored of a game's card.

    It was found from ``starts`` starts; ``numbers`` are those that ``rules`` makes a rule of.
    """

    game: str
    parameters: dict[str, Any]
    rules_version: int
    found: str
    cost: Cost
    numbers: dict[str, Any]
    best_play: BestPlay | None = None
    simpler: Simpler | None = None
    starts: int | None = None
    cost_to_best: Cost | None = None
    small: tuple[Small, ...] = ()


@dataclass(frozen=True)
class Anew:
    """A card that is made for other parameters too: of ``thresholds`` read off the best play, or of a ``first turn``.

    ``needs``: parameters that have to be so, whatever ``target`` there is.
    """

    how: str
    needs: Mapping[str, Any] = field(default_factory=dict)


ANEW = {
    "pig": Anew("thresholds"),
    "piggy-six": Anew("thresholds", {"players": 2, "max_dice": 2}),
    "yahtzee": Anew("first turn", {"objective": "score"}),
}


def known_cards() -> list[str]:
    """The games that have a card."""
    return [name.replace("_", "-") for name in named(__name__)]


def numbers_of(game: str) -> CardNumbers | None:
    """The stored card of a game, or None."""
    text = text_of(__name__, game.replace("-", "_"))
    return numbers_in(tomllib.loads(text)) if text else None


def numbers_in(told: Mapping[str, Any]) -> CardNumbers:
    """A card as its file has it."""
    steady, less = told.get("best_play"), told.get("simpler")
    more = {
        "cost": Cost(**told["cost"]),
        "cost_to_best": _to_best(told),
        "best_play": BestPlay(**steady) if steady else None,
        "simpler": Simpler(less["numbers"], Cost(**less["cost"]), _to_best(less)) if less else None,
        "small": tuple(Small(**small) for small in told.get("small", ())),
    }
    return CardNumbers(**{**told, **more})


def _to_best(told: Mapping[str, Any]) -> Cost | None:
    return Cost(**told["cost_to_best"]) if "cost_to_best" in told else None
