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

from rollwise.parsing.records import json_of, text_of
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import plain, quoted, whole
from rollwise.solver.model.sheet import ScoreSheet

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


def as_now(game: TurnGame, lines: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Lines of a record; states and values of an older one of a score sheet count what its lines have ``gained``."""
    earned = 0
    for line in map(dict, lines):
        if earned and isinstance(game, ScoreSheet):
            line |= {name: line[name] + earned for name in ("value", "before", "after") if line.get(name) is not None}
            line |= {"state": {game.gained_field: earned, **line["state"]}} if line.get("state") else {}
        earned += int(line.pop("gained", 0)) if isinstance(game, ScoreSheet) else 0
        yield line


def with_review(error: BadInput, path: Path) -> BadInput:
    """The error of a record that does not go on, with the line that reviews what there is of it."""
    more = {RULES: " --anyway", RECORD: ""}.get(error.field or "")
    if more is not None:
        error.hint = f"rollwise review {shlex.quote(str(path))}{more}"
    return error


def as_lines(record: Iterable[Mapping[str, Any]]) -> str:
    """A record as it is saved, a line each."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in record)


def write(path: Path, record: Iterable[Mapping[str, Any]], *, force: bool = False) -> Path:
    """Write a record, a line each; raises BadInput where that cannot be, or without ``force`` over another file."""
    from rollwise.policy_tables.ours import RECORD, to_write, write_text

    return write_text(to_write(path, RECORD, force=force), as_lines(record), None if force else RECORD)


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a record; raises BadInput for a file that is none."""
    lines = [json_of(line) for line in text_of(path).splitlines()]
    if None in lines:
        number = lines.index(None) + 1
        raise BadInput(f"line {number} of {path} is no JSON, so the record is cut or damaged there", field=RECORD)
    return lines


def write_new(game: str, record: Iterable[Mapping[str, Any]]) -> Path:
    """Write a record to a new file here, else among temporary files; raises RollwiseError where neither can be."""
    reason: Exception | None = None
    for folder in ("", None):
        path = Path()
        try:
            path = _free_name(Path(tempfile.gettempdir() if folder is None else folder), game)
            write(path, record, force=True)
            return path
        except (OSError, RollwiseError) as error:
            reason = reason or error
            with suppress(OSError):  # a folder is none that this could remove
                path.unlink(missing_ok=True)
    raise RollwiseError(f"the game cannot be kept here, nor among temporary files: {reason}")


def _free_name(folder: Path, game: str) -> Path:
    """A file that was not there yet, and now is, empty: nobody else takes it. Raises OSError."""
    for number in count(1):
        path = folder / f"{game}-{number}.jsonl"
        with suppress(FileExistsError):
            path.touch(exist_ok=False)
            break
    return path
