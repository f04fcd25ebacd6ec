"""Records as pages carry them: one line of JSON, of so many bytes at most."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from markupsafe import Markup

from rollwise.match.match import Match
from rollwise.match.saved import require_record
from rollwise.solver.game.errors import BadInput, RollwiseError
from rollwise.web.posted import TooLong
from rollwise.web.questions import the_record
from rollwise.web.texts import text

MOST_BYTES = 200_000
LONGEST = 200  # characters of a move
MOST = 1e12  # that any number of a record is


def packed(record: Sequence[dict[str, Any]]) -> str:
    """A record on one line; raises TooLong."""
    told = json.dumps(record, separators=(",", ":"))
    if len(told) > MOST_BYTES:
        raise TooLong(text("play.too_long"))
    return told


def as_lines(record: Sequence[dict[str, Any]]) -> str:
    """A record as it is saved, a line each."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in record)


def in_textarea(told: str) -> Markup:
    """Text as it stands in a text field: quotes, of which a record is full, may stay as they are."""
    return Markup(told.replace("&", "&amp;").replace("<", "&lt;"))


def require_short(told: str) -> None:
    """Raise TooLong for a text that is longer than a record may be here."""
    if len(told.encode("utf-8", "replace")) > MOST_BYTES:
        raise TooLong(text("play.too_long"))


def unpacked(told: str) -> Any:
    """The lines of a record, packed or saved; raises BadInput for what is no JSON, TooLong for too much of it."""
    require_short(told)
    told = told.strip()
    if told.startswith("["):
        return _json(told, text("play.record"))
    lines = [line for line in told.splitlines() if line.strip()]
    return [_json(line, text("play.record_line", line=number)) for number, line in enumerate(lines, 1)]


def _json(told: str, what: str) -> Any:
    try:
        return json.loads(told, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise BadInput(text("play.no_json", what=what)) from None


def _no_number(told: str) -> NoReturn:
    raise ValueError(told)


def match_of(told: str) -> Match:
    """The match of a record that came in; raises BadInput, whatever came, and Unsolved."""
    record = the_record(unpacked(told))
    _, lines = require_record(record)
    for number, line in enumerate(lines, 2):
        if not is_line(line):
            raise BadInput(text("play.odd_line", line=number))
    try:
        return Match.of(record)
    except RollwiseError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        raise BadInput(text("play.no_record")) from None


def is_line(line: Mapping[str, Any]) -> bool:
    """Is this what a match writes: are the numbers numbers, the dice dice, and the names those of fields?"""
    if "result" in line:
        return isinstance(line["result"], list) and all(map(_is_number, line["result"]))
    told = [line.get(name, 0) for name in ("loss", "value", "gained")]
    told += [line[name] for name in ("before", "after") if line.get(name) is not None]
    state = line.get("state", {})
    if not all(map(_is_number, told)) or not isinstance(state, dict):
        return False
    if "choice" in line:
        hidden = line.get("hidden", [])
        names = isinstance(hidden, list) and all(isinstance(name, str) and name in state for name in hidden)
        return isinstance(line["choice"], str) and len(line["choice"]) < LONGEST and names
    throws = [line["thrown"], *then] if isinstance(then := line.get("then", []), list) else [None]
    return all(isinstance(dice, list) and len(dice) < LONGEST and all(map(_is_face, dice)) for dice in throws)


def _is_number(told: Any) -> bool:
    return isinstance(told, int | float) and not isinstance(told, bool) and abs(told) < MOST


def _is_face(told: Any) -> bool:
    return isinstance(told, int) and not isinstance(told, bool) and 1 <= told <= 6
