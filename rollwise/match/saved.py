"""The record of a match as a file: JSON lines, written whole aside and renamed into place, read back with care."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rollwise.reading.records import json_of, text_of
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.plain import plain, quoted, whole

RECORD, RULES = "record", "rules_version"  # what an error is about: a record that is cut, rules of another version


def other_rules(game: TurnGame, version: Any) -> str:
    """By which version of the rules something was played, and what they changed since, in a line."""
    before, now = whole(version), game.rules_version
    changes = "no version of that number is known here"
    if before is not None and 0 < before <= now:
        changes = "; ".join(game.versions[number] for number in range(before + 1, now + 1))
    return f"version {quoted(plain(version))} of the rules of {game.name}, which are at version {now} now: {changes}"


def require_rules(game: TurnGame, version: Any) -> None:
    """Raise BadInput, which says what has changed, for a match of other rules than those of now."""
    if version != game.rules_version:
        raise BadInput(f"this match was played by {other_rules(game, version)}", field=RULES)


def with_review(error: BadInput, path: Path) -> BadInput:
    """The error of a record that does not go on, with the line that reviews what there is of it."""
    more = {RULES: " --anyway", RECORD: ""}.get(error.field or "")
    if more is not None:
        error.hint = f"rollwise review {shlex.quote(str(path))}{more}"
    return error


def as_lines(record: Iterable[Mapping[str, Any]]) -> str:
    """A record as it is saved, a line each."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in record)


def write(path: Path, record: Iterable[Mapping[str, Any]]) -> Path:
    """Write a record, a line each; raises BadInput where the file cannot be written."""
    from rollwise.tables.files import check_output, write_text  # any text that is put whole into its place

    return write_text(check_output(path), as_lines(record))


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a record; raises BadInput for a file that is none."""
    lines = [json_of(line) for line in text_of(path).splitlines()]
    if None in lines:
        number = lines.index(None) + 1
        raise BadInput(f"line {number} of {path} is no JSON, so the record is cut or damaged there", field=RECORD)
    return lines


def free_name(game: str) -> Path:
    """A file here that is not there yet."""
    number = 1
    while (path := Path(f"{game}-{number}.jsonl")).exists():
        number += 1
    return path
