"""Records of games, from whatever door they come in by: their lines, where each stands, and what it may hold."""

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
from rollwise.solver.model.plain import HUGE, plain, quoted
from rollwise.solver.model.schema import check, schema_of

VERSION = 1  # of the record
SORTS = ("choice", "thrown", "result")
LONGEST = 200  # characters of a move, dice of a throw
MOST = 1e12  # no number that counts is as large
DEEPEST = 8  # lists and objects in each other
MOST_BYTES = 64 << 20  # of a file: a record of some hundred thousand choices
MOST_LINES = 500_000
LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # as ``str.splitlines`` has them
PIECE = 1 << 20  # bytes that are read at a time
PATIENCE = 2.0  # seconds for somebody to begin to write to a pipe
STDIN = "-"


@dataclass(frozen=True)
class Place:
    """A line of a record, counted from 1, and in what was typed by hand a column.

    >>> print(Place(3), "/", Place(3, 7))
    line 3 / line 3, column 7
    """

    line: int
    column: int | None = None

    def __str__(self) -> str:
        return f"line {self.line}" + ("" if self.column is None else f", column {self.column}")


Line = tuple[Place, Any]


@contextmanager
def placed(place: object) -> Iterator[None]:
    """Errors inside say where they are."""
    try:
        yield
    except BadInput as error:
        raise type(error)(f"{place}: {error}", hint=error.hint, field=error.field) from None


# --- where records come from -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """The lines of a record, with their numbers; ``cut``: the last one is not whole, and left out.

    ``typed``: typed by hand, each line text; else each is a mapping. ``file``: the name of the file, as a shell takes
    it; empty where the lines came otherwise.
    """

    lines: list[Line]
    typed: bool
    cut: bool = False
    file: str = ""

    def __post_init__(self) -> None:
        if not self.lines:
            raise BadInput("the record is empty")
        if len(self.lines) > MOST_LINES:
            raise BadInput(f"the record has more than {MOST_LINES:,} lines, which no game has")


def source_of(record: Any) -> Source:
    """The lines of whatever holds a record, a file, text, lines or a match; raises BadInput for what does not."""
    if hasattr(type(record), "record"):
        record = record.record()
    if isinstance(record, str) and "\n" in record:
        return _of_text(record)
    if isinstance(record, str | Path):
        return replace(_of_text(text_of(record, stdin=STDIN)), file=shlex.quote(str(record)))
    if not isinstance(record, Iterable) or isinstance(record, bytes | Mapping):
        raise BadInput(f"a record is a file, or its lines, got {quoted(plain(record))}")
    lines = list(islice(record, MOST_LINES + 1))
    if all(isinstance(line, str) for line in lines):
        return _of_text("\n".join(line.rstrip("\n") for line in lines) + "\n")
    return Source([(Place(number), line) for number, line in enumerate(lines, 1)], typed=False)


def text_of(
    path: str | Path,
    *,
    stdin: str | None = None,
    most: int = 0,
    no_such: tuple[str, str] = ("no text", "no record of a game"),
    may_be_cut: bool = True,
    field: str = "file",
) -> str:
    """What a file says; BadInput for what is no text, or larger than ``most`` bytes, by default than any record.

    ``stdin`` names standard input. ``no_such``: what a file of another encoding is, and one that is too large.
    ``may_be_cut``: half a letter at the end is left out.
    """
    most = most or MOST_BYTES
    try:
        octets = sys.stdin.buffer.read(most + 1) if str(path) == stdin else octets_of(path, most + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}", field=field) from None
    except ValueError as error:  # no name that a file can have
        raise BadInput(f"{str(path)!r} cannot be read: {error}", field=field) from None
    if len(octets) > most:
        size = f"{most >> 20} MB" if most >> 20 else f"{most:,} bytes"
        raise BadInput(f"{path} is larger than {size}, which is {no_such[1]}", field=field)
    try:
        text = octets.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not may_be_cut or error.reason != "unexpected end of data":
            raise BadInput(f"{path} is {no_such[0]}: it is not UTF-8 at byte {error.start:,}", field=field) from None
        text = octets[: error.start].decode("utf-8-sig")
    if len(text) > MOST_LINES and sum(map(text.count, LINE_ENDS)) > MOST_LINES:
        raise BadInput(f"{path} has more than {MOST_LINES:,} lines, which is {no_such[1]}", field=field)
    return text


def octets_of(path: str | Path, most: int) -> bytes | bytearray:
    """What a file, or a pipe that somebody writes to, begins with: at most so many bytes, whatever it says of its size.

    Raises OSError, BlockingIOError for a pipe that nobody writes to.
    """
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", buffering=0) as file:
        part, until = file.read(min(most, PIECE)), time.monotonic() + PATIENCE
        is_pipe = stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
        while is_pipe and part == b"" and time.monotonic() < until:  # None: a writer is there, and takes its time
            time.sleep(0.02)
            part = file.read(min(most, PIECE))
        if is_pipe and part == b"":
            raise BlockingIOError(0, "it is a pipe that nobody writes to")
        os.set_blocking(file.fileno(), True)
        octets = bytearray(part or b"")
        while part != b"" and len(octets) < most:
            part = file.read(min(most - len(octets), PIECE))
            octets += part or b""
    return octets


def json_of(text: str) -> Any:
    """What a line says; None where it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_text(text: str) -> Source:
    """Lines that were typed, or JSON; of that a last line that is none was cut."""
    lines: list[Line] = [(Place(number), line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines or not lines[0][1].lstrip().startswith("{"):
        return Source(lines, typed=True)
    parsed = [(place, json_of(line)) for place, line in lines]
    cut = len(lines) > 1 and parsed[-1][1] is None
    for (place, line), (_, value) in zip(lines, parsed[: -1 if cut else None], strict=False):
        if value is None:
            raise BadInput(f"{place} is no JSON, so this is no whole record: {quoted(line.strip())}")
    return Source(parsed[:-1] if cut else parsed, typed=False, cut=cut)


# --- what a line may hold --------------------------------------------------------------------------------------------

COUNT = {"minimum": 0, "exclusiveMaximum": MOST}
REAL = {"exclusiveMinimum": -MOST, "exclusiveMaximum": MOST}
SEAT = "a seat is a whole number from 0"
Text = Annotated[str, {"maxLength": LONGEST - 1}]
Worth = Annotated[float | None, REAL]
State = Annotated[Mapping[str, Any], "a state is a mapping of fields"]
Choice = Annotated[Text, f"a choice is a move in words, of fewer than {LONGEST} letters"]
Throw = Annotated[list[Annotated[int, {"minimum": 1, "maximum": 6}]], {"maxItems": LONGEST - 1}]
Throws = Annotated[list[Throw], "further throws are a list of them, each a list of faces 1 to 6"]


class RecordLine(TypedDict, total=False):
    """A line of a record: a choice, a throw, or the result. Further names may stand beside these."""

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
    """Where a match stands: the state, whose turn it is, the move that was made and the dice that fell after it."""

    state: Required[State]
    seat: Required[Annotated[int, COUNT, SEAT]]
    choice: Choice
    thrown: Throws


class RecordHead(RecordLine, total=False):
    """The first line of a record: what is played, and while the game goes on where it stands."""

    rollwise: Required[Annotated[float, {"minimum": VERSION, "maximum": VERSION}]]
    game: Required[Annotated[Text, "the game is wanted"]]
    parameters: Annotated[Mapping[str, Any] | None, "parameters are a mapping of names to values"]
    seats: Annotated[int | None, COUNT, "seats are a whole number"]
    next: Annotated[Standing, 'next is {"state": ..., "seat": ...}']


HEAD = schema_of(RecordHead)
LINE = schema_of(RecordLine) | {"oneOf": [{"required": [sort]} for sort in SORTS]}
RECORD_SCHEMA = {"type": "array", "prefixItems": [HEAD], "items": LINE, "minItems": 1}


def require_lines(lines: Iterable[tuple[object, Any]]) -> None:
    """Raise BadInput for the first line that no record has; each line comes with its place, which the error names.

    The first is the head. What a match needs beyond this, and whether all of it can have happened, is looked at where
    it is taken up or gone through.
    """
    before: Any = None
    for place, line in lines:
        with placed(place):
            is_line = isinstance(line, Mapping) and _is_plain(line, DEEPEST)
            if is_line and "result" in (before or ()):
                raise BadInput("nothing follows the result")
            if not is_line or (before is not None and sum(sort in line for sort in SORTS) != 1):
                raise BadInput(f"a choice, a throw or a result is wanted, got {quoted(plain(line))}")
            if before is None and (line.get("rollwise") != VERSION or line["rollwise"] is True):
                begins = f'{{"rollwise": {VERSION}, "game": ...}}'
                raise BadInput(f"a record begins with {begins}, got {quoted(plain(line))}")
            check(line, HEAD if before is None else LINE)
            if set(line.get("hidden", ())) - set(line.get("state") or ()):
                raise BadInput("what is hidden is a field of the state", field="hidden")
        before = line
    if before is None:
        raise BadInput("the record is empty")


def require_played(lines: Iterable[Mapping[str, Any]], n_seats: int, luck: bool) -> None:
    """Raise BadInput for a line that can be of no match of so many seats, or that could not be taken back."""
    for number, line in enumerate(lines, 2):
        seat = line.get("seat")
        with placed(Place(number)):
            if "result" in line:
                if len(line["result"]) not in (1, n_seats):
                    raise BadInput(f"a result is of {n_seats} seats, got {len(line['result'])}")
            elif seat is None or seat >= n_seats:
                raise BadInput(f"seats are from 0 to {n_seats - 1}, got {seat}", field="seat")
            elif line.get("state") is None and ("choice" in line or luck):
                raise BadInput("the state is wanted in which this was done", field="state")


def _is_plain(value: Any, deeper: int) -> bool:
    """Is this what JSON can say, and not without end?"""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < HUGE
    if isinstance(value, Mapping):
        names = all(isinstance(name, str | int) for name in value)  # JSON makes text of numbers
        return deeper > 0 and names and all(_is_plain(part, deeper - 1) for part in value.values())
    if isinstance(value, list | tuple):
        return deeper > 0 and all(_is_plain(part, deeper - 1) for part in value)
    return value is None or isinstance(value, str)
