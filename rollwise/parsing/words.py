"""Words of a command line, joined where the shell has split one value or name.

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
from rollwise.parsing.validate import find_field, parse_assignments, parse_game
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import Number
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import BRACKETS, quoted

PARAMETER = "-p"


@dataclass
class CommandLine:
    """A command line, its words sorted: bare ones (a game, a file, a policy, boxes), fields, parameters, options."""

    command: str
    bare: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    option_words: dict[str, list[str]] = field(default_factory=dict)  # options by name, as typed

    def text(self) -> str:
        """The line, ready to paste."""
        words = [*self.bare, *(f"{name}={value}" for name, value in self.fields.items())]
        options = [word for name, value in self.parameters.items() for word in (PARAMETER, f"{name}={value}")]
        options += [word for some in self.option_words.values() for word in some]
        both = [*options, *words] if "--" in words else [*words, *options]  # behind -- there are no options
        return shlex.join(["rollwise", self.command, *both])


def join_game(words: Sequence[str]) -> list[str]:
    """A command and its words, with the words of the game's name as one, also of an unknown game.

    >>> join_game(["ask", "pig", "dice", "turn=4"]), join_game(["ask", "pig", "4"])
    (['ask', 'pig', 'turn=4'], ['ask', 'pig', '4'])
    """
    start = next((at for at, word in enumerate(words) if at and is_bare(word)), len(words))
    end = next((at for at in range(start, len(words)) if not is_bare(words[at])), len(words))
    candidates = {stop: " ".join(words[start:stop]) for stop in range(end, start + 1, -1)}
    games = {stop: name for stop, reading in candidates.items() if (name := spelt(reading))}
    if not games and candidates and not spelt(words[start]):  # loads all games
        games = {stop: reading for stop, reading in candidates.items() if nearest_game(reading)}
    return next(([*words[:start], name, *words[stop:]] for stop, name in games.items()), list(words))


def parse_typed_fields(name: str, parameters: Mapping[str, Any], words: Sequence[str]) -> dict[str, str]:
    """The fields of a question by name, as typed; raises BadInput for a word without a name.

    >>> parse_typed_fields("yahtzee", {}, ["roll=1", "3", "5", "2", "2", "rolls_left=1"])
    {'roll': '1 3 5 2 2', 'rolls_left': '1'}
    """
    if all("=" in word for word in words):
        return parse_assignments(words, "field")
    game = parse_game(name, parameters)
    joined = join_fields(game, words)
    if any("=" not in word for word in joined):
        raise _missing_field_name(game, joined)
    return parse_assignments(joined, "field")


def _missing_field_name(game: TurnGame, words: Sequence[str]) -> BadInput:
    """The error for words without a field name: it lists the fields, its hint gives numbers to the first of them."""
    bare = [word for word in words if "=" not in word]
    fields = [field for field in game.fields() if not any(word.startswith(f"{field.name}=") for word in words)]
    scores = list(takewhile(lambda field: isinstance(field, Number), fields))
    paired = list(zip(scores, bare, strict=False)) if 1 < len(bare) <= len(scores) else []
    is_parsed = all(is_accepted(field.parse, word) for field, word in paired)
    hint = shlex.join([f"{field.name}={word}" for field, word in paired]) if is_parsed else ""
    names = ", ".join(field.name for field in game.fields())
    return BadInput(f"a field is given as name=value, got {quoted(bare[0])}; {game.name} has: {names}", hint=hint)


def is_accepted(parse: Callable[[Any], object], value: Any) -> bool:
    """True if ``parse`` raises no BadInput."""
    try:
        parse(value)
    except BadInput:
        return False
    return True


def join_fields(game: TurnGame, words: Sequence[str]) -> list[str]:
    """The words of a question, each joined with those after it that belong to its value."""
    joined: list[str] = []
    for word in words:
        if joined and "=" not in word and is_joined(game, joined[-1], word):
            joined[-1] += f" {word}"
        else:
            joined.append(word)
    return joined


def join_names(words: Sequence[str], candidates: Iterable[str]) -> list[str]:
    """Words with several that make one of the ``candidates`` joined; any other word stays as it is.

    >>> join_names(["full", "house", "ones"], ["ones", "full house"])
    ['full house', 'ones']
    """
    names_left, joined, ahead = list(candidates), [], list(words)
    while ahead:
        end = next((end for end in range(len(ahead), 0, -1) if matched(" ".join(ahead[:end]), names_left)), 1)
        joined.append(" ".join(ahead[:end]))
        ahead = ahead[end:]
    return joined


def is_joined(game: TurnGame, before: str, word: str) -> bool:
    """True if this word continues the field before it, whose value is open or may have several words."""
    name, _, value = before.partition("=")
    field = find_field(game, name)
    is_open = value.rstrip().endswith(",") or (value[:1] in BRACKETS and BRACKETS[value[:1]] not in value)
    return field is not None and (is_open or field.joins(word))
