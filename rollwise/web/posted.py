"""Posted forms, read up to a limit."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request

from rollwise.web.texts import text

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
