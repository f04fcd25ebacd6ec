"""The home page: games in a few groups, each with a line of its rules, and the search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import rollwise
from rollwise.games.registry import LIST, NOT_HERE, game_class, nearest_game, spelt, unknown
from rollwise.solver.model.names import MIN_LETTERS, folded
from rollwise.web.labels import section, text

MIN_LINE_CHARS, MAX_LINE_CHARS, MAX_TWO_LINES_CHARS = 60, 140, 190  # of the line of a game
FIRST_GROUP = "first"  # the group of the best known


@dataclass(frozen=True)
class GameCard:
    """Card of a game: its name and title, a line of its rules, the words of the search, and the dice of its picture.

    ``like`` are similar games that are not in the list, each with the difference; ``alike`` is that line for the game
    searched for.
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
    """Games of one kind."""

    title: str
    help: str
    cards: tuple[GameCard, ...]


def game_groups(find: str) -> list[GameGroup]:
    """Games that match all words of a search, in groups; all games for an empty search."""
    words, name = find.lower().split(), spelt(find)
    groups = []
    for key, cards in _all_cards().items():
        shown = [_with_likeness(card, folded(find)) for card in cards]
        fit = tuple(one for one in shown if one.alike or one.name == name or all(word in one.words for word in words))
        if fit:
            groups.append(GameGroup(text(f"home.{key}"), text(f"home.{key}_help"), fit))
    near = "" if groups else nearest_game(find)
    return game_groups(near) if near and near not in NOT_HERE else groups


def no_game(name: str, otherwise: str = "") -> str:
    """Message for an unknown name, with similar names; ``otherwise`` if there are none."""
    error = unknown(name)
    return f"{error}: {error.hint}" if error.hint != LIST else otherwise or str(error)


@cache
def _all_cards() -> dict[str, list[GameCard]]:
    """All cards by group, sorted by title."""
    groups: dict[str, list[GameCard]] = {key: [] for key in (FIRST_GROUP, *section("home_groups").values())}
    for game in rollwise.list_games():
        name, cls = game["name"], game_class(game["name"])
        group = text(f"home_groups.{game['kind']}")
        words = f"{name} {cls.title} {' '.join(cls.synonyms)} {cls.rules} {text(f'home.{group}')}".lower()
        _, faces, line = cls.picture or (0, "", "")
        dice = tuple(map(int, faces))
        card = GameCard(name, cls.title, line or summary_line(cls.rules), words, dice, tuple(cls.like))
        groups[FIRST_GROUP if line else group].append(card)
    for cards in groups.values():
        cards.sort(key=lambda card: (game_class(card.name).picture or (), card.title))
    return {key: [_with_own_sentence(card, cards) for card in cards] for key, cards in groups.items()}


def _with_likeness(card: GameCard, name: str) -> GameCard:
    """The card with the difference to a similar game whose name begins with the search."""
    is_name = len(name) >= MIN_LETTERS
    alike = next((pair for pair in card.like if is_name and folded(pair[0]).startswith(name)), None)
    return replace(card, alike=text("home.alike", other=alike[0].capitalize(), differs=alike[1])) if alike else card


def _with_own_sentence(card: GameCard, cards: Sequence[GameCard]) -> GameCard:
    """The card with the sentences that are its own, if others have the same line."""
    others = (other for other in cards if other.line == card.line and other is not card)
    alike = [_sentences(game_class(other.name).rules) for other in others]
    first, *rest = _sentences(game_class(card.name).rules)
    own = [sentence for sentence in (first, *rest) if not any(sentence in rules for rules in alike)]
    return replace(card, line=summary_line(" ".join([first, *own]))) if alike and own else card


def _sentences(rules: str) -> list[str]:
    return re.split(r"(?<=[.!?]) ", rules)


def summary_line(rules: str) -> str:
    """First sentences of the rules, as many as fit into a line or two; of a long one its first clause.

    >>> summary_line("Throw six dice. Keep some.")
    'Throw six dice. Keep some.'
    """
    line, *others = _sentences(rules)
    line = _first_part(line, MAX_LINE_CHARS)
    for sentence in others:
        if len(line) + len(sentence) + 1 > MAX_LINE_CHARS:
            more = f"{line} {_first_part(sentence, MAX_LINE_CHARS)}"
            return more if len(line) < MIN_LINE_CHARS and len(more) < MAX_TWO_LINES_CHARS else line
        line += f" {sentence}"
    return line


def _first_part(sentence: str, longest: int) -> str:
    """A sentence; of a long one the part before a semicolon or a colon."""
    ends = [place for mark in ";:" if (place := sentence.rfind(mark, 0, longest)) > 0]
    return f"{sentence[: max(ends)]}." if len(sentence) > longest and ends else sentence
