"""Positions from a file: a record of games, or a state a line, as JSON or as it would be typed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rollwise.reading.door import split
from rollwise.reading.records import require_lines
from rollwise.solved.games import note
from rollwise.solver.game.errors import BadInput

MOST_LINES = 100_000
MARK = "rollwise"  # what the first line of a record says, and no state does
CHOICE = "choice"  # what a line of a record says that holds a state somebody chose in
FIELD = re.compile(r"\s+(?=\w+\s*=)")  # between two fields: names of boxes have spaces


@dataclass(frozen=True)
class Lines:
    """The states of a file, each with its line; of a record, the ``game`` and the ``parameters`` that it was of."""

    path: Path
    states: list[tuple[int, Mapping[str, Any]]]
    game: str | None = None
    parameters: Mapping[str, Any] | None = None
    version: int | None = None

    def wrong(self, line: int, error: BadInput) -> BadInput:
        """The same error, which says its line."""
        return type(error)(f"{self.path}, line {line}: {error}", hint=error.hint, field=error.field)


def read_states(path: Path) -> Lines:
    """The states of a file; raises BadInput that names the line for one that is no state.

    Of a record that ends in the middle of a line, what is whole is read, and that is noted.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise BadInput(f"{path} cannot be read: {why}", field="file") from None
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if len(lines) > MOST_LINES:
        raise BadInput(f"{path} has {len(lines):,} lines; up to {MOST_LINES:,} are looked at", field="file")
    if not lines:
        raise BadInput(f"{path} has no states in it", field="file")
    head = _json(lines[0][1])
    if isinstance(head, Mapping) and MARK in head:
        return _record(path, lines)
    empty = Lines(path, [])
    states = []
    for number, line in lines:
        try:
            states.append((number, _state(line)))
        except BadInput as error:
            raise empty.wrong(number, error) from None
    return Lines(path, states)


def _state(line: str) -> Mapping[str, Any]:
    """A state as JSON, or as it would be typed; of a line of a quiz or an answer, its state."""
    if not line.startswith("{"):
        pairs = split(FIELD.split(line), "field")
        return {name.strip(): value.strip(" \"'") for name, value in pairs.items()}
    told = _json(line)
    if not isinstance(told, Mapping):
        raise BadInput("a state is a JSON object, or fields as name=value, and this is neither")
    inside = told.get("state")
    return inside if isinstance(inside, Mapping) else told


def _record(path: Path, lines: list[tuple[int, str]]) -> Lines:
    """The states of a record in which somebody chose."""
    told = [(f"{path}, line {number}", _json_or_text(line)) for number, line in lines]
    if _json(lines[-1][1]) is None:
        note(f"{path} ends in the middle of line {lines[-1][0]}; what is before it is used")
        told.pop()
    require_lines(told)
    (_, head), *played = told
    states = []
    for (number, _), (place, line) in zip(lines[1:], played, strict=False):
        if CHOICE in line:
            if line.get("state") is None:
                raise BadInput(f"{place}: a choice of a record has a state", field="state")
            states.append((number, line["state"]))
    version = head.get("rules_version")
    return Lines(
        path, states, head["game"], head.get("parameters") or {}, version if isinstance(version, int) else None
    )


def _json(line: str) -> Any:
    """What a line says; None where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _json_or_text(line: str) -> Any:
    """What a line says; itself where it is no JSON."""
    told = _json(line)
    return line if told is None else told
