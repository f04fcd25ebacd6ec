"""The games in a few groups, each with what it is in a line."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

import rollwise
from rollwise.games.registry import KINDRED, REGISTRY, SYNONYMS, game_class
from rollwise.web.texts import section, text

SHORTEST, LONGEST, WIDEST = 60, 140, 190  # characters of a line
OTHER_NAMES = [  # by which games are looked for, and those that are closest to what is not here
    *SYNONYMS.items(),
    *((other, name) for other, told in KINDRED.items() for name in REGISTRY if re.search(rf"\b{name}\b", told)),
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


def games(wanted: str) -> list[GameGroup]:
    """The games that have all the wanted words, in groups; all of them where nothing is wanted."""
    words = wanted.lower().split()
    found = []
    for key, cards in _all().items():
        some = tuple(card for card in cards if all(word in card.words for word in words))
        if some:
            found.append(GameGroup(text(f"home.{key}"), text(f"home.{key}_help"), some))
    return found


@cache
def _all() -> dict[str, list[GameCard]]:
    """All cards by group, in order of their titles."""
    groups: dict[str, list[GameCard]] = {key: [] for key in section("home_groups").values()}
    for listed in rollwise.list_games():
        told = game_class(listed["name"]).rules
        group = text(f"home_groups.{listed['kind']}")
        others = " ".join(other for other, name in OTHER_NAMES if name == listed["name"])
        words = f"{listed['name']} {listed['title']} {others} {told} {text(f'home.{group}')}".lower()
        groups[group].append(GameCard(listed["name"], listed["title"], line_of(told), words))
    return {key: sorted(_told_apart(cards), key=lambda card: card.title) for key, cards in groups.items()}


def _told_apart(cards: list[GameCard]) -> list[GameCard]:
    """Cards that say the same say what each has for itself."""
    lines = [card.line for card in cards]
    rules = {card.name: _sentences(game_class(card.name).rules) for card in cards}
    found = []
    for card in cards:
        alike = [other.name for other in cards if other.line == card.line and other is not card]
        own = [said for said in rules[card.name] if not any(said in rules[other] for other in alike)]
        line = line_of(" ".join([rules[card.name][0], *own])) if alike and own else card.line
        found.append(replace(card, line=line) if lines.count(card.line) > 1 else card)
    return found


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
