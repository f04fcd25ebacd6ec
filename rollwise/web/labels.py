"""Texts of the pages, in one file for each language; labels of fields and rules, words for values, names of seats."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from rollwise.solver.model.game import TurnGame
from rollwise.text.html import name_players

LANGUAGE = "en"
SEAT_FIELDS = ("mover", "opener", "holders", "start")  # fields and rules whose numbers are seats
RULE = "p."  # before the name of a rule parameter, in addresses, forms and keys of labels


@cache
def texts(language: str = LANGUAGE) -> Mapping[str, str]:
    """Texts of a language by key, ``section.key``."""
    sections = tomllib.loads((files(__package__) / "texts" / f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{section}.{key}": text for section, keys in sections.items() for key, text in keys.items()}


def text(key: str, **named: Any) -> str:
    """A text with its placeholders filled in.

    >>> text("page.title", title="Pig")
    'Pig · rollwise'
    """
    return texts()[key].format(**named) if named else texts()[key]


def section(name: str) -> dict[str, str]:
    """All texts of a section, in order."""
    return {key.partition(".")[2]: words for key, words in texts().items() if key.startswith(f"{name}.")}


def label(game: TurnGame, name: str) -> tuple[str, str]:
    """Label of a field, or of a rule as ``p.NAME``, and a note on it.

    >>> from rollwise.parsing.validate import parse_game
    >>> label(parse_game("zilch"), "turn"), label(parse_game("zilch"), "p.opening")
    (('Points this turn', 'without the dice on the table'), ('Opening', ''))
    """
    words = game.labels.get(name) or texts().get(f"labels.{name}") or name.rpartition(".")[2].replace("_", " ")
    name_shown, _, note = words.partition(": ")
    return name_shown[:1].upper() + name_shown[1:], note


def has_label(game: TurnGame, name: str) -> bool:
    """True if it has a label, and not only a name."""
    return name in game.labels or f"labels.{name}" in texts()


def in_words(value: str, name: str = "") -> str:
    """Words for a value of the field or rule of this name.

    >>> in_words("mine"), in_words("banker_loses_1_1"), in_words("true"), in_words("0,2", "holders")
    ('you', 'banker loses 1 1', 'yes', 'Player 1, Player 3')
    """
    if name in SEAT_FIELDS and value.replace(",", "").isdigit():
        return ", ".join(player_name(int(seat)) for seat in value.split(","))
    own = texts().get(f"values.{name}.{value}")
    return own or texts().get(f"values.{value}") or re.sub("[_:]", " ", value).replace(",", ", ")


def relabel(game: TurnGame, words: str, *, of_rules: bool = False) -> str:
    """An error message with the labels of the page in place of names of fields and rules, and of their values.

    ``of_rules``: a name shared by a field and a rule means the rule.

    >>> from rollwise.parsing.validate import parse_game
    >>> zilch = parse_game("zilch")
    >>> relabel(zilch, "mine is 0, or 750 or more, got 300"), relabel(zilch, "with turn=50 theirs=0")
    ('“Your score” is 0, or 750 or more, got 300', 'with “Points this turn” 50 “Their score” 0')
    >>> relabel(parse_game("slam"), "mover is a seat that is still in (0), got 1, so leave scores out")
    '“Whose turn is it?” is a seat that is still in (Player 1), got Player 2, so leave “Scores” out'
    """
    rules = {name: f"{RULE}{name}" for name in game.parameters()}
    fields = {each.name: each.name for each in game.fields()}
    called = fields | rules if of_rules else rules | fields
    names = "|".join(map(re.escape, called))

    def labelled(match: re.Match[str]) -> str:
        before, name, value = match[3] or "", match[1] or match[4] or match[5], match[2] or ""
        shown = in_words(value, name) if value else ""
        return f"{before}“{label(game, called[name])[0]}”{' ' if match[1] else ''}{shown}"

    with_value = rf"(?<![\w.?&])({names})=([\w:,.*-]*[\w*])?"
    pattern = rf"{with_value}|\b((?:leave|needs|say) )({names})\b|^({names})(?= (?:is|needs|names|has|shows)\b)"
    subject, first = re.match(rf"({names}) is ", words), re.sub(pattern, labelled, words)
    if subject and subject[1] in SEAT_FIELDS:
        first = re.sub(r"(?<!seat )\b\d+\b", lambda seat: player_name(int(seat[0])), first)
    return first.replace("is true or false", "is yes or no")


def player_name(seat: int) -> str:
    """Name of the player of a seat."""
    return name_players(text("form.seat", seat=seat))


def finalized(words: Any) -> Any:
    """Finalize a template's value: in plain text, seats become players."""
    return name_players(words) if isinstance(words, str) and not hasattr(words, "__html__") else words
