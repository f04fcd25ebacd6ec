"""The games in a few groups, each with what it is in a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import rollwise
from rollwise.games.registry import KINDRED, REGISTRY, SYNONYMS, game_class
from rollwise.web.texts import section, text

SHORTEST, LONGEST, WIDEST = 60, 140, 190  # characters of a line
OTHER_NAMES = [  # by which games are looked for, and those that are closest to what is not here
    *SYNONYMS.items(),
    *((other, name) for other, words in KINDRED.items() for name in REGISTRY if re.search(rf"\b{name}\b", words)),
]


@dataclass(frozen=True)
class GameCard:
    """A game: its name and title, the line, and all words by which it is found."""

    name: str
    title: str
    line: str
    words: str


@dataclass(frozen=True)
class GameGroup:
    """Games of one sort."""

    title: str
    help: str
    cards: tuple[GameCard, ...]


def games(find: str) -> list[GameGroup]:
    """The games that have all these words, in groups; all of them where there are none."""
    words = find.lower().split()
    groups = []
    for key, cards in _all().items():
        fit = tuple(card for card in cards if all(word in card.words for word in words))
        if fit:
            groups.append(GameGroup(text(f"home.{key}"), text(f"home.{key}_help"), fit))
    return groups


@cache
def _all() -> dict[str, list[GameCard]]:
    """All cards by group, in order of their titles."""
    groups: dict[str, list[GameCard]] = {key: [] for key in section("home_groups").values()}
    for game in rollwise.list_games():
        rules = game_class(game["name"]).rules
        group = text(f"home_groups.{game['kind']}")
        others = " ".join(other for other, name in OTHER_NAMES if name == game["name"])
        words = f"{game['name']} {game['title']} {others} {rules} {text(f'home.{group}')}".lower()
        groups[group].append(GameCard(game["name"], game["title"], line_of(rules), words))
    apart = {key: [_apart(card, cards) for card in cards] for key, cards in groups.items()}
    return {key: sorted(cards, key=lambda card: card.title) for key, cards in apart.items()}


def _apart(card: GameCard, cards: Sequence[GameCard]) -> GameCard:
    """A card that says the same as others says what its game has for itself."""
    others = (other for other in cards if other.line == card.line and other is not card)
    alike = [_sentences(game_class(other.name).rules) for other in others]
    first, *rest = _sentences(game_class(card.name).rules)
    own = [sentence for sentence in (first, *rest) if not any(sentence in rules for rules in alike)]
    return replace(card, line=line_of(" ".join([first, *own]))) if alike and own else card


def _sentences(rules: str) -> list[str]:
    return re.split(r"(?<=[.!?]) ", rules)


def line_of(rules: str) -> str:
    """The first sentences of the rules, as many as fit into a line, or two; of a long one its first whole part.

    >>> line_of("Throw six dice. Keep some.")
    'Throw six dice. Keep some.'
    """
    line, *others = _sentences(rules)
    line = _first_part(line, LONGEST)
    for sentence in others:
        if len(line) + len(sentence) + 1 > LONGEST:
            more = f"{line} {_first_part(sentence, LONGEST)}"
            return more if len(line) < SHORTEST and len(more) < WIDEST else line
        line += f" {sentence}"
    return line


def _first_part(sentence: str, longest: int) -> str:
    """A sentence, or what stands before a semicolon or a colon where it is long."""
    ends = [place for mark in ";:" if (place := sentence.rfind(mark, 0, longest)) > 0]
    return f"{sentence[: max(ends)]}." if len(sentence) > longest and ends else sentence
