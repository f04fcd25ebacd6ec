"""Records as pages carry them: one line of JSON, of so many bytes at most."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn

from markupsafe import Markup

from rollwise.match.match import Match
from rollwise.solver.game.errors import BadInput
from rollwise.web.posted import TooLong
from rollwise.web.questions import the_record
from rollwise.web.texts import text

MOST_BYTES = 200_000


def packed(record: Sequence[dict[str, Any]]) -> str:
    """A record on one line; raises TooLong."""
    told = json.dumps(record, separators=(",", ":"))
    require_short(told)
    return told


def in_textarea(told: str) -> Markup:
    """Text as it stands in a text field: quotes, of which a record is full, may stay as they are."""
    return Markup(told.replace("&", "&amp;").replace("<", "&lt;"))


def require_short(told: str) -> None:
    """Raise TooLong for a text that is longer than a record may be here."""
    if len(told.encode("utf-8", "replace")) > MOST_BYTES:
        raise TooLong(text("play.too_long"))


def unpacked(told: str) -> list[Any]:
    """The lines of a record, packed or saved; raises BadInput for what is no JSON, TooLong for too much of it."""
    require_short(told)
    told = told.strip()
    if told.startswith("["):
        return list(_json(told, text("play.record")))
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
    return Match.of(the_record(unpacked(told)))
