"""The door: names and values from outside become checked parameters and fields, or one line that says what is wrong."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from rollwise.games.registry import game_class
from rollwise.solver.game.errors import BadInput, ParameterError, StateError, UnknownName
from rollwise.solver.game.fields import WHOLE
from rollwise.solver.game.model import TurnGame


def split(pairs: Iterable[str], what: str) -> dict[str, str]:
    """``name=value`` words as a mapping; raises BadInput for another form or a name said twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise BadInput(f"a {what} is given as name=value, got '{pair}'")
        if name in found:
            raise BadInput(f"{what} '{name}' is given twice")
        found[name] = value
    return found


def the_game(name: str, parameters: Mapping[str, Any] | None = None) -> TurnGame:
    """A game with checked rule parameters, given as text or plain values."""
    cls = game_class(name)
    known = {field.name: field for field in dataclasses.fields(cls) if not field.metadata.get("trial")}
    chosen = {}
    for parameter, given in (parameters or {}).items():
        if parameter not in known:
            raise UnknownName(
                f"'{name}' has no parameter '{parameter}'{_near(parameter, known)}; "
                f"it has: {', '.join(known) or 'none'}"
            )
        chosen[parameter] = _value(name, known[parameter], given)
    made = cls.of(**chosen)
    assert isinstance(made, TurnGame)
    return made


def _value(game: str, field: dataclasses.Field[Any], given: Any) -> Any:
    """Text as the kind of value that the parameter's default is; other values as they are."""
    if not isinstance(given, str):
        return tuple(given) if isinstance(given, list) else given
    if isinstance(field.default, bool):
        words = {"true": True, "false": False, "yes": True, "no": False}
        if given.lower() not in words:
            raise ParameterError(f"'{game}' parameter {field.name} is true or false, got '{given}'")
        return words[given.lower()]
    if isinstance(field.default, int | tuple):
        parts = given.split(",") if isinstance(field.default, tuple) else [given]
        if not all(WHOLE.fullmatch(part) for part in parts):
            wanted = "a list like 8,14" if isinstance(field.default, tuple) else "a whole number"
            raise ParameterError(f"'{game}' parameter {field.name} is {wanted}, got '{given}'")
        numbers = tuple(map(int, parts))
        return numbers if isinstance(field.default, tuple) else numbers[0]
    return given


def as_said(state: object, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a question, said one by one or as ``state``, one mapping (None: not said so); BadInput for both."""
    if state is None:
        return fields
    if not isinstance(state, Mapping) or not all(isinstance(name, str) for name in state):
        raise BadInput(f"state is a mapping of field names to values, got {state!r}")
    if fields:
        said = ", ".join(f"{name}=" for name in fields)
        raise BadInput(f"a state is said by state= or field by field, not both; got state= and {said}")
    return state


def the_fields(game: TurnGame, given: Mapping[str, Any]) -> dict[str, Any]:
    """Checked field values of a question; raises UnknownName, StateError or DiceError."""
    known = {field.name: field for field in game.fields()}
    for name in given:
        if name not in known:
            raise UnknownName(f"{game.name} has no field '{name}'{_near(name, known)}; it has: {', '.join(known)}")
    return {name: known[name].parse(value) for name, value in given.items() if value is not None}


def _near(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def check_board(game: TurnGame, board: Mapping[str, int]) -> int:
    """The index of a board; raises StateError where no game comes to it."""
    import numpy as np

    space = game.boards()
    index = space.index_of(**board)
    if index < 0 or not np.all(game.possible(space.columns(np.array([index])))):
        shown = " ".join(f"{name}={value}" for name, value in board.items())
        raise StateError(f"no game of {game.name} can come to {shown}")
    return index
