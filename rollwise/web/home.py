"""The games in a few groups, each with what it is in a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import rollwise
from rollwise.games.registry import LIST, NOT_HERE, SYNONYMS, WELL_KNOWN, game_class, nearest_game, spelt, unknown
from rollwise.solver.model.names import LEAST, folded
from rollwise.web.texts import section, text

SHORTEST, LONGEST, WIDEST = 60, 140, 190  # characters of a line
FIRST = "first"  # the group of the best known


@dataclass(frozen=True)
class GameCard:
    """A game: its name and title, the line, all words by which it is found, and the dice of its picture, if any.

    ``like`` are games that are not here but alike, each with what this one has instead; ``alike`` what that is of those
    that are looked for.
    """

    name: str
    title: str
    line: str
    words: str
    dice: tuple[int, ...] = ()
    like: tuple[tuple[str, str], ...] = ()
    alike: str = ""


@dataclass(frozen=True)
class GameGroup:
    """Games of one sort."""

    title: str
    help: str
    cards: tuple[GameCard, ...]


def games(find: str) -> list[GameGroup]:
    """The games that have all these words, in groups; all of them where there are none."""
    words, name = find.lower().split(), spelt(find)
    groups = []
    for key, cards in _all().items():
        shown = [_sought(card, folded(find)) for card in cards]
        fit = tuple(one for one in shown if one.alike or one.name == name or all(word in one.words for word in words))
        if fit:
            groups.append(GameGroup(text(f"home.{key}"), text(f"home.{key}_help"), fit))
    near = "" if groups else nearest_game(find)
    return games(near) if near and near not in NOT_HERE else groups


def no_game(name: str, otherwise: str = "") -> str:
    """A page's words for a name that no game has, with those that are like it; ``otherwise`` where none are known."""
    error = unknown(name)
    return f"{error}: {error.hint}" if error.hint != LIST else otherwise or str(error)


@cache
def _all() -> dict[str, list[GameCard]]:
    """All cards by group, in order of their titles."""
    groups: dict[str, list[GameCard]] = {key: [] for key in (FIRST, *section("home_groups").values())}
    for game in rollwise.list_games():
        name, rules, like = game["name"], game_class(game["name"]).rules, tuple(game_class(game["name"]).like)
        group = text(f"home_groups.{game['kind']}")
        others = " ".join(other for other, called in SYNONYMS.items() if called == name)
        words = f"{name} {game['title']} {others} {rules} {text(f'home.{group}')}".lower()
        faces, line = WELL_KNOWN.get(name, ("", ""))
        card = GameCard(name, game["title"], line or line_of(rules), words, tuple(map(int, faces)), like)
        groups[FIRST if line else group].append(card)
    apart = {key: [_apart(card, cards) for card in cards] for key, cards in groups.items()}
    known = list(WELL_KNOWN)
    by_title = {key: sorted(cards, key=lambda card: card.title) for key, cards in apart.items()}
    return by_title | {FIRST: sorted(by_title[FIRST], key=lambda card: known.index(card.name))}


def _sought(card: GameCard, name: str) -> GameCard:
    """A card that tells of the game that is looked for by its name, or how that begins, what this one has instead."""
    is_name = len(name) >= LEAST
    alike = next((pair for pair in card.like if is_name and folded(pair[0]).startswith(name)), None)
    return replace(card, alike=text("home.alike", other=alike[0].capitalize(), differs=alike[1])) if alike else card


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
