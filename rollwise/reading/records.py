"""What the lines of a record may hold, looked at in one place whichever door a record comes in by."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.plain import HUGE, plain, quoted

VERSION = 1  # of the record
SORTS = ("choice", "thrown", "result")
LONGEST = 200  # characters of a move, dice of a throw
MOST = 1e12  # no number that counts is as large
DEEPEST = 8  # lists and objects in each other
MAY_BE_NULL = ("parameters", "seats", "seat", "state", "value", "loss", "before", "after")


def require_lines(lines: Iterable[tuple[object, Any]]) -> None:
    """Raise BadInput for the first line that no record has; each line comes with its place, which the error names.

    The first is the head. What a match needs beyond this, and whether all of it can have happened, is looked at where
    it is taken up or gone through.
    """
    before: Any = None
    for place, line in lines:
        try:
            is_line = isinstance(line, Mapping) and _is_plain(line, DEEPEST)
            if is_line and "result" in (before or ()):
                raise BadInput("nothing follows the result")
            if not is_line or (before is not None and sum(sort in line for sort in SORTS) != 1):
                raise BadInput(f"a choice, a throw or a result is wanted, got {quoted(plain(line))}")
            if before is None:
                _require_head(line)
            _require(line, IN_A_LINE)
            if set(line.get("hidden", ())) - set(line.get("state") or ()):
                raise BadInput("what is hidden is a field of the state", field="hidden")
        except BadInput as error:
            raise BadInput(f"{place}: {error}", hint=error.hint, field=error.field) from None
        before = line
    if before is None:
        raise BadInput("the record is empty")


def require_played(lines: Iterable[Mapping[str, Any]], n_seats: int, luck: bool) -> None:
    """Raise BadInput for a line that can be of no match of so many seats, or that could not be taken back."""
    for number, line in enumerate(lines, 2):
        seat = line.get("seat")
        if "result" in line:
            if len(line["result"]) not in (1, n_seats):
                raise BadInput(f"line {number}: a result is of {n_seats} seats, got {len(line['result'])}")
        elif seat is None or seat >= n_seats:
            raise BadInput(f"line {number}: seats are from 0 to {n_seats - 1}, got {seat}", field="seat")
        elif line.get("state") is None and ("choice" in line or luck):
            raise BadInput(f"line {number}: the state is wanted in which this was done", field="state")


def _require_head(head: Mapping[str, Any]) -> None:
    if head.get("rollwise") != VERSION or head["rollwise"] is True:
        raise BadInput(f'a record begins with {{"rollwise": {VERSION}, "game": ...}}, got {quoted(plain(head))}')
    _require(head, IN_A_HEAD, needed=("game",))
    if head.get("next") is not None:
        _require(head["next"], WHERE_IT_STANDS, needed=("state", "seat"))


Allowed = Mapping[str, tuple[Callable[[Any], bool], str]]  # by name, what it is and how that is said


def _require(told: Mapping[str, Any], allowed: Allowed, needed: Iterable[str] = ()) -> None:
    """Raise BadInput for the first value that is not allowed, or is needed and not there."""
    for name, (is_allowed, words) in allowed.items():
        value = told.get(name)
        is_unsaid = name not in told or (value is None and name in MAY_BE_NULL)
        if (name in needed or not is_unsaid) and not is_allowed(value):
            raise BadInput(f"{words}, got {quoted(plain(value))}", field=name)


def _is_plain(told: Any, deeper: int) -> bool:
    """Is this what JSON can say, and not without end?"""
    if isinstance(told, float):
        return math.isfinite(told)
    if isinstance(told, int):
        return abs(told) < HUGE
    if isinstance(told, Mapping):
        names = all(isinstance(name, str | int) for name in told)  # JSON makes text of numbers
        return deeper > 0 and names and all(_is_plain(part, deeper - 1) for part in told.values())
    if isinstance(told, list | tuple):
        return deeper > 0 and all(_is_plain(part, deeper - 1) for part in told)
    return told is None or isinstance(told, str)


def _is_number(told: Any) -> bool:
    return isinstance(told, int | float) and not isinstance(told, bool) and abs(told) < MOST


def _is_count(told: Any) -> bool:
    return isinstance(told, int) and _is_number(told) and told >= 0


def _is_throw(told: Any) -> bool:
    return _are(lambda die: _is_count(die) and 1 <= die <= 6)(told) and len(told) < LONGEST


def _are(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda told: isinstance(told, list | tuple) and all(map(of, told))


def _is_mapping(told: Any) -> bool:
    return isinstance(told, Mapping)


def _is_text(told: Any) -> bool:
    return isinstance(told, str) and len(told) < LONGEST


SEAT = _is_count, "a seat is a whole number from 0"
STATE = _is_mapping, "a state is a mapping of fields"
CHOICE = _is_text, f"a choice is a move in words, of fewer than {LONGEST} letters"
THROWS = _are(_is_throw), "further throws are a list of them, each a list of faces 1 to 6"
IN_A_LINE: Allowed = {
    "choice": CHOICE,
    "thrown": (_is_throw, "a throw is a list of faces 1 to 6"),
    "then": THROWS,
    "result": (_are(_is_number), "a result is a list of numbers, one a seat"),
    "seat": SEAT,
    "state": STATE,
    "best": (_are(_is_text), "best is a list of moves in words"),
    "hidden": (_are(_is_text), "hidden is a list of fields"),
    **{name: (_is_number, f"{name} is a number") for name in ("value", "loss", "before", "after", "gained")},
}
IN_A_HEAD: Allowed = {
    "game": (_is_text, "the game is wanted"),
    "parameters": (_is_mapping, "parameters are a mapping of names to values"),
    "seats": (_is_count, "seats are a whole number"),
    "next": (_is_mapping, 'next is {"state": ..., "seat": ...}'),
}
WHERE_IT_STANDS: Allowed = {"state": STATE, "seat": SEAT, "choice": CHOICE, "thrown": THROWS}
