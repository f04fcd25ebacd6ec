"""The games in a few groups, each with what it is in a line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import rollwise
from rollwise.games.registry import game_class
from rollwise.web.texts import text

SHORTEST, LONGEST = 60, 110  # characters of a line
GROUPS = {"solo": "alone", "duel": "duel", "hidden-dice duel": "duel", "table": "table", "luck": "luck"}
ORDER = ("duel", "table", "alone", "luck")


@dataclass(frozen=True)
class Card:
    """A game: its name and title, the line, and all words by which it is found."""

    name: str
    title: str
    line: str
    words: str


@dataclass(frozen=True)
class Group:
    """Games of one sort."""

    title: str
    help: str
    cards: tuple[Card, ...]


def games(wanted: str) -> list[Group]:
    """The games that have all the wanted words, in groups; all of them where nothing is wanted."""
    words = wanted.lower().split()
    found = []
    for key, cards in _all().items():
        some = tuple(card for card in cards if all(word in card.words for word in words))
        if some:
            found.append(Group(text(f"home.{key}"), text(f"home.{key}_help"), some))
    return found


@cache
def _all() -> dict[str, list[Card]]:
    """All cards by group, in order of their titles."""
    groups: dict[str, list[Card]] = {key: [] for key in ORDER}
    for listed in rollwise.list_games():
        told = game_class(listed["name"]).rules
        group = GROUPS.get(listed["kind"], "table")
        words = f"{listed['name']} {listed['title']} {told} {text(f'home.{group}')}".lower()
        groups[group].append(Card(listed["name"], listed["title"], line_of(told), words))
    return {key: sorted(cards, key=lambda card: card.title) for key, cards in groups.items()}


def line_of(rules: str) -> str:
    """The first sentences of the rules, as many as fit into a line; where these are few words, what fits.

    >>> line_of("Throw six dice. Keep some.")
    'Throw six dice. Keep some.'
    """
    if len(rules) <= LONGEST:
        return rules
    sentences = re.split(r"(?<=[.!?]) ", rules)
    line = sentences[0]
    for sentence in sentences[1:]:
        if len(line) + len(sentence) + 1 > LONGEST:
            break
        line += f" {sentence}"
    if SHORTEST <= len(line) <= LONGEST:
        return line
    return rules[: rules.rindex(" ", 0, LONGEST - 1)].rstrip(",;:.") + "…"
