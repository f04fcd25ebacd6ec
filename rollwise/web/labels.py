"""What people call things: fields and rules by the game's own labels, values by words, seats by who sits there."""

from __future__ import annotations

from typing import Any

from rollwise.saying.html import seated
from rollwise.solver.game.model import TurnGame
from rollwise.web.texts import text, texts


def label(game: TurnGame, name: str) -> tuple[str, str]:
    """What a field, or a rule as ``p.NAME``, is called, and what has to be told of it besides.

    >>> from rollwise.reading.door import the_game
    >>> label(the_game("zilch"), "turn"), label(the_game("zilch"), "p.opening")
    (('Points this turn', 'without the dice on the table'), ('Opening', ''))
    """
    known = game.labels.get(name) or texts().get(f"labels.{name}") or name.rpartition(".")[2].replace("_", " ")
    called, _, note = known.partition(": ")
    return called[:1].upper() + called[1:], note


def has_words(game: TurnGame, name: str) -> bool:
    """Do people have words for it, or is there only its name?"""
    return name in game.labels or f"labels.{name}" in texts()


def in_words(value: str) -> str:
    """A value of a field or rule as it is read.

    >>> in_words("mine"), in_words("banker_loses_1_1")
    ('you', 'banker loses 1 1')
    """
    return texts().get(f"values.{value}") or value.replace("_", " ")


def player(seat: int) -> str:
    """Who sits there."""
    return seated(text("form.seat", seat=seat))


def finished(words: Any) -> Any:
    """What a template puts into a page: of text, seats as players."""
    return seated(words) if isinstance(words, str) and not hasattr(words, "__html__") else words
