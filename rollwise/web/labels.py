"""What people call things: fields and rules by the game's own labels, values by words, seats by who sits there."""

from __future__ import annotations

import re
from typing import Any

from rollwise.solver.model.game import TurnGame
from rollwise.text.html import seated
from rollwise.web.address import RULE
from rollwise.web.texts import text, texts

WHO = ("mover", "opener", "holders", "start")  # of fields and rules: a seat, or seats, where they are numbers


def label(game: TurnGame, name: str) -> tuple[str, str]:
    """What a field, or a rule as ``p.NAME``, is called, and what has to be told of it besides.

    >>> from rollwise.parsing.validate import the_game
    >>> label(the_game("zilch"), "turn"), label(the_game("zilch"), "p.opening")
    (('Points this turn', 'without the dice on the table'), ('Opening', ''))
    """
    known = game.labels.get(name) or texts().get(f"labels.{name}") or name.rpartition(".")[2].replace("_", " ")
    called, _, note = known.partition(": ")
    return called[:1].upper() + called[1:], note


def has_words(game: TurnGame, name: str) -> bool:
    """Do people have words for it, or is there only its name?"""
    return name in game.labels or f"labels.{name}" in texts()


def in_words(value: str, name: str = "") -> str:
    """A value of a field or rule, of this name, as it is read.

    >>> in_words("mine"), in_words("banker_loses_1_1"), in_words("true"), in_words("0,2", "holders")
    ('you', 'banker loses 1 1', 'yes', 'Player 1, Player 3')
    """
    if name in WHO and value.replace(",", "").isdigit():
        return ", ".join(player(int(seat)) for seat in value.split(","))
    own = texts().get(f"values.{name}.{value}")
    return own or texts().get(f"values.{value}") or re.sub("[_:]", " ", value).replace(",", ", ")


def told(game: TurnGame, words: str, *, of_rules: bool = False) -> str:
    """An error in words that stand on the page: what it says of fields and rules, and their values, as people say it.

    ``of_rules``: a name that a field and a rule share is the rule's.

    >>> from rollwise.parsing.validate import the_game
    >>> told(the_game("zilch"), "mine is 0, or 750 or more, got 300"), told(the_game("zilch"), "with turn=50 theirs=0")
    ('“Your score” is 0, or 750 or more, got 300', 'with “Points this turn” 50 “Their score” 0')
    >>> told(the_game("slam"), "mover is a seat that is still in (0), got 1, so leave scores out")
    '“Whose turn is it?” is a seat that is still in (Player 1), got Player 2, so leave “Scores” out'
    """
    rules, fields = (
        {name: f"{RULE}{name}" for name in game.parameters()},
        {each.name: each.name for each in game.fields()},
    )
    called = fields | rules if of_rules else rules | fields
    names = "|".join(map(re.escape, called))

    def said(found: re.Match[str]) -> str:
        before, name, value = found[3] or "", found[1] or found[4] or found[5], found[2] or ""
        shown = in_words(value, name) if value else ""
        return f"{before}“{label(game, called[name])[0]}”{' ' if found[1] else ''}{shown}"

    with_value = rf"(?<![\w.?&])({names})=([\w:,.*-]*[\w*])?"
    known = rf"{with_value}|\b((?:leave|needs|say) )({names})\b|^({names})(?= (?:is|needs|names|has|shows)\b)"
    subject, first = re.match(rf"({names}) is ", words), re.sub(known, said, words)
    if subject and subject[1] in WHO:
        first = re.sub(r"(?<!seat )\b\d+\b", lambda seat: player(int(seat[0])), first)
    return first.replace("is true or false", "is yes or no")


def player(seat: int) -> str:
    """Who sits there."""
    return seated(text("form.seat", seat=seat))


def finished(words: Any) -> Any:
    """What a template puts into a page: of text, seats as players."""
    return seated(words) if isinstance(words, str) and not hasattr(words, "__html__") else words
