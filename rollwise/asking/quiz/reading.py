"""Positions from a file: a record of games, or a state a line, as JSON or as it would be typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rollwise.parsing.records import json_of, placed, require_lines, text_of
from rollwise.parsing.validate import split
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import BadInput

MOST_LINES = 100_000
MARK = "rollwise"  # what the first line of a record says, and no state does
CHOICE = "choice"  # what a line of a record says that holds a state somebody chose in
FIELD = re.compile(r"\s+(?=\w+\s*=)")  # between two fields: names of boxes have spaces


@dataclass(frozen=True)
class StateFile:
    """The states of a file, each with its place; of a record, ``game`` and ``parameters`` that it was of."""

    path: Path
    states: list[tuple[str, Mapping[str, Any]]]
    game: str | None = None
    parameters: Mapping[str, Any] | None = None
    version: int | None = None


def read_states(path: Path) -> StateFile:
    """The states of a file; raises BadInput that names the line for one that is no state.

    Of a record that ends in the middle of a line, what is whole is read, and that is noted.
    """
    every = ((f"{path}, line {number}", line.strip()) for number, line in enumerate(text_of(path).splitlines(), 1))
    lines = [(place, line) for place, line in every if line and not line.startswith("#")]
    if len(lines) > MOST_LINES:
        raise BadInput(f"{path} has {len(lines):,} lines; up to {MOST_LINES:,} are looked at", field="file")
    if not lines:
        raise BadInput(f"{path} has no states in it", field="file")
    head = json_of(lines[0][1])
    if isinstance(head, Mapping) and MARK in head:
        return _record(path, lines)
    states = []
    for place, line in lines:
        with placed(place):
            states.append((place, _state(line)))
    return StateFile(path, states)


def _state(line: str) -> Mapping[str, Any]:
    """A state as JSON, or as it would be typed; of a line of a quiz or an answer, its state."""
    if not line.startswith("{"):
        pairs = split(FIELD.split(line), "field")
        return {name.strip(): value.strip(" \"'") for name, value in pairs.items()}
    state = json_of(line)
    if not isinstance(state, Mapping):
        raise BadInput("a state is a JSON object, or fields as name=value, and this is neither")
    inside = state.get("state")
    return inside if isinstance(inside, Mapping) else state


def _record(path: Path, lines: list[tuple[str, str]]) -> StateFile:
    """The states of a record in which somebody chose."""
    parsed = [(place, json_of(line)) for place, line in lines]
    if parsed[-1][1] is None:
        note(f"{path} ends in the middle of {lines.pop()[0].rpartition(', ')[2]}; what is before it is used")
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
