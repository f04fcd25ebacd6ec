"""What a form sends, read whole and no further than its limit."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request

from rollwise.web.texts import text

MOST_BYTES = 900_000  # of a form: a record, with each of its signs written as three
MOST_FIELDS = 500


class TooLong(Exception):
    """More came in than is read; what it says is shown to the user."""


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form that was sent, the last of each name; raises TooLong."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise TooLong(text("play.too_long"))
        parts.append(part)
    try:
        fields = b"".join(parts).decode("utf-8", "replace")
        return dict(parse_qsl(fields, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise TooLong(text("play.too_long")) from None


def is_part(request: Request) -> bool:
    """Is only a part wanted, to be put into the page that is there?"""
    return request.headers.get("HX-Request") == "true" and "HX-History-Restore-Request" not in request.headers
