"""A form is read whole and no further than its limits, and a record holds nothing that no match writes."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest
from starlette.requests import Request

from rollwise.solver.game.errors import BadInput
from rollwise.web import records
from rollwise.web.posted import MOST_BYTES, MOST_FIELDS, TooLong, form_of, is_part
from rollwise.web.records import in_textarea, packed, unpacked
from rollwise.web.sitting import seats_of

PIECE = 100_000


def request(body: bytes, *headers: tuple[bytes, bytes]) -> tuple[Request, list[int]]:
    """A request that brings this body piece by piece, and where each piece that was taken began."""
    taken: list[int] = []

    async def receive() -> MutableMapping[str, Any]:
        at = PIECE * len(taken)
        taken.append(at)
        return {"type": "http.request", "body": body[at : at + PIECE], "more_body": at + PIECE < len(body)}

    scope = {"type": "http", "method": "POST", "path": "/", "headers": list(headers)}
    return Request(scope, receive), taken


def read(body: bytes) -> dict[str, str]:
    """The fields of a form."""
    return asyncio.run(form_of(request(body)[0]))


def test_a_form_is_its_fields_of_a_name_said_twice_the_last_and_what_is_no_text_as_well_as_it_goes() -> None:
    assert read(b"a=1&b=&a=%C3%A9+x") == {"a": "é x", "b": ""}
    assert read(b"a=\xff1&b=%ff") == {"a": "�1", "b": "�"}


def test_no_more_of_a_form_is_read_than_its_limits() -> None:
    asked, taken = request(b"x" * 50 * PIECE)
    with pytest.raises(TooLong):
        asyncio.run(form_of(asked))
    assert taken[-1] <= MOST_BYTES
    assert read(b"a=" + b"x" * (MOST_BYTES - 2)) == {"a": "x" * (MOST_BYTES - 2)}
    assert len(read(b"&".join(b"a%d=1" % place for place in range(MOST_FIELDS)))) == MOST_FIELDS
    with pytest.raises(TooLong):
        read(b"a=1&" * (MOST_FIELDS + 1))


def test_a_page_that_the_browser_goes_back_to_is_wanted_whole() -> None:
    part, back = (b"hx-request", b"true"), (b"hx-history-restore-request", b"true")
    assert [is_part(request(b"", *headers)[0]) for headers in ([part], [part, back], [])] == [True, False, False]


# --- records ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("told", ["NaN", "[NaN]", "[Infinity]", "[" * 100_000, "{", '{"a": 1}\n{'])
def test_what_is_no_json_is_no_record(told: str) -> None:
    with pytest.raises(BadInput):
        unpacked(told)


def test_a_record_is_no_longer_than_a_page_can_carry_and_cannot_leave_its_text_field() -> None:
    longest = [{"a": "x" * (records.MOST_BYTES - len('[{"a":""}]'))}]
    assert len(packed(longest)) == records.MOST_BYTES
    assert unpacked(packed(longest)) == longest
    with pytest.raises(TooLong):
        packed([{"a": longest[0]["a"] + "x"}])
    with pytest.raises(TooLong):
        unpacked("é" * (records.MOST_BYTES // 2 + 1))
    assert in_textarea('</textarea><b>&amp;"') == '&lt;/textarea>&lt;b>&amp;amp;"'


@pytest.mark.parametrize(
    ("said", "seats"), [("0", (0,)), ("1,0,1", (0, 1)), ("none", ()), ("", ()), ("2,9,-1,x", ()), ("²,٣,001,0", (0,))]
)
def test_seats_of_people_are_those_that_there_are(said: str, seats: tuple[int, ...]) -> None:
    assert seats_of(said, 2) == seats
