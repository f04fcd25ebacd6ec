"""The words of a command line: those that belong together, though the shell has taken them apart.

So ``roll=1 3 5 2 2`` is one field, and ``pig dice`` one game.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from rollwise.games.registry import nearest_game, spelt
from rollwise.parsing.moves import is_bare
from rollwise.parsing.validate import field_of, split, the_game
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import Number
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import WRAPPED, quoted

PARAMETER = "-p"


@dataclass
class CommandLine:
    """A command line, its words by their sorts: bare ones (a game, a file, a policy, boxes), fields, and so on."""

    command: str
    bare: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    kept: dict[str, list[str]] = field(default_factory=dict)  # options by name, as they stand there

    def text(self) -> str:
        """The line, ready to paste."""
        words = [*self.bare, *(f"{name}={value}" for name, value in self.fields.items())]
        options = [word for name, value in self.parameters.items() for word in (PARAMETER, f"{name}={value}")]
        options += [word for some in self.kept.values() for word in some]
        both = [*options, *words] if "--" in words else [*words, *options]  # behind -- there are no options
        return shlex.join(["rollwise", self.command, *both])


def game_joined(words: Sequence[str]) -> list[str]:
    """A command and its words, the words of the game's name as one, of a game that is not here too.

    >>> game_joined(["ask", "pig", "dice", "turn=4"]), game_joined(["ask", "pig", "4"])
    (['ask', 'pig', 'turn=4'], ['ask', 'pig', '4'])
    """
    start = next((at for at, word in enumerate(words) if at and is_bare(word)), len(words))
    end = next((at for at in range(start, len(words)) if not is_bare(words[at])), len(words))
    readings = {stop: " ".join(words[start:stop]) for stop in range(end, start + 1, -1)}
    called = {stop: name for stop, reading in readings.items() if (name := spelt(reading))}
    if not called and readings and not spelt(words[start]):  # reads all games: only where there is no answer anyway
        called = {stop: reading for stop, reading in readings.items() if nearest_game(reading)}
    return next(([*words[:start], name, *words[stop:]] for stop, name in called.items()), list(words))


def fields_typed(game: str, parameters: Mapping[str, Any], words: Sequence[str]) -> dict[str, str]:
    """The fields of a question by name, as typed; raises BadInput for words that are none.

    >>> fields_typed("yahtzee", {}, ["roll=1", "3", "5", "2", "2", "rolls_left=1"])
    {'roll': '1 3 5 2 2', 'rolls_left': '1'}
    """
    if all("=" in word for word in words):
        return split(words, "field")
    made = the_game(game, parameters)
    joined = fields_joined(made, words)
    if any("=" not in word for word in joined):
        raise _nameless(made, joined)
    return split(joined, "field")


def _nameless(made: TurnGame, words: Sequence[str]) -> BadInput:
    """What to say of words that name no field: which there are, and, of numbers, the first ones that they may be."""
    bare = [word for word in words if "=" not in word]
    fields = [field for field in made.fields() if not any(word.startswith(f"{field.name}=") for word in words)]
    scores = list(takewhile(lambda field: isinstance(field, Number), fields))
    paired = list(zip(scores, bare, strict=False)) if 1 < len(bare) <= len(scores) else []
    are_taken = all(is_taken(field.parse, word) for field, word in paired)
    hint = shlex.join([f"{field.name}={word}" for field, word in paired]) if are_taken else ""
    names = ", ".join(field.name for field in made.fields())
    return BadInput(f"a field is given as name=value, got {quoted(bare[0])}; {made.name} has: {names}", hint=hint)


def is_taken(take: Callable[[Any], object], value: Any) -> bool:
    """Does this raise no BadInput?"""
    try:
        take(value)
    except BadInput:
        return False
    return True


def fields_joined(made: TurnGame, words: Sequence[str]) -> list[str]:
    """The words of a question, each with those after it that belong to its value."""
    joined: list[str] = []
    for word in words:
        if joined and "=" not in word and joins(made, joined[-1], word):
            joined[-1] += f" {word}"
        else:
            joined.append(word)
    return joined


def names_joined(words: Sequence[str], known: Iterable[str]) -> list[str]:
    """Words of which several may be one of the ``known`` names: each name as one, any other word as it is.

    >>> names_joined(["full", "house", "ones"], ["ones", "full house"])
    ['full house', 'ones']
    """
    names, joined, ahead = list(known), [], list(words)
    while ahead:
        end = next((end for end in range(len(ahead), 0, -1) if matched(" ".join(ahead[:end]), names)), 1)
        joined.append(" ".join(ahead[:end]))
        ahead = ahead[end:]
    return joined


def joins(made: TurnGame, before: str, word: str) -> bool:
    """Does this word belong to the field before it: is that one's value not at its end, or of more words?"""
    name, _, value = before.partition("=")
    known = field_of(made, name)
    is_open = value.rstrip().endswith(",") or (value[:1] in WRAPPED and WRAPPED[value[:1]] not in value)
    return known is not None and (is_open or known.joins(word))
