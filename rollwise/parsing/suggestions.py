"""The line that was meant: what was typed, with only that changed which has to be."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from pathlib import Path

from rollwise.games.policies import policies
from rollwise.games.registry import spelt
from rollwise.parsing.moves import is_bare
from rollwise.parsing.validate import check_board, field_of, known_parameters, the_fields, the_game
from rollwise.parsing.words import PARAMETER, CommandLine, fields_joined, game_joined, is_taken, joins, names_joined
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import Faces, Number, Numbers
from rollwise.solver.model.names import matched, nearest
from rollwise.solver.model.plain import is_nothing
from rollwise.solver.model.sheet import BoxGame
from rollwise.solver.model.turn_points import PointGame
from rollwise.solver.turn.graph import compile_turn

ASK = "ask"
WITH_WORDS = ("compare", "odds")  # commands that take words of another sort: a policy, boxes
FIELDLESS = (  # commands that ask of no state, or of one in a file that is named first
    *("card", "list", "verify", "serve", "sweep", "solve-all", "warm"),
    *("best", "review"),
)
LOOSE = re.compile(r"[\[({]?[0-9][-0-9,]*[\])}]?")  # a number, or dice
Options = Mapping[str, bool]  # of a command, by name: does a value follow?


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
        meant = _Meant(game, CommandLine(command), options[command], is_other=list(words[:1]) != [command])
        meant.read([*rest[:at], *rest[at + 1 :]])
        return meant.text()
    except BadInput:
        return ""


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
        hinted = shlex.split(hint)
    except ValueError:
        return hint
    is_whole = hinted[:1] == ["rollwise"]
    hinted = hinted[1:] if is_whole else [*words[:1], *hinted]
    if not hint or not {*words[:1], *hinted[:1]} <= options.keys():
        return hint
    typed, line = _sorted_line(words, options), _sorted_line(hinted, options)
    takes = options[line.command]
    if not is_whole:
        if line.bare:
            return hint
        line.bare = typed.bare if line.command in WITH_WORDS else typed.bare[:1]
    is_another = line.command != typed.command or (is_whole and line.fields)  # question, all of it
    line.fields = {**({} if is_another else typed.fields), **line.fields}
    line.parameters = {**typed.parameters, **line.parameters}
    with suppress(BadInput):
        names = known_parameters((line.bare or [""])[0])
        line.parameters = {name: value for word, value in line.parameters.items() if (name := matched(word, names))}
        made = the_game(line.bare[0], line.parameters)
        line.fields = {known.name: value for word, value in line.fields.items() if (known := field_of(made, word))}
    if PARAMETER not in takes:
        line.parameters = {}
    kept = {name: some for name, some in typed.kept.items() if name in takes and name != f"--{about}"}
    line.kept = {**kept, **line.kept}
    return line.text()


def _sorted_line(words: Sequence[str], options: Mapping[str, Options]) -> CommandLine:
    """The line of these words, of which the first is a command."""
    line, ahead, rest = CommandLine(words[0]), list(words[1:]), list[str]()
    while ahead:
        word = ahead.pop(0)
        option = word.partition("=")[0]
        if word.startswith(PARAMETER) and (word != PARAMETER or ahead):
            name, _, value = (word[2:] or ahead.pop(0)).partition("=")
            line.parameters[name] = value
        elif option in options[line.command]:
            takes_next = options[line.command][option] and option == word and ahead
            line.kept.setdefault(option, []).extend([word, ahead.pop(0)] if takes_next else [word])
        else:
            rest.append(word)
    with suppress(BadInput):  # where it is a file that is named first, and no game
        rest = fields_joined(the_game((rest or [""])[0], line.parameters), rest)
    line.fields = {name: value for name, equals, value in (word.partition("=") for word in rest) if equals}
    line.bare = [word for word in rest if "=" not in word]
    return line


@dataclass
class _Meant:
    """Words one by one, each as what it was most likely meant to be; all raises BadInput where nobody can tell."""

    game: str
    line: CommandLine  # its bare words are those beside the game
    options: Options
    is_other: bool  # is this another line than the one given?
    numbers: list[str] = field(default_factory=list)  # nobody said of what

    def read(self, words: Sequence[str]) -> None:
        """Read them all."""
        self.names = list(known_parameters(self.game))
        self.made = the_game(self.game, self._parameters_among(words))
        ahead = list(words)
        while ahead:
            word = ahead.pop(0)
            option = word.partition("=")[0]
            if option in self.options and option != PARAMETER:
                value = [_next(ahead)] if self.options[option] and option == word else []
                self.line.kept.setdefault(option, []).extend([word, *value])
            elif option == PARAMETER or (word.startswith(PARAMETER) and "=" in word):
                self._read(word[2:] or (ahead.pop(0) if ahead else ""), ahead, as_parameter=True)
            elif word.startswith("-") and word != "-":
                self.is_other = True
                self._read(word.lstrip("-"), ahead, as_option=True)
            else:
                self._read(word, ahead)
        if self.numbers:
            self._place_numbers()
        self.made = the_game(self.game, self.line.parameters)

    def _parameters_among(self, words: Sequence[str]) -> dict[str, str]:
        """They say which fields there are."""
        parameters = {}
        for word, after in pairwise([*words, ""]):
            name, equals, value = word.lstrip("-").partition("=")
            parameter = matched(name, self.names)
            if parameter and (equals or is_bare(after)):
                parameters[parameter] = value if equals else after
        return parameters

    def _read(self, word: str, ahead: list[str], as_parameter: bool = False, as_option: bool = False) -> None:
        """One word, and those ahead that belong to it."""
        typed, mark, value = re.match("([^=:]*)([=:]?)(.*)", word, re.DOTALL).groups()  # type: ignore[union-attr]
        if not mark and not as_parameter and not as_option and LOOSE.fullmatch(typed):
            self.numbers.append(typed)
            self.is_other = True
            return
        fields = [field.name for field in self.made.fields()]
        known = [*self.names, *fields] if as_parameter else [*fields, *self.names]
        name = matched(typed, known) or (nearest(typed, known) if mark == "=" else None)
        if name is None and mark == "" and not as_option and self.line.command in WITH_WORDS:
            self.line.bare.append(word)
            return
        if name is None or name in self.line.fields or name in self.line.parameters:
            raise BadInput(word)
        value = value if mark else _next(ahead)
        is_field = name in fields and not (as_parameter and name in self.names)
        while is_field and ahead and is_bare(ahead[0]) and joins(self.made, f"{name}={value}", ahead[0]):
            value += f" {ahead.pop(0)}"
        (self.line.fields if is_field else self.line.parameters)[name] = value
        self.is_other |= mark != "=" or is_field == as_parameter or matched(typed, known) is None

    def _place_numbers(self) -> None:
        """Bare numbers are the first fields in their order, or the dice: the first of these that can be asked."""
        free = [field for field in self.made.fields() if field.name not in self.line.fields]
        count, all_of_them = len(self.numbers), ",".join(self.numbers)
        scores = [field.name for field in takewhile(lambda field: isinstance(field, Number), free)]
        ways = [dict(zip(scores, self.numbers, strict=False))] if count <= len(scores) else []
        ways += [{one.name: all_of_them} for one in free[:1] if isinstance(one, Numbers) and one.count == count]
        ways += [{one.name: all_of_them} for one in free if isinstance(one, Faces)]
        self.made = the_game(self.game, self.line.parameters)
        way = next((way for way in ways if is_taken(self._ask, {**self.line.fields, **way})), None)
        if way is None:
            raise BadInput(all_of_them)
        self.line.fields |= way

    def _ask(self, fields: Mapping[str, str]) -> None:
        """Raise BadInput where this cannot be asked."""
        if self.line.command == "export":  # a slice need not be a state
            the_fields(self.made, {name: value for name, value in fields.items() if not is_nothing(value)})
        else:
            check_board(self.made, self.made.locate(**the_fields(self.made, fields)).board)

    def _fits(self, command: str) -> bool:
        """Does the command take the words beside the fields, which are put together here?"""
        made, line = self.made, self.line
        if line.parameters and PARAMETER not in self.options:
            return False
        if command == "compare":
            kind_of(made).require_comparable(made)
            return len(line.bare) == 1 and _is_policy(self.game, line.bare[0])
        if command == "odds" and not isinstance(made, PointGame):
            boxes = list(made.aims()) if isinstance(made, BoxGame) else []
            line.bare = names_joined(line.bare, boxes)
            return bool(boxes) and not line.fields and all(matched(word, boxes) for word in line.bare)
        if command == "forecast":
            return not kind_of(made).why_no_forecast(made, compile_turn(made))
        if line.bare or (command == "export" and not {"-o", "--output"} & line.kept.keys()):
            return False
        return not (line.fields and command in FIELDLESS)

    def text(self) -> str:
        """The line to paste; empty where it is the one that was given, or cannot be."""
        line = self.line
        command = ASK if line.fields and line.command in ("solve", "rules") else line.command
        if not self.is_other and command == line.command:
            return ""
        self._ask(line.fields)
        if not self._fits(command):
            return ""
        known = {field.name: field for field in self.made.fields()}
        for name, value in line.fields.items():
            line.fields[name] = known[name].show(known[name].parse(value)) if " " in value else value
        line.command, line.bare = command, [self.game, *line.bare]
        return line.text()


def _is_policy(game: str, word: str) -> bool:
    """Does a game know this rule, or is it a file, perhaps with a function's name?"""
    return matched(word, policies(game)) is not None or Path(re.sub(r"(?<=\.py):.*", "", word)).exists()


def _next(ahead: list[str]) -> str:
    if not ahead or not is_bare(ahead[0]):
        raise BadInput("no value follows")
    return ahead.pop(0)
