"""Records as pages carry them: one line of JSON, of so many bytes at most."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any, NoReturn

from markupsafe import Markup

from rollwise.match.match import Match
from rollwise.solver.model.errors import BadInput
from rollwise.web.posted import TooLong
from rollwise.web.questions import the_record
from rollwise.web.texts import text

MOST_BYTES = 200_000
LONGEST = 7_900  # letters of a record in an address, of which the server reads 8,000


def packed(record: Sequence[dict[str, Any]]) -> str:
    """A record on one line; raises TooLong."""
    line = json.dumps(record, separators=(",", ":"))
    require_short(line)
    return line


def in_address(record: str) -> str:
    """A record as an address carries it, deflated; empty where it is too long for one."""
    written = base64.urlsafe_b64encode(zlib.compress(record.encode("utf-8", "replace"), 9)).decode().rstrip("=")
    return written if len(written) <= LONGEST else ""


def from_address(written: str) -> str:
    """The record that an address carries, inflated no further than a record may be; raises BadInput and TooLong.

    >>> in_address("pig"), from_address("eNoryEwHAAKMAUE")
    ('eNoryEwHAAKMAUE', 'pig')
    """
    try:
        inflating = zlib.decompressobj()
        padded = written.encode("ascii") + b"=" * (-len(written) % 4)
        record = inflating.decompress(base64.b64decode(padded, b"-_", validate=True), MOST_BYTES + 1)
        if len(record) > MOST_BYTES:
            raise TooLong(text("play.too_long"))
        if not inflating.eof:
            raise ValueError
        return record.decode("utf-8")
    except (ValueError, zlib.error):
        raise BadInput(text("review.damaged")) from None


def in_textarea(record: str) -> Markup:
    """Text as it stands in a text field: quotes, of which a record is full, may stay as they are."""
    return Markup(record.replace("&", "&amp;").replace("<", "&lt;"))


def require_short(record: str) -> None:
    """Raise TooLong for a text that is longer than a record may be here."""
    if len(record.encode("utf-8", "replace")) > MOST_BYTES:
        raise TooLong(text("play.too_long"))


def unpacked(record: str) -> list[Any]:
    """The lines of a record, packed or saved; raises BadInput for what is no JSON, TooLong for too much of it."""
    require_short(record)
    record = record.strip()
    if record.startswith("["):
        return list(_json(record, text("play.record")))
    lines = [line for line in record.splitlines() if line.strip()]
    return [_json(line, text("play.record_line", line=number)) for number, line in enumerate(lines, 1)]


def _json(line: str, what: str) -> Any:
    try:
        return json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise BadInput(text("play.no_json", what=what)) from None


def _no_number(constant: str) -> NoReturn:
    raise ValueError(constant)


def match_of(record: str) -> Match:
    """The match of a record that came in; raises BadInput, whatever came, and Unsolved."""
    return Match.of(the_record(unpacked(record)))
