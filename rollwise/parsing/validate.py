"""The door: names and values from outside become checked parameters and fields, or one line that says what is wrong."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext, suppress
from functools import wraps
from os import PathLike
from typing import Any, TypeVar

from rollwise.cache.loaded import changed
from rollwise.games.registry import find, game_class
from rollwise.parsing.consent import from_python
from rollwise.parsing.little_memory import within_memory
from rollwise.solver.model.errors import BadInput, ParameterError, StateError, UnknownName
from rollwise.solver.model.fields import Field, Number, ThrowsLeft
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import did_you_mean, matched
from rollwise.solver.model.plain import Strange, is_empty, is_nothing, on_a_line, parts, plain, quoted, truth, whole

Parameter = dataclasses.Field[Any]
Function = TypeVar("Function", bound=Callable[..., Any])
THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+")


def split(pairs: Iterable[str], what: str) -> dict[str, str]:
    """``name=value`` words as a mapping; raises BadInput for another form or a name said twice."""
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise BadInput(f"a {what} is given as name=value, got {quoted(pair)}")
        if name in values:
            raise BadInput(f"{what} '{name}' is given twice", field=name)
        values[name] = value
    return values


# --- parameters ------------------------------------------------------------------------------------------------------


def the_game(name: str, parameters: Mapping[str, Any] | None = None) -> TurnGame:
    """A game with checked rule parameters, given as text or plain values, all names in any spelling."""
    cls, called = game_class(name), find(name).name
    known = known_parameters(called)
    spelt = _spelt(
        _mapping(parameters, "parameters are"), known, "parameter", lambda name, _: _no_parameter(called, name)
    )
    chosen = {parameter: _value(called, known[parameter], plain(value)) for parameter, value in spelt.items()}
    try:
        made = cls.of(**chosen)
    except ParameterError as error:
        from rollwise.parsing.crowds import refusal

        raise refusal(cls, chosen, error) from None
    assert isinstance(made, TurnGame)
    return made


def known_parameters(game: str) -> dict[str, Parameter]:
    """The rule parameters that can be said, by name."""
    return {field.name: field for field in dataclasses.fields(game_class(game)) if not field.metadata.get("trial")}


def _spelt(
    values: Mapping[str, Any], known: Collection[str], what: str, unknown: Callable[[str, Any], UnknownName]
) -> dict[str, Any]:
    """Values by the names that are ``known``; raises what ``unknown`` makes of another, BadInput for one said twice."""
    spelt: dict[str, Any] = {}
    for typed, value in values.items():
        name = matched(typed, known)
        if name is None:
            raise unknown(typed, value)
        if name in spelt:
            raise BadInput(f"{what} '{name}' is given twice", field=name)
        spelt[name] = value
    return spelt


def _no_parameter(game: str, name: str) -> UnknownName:
    """What to say of a parameter that there is not: it may be a field."""
    field, known = matched(name, [field.name for field in the_game(game).fields()]), known_parameters(game)
    if field:
        return UnknownName(f"'{field}' is a field of {game}, not a rule parameter", field=field)
    there = f"{did_you_mean(name, known)}; it has: {', '.join(known) or 'none'}"
    return UnknownName(f"'{game}' has no parameter {quoted(name)}{there}", field=name)


def _value(game: str, field: Parameter, value: Any) -> Any:
    """Plain data as the kind of value that the parameter's default is; other values as they are, to be refused."""
    parameter = f"'{game}' parameter {field.name}"
    default, choices = field.default, [str(choice) for choice in field.metadata.get("choices") or ()]
    if isinstance(default, bool | int):
        try:
            return _read(type(default).__name__, parameter, value)
        except BadInput as error:
            raise ParameterError(str(error), field=field.name) from None
    if isinstance(default, tuple):
        numbers = [] if is_nothing(value) or value == [] else [whole(part) for part in parts(value) or [None]]
        if None in numbers:
            raise ParameterError(f"{parameter} is a list like 8,14, got {quoted(value)}", field=field.name)
        return tuple(numbers)
    if choices and matched(value, choices) is None:
        came = on_a_line(value) if isinstance(value, str) else quoted(value)
        raise ParameterError(f"{parameter} is one of {', '.join(choices)}, got {came}", field=field.name)
    return matched(value, choices) or value


# --- fields ----------------------------------------------------------------------------------------------------------


def as_said(state: object, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a question, said one by one or as ``state``, one mapping (None: not said so); BadInput for both."""
    if state is None:
        return fields
    mapping = _mapping(state, "state is")
    if fields:
        named = ", ".join(f"{name}=" for name in fields)
        raise BadInput(f"a state is said by state= or field by field, not both; got state= and {named}")
    return mapping


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    """A mapping by names; of a row of a table too, which says itself as one."""
    if value is None:
        return {}
    mapping = value
    if not isinstance(value, Mapping) and callable(getattr(type(value), "to_dict", None)):
        with suppress(Exception):  # whatever an object does when it is asked
            mapping = value.to_dict()  # type: ignore[attr-defined]
    if not isinstance(mapping, Mapping) or not all(isinstance(name, str) for name in mapping):
        names = "field names" if what.startswith("state") else "names"
        raise BadInput(f"{what} a mapping of {names} to values, got {quoted(plain(value))}")
    return mapping


def the_fields(game: TurnGame, values: Mapping[str, Any]) -> dict[str, Any]:
    """Checked field values of a question; raises UnknownName, StateError or DiceError, which name the field."""
    known, spelt = {field.name: field for field in game.fields()}, as_spelt(game, values)
    empty = [name for name, value in spelt.items() if is_empty(value)]
    fields = {name: _parsed(known[name], value) for name, value in spelt.items() if name not in empty}
    fields |= {name: None for name in empty if known[name].form.get("none")}
    for name in empty:
        if name not in fields and not _may_be_empty(game, known[name], fields):
            came = quoted(plain(spelt[name]))
            raise StateError(f"{name} is empty, got {came}: give its value, or leave the name out", field=name)
    return fields


def _may_be_empty(game: TurnGame, field: Field, fields: Mapping[str, Any]) -> bool:
    """True where the state of the other ``fields`` has no such thing, or need not say which throw it is."""
    if field.of == "board" or isinstance(field, ThrowsLeft):
        return field.of != "board"
    with suppress(BadInput):
        position = game.locate(**fields)
        return all(row.get(field.name) is None for row in game.describe(position.board, position.state))
    return False


def _parsed(field: Field, value: Any) -> Any:
    """The value of a field; of a number with commas between its thousands the error says the number."""
    try:
        return field.parse(value)
    except BadInput as error:
        if isinstance(field, Number) and isinstance(value, str) and THOUSANDS.fullmatch(value.strip()):
            error.hint = error.hint or f"{field.name}={value.strip().replace(',', '')}"
        raise


def as_spelt(game: TurnGame, values: Mapping[str, Any]) -> dict[str, Any]:
    """Field values by the names that the fields have; raises UnknownName, and BadInput for one said twice."""
    known = [field.name for field in game.fields()]
    return _spelt(values, known, "field", lambda name, value: _no_field(game, name, value, known))


def _no_field(game: TurnGame, name: str, value: Any, known: list[str]) -> UnknownName:
    """What to say of a field that there is not: it may be a parameter."""
    parameter = matched(name, known_parameters(game.name))
    if parameter:
        shown = plain(value)
        hint = "" if isinstance(shown, Strange) else f"params={{'{parameter}': {quoted(shown)}}}"
        return UnknownName(f"'{parameter}' is a rule parameter of {game.name}, not a field", hint=hint, field=parameter)
    there = f"{did_you_mean(name, known)}; it has: {', '.join(known)}"
    return UnknownName(f"{game.name} has no field {quoted(name)}{there}", field=name)


def field_of(game: TurnGame, name: str) -> Field | None:
    """The field of this name, in any spelling; None where there is none."""
    known = {field.name: field for field in game.fields()}
    return known.get(matched(name, known) or "")


# --- other arguments -------------------------------------------------------------------------------------------------


def whole_number(name: str, value: Any) -> int:
    """An argument that is a whole number, of any sort; raises BadInput."""
    return int(_read("int", name, value))


def whole_numbers(name: str, value: Any) -> list[int]:
    """One whole number or several, in a list, an array or a set, or as text with commas; raises BadInput."""
    simple = plain(value)
    members = simple if isinstance(simple, list) else [simple]
    if all(isinstance(part, str) for part in members):
        members = [part.strip() for text in members for part in text.split(",")]
    return [whole_number(name, part) for part in members]


def some_names(name: str, value: Any) -> list[str]:
    """An argument that is a list of names, or text with commas between them; raises BadInput."""
    simple = plain(value)
    texts = parts(simple, at_spaces=False) if isinstance(simple, str | list) else None
    if texts is None or not all(isinstance(part, str) for part in texts):
        raise BadInput(f"{name} is a name or a list of names, got {quoted(simple)}", field=name)
    return [part.strip() for text in texts for part in text.split(",")]


def _number(value: Any) -> int | float | None:
    number = plain(value)
    is_number = isinstance(number, int | float) and not isinstance(number, bool) and number == number
    return number if is_number else None


def _file(value: Any) -> str | PathLike[str] | None:
    return value if isinstance(value, str | PathLike) and "\0" not in str(value) else None


SORTS: dict[str, tuple[str, Callable[[Any], Any]]] = {  # what is wanted, and what is read; None for what is not it
    "bool": ("true or false", lambda value: truth(plain(value))),
    "int": ("a whole number", lambda value: whole(plain(value))),
    "float": ("a number", _number),
    "str": ("text", lambda value: value if isinstance(value, str) else None),
    "str | Path": ("a file, as text or a Path", _file),
    "str | PathLike[str]": ("a file, as text or a Path", _file),
}


def _read(sort: str, name: str, value: Any) -> Any:
    """What is of one of the SORTS; raises BadInput for what is not."""
    sort_in_words, reader = SORTS[sort]
    read = reader(value)
    if read is None:
        raise BadInput(f"{name} is {sort_in_words}, got {quoted(plain(value))}", field=name)
    return read


def checked(function: Function) -> Function:
    """A public function, or a method, whose arguments are what its signature says; raises BadInput for others.

    Mappings and what is of SORTS are checked here, and read; arguments of other sorts are read by the function itself.
    One that has ``yes`` may solve: what that takes is told, and asked, first (``rollwise.parsing.consent``).
    """
    sorts = function.__annotations__  # a signature says it already, and text is read here: no ``schema`` is wanted
    solves = "yes" in sorts
    names = function.__code__.co_varnames[: function.__code__.co_argcount]

    def read(name: str, value: Any) -> Any:
        sort, may_be_none, _ = sorts.get(name, "").partition(" | None")
        if value is None and may_be_none:
            return None
        if sort == "Mapping[str, Any]":
            return _mapping(value, f"{name} is")
        return _read(sort, name, value) if sort in SORTS else value

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        if len(args) > len(names):
            first = ", ".join(names)
            raise TypeError(f"{function.__name__} takes {first} by position, all else by name, as params={{...}}")
        changed()  # of a constant that was changed since the last question no memo may tell
        placed = [*map(read, names, args), *args[len(names) :]]
        given = {name: read(name, value) for name, value in named.items()}
        with within_memory(), from_python(given.get("yes", False)) if solves else nullcontext():
            return function(*placed, **given)

    return called  # type: ignore[return-value]


# --- boards ----------------------------------------------------------------------------------------------------------


def check_board(game: TurnGame, board: Mapping[str, int]) -> int:
    """The index of a board; raises StateError where no game comes to it."""
    import numpy as np

    space = game.boards()
    index = space.index_of(**board)
    if index < 0 or not np.all(game.possible(space.columns(np.array([index])))):
        shown = " ".join(f"{name}={value}" for name, value in board.items())
        raise StateError(f"no game of {game.name} can come to {shown}")
    return index
