"""The line that was meant: what was typed, with only that changed which has to be."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path

from rollwise.games.policies import policies
from rollwise.games.registry import spelt
from rollwise.reading.door import check_board, field_of, known_parameters, the_fields, the_game
from rollwise.reading.moves import is_bare
from rollwise.reading.words import (
    ASK,
    FIELDLESS,
    LOOSE,
    PARAMETER,
    WITH_WORDS,
    Options,
    _is_taken,
    _joins,
    fields_joined,
    game_joined,
    names_joined,
)
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.fields import Faces, Number, Numbers
from rollwise.solver.game.names import matched, nearest
from rollwise.solver.game.plain import is_nothing
from rollwise.solver.game.points import PointGame
from rollwise.solver.game.sheet import BoxGame
from rollwise.solver.kinds import kind_of
from rollwise.solver.turn.graph import compile_turn


def right_line(words: Sequence[str], options: Mapping[str, Options]) -> str:
    """The line that these words, which have been refused, were meant to be; empty where that cannot be told.

    ``options`` are those of each command. A line is only told if it says another thing, and what can be asked.

    >>> options = {"ask": {"-p": True, "--json": False}}
    >>> right_line(["ask", "pig", "43", "61", "18", "--json"], options)
    'rollwise ask pig mine=43 theirs=61 turn=18 --json'
    >>> right_line(["ask", "pig", "target=50", "--mine", "43"], options)
    'rollwise ask pig mine=43 -p target=50'
    """
    command, *rest = game_joined(words if words and words[0] in options else [ASK, *words])
    at = next((at for at, word in enumerate(rest) if is_bare(word)), None)
    game = spelt(rest[at]) if at is not None else None
    if at is None or game is None or command not in options:
        return ""
    try:
        meant = _Meant(command, game, options[command], is_other=list(words[:1]) != [command])
        meant.read([*rest[:at], *rest[at + 1 :]])
        return meant.line()
    except (BadInput, _NotMeant):
        return ""


class _NotMeant(Exception):
    """Nobody can tell what this word was meant to be."""


@dataclass
class _Meant:
    """Words one by one, each as what it was most likely meant to be."""

    command: str
    game: str
    options: Options
    is_other: bool  # is this another line than the one given?
    fields: dict[str, str] = dataclasses.field(default_factory=dict)
    parameters: dict[str, str] = dataclasses.field(default_factory=dict)
    bare: list[str] = dataclasses.field(default_factory=list)  # what is neither: a policy, boxes
    kept: list[str] = dataclasses.field(default_factory=list)  # options, as they are
    numbers: list[str] = dataclasses.field(default_factory=list)  # nobody said of what

    def read(self, words: Sequence[str]) -> None:
        """Read them all; raises _NotMeant, and BadInput where the game cannot be."""
        self.names = list(known_parameters(self.game))
        self.made = the_game(self.game, self._parameters_among(words))
        ahead = list(words)
        while ahead:
            word = ahead.pop(0)
            option = word.partition("=")[0]
            if option in self.options and option != PARAMETER:
                self.kept += [word, *([_next(ahead)] if self.options[option] and option == word else [])]
            elif option == PARAMETER or (word.startswith(PARAMETER) and "=" in word):
                self._read(word[2:] or (ahead.pop(0) if ahead else ""), ahead, as_parameter=True)
            elif word.startswith("-") and word != "-":
                self.is_other = True
                self._read(word.lstrip("-"), ahead, as_option=True)
            else:
                self._read(word, ahead)
        self._place_numbers()

    def _parameters_among(self, words: Sequence[str]) -> dict[str, str]:
        """They say which fields there are."""
        found = {}
        for word, after in pairwise([*words, ""]):
            name, equals, value = word.lstrip("-").partition("=")
            parameter = matched(name, self.names)
            if parameter and (equals or is_bare(after)):
                found[parameter] = value if equals else after
        return found

    def _read(self, word: str, ahead: list[str], as_parameter: bool = False, as_option: bool = False) -> None:
        """One word, and those ahead that belong to it."""
        name, mark, value = re.match("([^=:]*)([=:]?)(.*)", word, re.DOTALL).groups()  # type: ignore[union-attr]
        if not mark and not as_parameter and not as_option and LOOSE.fullmatch(name):
            self.numbers.append(name)
            self.is_other = True
            return
        fields = [field.name for field in self.made.fields()]
        known = [*self.names, *fields] if as_parameter else [*fields, *self.names]
        found = matched(name, known) or (nearest(name, known) if mark == "=" else None)
        if found is None and mark == "" and not as_option and self.command in WITH_WORDS:
            self.bare.append(word)
            return
        if found is None or found in self.fields or found in self.parameters:
            raise _NotMeant
        value = value if mark else _next(ahead)
        is_field = found in fields and not (as_parameter and found in self.names)
        while is_field and ahead and is_bare(ahead[0]) and _joins(self.made, f"{found}={value}", ahead[0]):
            value += f" {ahead.pop(0)}"
        (self.fields if is_field else self.parameters)[found] = value
        self.is_other |= mark != "=" or is_field == as_parameter or matched(name, known) is None

    def _place_numbers(self) -> None:
        """Bare numbers are the first fields in their order, or the dice: the first of these that can be asked."""
        free = [field for field in self.made.fields() if field.name not in self.fields]
        count, told = len(self.numbers), ",".join(self.numbers)
        scores = list(takewhile(lambda field: isinstance(field, Number), free))
        ways: list[dict[str, str]] = []
        if count <= len(scores):
            ways.append(dict(zip((field.name for field in scores), self.numbers, strict=False)))
        ways += [{field.name: told} for field in free[:1] if isinstance(field, Numbers) and field.count == count]
        ways += [{field.name: told} for field in free if isinstance(field, Faces) and count]
        fitting = [way for way in ways if _is_taken(self._ask, {**self.fields, **way})]
        if self.numbers and not fitting:
            raise _NotMeant
        self.fields |= fitting[0] if self.numbers else {}

    def _ask(self, fields: Mapping[str, str]) -> None:
        """Raise BadInput where this cannot be asked."""
        made = the_game(self.game, self.parameters)
        if self.command == "export":  # a slice need not be a state
            the_fields(made, {name: value for name, value in fields.items() if not is_nothing(value)})
            return
        check_board(made, made.locate(**the_fields(made, fields)).board)

    def _fit(self, command: str) -> None:
        """Put the words beside the fields together; raises _NotMeant, or BadInput, where the command refuses them."""
        made = the_game(self.game, self.parameters)
        if command == "compare":
            kind_of(made).require_comparable(made)
            fits = len(self.bare) == 1 and _is_policy(self.game, self.bare[0])
        elif command == "odds" and not isinstance(made, PointGame):
            boxes = list(made.aims()) if isinstance(made, BoxGame) else []
            self.bare = names_joined(self.bare, boxes)
            fits = bool(boxes) and not self.fields and all(matched(word, boxes) for word in self.bare)
        elif command == "forecast":
            fits = not kind_of(made).why_no_forecast(made, compile_turn(made))
        else:
            fits = not self.bare and (command != "export" or bool({"-o", "--output"} & {*self.kept}))
            fits = fits and not (self.fields and command in FIELDLESS)
        fits = fits and (PARAMETER in self.options or not self.parameters)
        if not fits:
            raise _NotMeant

    def line(self) -> str:
        """The line to paste; empty where it is the one that was given. Raises BadInput where it cannot be asked."""
        command = ASK if self.fields and self.command in ("solve", "rules") else self.command
        if not self.is_other and command == self.command:
            return ""
        self._ask(self.fields)
        self._fit(command)
        known = {field.name: field for field in the_game(self.game, self.parameters).fields()}
        said = {
            name: known[name].show(known[name].parse(value)) if " " in value else value
            for name, value in self.fields.items()
        }
        words = [command, self.game, *self.bare, *(f"{name}={value}" for name, value in said.items())]
        for name, value in self.parameters.items():
            words += [PARAMETER, f"{name}={value}"]
        return shlex.join(["rollwise", *words, *self.kept])


def changed_line(words: Sequence[str], hint: str, options: Mapping[str, Options], about: str = "") -> str:
    """The line that was typed with what a hint says otherwise; a hint that says no words of a line as it is.

    A hint is a whole line (``rollwise solve pig``), or only fields and options (``mine=4``, ``-p target=30``). Nothing
    else changes: what the hint does not name stays, but what the line that it is now cannot take, and the option that
    the error is ``about``.

    >>> options = {"compare": {"-p": True, "--slice": False}, "list": {"--json": False}}
    >>> typed = ["compare", "pig", "-p", "target=30", "a.csv", "mine=4"]
    >>> changed_line(typed, "rollwise compare pig a.csv --slice", options)
    'rollwise compare pig a.csv mine=4 -p target=30 --slice'
    >>> changed_line(typed, "-p target=20", options)
    'rollwise compare pig a.csv mine=4 -p target=20'
    """
    try:
        said = shlex.split(hint)
    except ValueError:
        return hint
    is_whole = said[:1] == ["rollwise"]
    said = said[1:] if is_whole else [*words[:1], *said]
    if not hint or not {*words[:1], *said[:1]} <= options.keys():
        return hint
    command, given, meant = said[0], _Typed.of(words, options), _Typed.of(said, options)
    if meant.bare and not is_whole:
        return hint
    bare = meant.bare if is_whole else given.bare if command in WITH_WORDS else given.bare[:1]
    parameters = {**given.parameters, **meant.parameters}
    is_state = is_whole and bool(meant.fields)  # another question, all of it
    fields = {**(given.fields if command == words[0] and not is_state else {}), **meant.fields}
    with suppress(BadInput):  # where it is a file that is named first, and no game
        names = known_parameters((bare or [""])[0])
        parameters = {found: value for name, value in parameters.items() if (found := matched(name, names))}
        made = the_game(bare[0], parameters)
        fields = {known.name: value for name, value in fields.items() if (known := field_of(made, name))}
    line = ["rollwise", command, *bare, *(f"{name}={value}" for name, value in fields.items())]
    if PARAMETER in options[command]:
        line += [word for name, value in parameters.items() for word in (PARAMETER, f"{name}={value}")]
    kept = {name: said for name, said in given.kept.items() if name in options[command] and name != f"--{about}"}
    return shlex.join([*line, *(word for said in {**kept, **meant.kept}.values() for word in said)])


@dataclass
class _Typed:
    """The words of a line by their sorts."""

    bare: list[str]
    fields: dict[str, str]
    parameters: dict[str, str]
    kept: dict[str, list[str]]  # options by name, as they stand there

    @classmethod
    def of(cls, words: Sequence[str], options: Mapping[str, Options]) -> _Typed:
        """Those behind the command."""
        known, ahead = options[words[0]], list(words[1:])
        rest: list[str] = []
        parameters: dict[str, str] = {}
        kept: dict[str, list[str]] = {}
        while ahead:
            word = ahead.pop(0)
            option = word.partition("=")[0]
            if word.startswith(PARAMETER) and (word != PARAMETER or ahead):
                name, _, value = (word[2:] or ahead.pop(0)).partition("=")
                parameters[name] = value
            elif option in known:
                value_too = known[option] and option == word and ahead
                kept.setdefault(option, []).extend([word, ahead.pop(0)] if value_too else [word])
            else:
                rest.append(word)
        with suppress(BadInput):
            rest = fields_joined(the_game((rest or [""])[0], parameters), rest)
        fields = {name: value for name, is_said, value in (word.partition("=") for word in rest) if is_said}
        return cls([word for word in rest if "=" not in word], fields, parameters, kept)


def _is_policy(game: str, word: str) -> bool:
    """Does a game know this rule, or is it a file, perhaps with a function's name?"""
    return matched(word, policies(game)) is not None or Path(re.sub(r"(?<=\.py):.*", "", word)).exists()


def _next(ahead: list[str]) -> str:
    if not ahead or not is_bare(ahead[0]):
        raise _NotMeant
    return ahead.pop(0)
