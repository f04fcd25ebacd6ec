"""The record of a match as a file: JSON lines, written whole aside and renamed into place, read back with care."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.plain import quoted

VERSION = 1  # of the record
LARGEST = 64 << 20  # bytes of a record that are read
SORTS = ("choice", "thrown", "result")


def write(path: Path, record: Iterable[Mapping[str, Any]]) -> Path:
    """Write a record, a line each; raises BadInput where the file cannot be written."""
    from rollwise.ledger import ledger_path, write_ledger  # any text that is put whole into its place

    return write_ledger(ledger_path(path), "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in record))


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a record; raises BadInput for a file that is none."""
    try:
        if path.stat().st_size > LARGEST:
            raise BadInput(f"{path} is no record of a match: it is larger than {LARGEST >> 20} MB")
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise BadInput(f"{path} cannot be read: {why}") from error
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            raise BadInput(f"line {number} of {path} is no JSON, so the record is cut or damaged there") from None
    return found


def require_record(record: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Head and further lines of a record; raises BadInput for anything else."""
    if not isinstance(record, list) or not record or not isinstance(record[0], dict) or "rollwise" not in record[0]:
        raise BadInput('a record of a match begins with a line {"rollwise": 1, "game": ...}')
    head, *lines = record
    if head["rollwise"] != VERSION:
        raise BadInput(f"this is a record of version {quoted(head['rollwise'])}; version {VERSION} can be read")
    for number, line in enumerate(lines, 2):
        if not isinstance(line, dict) or sum(sort in line for sort in SORTS) != 1:
            raise BadInput(f"line {number} of the record is none of {', '.join(SORTS)}")
    return head, lines
