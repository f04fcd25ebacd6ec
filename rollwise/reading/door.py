"""The door: names and values from outside become checked parameters and fields, or one line that says what is wrong."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from os import PathLike
from typing import Any, TypeVar

from rollwise.games.registry import find, game_class
from rollwise.solver.game.errors import BadInput, ParameterError, StateError, UnknownName
from rollwise.solver.game.fields import Field, Number
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.names import did_you_mean, matched
from rollwise.solver.game.plain import Strange, is_nothing, on_a_line, parts, plain, quoted, truth, whole

Parameter = dataclasses.Field[Any]
Function = TypeVar("Function", bound=Callable[..., Any])
THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+")


def split(pairs: Iterable[str], what: str) -> dict[str, str]:
    """``name=value`` words as a mapping; raises BadInput for another form or a name said twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise BadInput(f"a {what} is given as name=value, got '{pair}'")
        if name in found:
            raise BadInput(f"{what} '{name}' is given twice", field=name)
        found[name] = value
    return found


# --- parameters ------------------------------------------------------------------------------------------------------


def the_game(name: str, parameters: Mapping[str, Any] | None = None) -> TurnGame:
    """A game with checked rule parameters, given as text or plain values, all names in any spelling."""
    cls, called = game_class(name), find(name).name
    known = known_parameters(called)
    chosen: dict[str, Any] = {}
    for said, given in _mapping(parameters, "parameters are").items():
        parameter = matched(said, known)
        if parameter is None:
            raise _no_parameter(called, said, given, known)
        if parameter in chosen:
            raise BadInput(f"parameter '{parameter}' is given twice", field=parameter)
        chosen[parameter] = _value(called, known[parameter], plain(given))
    try:
        made = cls.of(**chosen)
    except ParameterError as error:
        from rollwise.reading.crowds import refusal

        raise refusal(cls, chosen, error) from None
    assert isinstance(made, TurnGame)
    return made


def known_parameters(game: str) -> dict[str, Parameter]:
    """The rule parameters that can be said, by name."""
    return {field.name: field for field in dataclasses.fields(game_class(game)) if not field.metadata.get("trial")}


def _no_parameter(game: str, said: str, given: Any, known: Mapping[str, Parameter]) -> UnknownName:
    """What to say of a parameter that there is not: it may be a field."""
    field = matched(said, [field.name for field in the_game(game).fields()])
    if field:
        return UnknownName(f"'{field}' is a field of {game}, not a rule parameter", field=field)
    guess = did_you_mean(said, known)
    return UnknownName(
        f"'{game}' has no parameter {quoted(said)}{guess}; it has: {', '.join(known) or 'none'}", field=said
    )


def _value(game: str, field: Parameter, given: Any) -> Any:
    """Plain data as the kind of value that the parameter's default is; other values as they are, to be refused."""
    said = f"'{game}' parameter {field.name}"
    default, choices = field.default, [str(choice) for choice in field.metadata.get("choices") or ()]
    if isinstance(default, bool | int):
        try:
            return _read(type(default).__name__, said, given)
        except BadInput as error:
            raise ParameterError(str(error), field=field.name) from None
    if isinstance(default, tuple):
        found = [] if is_nothing(given) or given == [] else [whole(part) for part in parts(given) or [None]]
        if None in found:
            raise ParameterError(f"{said} is a list like 8,14, got {quoted(given)}", field=field.name)
        return tuple(found)
    if choices and matched(given, choices) is None:
        came = on_a_line(given) if isinstance(given, str) else quoted(given)
        raise ParameterError(f"{said} is one of {', '.join(choices)}, got {came}", field=field.name)
    return matched(given, choices) or given


# --- fields ----------------------------------------------------------------------------------------------------------


def as_said(state: object, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a question, said one by one or as ``state``, one mapping (None: not said so); BadInput for both."""
    if state is None:
        return fields
    found = _mapping(state, "state is")
    if fields:
        said = ", ".join(f"{name}=" for name in fields)
        raise BadInput(f"a state is said by state= or field by field, not both; got state= and {said}")
    return found


def _mapping(given: object, what: str) -> Mapping[str, Any]:
    """A mapping by names; of a row of a table too, which says itself as one."""
    if given is None:
        return {}
    found = given
    if not isinstance(given, Mapping) and callable(getattr(type(given), "to_dict", None)):
        try:
            found = given.to_dict()  # type: ignore[attr-defined]
        except Exception:  # whatever an object does when it is asked
            found = None
    if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
        wanted = f"{what} a mapping of {'field names' if what.startswith('state') else 'names'} to values"
        raise BadInput(f"{wanted}, got {quoted(plain(given))}")
    return found


def the_fields(game: TurnGame, given: Mapping[str, Any]) -> dict[str, Any]:
    """Checked field values of a question; raises UnknownName, StateError or DiceError, which name the field."""
    known = {field.name: field for field in game.fields()}
    return {name: _parsed(known[name], value) for name, value in as_spelt(game, given).items() if not _is_absent(value)}


def _is_absent(value: Any) -> bool:
    """Is nothing said? A table that pandas has read has nan there."""
    return value is None or (isinstance(value, float) and value != value)


def _parsed(field: Field, value: Any) -> Any:
    """The value of a field; of a number with commas between its thousands the error says the number."""
    try:
        return field.parse(value)
    except BadInput as error:
        if isinstance(field, Number) and isinstance(value, str) and THOUSANDS.fullmatch(value.strip()):
            error.hint = error.hint or f"{field.name}={value.strip().replace(',', '')}"
        raise


def as_spelt(game: TurnGame, given: Mapping[str, Any]) -> dict[str, Any]:
    """Field values by the names that the fields have; raises UnknownName, and BadInput for one said twice."""
    known = [field.name for field in game.fields()]
    found: dict[str, Any] = {}
    for said, value in given.items():
        name = matched(said, known)
        if name is None:
            raise _no_field(game, said, value, known)
        if name in found:
            raise BadInput(f"field '{name}' is given twice", field=name)
        found[name] = value
    return found


def _no_field(game: TurnGame, said: str, value: Any, known: list[str]) -> UnknownName:
    """What to say of a field that there is not: it may be a parameter."""
    parameter = matched(said, known_parameters(game.name))
    if parameter:
        told = plain(value)
        hint = "" if isinstance(told, Strange) else f"params={{'{parameter}': {quoted(told)}}}"
        return UnknownName(f"'{parameter}' is a rule parameter of {game.name}, not a field", hint=hint, field=parameter)
    return UnknownName(
        f"{game.name} has no field {quoted(said)}{did_you_mean(said, known)}; it has: {', '.join(known)}", field=said
    )


def field_of(game: TurnGame, said: str) -> Field | None:
    """The field of this name, in any spelling; None where there is none."""
    known = {field.name: field for field in game.fields()}
    return known.get(matched(said, known) or "")


# --- other arguments -------------------------------------------------------------------------------------------------


def whole_number(name: str, given: Any) -> int:
    """An argument that is a whole number, of any sort; raises BadInput."""
    number: int = _read("int", name, given)
    return number


def whole_numbers(name: str, given: Any) -> list[int]:
    """One whole number or several, in a list, an array or a set, or as text with commas; raises BadInput."""
    told = plain(given)
    if isinstance(told, str) or (isinstance(told, list) and all(isinstance(part, str) for part in told)):
        told = [part.strip() for text in ([told] if isinstance(told, str) else told) for part in text.split(",")]
    return [whole_number(name, part) for part in (told if isinstance(told, list) else [told])]


def some_names(name: str, given: Any) -> list[str]:
    """An argument that is a list of names, or text with commas between them; raises BadInput."""
    told = plain(given)
    found = parts(told, at_spaces=False) if isinstance(told, str | list) else None
    if found is None or not all(isinstance(part, str) for part in found):
        raise BadInput(f"{name} is a name or a list of names, got {quoted(told)}", field=name)
    return [part.strip() for text in found for part in text.split(",")]


def _number(given: Any) -> int | float | None:
    told = plain(given)
    return told if isinstance(told, int | float) and not isinstance(told, bool) else None


def _file(given: Any) -> str | PathLike[str] | None:
    return given if isinstance(given, str | PathLike) and "\0" not in str(given) else None


SORTS: dict[str, tuple[str, Callable[[Any], Any]]] = {  # what is wanted, and what is read; None for what is not it
    "bool": ("true or false", lambda given: truth(plain(given))),
    "int": ("a whole number", lambda given: whole(plain(given))),
    "float": ("a number", _number),
    "str": ("text", lambda given: given if isinstance(given, str) else None),
    "str | Path": ("a file, as text or a Path", _file),
    "str | PathLike[str]": ("a file, as text or a Path", _file),
}


def _read(sort: str, name: str, given: Any) -> Any:
    """What is of one of the SORTS; raises BadInput for what is not."""
    wanted, reader = SORTS[sort]
    found = reader(given)
    if found is None:
        raise BadInput(f"{name} is {wanted}, got {quoted(plain(given))}", field=name)
    return found


def checked(function: Function) -> Function:
    """A public function, or a method, whose arguments are what its signature says; raises BadInput for others.

    Mappings and what is of SORTS are checked here, and read; arguments of other sorts are read by the function itself.
    """
    sorts = function.__annotations__
    names = function.__code__.co_varnames[: function.__code__.co_argcount]

    def read(name: str, given: Any) -> Any:
        sort, may_be_none, _ = sorts.get(name, "").partition(" | None")
        if given is None and may_be_none:
            return None
        if sort == "Mapping[str, Any]":
            return _mapping(given, f"{name} is")
        return _read(sort, name, given) if sort in SORTS else given

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        if len(args) > len(names):
            first = ", ".join(names)
            raise TypeError(f"{function.__name__} takes {first} by position, all else by name, as params={{...}}")
        placed = [*map(read, names, args), *args[len(names) :]]
        return function(*placed, **{name: read(name, given) for name, given in named.items()})

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
