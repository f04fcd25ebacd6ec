"""Validation of input: names and values from outside as checked parameters and fields, or an error of one line."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from os import PathLike
from typing import Any

from rollwise.games.registry import game_class
from rollwise.solver.model.errors import BadInput, ParameterError, StateError, UnknownName
from rollwise.solver.model.fields import Field, Number, ThrowsLeft
from rollwise.solver.model.game import Game, TurnGame
from rollwise.solver.model.names import did_you_mean, matched
from rollwise.solver.model.plain import Unreadable, is_empty, is_nothing, one_line, parts, plain, quoted, truth, whole

Parameter = dataclasses.Field[Any]
NUMBER_WITH_COMMAS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+")


def parse_assignments(pairs: Iterable[str], noun: str) -> dict[str, str]:
    """Words ``name=value`` as a mapping; raises BadInput for another form and for a name given twice."""
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise BadInput(f"a {noun} is given as name=value, got {quoted(pair)}")
        if name in values:
            raise BadInput(f"{noun} '{name}' is given twice", field=name)
        values[name] = value
    return values


# --- parameters ------------------------------------------------------------------------------------------------------


def parse_game(name: str, parameters: Mapping[str, Any] | None = None) -> TurnGame:
    """The game with checked rule parameters, given as text or plain values; names in any spelling."""
    cls = game_class(name)
    called, names = cls.name, _settable_parameters(cls)
    arguments = _by_canonical_name(
        as_mapping(parameters, "parameters are"), names, "parameter", lambda name, _: _unknown_parameter(called, name)
    )
    values = {key: _parse_value(called, names[key], plain(value)) for key, value in arguments.items()}
    try:
        game = cls.of(**values)
    except ParameterError as error:
        from rollwise.parsing.player_cost import explain_refusal

        raise explain_refusal(cls, values, error) from None
    assert isinstance(game, TurnGame)
    return game


def rule_parameters(game: str) -> dict[str, Parameter]:
    """The rule parameters that users can set, by name."""
    return _settable_parameters(game_class(game))


def _settable_parameters(cls: type[Game]) -> dict[str, Parameter]:
    fields = dataclasses.fields(cls)
    return {each.name: each for each in fields if not (each.metadata.get("trial") or each.metadata.get("option"))}


def _by_canonical_name(
    values: Mapping[str, Any], names: Collection[str], noun: str, unknown_name: Callable[[str, Any], UnknownName]
) -> dict[str, Any]:
    """Values by those of ``names``; raises the error of ``unknown_name`` for another, BadInput for one given twice."""
    by_name: dict[str, Any] = {}
    for typed, value in values.items():
        name = matched(typed, names)
        if name is None:
            raise unknown_name(typed, value)
        if name in by_name:
            raise BadInput(f"{noun} '{name}' is given twice", field=name)
        by_name[name] = value
    return by_name


def _unknown_parameter(game: str, name: str) -> UnknownName:
    """The error for an unknown parameter, which may be the name of a field."""
    field, parameters = matched(name, [field.name for field in parse_game(game).fields()]), rule_parameters(game)
    if field:
        return UnknownName(f"'{field}' is a field of {game}, not a rule parameter", field=field)
    alternatives = f"{did_you_mean(name, parameters)}; it has: {', '.join(parameters) or 'none'}"
    return UnknownName(f"'{game}' has no parameter {quoted(name)}{alternatives}", field=name)


def _parse_value(game: str, field: Parameter, value: Any) -> Any:
    """Plain data as a value of the same type as the parameter's default; ``Game.of`` refuses other values."""
    parameter = f"'{game}' parameter {field.name}"
    default, choices = field.default, [str(choice) for choice in field.metadata.get("choices") or ()]
    if isinstance(default, bool | int):
        try:
            return parse_argument(type(default).__name__, parameter, value)
        except BadInput as error:
            raise ParameterError(str(error), field=field.name) from None
    if isinstance(default, tuple):
        numbers = [] if is_nothing(value) or value == [] else [whole(part) for part in parts(value) or [None]]
        if None in numbers:
            raise ParameterError(f"{parameter} is a list like 8,14, got {quoted(value)}", field=field.name)
        return tuple(numbers)
    if choices and matched(value, choices) is None:
        text = one_line(value) if isinstance(value, str) else quoted(value)
        raise ParameterError(f"{parameter} is one of {', '.join(choices)}, got {text}", field=field.name)
    return matched(value, choices) or value


# --- fields ----------------------------------------------------------------------------------------------------------


def question_fields(state: object, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a question, from ``fields`` or, unless that is None, from ``state``; BadInput for both."""
    if state is None:
        return fields
    mapping = as_mapping(state, "state is")
    if fields:
        names = ", ".join(f"{name}=" for name in fields)
        raise BadInput(f"give a state by state= or field by field, not both; got state= and {names}")
    return mapping


def as_mapping(value: object, subject: str) -> Mapping[str, Any]:
    """The value as a mapping with text keys; a row of a table is converted by its ``to_dict``."""
    if value is None:
        return {}
    mapping = value
    if not isinstance(value, Mapping) and callable(getattr(type(value), "to_dict", None)):
        with suppress(Exception):  # a stranger's to_dict may raise anything
            mapping = value.to_dict()  # type: ignore[attr-defined]
    if not isinstance(mapping, Mapping) or not all(isinstance(name, str) for name in mapping):
        names = "field names" if subject.startswith("state") else "names"
        raise BadInput(f"{subject} a mapping of {names} to values, got {quoted(plain(value))}")
    return mapping


def parse_fields(game: TurnGame, values: Mapping[str, Any]) -> dict[str, Any]:
    """Checked field values of a question; raises UnknownName, StateError or DiceError with the field's name."""
    declared, arguments = {field.name: field for field in game.fields()}, canonical_fields(game, values)
    empty = [name for name, value in arguments.items() if is_empty(value)]
    fields = {name: _parse_field(declared[name], value) for name, value in arguments.items() if name not in empty}
    fields |= {name: None for name in empty if declared[name].form.get("none")}
    for name in empty:
        if name not in fields and not _can_be_empty(game, declared[name], fields):
            text = quoted(plain(arguments[name]))
            raise StateError(f"{name} is empty, got {text}: give its value, or leave the name out", field=name)
    return fields


def _can_be_empty(game: TurnGame, field: Field, fields: Mapping[str, Any]) -> bool:
    """True where the state of the other ``fields`` has no such field, or where the throw need not be given."""
    if field.of == "board" or isinstance(field, ThrowsLeft):
        return field.of != "board"
    with suppress(BadInput):
        position = game.locate(**fields)
        return all(row.get(field.name) is None for row in game.describe(position.board, position.state))
    return False


def _parse_field(field: Field, value: Any) -> Any:
    """The value of a field; for a number with thousands separators the error's hint is the plain number."""
    try:
        return field.parse(value)
    except BadInput as error:
        if isinstance(field, Number) and isinstance(value, str) and NUMBER_WITH_COMMAS.fullmatch(value.strip()):
            error.hint = error.hint or f"{field.name}={value.strip().replace(',', '')}"
        raise


def canonical_fields(game: TurnGame, values: Mapping[str, Any]) -> dict[str, Any]:
    """Field values by the fields' own names; raises UnknownName, and BadInput for one given twice."""
    names = [field.name for field in game.fields()]
    return _by_canonical_name(values, names, "field", lambda name, value: _unknown_field(game, name, value, names))


def _unknown_field(game: TurnGame, name: str, value: Any, names: list[str]) -> UnknownName:
    """The error for an unknown field, which may be the name of a parameter."""
    parameter = matched(name, rule_parameters(game.name))
    if parameter:
        plain_value = plain(value)
        hint = "" if isinstance(plain_value, Unreadable) else f"params={{'{parameter}': {quoted(plain_value)}}}"
        return UnknownName(f"'{parameter}' is a rule parameter of {game.name}, not a field", hint=hint, field=parameter)
    alternatives = f"{did_you_mean(name, names)}; it has: {', '.join(names)}"
    return UnknownName(f"{game.name} has no field {quoted(name)}{alternatives}", field=name)


def find_field(game: TurnGame, name: str) -> Field | None:
    """The field of this name, in any spelling; None if the game has none."""
    declared = {field.name: field for field in game.fields()}
    return declared.get(matched(name, declared) or "")


# --- other arguments -------------------------------------------------------------------------------------------------


def parse_whole_number(name: str, value: Any) -> int:
    """An argument that is a whole number, of any sort; raises BadInput."""
    return int(parse_argument("int", name, value))


def parse_whole_numbers(name: str, value: Any) -> list[int]:
    """One whole number or several, in a list, an array or a set, or as text with commas; raises BadInput."""
    plain_value = plain(value)
    members = plain_value if isinstance(plain_value, list) else [plain_value]
    if all(isinstance(part, str) for part in members):
        members = [part.strip() for text in members for part in text.split(",")]
    return [parse_whole_number(name, part) for part in members]


def parse_names(name: str, value: Any) -> list[str]:
    """An argument that is a list of names, or text with commas between them; raises BadInput."""
    plain_value = plain(value)
    texts = parts(plain_value, at_spaces=False) if isinstance(plain_value, str | list) else None
    if texts is None or not all(isinstance(part, str) for part in texts):
        raise BadInput(f"{name} is a name or a list of names, got {quoted(plain_value)}", field=name)
    return [part.strip() for text in texts for part in text.split(",")]


def _parse_number(value: Any) -> int | float | None:
    number = plain(value)
    is_number = isinstance(number, int | float) and not isinstance(number, bool) and number == number
    return number if is_number else None


def _parse_file_name(value: Any) -> str | PathLike[str] | None:
    return value if isinstance(value, str | PathLike) and "\0" not in str(value) else None


ARGUMENT_KINDS: dict[str, tuple[str, Callable[[Any], Any]]] = {  # words, and a parser: None for other values
    "bool": ("true or false", lambda value: truth(plain(value))),
    "int": ("a whole number", lambda value: whole(plain(value))),
    "float": ("a number", _parse_number),
    "str": ("text", lambda value: value if isinstance(value, str) else None),
    "str | Path": ("a file, as text or a Path", _parse_file_name),
    "str | PathLike[str]": ("a file, as text or a Path", _parse_file_name),
}


def parse_argument(kind: str, name: str, value: Any) -> Any:
    """The value as one of ARGUMENT_KINDS; raises BadInput for another."""
    description, reader = ARGUMENT_KINDS[kind]
    parsed = reader(value)
    if parsed is None:
        raise BadInput(f"{name} is {description}, got {quoted(plain(value))}", field=name)
    return parsed


# --- boards ----------------------------------------------------------------------------------------------------------


def check_board(game: TurnGame, board: Mapping[str, int]) -> int:
    """The index of a board; raises StateError where no game reaches it."""
    import numpy as np

    space = game.boards()
    index = space.index_of(**board)
    if index < 0 or not np.all(game.possible(space.columns(np.array([index])))):
        shown = " ".join(f"{name}={value}" for name, value in board.items())
        raise StateError(f"no game of {game.name} can reach {shown}")
    return index
