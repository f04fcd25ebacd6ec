"""The record of a match as a file: JSON lines, written whole aside and renamed into place, read back with care."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from rollwise.parsing.records import parse_json, read_text
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import plain, quoted, whole
from rollwise.solver.model.sheet import ScoreSheet

RECORD, RULES = "record", "rules_version"  # fields of errors: a cut record, other rules


def describe_other_rules(game: TurnGame, version: Any) -> str:
    """One line on the version of the rules that a match was played by, and all changes since."""
    before, now = whole(version), game.rules_version
    changes = "no version of that number is known here"
    if before is not None and 0 < before <= now:
        changes = "; ".join(game.versions[number] for number in range(before + 1, now + 1))
    return f"version {quoted(plain(version))} of the rules of {game.name}, which are at version {now} now: {changes}"


def upgrade_lines(game: TurnGame, lines: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Lines of a record; in old records of score sheets ``gained`` points are added to later states and values."""
    earned = 0
    for line in map(dict, lines):
        if earned and isinstance(game, ScoreSheet):
            line |= {name: line[name] + earned for name in ("value", "before", "after") if line.get(name) is not None}
            line |= {"state": {game.gained_field: earned, **line["state"]}} if line.get("state") else {}
        earned += int(line.pop("gained", 0)) if isinstance(game, ScoreSheet) else 0
        yield line


def with_hint(error: BadInput, path: Path) -> BadInput:
    """The error of a record that cannot go on, with a hint to review what there is of it."""
    more = {RULES: " --anyway", RECORD: ""}.get(error.field or "")
    if more is not None:
        error.hint = f"rollwise review {shlex.quote(str(path))}{more}"
    return error


def record_text(record: Iterable[Mapping[str, Any]]) -> str:
    """Text of a record's file: a line of JSON each."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in record)


def write_record(path: Path, record: Iterable[Mapping[str, Any]], *, force: bool = False) -> Path:
    """Write a record to a file; raises BadInput if that fails, or if the file is no record and not ``force``."""
    from rollwise.policy_tables.overwrite import RECORD, writable_path, write_text

    return write_text(writable_path(path, RECORD, force=force), record_text(record), None if force else RECORD)


def read_record(path: Path) -> list[dict[str, Any]]:
    """The lines of a record's file; raises BadInput for a file that is no record."""
    lines = [parse_json(line) for line in read_text(path).splitlines()]
    if None in lines:
        number = lines.index(None) + 1
        raise BadInput(f"line {number} of {path} is no JSON, so the record is cut or damaged there", field=RECORD)
    return lines


def write_new_record(game: str, record: Iterable[Mapping[str, Any]]) -> Path:
    """Write a record to a new file in this folder, else in the temporary one; raises RollwiseError if both fail."""
    reason: Exception | None = None
    for folder in ("", None):
        path = Path()
        try:
            path = _create_free_file(Path(tempfile.gettempdir() if folder is None else folder), game)
            write_record(path, record, force=True)
            return path
        except (OSError, RollwiseError) as error:
            reason = reason or error
            with suppress(OSError):  # a folder cannot be unlinked, and stays
                path.unlink(missing_ok=True)
    raise RollwiseError(f"the game cannot be kept here, nor among temporary files: {reason}")


def _create_free_file(folder: Path, game: str) -> Path:
    """Create an empty file with the first free number, so that no other process takes it; raises OSError."""
    for number in count(1):
        path = folder / f"{game}-{number}.jsonl"
        with suppress(FileExistsError):
            path.touch(exist_ok=False)
            break
    return path
