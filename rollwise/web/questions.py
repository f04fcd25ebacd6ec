"""Validation of untrusted input: games by name alone, and plain data of bounded size."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isinf
from typing import Any

from rollwise.games.registry import find
from rollwise.parsing.validate import parse_game
from rollwise.solver.model.errors import BadInput, UnknownGame
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import quoted

MAX_NAME_CHARS = 60  # of a game, field or parameter
MAX_TEXT_CHARS = 2_000  # of a value
MAX_DIGITS = 20  # of a number
MAX_MEMBERS = 1_000  # of a list or a map
MAX_NAMES = 50  # of fields, and of parameters
MAX_VALUE_DEPTH = 4  # lists in lists
MAX_JSON_DEPTH = 8
MAX_RECORD_LINES = 20_000  # of a record
STRING_PATTERN = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.S)  # also unterminated, so that matching stays linear
BRACKET_PATTERN = re.compile(rb"[\[\]{}]")


def listed_name(name: object) -> str:
    """Listed name of a game, from any alias, never of a file or module; raises UnknownGame for anything else."""
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS:
        raise UnknownGame(f"a game is given by its name, got {quoted(name)}", field="game")
    return find(name).name


def listed_game(name: object, params: Mapping[str, Any] | None = None) -> TurnGame:
    """A listed game with validated parameters; raises UnknownGame, and BadInput for invalid ones."""
    called = listed_name(name)
    require_small("params", params or {})
    return parse_game(called, params)


def require_small(what: str, values: Mapping[str, Any]) -> None:
    """Raise BadInput for too many, too long or too deeply nested names and values."""
    if len(values) > MAX_NAMES:
        raise BadInput(f"{what} has at most {MAX_NAMES} names, got {len(values)}", field=what)
    for name, value in values.items():
        if len(name) > MAX_NAME_CHARS:
            raise BadInput(f"a name in {what} has at most {MAX_NAME_CHARS} letters, got {quoted(name)}", field=what)
        _require_small(name, value, MAX_VALUE_DEPTH)


def _require_small(name: str, value: Any, deeper: int) -> None:
    if isinstance(value, str) and len(value) > MAX_TEXT_CHARS:
        raise BadInput(f"{name} has at most {MAX_TEXT_CHARS:,} letters, got {len(value):,}", field=name)
    if isinstance(value, list | dict):
        if deeper == 0:
            raise BadInput(f"{name} is too deep: lists in lists in lists", field=name)
        if len(value) > MAX_MEMBERS:
            raise BadInput(f"{name} has at most {MAX_MEMBERS:,} members, got {len(value):,}", field=name)
        for part in value.values() if isinstance(value, dict) else value:
            _require_small(name, part, deeper - 1)


def checked_record(record: list[Any]) -> list[Any]:
    """Lines of a received record of a listed game; raises BadInput for others."""
    if not 0 < len(record) <= MAX_RECORD_LINES:
        raise BadInput(f"a record is a list of 1 to {MAX_RECORD_LINES:,} lines", field="record")
    head = record[0]
    if isinstance(head, dict) and "game" in head:
        listed_name(head["game"])
    return record


# --- JSON -------------------------------------------------------------------------------------------------------------


def parse_json(text: bytes) -> Any:
    """Parse strict JSON: no NaN, no repeated name, bounded numbers and depth; raises BadInput."""
    if _depth(text) > MAX_JSON_DEPTH:
        raise BadInput(f"the JSON is deeper than {MAX_JSON_DEPTH} lists and objects")
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
    """Depth of nested lists and objects; brackets in strings do not count.

    >>> _depth(b'{"a": ["[["]}'), _depth(b'"\\\\"[" [')
    (2, 1)
    """
    deepest = now = 0
    for bracket in BRACKET_PATTERN.findall(STRING_PATTERN.sub(b"", text)):
        now += 1 if bracket in b"[{" else -1
        deepest = max(deepest, now)
    return deepest


def _refuse_constant(constant: str) -> Any:
    raise BadInput(f"{constant} is no JSON number")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise BadInput(f"a number has at most {MAX_DIGITS} digits, got {len(digits):,}")
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
            raise BadInput(f"{quoted(name)} appears twice", field=name[:MAX_NAME_CHARS])
        values[name] = value
    return values
