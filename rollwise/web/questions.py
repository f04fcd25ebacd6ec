"""What may be asked from outside: games by their names alone, and plain data of bounded size."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isinf
from typing import Any

from rollwise.games.registry import find
from rollwise.parsing.validate import the_game
from rollwise.solver.model.errors import BadInput, UnknownGame
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import quoted

LONGEST_NAME = 60  # characters of a game's name, of a field's and of a parameter's
LONGEST_TEXT = 2_000  # characters of a value
MOST_DIGITS = 20  # of a number
MOST_MEMBERS = 1_000  # of a list or a map
MOST_NAMES = 50  # fields, and parameters
DEEPEST = 4  # lists in lists
DEEPEST_RECORD = 8
MOST_LINES = 20_000  # of a record
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.S)  # without an end too, or each sign in it would be taken for a start
BRACKET = re.compile(rb"[\[\]{}]")


def the_name_asked(name: object) -> str:
    """The name of a game in the list, whatever it is called; raises UnknownGame for anything else.

    Nothing that comes over the network is taken for a file or a module: only names that the list has come out of here.
    """
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        raise UnknownGame(f"a game is said by its name, got {quoted(name)}", field="game")
    return find(name).name


def the_game_asked(name: object, params: Mapping[str, Any] | None = None) -> TurnGame:
    """A game of the list with checked rule parameters; raises UnknownGame, and BadInput for what it has not."""
    called = the_name_asked(name)
    require_small("params", params or {})
    return the_game(called, params)


def require_small(what: str, values: Mapping[str, Any]) -> None:
    """Raise BadInput for names and values that no game has: too many, too long or too deep."""
    if len(values) > MOST_NAMES:
        raise BadInput(f"{what} has at most {MOST_NAMES} names, got {len(values)}", field=what)
    for name, value in values.items():
        if len(name) > LONGEST_NAME:
            raise BadInput(f"a name in {what} has at most {LONGEST_NAME} letters, got {quoted(name)}", field=what)
        _require_small(name, value, DEEPEST)


def _require_small(name: str, value: Any, deeper: int) -> None:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise BadInput(f"{name} has at most {LONGEST_TEXT:,} letters, got {len(value):,}", field=name)
    if isinstance(value, list | dict):
        if deeper == 0:
            raise BadInput(f"{name} is too deep: lists in lists in lists", field=name)
        if len(value) > MOST_MEMBERS:
            raise BadInput(f"{name} has at most {MOST_MEMBERS:,} members, got {len(value):,}", field=name)
        for part in value.values() if isinstance(value, dict) else value:
            _require_small(name, part, deeper - 1)


def the_record(record: list[Any]) -> list[Any]:
    """The lines of a record that somebody sends, of a game in the list; raises BadInput for others."""
    if not 0 < len(record) <= MOST_LINES:
        raise BadInput(f"a record is a list of 1 to {MOST_LINES:,} lines", field="record")
    head = record[0]
    if isinstance(head, dict) and "game" in head:
        the_name_asked(head["game"])
    return record


# --- JSON -------------------------------------------------------------------------------------------------------------


def read_json(text: bytes) -> Any:
    """JSON as the standard has it, and no more: no NaN, no name twice, bounded numbers and depth. Raises BadInput."""
    if _depth(text) > DEEPEST_RECORD:
        raise BadInput(f"the JSON is deeper than {DEEPEST_RECORD} lists and objects")
    try:
        return json.loads(
            text.decode("utf-8"),
            parse_constant=_refuse_constant,
            parse_int=_whole,
            parse_float=_finite,
            object_pairs_hook=_once_each,
        )
    except UnicodeDecodeError as error:
        raise BadInput(f"the body is no UTF-8 at byte {error.start:,}") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"the body is no JSON: {error.msg} at character {error.pos:,}") from None


def _depth(text: bytes) -> int:
    """How deep lists and objects stand in each other, at most; what stands in text is no bracket.

    >>> _depth(b'{"a": ["[["]}'), _depth(b'"\\\\"[" [')
    (2, 1)
    """
    deepest = now = 0
    for bracket in BRACKET.findall(TEXT.sub(b"", text)):
        now += 1 if bracket in b"[{" else -1
        deepest = max(deepest, now)
    return deepest


def _refuse_constant(constant: str) -> Any:
    raise BadInput(f"{constant} is no JSON number")


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise BadInput(f"a number has at most {MOST_DIGITS} digits, got {len(digits):,}")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits[:60])
    if len(digits) > 60 or isinf(number):
        raise BadInput(f"a number is too large or too long: {quoted(digits)}")
    return number


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise BadInput(f"{quoted(name)} is said twice", field=name[:LONGEST_NAME])
        values[name] = value
    return values
