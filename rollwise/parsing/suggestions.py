"""Corrections of refused command lines: the typed line with as few changes as possible."""

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
from rollwise.parsing.validate import check_board, find_field, parse_fields, parse_game, rule_parameters
from rollwise.parsing.words import PARAMETER, CommandLine, is_accepted, is_joined, join_fields, join_game, join_names
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import Faces, Number, Numbers
from rollwise.solver.model.names import matched, nearest
from rollwise.solver.model.plain import is_nothing
from rollwise.solver.model.sheet import BoxGame
from rollwise.solver.model.turn_points import PointGame
from rollwise.solver.turn.graph import compile_turn

ASK = "ask"
COMMANDS_WITH_BARE_WORDS = ("compare", "odds")  # beside the game: a policy, boxes
COMMANDS_WITHOUT_FIELDS = (  # no state, or a state in the file named first
    *("card", "list", "verify", "serve", "sweep", "solve-all", "warm"),
    *("best", "review"),
)
BARE_NUMBER = re.compile(r"[\[({]?[0-9][-0-9,]*[\])}]?")  # a number, or dice
Options = Mapping[str, bool]  # of a command, by name; True: a value follows


def suggest_line(words: Sequence[str], options: Mapping[str, Options]) -> str:
    """The most likely correction of a refused command line; empty if there is none.

    ``options`` are those of each command. A correction differs from the words, and its question is valid.

    >>> options = {"ask": {"-p": True, "--json": False}}
    >>> suggest_line(["ask", "pig", "43", "61", "18", "--json"], options)
    'rollwise ask pig mine=43 theirs=61 turn=18 --json'
    >>> suggest_line(["ask", "pig", "target=50", "--mine", "43"], options)
    'rollwise ask pig mine=43 -p target=50'
    """
    command, *rest = join_game(words if words and words[0] in options else [ASK, *words])
    place = next((place for place, word in enumerate(rest) if is_bare(word)), None)
    game = spelt(rest[place]) if place is not None else None
    if place is None or game is None or command not in options:
        return ""
    try:
        guess = _LineGuess(game, CommandLine(command), options[command], is_other=list(words[:1]) != [command])
        guess.read([*rest[:place], *rest[place + 1 :]])
        return guess.text()
    except BadInput:
        return ""


def apply_hint(words: Sequence[str], hint: str, options: Mapping[str, Options], about: str = "") -> str:
    """The typed line with the changes of a hint; a hint that is no command line is returned as it is.

    A hint is a whole line (``rollwise solve pig``), or only fields and options (``mine=4``, ``-p target=30``). All else
    stays, but for options that the new command does not take, and the option that the error is ``about``.

    >>> options = {"compare": {"-p": True, "--slice": False}, "list": {"--json": False}}
    >>> typed = ["compare", "pig", "-p", "target=30", "a.csv", "mine=4"]
    >>> apply_hint(typed, "rollwise compare pig a.csv --slice", options)
    'rollwise compare pig a.csv mine=4 -p target=30 --slice'
    >>> apply_hint(typed, "-p target=20", options)
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
    typed, line = _sort_words(words, options), _sort_words(hinted, options)
    takes = options[line.command]
    if not is_whole:
        if line.bare:
            return hint
        line.bare = typed.bare if line.command in COMMANDS_WITH_BARE_WORDS else typed.bare[:1]
    is_another = line.command != typed.command or (is_whole and line.fields)  # question, all of it
    line.fields = {**({} if is_another else typed.fields), **line.fields}
    line.parameters = {**typed.parameters, **line.parameters}
    with suppress(BadInput):
        names = rule_parameters((line.bare or [""])[0])
        line.parameters = {name: value for word, value in line.parameters.items() if (name := matched(word, names))}
        game = parse_game(line.bare[0], line.parameters)
        line.fields = {field.name: value for word, value in line.fields.items() if (field := find_field(game, word))}
    if PARAMETER not in takes:
        line.parameters = {}
    option_words = {name: some for name, some in typed.option_words.items() if name in takes and name != f"--{about}"}
    line.option_words = {**option_words, **line.option_words}
    return line.text()


def _sort_words(words: Sequence[str], options: Mapping[str, Options]) -> CommandLine:
    """The words, of which the first is a command, sorted as a CommandLine."""
    line, remaining, others = CommandLine(words[0]), list(words[1:]), list[str]()
    while remaining:
        word = remaining.pop(0)
        option = word.partition("=")[0]
        if word.startswith(PARAMETER) and (word != PARAMETER or remaining):
            name, _, value = (word[2:] or remaining.pop(0)).partition("=")
            line.parameters[name] = value
        elif option in options[line.command]:
            takes_next = options[line.command][option] and option == word and remaining
            line.option_words.setdefault(option, []).extend([word, remaining.pop(0)] if takes_next else [word])
        else:
            others.append(word)
    with suppress(BadInput):  # the first word may be a file, not a game
        others = join_fields(parse_game((others or [""])[0], line.parameters), others)
    line.fields = {name: value for name, equals, value in (word.partition("=") for word in others) if equals}
    line.bare = [word for word in others if "=" not in word]
    return line


@dataclass
class _LineGuess:
    """The most likely reading of each word of a line; its methods raise BadInput for a word with no likely reading."""

    game: str
    line: CommandLine  # its bare words are those beside the game
    options: Options
    is_other: bool  # True once the guess differs from the typed line
    numbers: list[str] = field(default_factory=list)  # without a name

    def read(self, words: Sequence[str]) -> None:
        """Read all words."""
        self.names = list(rule_parameters(self.game))
        self.rules = parse_game(self.game, self._parameters_among(words))
        rest = list(words)
        while rest:
            word = rest.pop(0)
            option = word.partition("=")[0]
            if option in self.options and option != PARAMETER:
                value = [_pop_value(rest)] if self.options[option] and option == word else []
                self.line.option_words.setdefault(option, []).extend([word, *value])
            elif option == PARAMETER or (word.startswith(PARAMETER) and "=" in word):
                self._read_word(word[2:] or (rest.pop(0) if rest else ""), rest, as_parameter=True)
            elif word.startswith("-") and word != "-":
                self.is_other = True
                self._read_word(word.lstrip("-"), rest, as_option=True)
            else:
                self._read_word(word, rest)
        if self.numbers:
            self._place_numbers()
        self.rules = parse_game(self.game, self.line.parameters)

    def _parameters_among(self, words: Sequence[str]) -> dict[str, str]:
        """The rule parameters in these words, which decide what fields the game has."""
        parameters = {}
        for word, after in pairwise([*words, ""]):
            name, equals, value = word.lstrip("-").partition("=")
            parameter = matched(name, self.names)
            if parameter and (equals or is_bare(after)):
                parameters[parameter] = value if equals else after
        return parameters

    def _read_word(self, word: str, rest: list[str], as_parameter: bool = False, as_option: bool = False) -> None:
        """Read one word, and those of ``rest`` that belong to it."""
        typed, mark, value = re.match("([^=:]*)([=:]?)(.*)", word, re.DOTALL).groups()  # type: ignore[union-attr]
        if not mark and not as_parameter and not as_option and BARE_NUMBER.fullmatch(typed):
            self.numbers.append(typed)
            self.is_other = True
            return
        fields = [field.name for field in self.rules.fields()]
        names = [*self.names, *fields] if as_parameter else [*fields, *self.names]
        name = matched(typed, names) or (nearest(typed, names) if mark == "=" else None)
        if name is None and mark == "" and not as_option and self.line.command in COMMANDS_WITH_BARE_WORDS:
            self.line.bare.append(word)
            return
        if name is None or name in self.line.fields or name in self.line.parameters:
            raise BadInput(word)
        value = value if mark else _pop_value(rest)
        is_field = name in fields and not (as_parameter and name in self.names)
        while is_field and rest and is_bare(rest[0]) and is_joined(self.rules, f"{name}={value}", rest[0]):
            value += f" {rest.pop(0)}"
        (self.line.fields if is_field else self.line.parameters)[name] = value
        self.is_other |= mark != "=" or is_field == as_parameter or matched(typed, names) is None

    def _place_numbers(self) -> None:
        """Take bare numbers as the first fields in order, or as the dice: the first reading that makes a question."""
        free = [field for field in self.rules.fields() if field.name not in self.line.fields]
        count, joined = len(self.numbers), ",".join(self.numbers)
        scores = [field.name for field in takewhile(lambda field: isinstance(field, Number), free)]
        readings = [dict(zip(scores, self.numbers, strict=False))] if count <= len(scores) else []
        readings += [{one.name: joined} for one in free[:1] if isinstance(one, Numbers) and one.count == count]
        readings += [{one.name: joined} for one in free if isinstance(one, Faces)]
        self.rules = parse_game(self.game, self.line.parameters)
        reading = next((each for each in readings if is_accepted(self._check, {**self.line.fields, **each})), None)
        if reading is None:
            raise BadInput(joined)
        self.line.fields |= reading

    def _check(self, fields: Mapping[str, str]) -> None:
        """Raise BadInput where these fields are no valid question."""
        if self.line.command == "export":  # a slice need not be a state
            parse_fields(self.rules, {name: value for name, value in fields.items() if not is_nothing(value)})
        else:
            check_board(self.rules, self.rules.locate(**parse_fields(self.rules, fields)).board)

    def _is_accepted_by(self, command: str) -> bool:
        """True if the command takes the bare words, which are joined here."""
        game, line = self.rules, self.line
        if line.parameters and PARAMETER not in self.options:
            return False
        if command == "compare":
            kind_of(game).require_comparable(game)
            return len(line.bare) == 1 and _is_policy_name(self.game, line.bare[0])
        if command == "odds" and not isinstance(game, PointGame):
            boxes = list(game.aims()) if isinstance(game, BoxGame) else []
            line.bare = join_names(line.bare, boxes)
            return bool(boxes) and not line.fields and all(matched(word, boxes) for word in line.bare)
        if command == "forecast":
            return not kind_of(game).why_no_forecast(game, compile_turn(game))
        if line.bare or (command == "export" and not {"-o", "--output"} & line.option_words.keys()):
            return False
        return not (line.fields and command in COMMANDS_WITHOUT_FIELDS)

    def text(self) -> str:
        """The line to paste; empty if it equals the typed line or is invalid."""
        line = self.line
        command = ASK if line.fields and line.command in ("solve", "rules") else line.command
        if not self.is_other and command == line.command:
            return ""
        self._check(line.fields)
        if not self._is_accepted_by(command):
            return ""
        declared = {field.name: field for field in self.rules.fields()}
        for name, value in line.fields.items():
            line.fields[name] = declared[name].show(declared[name].parse(value)) if " " in value else value
        line.command, line.bare = command, [self.game, *line.bare]
        return line.text()


def _is_policy_name(game: str, word: str) -> bool:
    """True for a rule of the game, or a file, perhaps followed by a function's name."""
    return matched(word, policies(game)) is not None or Path(re.sub(r"(?<=\.py):.*", "", word)).exists()


def _pop_value(rest: list[str]) -> str:
    if not rest or not is_bare(rest[0]):
        raise BadInput("no value follows")
    return rest.pop(0)
