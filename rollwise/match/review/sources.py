"""Where a record comes from: a file, text, lines, or a match; and whether it is one of a match or typed by hand."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from rollwise.match.review.places import Place
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.plain import plain, quoted

MOST_BYTES = 64 << 20  # of a file: a record of some hundred thousand choices
MOST_LINES = 500_000
STDIN = "-"


@dataclass(frozen=True)
class Source:
    """The lines of a record, with their numbers; ``cut``: the last one is not whole, and left out.

    ``typed``: typed by hand, each line text; else each is a mapping. ``file``: the name of the file, as a shell takes
    it; empty where the lines came otherwise.
    """

    lines: list[tuple[Place, Any]]
    typed: bool
    cut: bool = False
    file: str = ""


def source_of(given: Any) -> Source:
    """The lines of whatever holds a record; raises BadInput for what does not."""
    if hasattr(type(given), "record"):
        given = given.record()
    if isinstance(given, str) and "\n" in given:
        return _of_text(given)
    if isinstance(given, str | Path):
        return replace(_of_text(_text(given)), file=shlex.quote(str(given)))
    if not isinstance(given, Iterable) or isinstance(given, bytes | Mapping):
        raise BadInput(f"a record is a file, or its lines, got {quoted(plain(given))}")
    found = list(islice(given, MOST_LINES + 1))
    if all(isinstance(line, str) for line in found):
        return _of_text("\n".join(line.rstrip("\n") for line in found) + "\n")
    return _whole([(Place(number), line) for number, line in enumerate(found, 1)], typed=False)


def _text(path: str | Path) -> str:
    """What a file says, or standard input."""
    try:
        if str(path) == STDIN:
            told = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                told = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}", field="file") from None
    except ValueError as error:  # no name that a file can have
        raise BadInput(f"{str(path)!r} cannot be read: {error}", field="file") from None
    if len(told) > MOST_BYTES:
        raise BadInput(f"{path} is larger than {MOST_BYTES >> 20} MB, which is no record of a game", field="file")
    try:
        return told.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":  # cut in the middle of a letter
            return told[: error.start].decode("utf-8-sig")
        raise BadInput(f"{path} is no text: it is not UTF-8 at byte {error.start:,}", field="file") from None


def _of_text(text: str) -> Source:
    lines = [(Place(number), line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if lines and lines[0][1].lstrip().startswith("{"):
        return _of_json(lines)
    return _whole(lines, typed=True)


def _of_json(lines: list[tuple[Place, str]]) -> Source:
    """A mapping each; a last line that is none was cut."""
    found: list[tuple[Place, Any]] = []
    for place, line in lines:
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            if place == lines[-1][0] and found:
                return _whole(found, typed=False, cut=True)
            raise BadInput(f"{place} is no JSON, so this is no whole record: {quoted(line.strip())}") from None
        found.append((place, told))
    return _whole(found, typed=False)


def _whole(lines: list[tuple[Place, Any]], *, typed: bool, cut: bool = False) -> Source:
    if not lines:
        raise BadInput("the record is empty")
    if len(lines) > MOST_LINES:
        raise BadInput(f"the record has more than {MOST_LINES:,} lines, which no game has")
    return Source(lines, typed, cut)
