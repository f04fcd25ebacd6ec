"""The words of a command line: what belongs together, and which line was meant where they do not fit.

``joined`` puts together what the shell has taken apart (``roll=1 3 5 2 2``, ``pig dice``). ``right_line`` is for words
that have been refused: a parameter given as a field, a field as an option, bare numbers. It says the line to paste, and
only one that fits.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from rollwise.games.registry import spelt
from rollwise.reading.door import field_of, split, the_game
from rollwise.reading.moves import is_bare
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.fields import Number
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.names import matched
from rollwise.solver.game.plain import WRAPPED

ASK = "ask"
WITH_WORDS = ("compare", "odds")  # commands that take words of another sort: a policy, boxes
FIELDLESS = ("card", "list", "verify")  # commands that ask of no state
PARAMETER = "-p"
LOOSE = re.compile(r"[\[({]?[0-9][-0-9,]*[\])}]?")  # a number, or dice
Options = Mapping[str, bool]  # of a command, by name: does a value follow?

# --- what belongs together -------------------------------------------------------------------------------------------


def game_joined(words: Sequence[str]) -> list[str]:
    """A command and its words, the words of the game's name as one.

    >>> game_joined(["ask", "pig", "dice", "turn=4"]), game_joined(["ask", "pig", "4"])
    (['ask', 'pig', 'turn=4'], ['ask', 'pig', '4'])
    """
    start = next((at for at, word in enumerate(words) if at and is_bare(word)), len(words))
    end = next((at for at in range(start, len(words)) if not is_bare(words[at])), len(words))
    for stop in range(end, start + 1, -1):
        name = spelt(" ".join(words[start:stop]))
        if name:
            return [*words[:start], name, *words[stop:]]
    return list(words)


def fields_typed(game: str, parameters: Mapping[str, Any], words: Sequence[str]) -> dict[str, str]:
    """The fields of a question by name, as typed; raises BadInput for words that are none.

    >>> fields_typed("yahtzee", {}, ["roll=1", "3", "5", "2", "2", "rolls_left=1"])
    {'roll': '1 3 5 2 2', 'rolls_left': '1'}
    """
    if all("=" in word for word in words):
        return split(words, "field")
    made = the_game(game, parameters)
    joined = fields_joined(made, words)
    bare = [word for word in joined if "=" not in word]
    if bare:
        raise _nameless(made, joined, bare)
    return split(joined, "field")


def _nameless(made: TurnGame, words: Sequence[str], bare: Sequence[str]) -> BadInput:
    """What to say of words that name no field: which there are, and, of numbers, the first ones that they may be."""
    fields = [field for field in made.fields() if not any(word.startswith(f"{field.name}=") for word in words)]
    scores = list(takewhile(lambda field: isinstance(field, Number), fields))
    hint = ""
    paired = list(zip(scores, bare, strict=False))
    if 1 < len(bare) <= len(scores) and all(_is_taken(field.parse, word) for field, word in paired):
        hint = shlex.join([f"{field.name}={word}" for field, word in paired])
    names = ", ".join(field.name for field in made.fields())
    return BadInput(f"a field is given as name=value, got '{bare[0]}'; {made.name} has: {names}", hint=hint)


def _is_taken(take: Callable[[Any], object], given: Any) -> bool:
    """Does this raise no BadInput?"""
    try:
        take(given)
    except BadInput:
        return False
    return True


def fields_joined(made: TurnGame, words: Sequence[str]) -> list[str]:
    """The words of a question, each with those after it that belong to its value."""
    found: list[str] = []
    for word in words:
        if found and "=" not in word and _joins(made, found[-1], word):
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found


def names_joined(words: Sequence[str], known: Iterable[str]) -> list[str]:
    """Words of which several may be one of the ``known`` names: each name as one, any other word as it is.

    >>> names_joined(["full", "house", "ones"], ["ones", "full house"])
    ['full house', 'ones']
    """
    names, found, ahead = list(known), [], list(words)
    while ahead:
        ends = (end for end in range(len(ahead), 0, -1) if matched(" ".join(ahead[:end]), names))
        end = next(ends, 1)
        found.append(" ".join(ahead[:end]))
        ahead = ahead[end:]
    return found


def _joins(made: TurnGame, said: str, word: str) -> bool:
    """Does this word belong to the field said before it: is that one's value not at its end, or of more words?"""
    name, _, value = said.partition("=")
    known = field_of(made, name)
    is_open = value.rstrip().endswith(",") or (value[:1] in WRAPPED and WRAPPED[value[:1]] not in value)
    return known is not None and (is_open or known.joins(word))


# --- the line that was meant -----------------------------------------------------------------------------------------
