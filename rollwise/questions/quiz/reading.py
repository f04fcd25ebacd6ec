"""Positions from a file: a record of games, or one state per line, as JSON or as typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rollwise.parsing.records import at_place, parse_json, read_text, require_lines
from rollwise.parsing.validate import parse_assignments
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import BadInput

MAX_LINES = 100_000
MARK = "rollwise"  # a key of the first line of a record, and of no state
CHOICE = "choice"  # a key of the lines of a record with a decision
FIELD = re.compile(r"\s+(?=\w+\s*=)")  # between two fields: names of boxes have spaces


@dataclass(frozen=True)
class StateFile:
    """The states of a file, each with its place; of a record also its ``game`` and ``parameters``."""

    path: Path
    states: list[tuple[str, Mapping[str, Any]]]
    game: str | None = None
    parameters: Mapping[str, Any] | None = None
    version: int | None = None


def read_states(path: Path) -> StateFile:
    """The states of a file; raises BadInput with the line for an invalid state.

    A record that ends in the middle of a line is read up to there, with a note.
    """
    every = ((f"{path}, line {number}", line.strip()) for number, line in enumerate(read_text(path).splitlines(), 1))
    lines = [(place, line) for place, line in every if line and not line.startswith("#")]
    if len(lines) > MAX_LINES:
        raise BadInput(f"{path} has {len(lines):,} lines; up to {MAX_LINES:,} are looked at", field="file")
    if not lines:
        raise BadInput(f"{path} has no states in it", field="file")
    head = parse_json(lines[0][1])
    if isinstance(head, Mapping) and MARK in head:
        return _record(path, lines)
    states = []
    for place, line in lines:
        with at_place(place):
            states.append((place, _state(line)))
    return StateFile(path, states)


def _state(line: str) -> Mapping[str, Any]:
    """A state as JSON or as typed; of a line of a quiz or an answer, its state."""
    if not line.startswith("{"):
        pairs = parse_assignments(FIELD.split(line), "field")
        return {name.strip(): value.strip(" \"'") for name, value in pairs.items()}
    state = parse_json(line)
    if not isinstance(state, Mapping):
        raise BadInput("a state is a JSON object, or fields as name=value, and this is neither")
    inside = state.get("state")
    return inside if isinstance(inside, Mapping) else state


def _record(path: Path, lines: list[tuple[str, str]]) -> StateFile:
    """The states of the decisions of a record."""
    parsed = [(place, parse_json(line)) for place, line in lines]
    if parsed[-1][1] is None:
        note(f"{path} ends in the middle of {lines.pop()[0].rpartition(', ')[2]}; the lines before it are used")
    whole: list[tuple[str, Any]] = [
        (place, text if line is None else line) for (place, text), (_, line) in zip(lines, parsed, strict=False)
    ]
    require_lines(whole)
    (_, head), *played = whole
    states = []
    for place, line in played:
        if CHOICE in line:
            if line.get("state") is None:
                raise BadInput(f"{place}: a choice of a record has a state", field="state")
            states.append((place, line["state"]))
    version = head.get("rules_version")
    return StateFile(
        path, states, head["game"], head.get("parameters") or {}, version if isinstance(version, int) else None
    )
