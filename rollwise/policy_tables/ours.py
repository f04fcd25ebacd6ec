"""What may be written over unasked: a file of the same kind that this program wrote, or an empty one. All else is
somebody's own.

A record is known by its head, a Parquet table by what it says of itself, other tables and cards as CSV by the file
beside them, which names their columns, and a page by a mark at its end, in a comment where it can have one.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
from collections.abc import Mapping, Set
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rollwise.answers.spelling import shown_value
from rollwise.parsing.records import json_of
from rollwise.policy_tables.files import (
    LEVEL_FILES,
    LEVEL_LEFT,
    OF,
    alone,
    beside,
    check_output,
    described,
    left_beside,
    new_aside,
    of_read,
)
from rollwise.solver.model.errors import BadInput, RollwiseError

RECORD, TABLE, CARD, LEDGER, DESCRIPTION = "record", "table", "card", "ledger", "description of a table"
ABOUT = ("game", "parameters", "slice", "levels")  # what two tables are alike in where one may replace the other
FORCE, INTO = "force", "into"  # what an error is about
MARK = "A {} by rollwise."
COMMENT = "<!-- {} -->"
LONGEST = 200  # bytes of a mark and what may stand behind it
MOST_BYTES = 1 << 20  # that are looked at, of a line or a description


def to_write(output: str | Path, kind: str, *, force: bool = False, is_described: bool = False) -> Path:
    """The file that will be written, links followed; raises BadInput where it cannot be, or is not ours to replace.

    ``is_described``: a description goes beside it, or goes with one.

    >>> to_write("missing/ledger.md", LEDGER)
    Traceback (most recent call last):
    rollwise.BadInput: missing/ledger.md cannot be written: there is no folder 'missing'
    """
    path = check_output(output)
    if not force:
        require_ours(path, kind, output)
        if is_described:
            require_ours(beside(path), DESCRIPTION, f"{output}{beside(path).name.removeprefix(path.name)}")
    return path


def require_ours(path: Path, kind: str, shown: object = None) -> None:
    """Raise BadInput for a file that is there and is not of this kind, or not ours; ``shown`` is its name as typed."""
    if os.path.lexists(path) and not is_ours(path, kind):
        raise _not_ours(f"and is no {kind} that rollwise wrote", shown or path)


def _not_ours(what: str, shown: object) -> BadInput:
    there = f"{shown} is there already, {what}: give another name, or --force (force=True)"
    return BadInput(there, hint="--force", field=FORCE)


def require_same(path: Path, about: Mapping[str, Any], shown: object) -> None:
    """Raise BadInput for a table of ours that is of another game, of other rules or of another slice than ``about``."""
    there: Mapping[str, Any] = described(path) or {}
    with contextlib.suppress(OSError, ValueError):
        there = there or _told(beside(path)) or {}
    if "game" in there and any(there.get(name) != about.get(name) for name in ABOUT):
        parts = [part for name in ABOUT[1:3] if isinstance(part := there.get(name), Mapping)]
        words = [f"{name}={shown_value(value)}" for part in parts for name, value in part.items()]
        levels = [f"levels={there['levels']}"] if "levels" in there else []
        raise _not_ours(" ".join(["of", str(there["game"]), *words, *levels]), shown)


def require_our_folder(folder: Path, shown: object) -> None:
    """Raise BadInput for a folder with files in it, of which none is a level of a table of ours."""
    try:
        is_empty = all(LEVEL_LEFT.fullmatch(name) for name in os.listdir(folder))
    except FileNotFoundError:
        return
    except OSError:  # one may write there, but not look
        is_empty = False
    if not is_empty and not any(map(described, folder.glob(LEVEL_FILES))):
        raise BadInput(
            f"{shown} is not empty, and no export to it has begun: give another folder, or --into (into=True) to write "
            f"beside what is there",
            hint="--into",
            field=INTO,
        )


def require_our_level(path: Path, shown: object) -> None:
    """Raise BadInput for what is somebody else's, with the name of a level; a Parquet that breaks off was one."""
    import pyarrow.parquet as pq

    if not path.is_file():
        return
    is_level = False
    with contextlib.suppress(OSError), path.open("rb") as file:
        is_level = file.read(4) in (b"PAR1", b"")
    if is_level:
        with contextlib.suppress(OSError, ValueError), pq.ParquetFile(path) as table:
            is_level = b"rollwise" in (table.metadata.metadata or {})
    if not is_level:
        raise _not_ours(f"and is no {TABLE} that rollwise wrote", shown)


def write_page(path: Path, text: str, kind: str, form: str, *, force: bool = False) -> None:
    """Put a card or a ledger into its place, with what it is known by: a mark, or beside CSV what its columns are."""
    over = None if force else kind
    if form != "csv":
        mark = MARK.format(kind)
        write_text(path, f"{text.rstrip()}\n\n{mark if form == 'text' else COMMENT.format(mark)}\n", over)
        return
    write_text(path, text, over, is_described=True)
    told = {"kind": kind, "columns": next(csv.reader([text.partition("\n")[0]]))}
    write_text(beside(path), json.dumps(told) + "\n", None if force else DESCRIPTION)


def write_text(output: Path, text: str, kind: str | None = None, *, is_described: bool = False) -> Path:
    """Put a text whole into its place, which ``to_write`` has found fit: a ledger, a card, a record.

    With ``kind`` only over a file of ours, of which there may be another by now; so may there of what describes it.
    """
    with alone(output, wait=True, quietly=True):
        try:
            aside = new_aside(output)
            try:
                aside.write_text(text, encoding="utf-8")
                if kind is not None:
                    require_ours(output, kind)
                    if is_described:
                        require_ours(beside(output), DESCRIPTION)
                os.replace(aside, output)
            finally:
                aside.unlink(missing_ok=True)
        except OSError as error:
            raise RollwiseError(f"{output} was not written: {error.strerror}") from error
    return output


def is_ours(path: Path, kind: str) -> bool:
    """Is this a file of this kind that this program wrote, or an empty one?"""
    try:
        if not path.is_file():
            return False
        if not path.stat().st_size:
            return True  # as mktemp makes it: nobody's
        with path.open("rb") as file:
            begins, row = file.readline(MOST_BYTES), file.readline(MOST_BYTES)
            file.seek(-min(path.stat().st_size, LONGEST), os.SEEK_END)
            ends = file.read(LONGEST).decode(errors="replace").rstrip().rpartition("\n")[2]
        if kind == DESCRIPTION:
            return _told(path) is not None
        if kind == RECORD:
            head = json_of(begins.decode("utf-8-sig"))
            return isinstance(head, Mapping) and {"rollwise", "game"} <= head.keys()
        if kind == TABLE and begins.startswith(b"PAR1"):
            return described(path) is not None
        mark = MARK.format(kind)
        if ends in (mark, COMMENT.format(mark)):
            return True
        if kind == LEDGER:
            return False
        first = _cells(begins.decode("utf-8-sig"), row.decode())
        if kind == TABLE and left_beside(path) and _says_its_game(first):
            return True  # who was killed had just removed what stood beside it
        return _is_told_beside(path, kind, first.keys())
    except (OSError, ValueError, TypeError, csv.Error):
        return False


def _cells(head: str, row: str) -> dict[str, object]:
    """The first row of JSON lines, or of CSV, by the names of its columns."""
    told = json_of(head)
    if isinstance(told, dict):
        return told
    names, *cells = csv.reader([head, row])
    return {str(name): cell for name, cell in zip_longest(names, *cells)}


def _says_its_game(row: Mapping[str, object]) -> bool:
    """Does a row say the game that its table is of?"""
    with contextlib.suppress(BadInput):
        return "best_move" in row and bool(of_read(str(row.get(OF, ""))))
    return False


def _is_told_beside(path: Path, kind: str, columns: Set[str]) -> bool:
    """Does the file beside this one name its kind and its columns?"""
    told = _told(beside(path))
    return told is not None and told.get("kind", TABLE) == kind and set(told["columns"]) == columns


def _told(path: Path) -> Mapping[str, Any] | None:
    """What stands beside a table or a card of ours; None for anything else."""
    with path.open("rb") as file:
        told = json_of(file.read(MOST_BYTES).decode())
    is_ours = isinstance(told, Mapping) and told.keys() & {"game", "kind"}
    return told if is_ours and isinstance(told.get("columns"), list | dict) else None
