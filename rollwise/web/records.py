"""Posted forms, and records on pages and in addresses, read up to a limit."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from markupsafe import Markup
from starlette.requests import Request

from rollwise.match.match import Match
from rollwise.solver.model.errors import BadInput
from rollwise.web import limits
from rollwise.web.labels import text
from rollwise.web.questions import checked_record

MAX_FORM_BYTES = 900_000  # of a form: a record with each of its characters escaped as three
MAX_FORM_FIELDS = 500


class TooLong(Exception):
    """A form or record beyond the limits; its message is for the user."""


async def read_form(request: Request) -> dict[str, str]:
    """Fields of a posted form, the last of each name; raises TooLong."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_FORM_BYTES:
            raise TooLong(text("play.too_long"))
        parts.append(part)
    try:
        fields = b"".join(parts).decode("utf-8", "replace")
        return dict(parse_qsl(fields, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS))
    except ValueError:
        raise TooLong(text("play.too_long")) from None


def is_partial(request: Request) -> bool:
    """True if htmx requests a part of a page."""
    return request.headers.get("HX-Request") == "true" and "HX-History-Restore-Request" not in request.headers


MAX_ADDRESS_CHARS = 7_900  # of a record in an address; the server reads 8,000 bytes


def pack_record(record: Sequence[dict[str, Any]]) -> str:
    """A record on one line; raises TooLong."""
    line = json.dumps(record, separators=(",", ":"))
    require_short(line)
    return line


def encode_record(record: str) -> str:
    """Deflate a record for an address; empty if it is too long."""
    written = base64.urlsafe_b64encode(zlib.compress(record.encode("utf-8", "replace"), 9)).decode().rstrip("=")
    return written if len(written) <= MAX_ADDRESS_CHARS else ""


def decode_record(written: str) -> str:
    """Inflate the record of an address, up to the limit of a record; raises BadInput and TooLong.

    >>> encode_record("pig"), decode_record("eNoryEwHAAKMAUE")
    ('eNoryEwHAAKMAUE', 'pig')
    """
    try:
        inflating = zlib.decompressobj()
        padded = written.encode("ascii") + b"=" * (-len(written) % 4)
        record = inflating.decompress(base64.b64decode(padded, b"-_", validate=True), limits.MAX_RECORD_BYTES + 1)
        if len(record) > limits.MAX_RECORD_BYTES:
            raise TooLong(text("play.too_long"))
        if not inflating.eof:
            raise ValueError
        return record.decode("utf-8")
    except (ValueError, zlib.error):
        raise BadInput(text("review.damaged")) from None


def escape_textarea(record: str) -> Markup:
    """Escape text for a textarea, where quotes need no escape."""
    return Markup(record.replace("&", "&amp;").replace("<", "&lt;"))


def require_short(record: str) -> None:
    """Raise TooLong for a text beyond the size of a record."""
    if len(record.encode("utf-8", "replace")) > limits.MAX_RECORD_BYTES:
        raise TooLong(text("play.too_long"))


def parse_record(record: str) -> list[Any]:
    """Parse the lines of a record, packed or saved; raises BadInput for invalid JSON, and TooLong."""
    require_short(record)
    record = record.strip()
    if record.startswith("["):
        return list(_parse_json(record, text("play.record")))
    lines = [line for line in record.splitlines() if line.strip()]
    return [_parse_json(line, text("play.record_line", line=number)) for number, line in enumerate(lines, 1)]


def _parse_json(line: str, what: str) -> Any:
    try:
        return json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise BadInput(text("play.no_json", what=what)) from None


def _no_number(constant: str) -> NoReturn:
    raise ValueError(constant)


def match_of(record: str) -> Match:
    """The match of a received record; raises BadInput for any invalid one, and Unsolved."""
    return Match.of(checked_record(parse_record(record)))
