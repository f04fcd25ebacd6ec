"""Records of games, from files, text or Python: their lines, the place of each, and its schema."""

from __future__ import annotations

import json
import math
import os
import shlex
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Required, TypedDict

from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.plain import TOO_LARGE, plain, quoted
from rollwise.solver.model.schema import check, schema_of

RECORD_VERSION = 1  # of the record
LINE_SORTS = ("choice", "thrown", "result")
MAX_TEXT_LENGTH = 200  # characters of a move, dice of a throw
MAX_NUMBER = 1e12  # no score or value is as large
MAX_NESTING = 8  # of lists and objects
MAX_FILE_BYTES = 64 << 20  # of a file: a record of some hundred thousand choices
MAX_LINES = 500_000
LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # as ``str.splitlines`` has them
READ_CHUNK_BYTES = 1 << 20  # bytes that are read at a time
PIPE_TIMEOUT_S = 2.0  # until a pipe has a writer
STDIN = "-"


@dataclass(frozen=True)
class Place:
    """A line of a record, counted from 1, and in typed text a column.

    >>> print(Place(3), "/", Place(3, 7))
    line 3 / line 3, column 7
    """

    line: int
    column: int | None = None

    def __str__(self) -> str:
        return f"line {self.line}" + ("" if self.column is None else f", column {self.column}")


Line = tuple[Place, Any]


@contextmanager
def at_place(place: object) -> Iterator[None]:
    """Errors inside the block begin with this place."""
    try:
        yield
    except BadInput as error:
        raise type(error)(f"{place}: {error}", hint=error.hint, field=error.field) from None


# --- where records come from -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """The lines of a record with their places; ``truncated``: the last one is incomplete and left out.

    ``typed``: each line is text typed by hand, else a mapping. ``file``: the file's name, quoted for a shell; empty
    where the lines come from elsewhere.
    """

    lines: list[Line]
    typed: bool
    truncated: bool = False
    file: str = ""

    def __post_init__(self) -> None:
        if not self.lines:
            raise BadInput("the record is empty")
        if len(self.lines) > MAX_LINES:
            raise BadInput(f"the record has more than {MAX_LINES:,} lines, which no game has")


def read_source(record: Any) -> Source:
    """The lines of a record given as a file, text, lines or a match; raises BadInput for anything else."""
    if hasattr(type(record), "record"):
        record = record.record()
    if isinstance(record, str) and "\n" in record:
        return _parse_text(record)
    if isinstance(record, str | Path):
        return replace(_parse_text(read_text(record, stdin=STDIN)), file=shlex.quote(str(record)))
    if not isinstance(record, Iterable) or isinstance(record, bytes | Mapping):
        raise BadInput(f"a record is a file or lines, got {quoted(plain(record))}")
    lines = list(islice(record, MAX_LINES + 1))
    if all(isinstance(line, str) for line in lines):
        return _parse_text("\n".join(line.rstrip("\n") for line in lines) + "\n")
    return Source([(Place(number), line) for number, line in enumerate(lines, 1)], typed=False)


def read_text(
    path: str | Path,
    *,
    stdin: str | None = None,
    max_bytes: int = 0,
    refusals: tuple[str, str] = ("no text", "no record of a game"),
    may_be_truncated: bool = True,
    field: str = "file",
) -> str:
    """The text of a file; BadInput for what is no text, or larger than ``max_bytes``, by default that of a record.

    ``stdin`` names standard input. ``refusals``: words for a file in another encoding, and for one that is too large.
    ``may_be_truncated``: an incomplete character at the end is left out.
    """
    max_bytes = max_bytes or MAX_FILE_BYTES
    try:
        data = sys.stdin.buffer.read(max_bytes + 1) if str(path) == stdin else read_bytes(path, max_bytes + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}", field=field) from None
    except ValueError as error:  # no valid file name
        raise BadInput(f"{str(path)!r} cannot be read: {error}", field=field) from None
    if len(data) > max_bytes:
        size = f"{max_bytes >> 20} MB" if max_bytes >> 20 else f"{max_bytes:,} bytes"
        raise BadInput(f"{path} is larger than {size}, which is {refusals[1]}", field=field)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not may_be_truncated or error.reason != "unexpected end of data":
            raise BadInput(f"{path} is {refusals[0]}: it is not UTF-8 at byte {error.start:,}", field=field) from None
        text = data[: error.start].decode("utf-8-sig")
    if len(text) > MAX_LINES and sum(map(text.count, LINE_ENDS)) > MAX_LINES:
        raise BadInput(f"{path} has more than {MAX_LINES:,} lines, which is {refusals[1]}", field=field)
    return text


def read_bytes(path: str | Path, max_bytes: int) -> bytes | bytearray:
    """The first bytes of a file or a pipe, at most so many, whatever size the file system gives.

    Raises OSError, BlockingIOError for a pipe without a writer.
    """
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", buffering=0) as file:
        chunk, deadline = file.read(min(max_bytes, READ_CHUNK_BYTES)), time.monotonic() + PIPE_TIMEOUT_S
        is_pipe = stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
        while is_pipe and chunk == b"" and time.monotonic() < deadline:  # None: there is a writer, but no data yet
            time.sleep(0.02)
            chunk = file.read(min(max_bytes, READ_CHUNK_BYTES))
        if is_pipe and chunk == b"":
            raise BlockingIOError(0, "the pipe has no writer")
        os.set_blocking(file.fileno(), True)
        data = bytearray(chunk or b"")
        while chunk != b"" and len(data) < max_bytes:
            chunk = file.read(min(max_bytes - len(data), READ_CHUNK_BYTES))
            data += chunk or b""
    return data


def parse_json(text: str) -> Any:
    """The value of a line of JSON; None if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _parse_text(text: str) -> Source:
    """Typed lines, or JSON lines, of which an invalid last one is taken as truncated."""
    lines: list[Line] = [(Place(number), line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines or not lines[0][1].lstrip().startswith("{"):
        return Source(lines, typed=True)
    parsed = [(place, parse_json(line)) for place, line in lines]
    is_truncated = len(lines) > 1 and parsed[-1][1] is None
    for (place, line), (_, value) in zip(lines, parsed[: -1 if is_truncated else None], strict=False):
        if value is None:
            raise BadInput(f"{place} is no JSON, so the record is damaged: {quoted(line.strip())}")
    return Source(parsed[:-1] if is_truncated else parsed, typed=False, truncated=is_truncated)


# --- what a line may hold --------------------------------------------------------------------------------------------

COUNT = {"minimum": 0, "exclusiveMaximum": MAX_NUMBER}
REAL = {"exclusiveMinimum": -MAX_NUMBER, "exclusiveMaximum": MAX_NUMBER}
SEAT = "a seat is a whole number from 0"
Text = Annotated[str, {"maxLength": MAX_TEXT_LENGTH - 1}]
Worth = Annotated[float | None, REAL]
State = Annotated[Mapping[str, Any], "a state is a mapping of fields"]
Choice = Annotated[Text, f"a choice is a move in words, of fewer than {MAX_TEXT_LENGTH} letters"]
Throw = Annotated[list[Annotated[int, {"minimum": 1, "maximum": 6}]], {"maxItems": MAX_TEXT_LENGTH - 1}]
Throws = Annotated[list[Throw], "further throws are a list of them, each a list of faces 1 to 6"]


class RecordLine(TypedDict, total=False):
    """A line of a record: a choice, a throw, or the result; further keys are allowed."""

    choice: Choice
    thrown: Annotated[Throw, "a throw is a list of faces 1 to 6"]
    then: Throws
    result: Annotated[list[Annotated[float, REAL]], "a result is a list of numbers, one a seat"]
    seat: Annotated[int | None, COUNT, SEAT]
    state: State | None
    best: Annotated[list[Text], "best is a list of moves in words"]
    hidden: Annotated[list[Text], "hidden is a list of fields"]
    value: Worth
    loss: Worth
    before: Worth
    after: Worth
    gained: Annotated[float, REAL]


class Standing(TypedDict, total=False):
    """Position of a match: the state, the seat to move, the move already made and the dice thrown after it."""

    state: Required[State]
    seat: Required[Annotated[int, COUNT, SEAT]]
    choice: Choice
    thrown: Throws


class RecordHead(RecordLine, total=False):
    """The first line of a record: the game, and its position while it goes on."""

    rollwise: Required[Annotated[float, {"minimum": RECORD_VERSION, "maximum": RECORD_VERSION}]]
    game: Required[Annotated[Text, "game is the name of a game"]]
    parameters: Annotated[Mapping[str, Any] | None, "parameters are a mapping of names to values"]
    seats: Annotated[int | None, COUNT, "seats are a whole number"]
    next: Annotated[Standing, 'next is {"state": ..., "seat": ...}']


HEAD = schema_of(RecordHead)
LINE = schema_of(RecordLine) | {"oneOf": [{"required": [sort]} for sort in LINE_SORTS]}
RECORD_SCHEMA = {"type": "array", "prefixItems": [HEAD], "items": LINE, "minItems": 1}


def require_lines(lines: Iterable[tuple[object, Any]]) -> None:
    """Raise BadInput for the first line that is invalid in a record; each line comes with its place, for the error.

    The first line is the head. Whether a match can go on from the record, and whether its moves are legal, is checked
    where the record is resumed or reviewed.
    """
    previous: Any = None
    for place, line in lines:
        with at_place(place):
            is_line = isinstance(line, Mapping) and _is_plain(line, MAX_NESTING)
            if is_line and "result" in (previous or ()):
                raise BadInput("nothing follows the result")
            if not is_line or (previous is not None and sum(sort in line for sort in LINE_SORTS) != 1):
                raise BadInput(f"a choice, a throw or a result is expected, got {quoted(plain(line))}")
            if previous is None and (line.get("rollwise") != RECORD_VERSION or line["rollwise"] is True):
                begins = f'{{"rollwise": {RECORD_VERSION}, "game": ...}}'
                raise BadInput(f"a record begins with {begins}, got {quoted(plain(line))}")
            check(line, HEAD if previous is None else LINE)
            if set(line.get("hidden", ())) - set(line.get("state") or ()):
                raise BadInput("each hidden name is a field of the state", field="hidden")
        previous = line
    if previous is None:
        raise BadInput("the record is empty")


def require_match_lines(lines: Iterable[Mapping[str, Any]], n_seats: int, luck: bool) -> None:
    """Raise BadInput for a line that no match with so many seats has, or that could not be undone."""
    for number, line in enumerate(lines, 2):
        seat = line.get("seat")
        with at_place(Place(number)):
            if "result" in line:
                if len(line["result"]) not in (1, n_seats):
                    raise BadInput(f"a result is of {n_seats} seats, got {len(line['result'])}")
            elif seat is None or seat >= n_seats:
                raise BadInput(f"seats are from 0 to {n_seats - 1}, got {seat}", field="seat")
            elif line.get("state") is None and ("choice" in line or luck):
                raise BadInput("the state before this line is missing", field="state")


def _is_plain(value: Any, depth_left: int) -> bool:
    """True for a value that JSON can hold, nested at most ``depth_left`` deep."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < TOO_LARGE
    if isinstance(value, Mapping):
        names = all(isinstance(name, str | int) for name in value)  # JSON writes numbers as text here
        return depth_left > 0 and names and all(_is_plain(part, depth_left - 1) for part in value.values())
    if isinstance(value, list | tuple):
        return depth_left > 0 and all(_is_plain(part, depth_left - 1) for part in value)
    return value is None or isinstance(value, str)
