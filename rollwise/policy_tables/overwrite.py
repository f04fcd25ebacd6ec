"""Protection against overwriting: without ``force`` only an empty file or one of the same kind by this program.

A record is recognised by its head, a Parquet table by its description, other tables and cards as CSV by the sidecar
file with the names of their columns, and a page by a mark at its end, in a comment where it can have one.
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

from rollwise.cache.files import AsideFile, list_asides
from rollwise.parsing.records import parse_json
from rollwise.policy_tables.files import (
    GAME,
    LEVEL_FILES,
    LEVEL_SCRATCH,
    check_output,
    parse_rules,
    read_description,
    sidecar_path,
    write_lock,
)
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.text.spelling import shown_value

RECORD, TABLE, CARD, LEDGER, DESCRIPTION = "record", "table", "card", "ledger", "description of a table"
IDENTITY_KEYS = ("game", "parameters", "slice", "levels")  # equal in tables of which one may replace the other
FORCE, INTO = "force", "into"  # fields of errors
MARK = "A {} by rollwise."
COMMENT = "<!-- {} -->"
MARK_BYTES = 200  # of the end of a file that holds the mark
MAX_LINE_BYTES = 1 << 20  # of a line or a description


def writable_path(output: str | Path, kind: str, *, force: bool = False, is_described: bool = False) -> Path:
    """The file to write, links followed; raises BadInput if it cannot be written, or is a foreign file.

    ``is_described``: a sidecar file with its description is written or removed too.

    >>> writable_path("missing/ledger.md", LEDGER)
    Traceback (most recent call last):
    rollwise.BadInput: missing/ledger.md cannot be written: there is no folder 'missing'
    """
    path = check_output(output)
    if not force:
        require_own_file(path, kind, output)
        if is_described:
            require_own_file(
                sidecar_path(path), DESCRIPTION, f"{output}{sidecar_path(path).name.removeprefix(path.name)}"
            )
    return path


def require_own_file(path: Path, kind: str, shown: object = None) -> None:
    """Raise BadInput for an existing file that is foreign or of another kind; ``shown``: its name as typed."""
    if os.path.lexists(path) and not is_own_file(path, kind):
        raise _overwrite_error(f"and is no {kind} that rollwise wrote", shown or path)


def _overwrite_error(what: str, shown: object) -> BadInput:
    message = f"{shown} is there already, {what}: give another name, or --force (force=True)"
    return BadInput(message, hint="--force", field=FORCE)


def require_same(path: Path, identity: Mapping[str, Any], shown: object) -> None:
    """Raise BadInput for an own table of another game, other rules or another slice than ``identity``."""
    table: Mapping[str, Any] = read_description(path) or {}
    with contextlib.suppress(OSError, ValueError):
        table = table or _read_sidecar(sidecar_path(path)) or {}
    if "game" in table and any(table.get(name) != identity.get(name) for name in IDENTITY_KEYS):
        parts = [part for name in IDENTITY_KEYS[1:3] if isinstance(part := table.get(name), Mapping)]
        words = [f"{name}={shown_value(value)}" for part in parts for name, value in part.items()]
        levels = [f"levels={table['levels']}"] if "levels" in table else []
        raise _overwrite_error(" ".join(["of", str(table["game"]), *words, *levels]), shown)


def require_own_folder(folder: Path, shown: object) -> None:
    """Raise BadInput for a folder that has files, but no level of an own table."""
    try:
        is_empty = all(LEVEL_SCRATCH.fullmatch(name) for name in os.listdir(folder))
    except FileNotFoundError:
        return
    except OSError:  # a folder that is writable but not readable
        is_empty = False
    if not is_empty and not any(map(read_description, folder.glob(LEVEL_FILES))):
        raise BadInput(
            f"{shown} is not empty, and no export to it has begun: give another folder, or --into (into=True) to write "
            f"beside what is there",
            hint="--into",
            field=INTO,
        )


def require_own_level(path: Path, shown: object) -> None:
    """Raise BadInput for a foreign file with the name of a level; a truncated Parquet file counts as own."""
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
        raise _overwrite_error(f"and is no {TABLE} that rollwise wrote", shown)


def write_page(path: Path, text: str, kind: str, form: str, *, force: bool = False) -> None:
    """Write a card or a ledger with a mark or, for CSV, a sidecar file with its columns."""
    over = None if force else kind
    if form != "csv":
        mark = MARK.format(kind)
        write_text(path, f"{text.rstrip()}\n\n{mark if form == 'text' else COMMENT.format(mark)}\n", over)
        return
    write_text(path, text, over, is_described=True)
    sidecar = {"kind": kind, "columns": next(csv.reader([text.partition("\n")[0]]))}
    write_text(sidecar_path(path), json.dumps(sidecar) + "\n", None if force else DESCRIPTION)


def write_text(output: Path, text: str, kind: str | None = None, *, is_described: bool = False) -> Path:
    """Write a text to a path checked by ``writable_path``: a ledger, a card or a record.

    With ``kind`` the file, and its sidecar, are checked again: another program may have written them since.
    """
    with write_lock(output, wait=True, quietly=True):
        try:
            with AsideFile(output) as file:
                file.aside.write_text(text, encoding="utf-8")
                if kind is not None:
                    require_own_file(output, kind)
                    if is_described:
                        require_own_file(sidecar_path(output), DESCRIPTION)
                file.put()
        except OSError as error:
            raise RollwiseError(f"{output} was not written: {error.strerror}") from error
    return output


def is_own_file(path: Path, kind: str) -> bool:
    """True for an empty file, or one of this kind that this program wrote."""
    try:
        if not path.is_file():
            return False
        if not path.stat().st_size:
            return True  # as mktemp makes it
        with path.open("rb") as file:
            first_line, second_line = file.readline(MAX_LINE_BYTES), file.readline(MAX_LINE_BYTES)
            file.seek(-min(path.stat().st_size, MARK_BYTES), os.SEEK_END)
            last_line = file.read(MARK_BYTES).decode(errors="replace").rstrip().rpartition("\n")[2]
        if kind == DESCRIPTION:
            return _read_sidecar(path) is not None
        if kind == RECORD:
            head = parse_json(first_line.decode("utf-8-sig"))
            return isinstance(head, Mapping) and {"rollwise", "game"} <= head.keys()
        if kind == TABLE and first_line.startswith(b"PAR1"):
            return read_description(path) is not None
        mark = MARK.format(kind)
        if last_line in (mark, COMMENT.format(mark)):
            return True
        if kind == LEDGER:
            return False
        first = _first_row(first_line.decode("utf-8-sig"), second_line.decode())
        if kind == TABLE and list_asides(path) and _names_its_game(first):
            return True  # an export was killed after it had removed the sidecar
        return _has_matching_sidecar(path, kind, first.keys())
    except (OSError, ValueError, TypeError, csv.Error):
        return False


def _first_row(head: str, row: str) -> dict[str, object]:
    """The first row of JSON lines or CSV, by column."""
    json_row = parse_json(head)
    if isinstance(json_row, dict):
        return json_row
    names, *cells = csv.reader([head, row])
    return {str(name): cell for name, cell in zip_longest(names, *cells)}


def _names_its_game(row: Mapping[str, object]) -> bool:
    """True if a row names the game of its table."""
    with contextlib.suppress(BadInput):
        return "best_move" in row and bool(parse_rules(str(row.get(GAME, ""))))
    return False


def _has_matching_sidecar(path: Path, kind: str, columns: Set[str]) -> bool:
    """True if the sidecar file has this kind and these columns."""
    sidecar = _read_sidecar(sidecar_path(path))
    return sidecar is not None and sidecar.get("kind", TABLE) == kind and set(sidecar["columns"]) == columns


def _read_sidecar(path: Path) -> Mapping[str, Any] | None:
    """The sidecar file of an own table or card; None for any other file."""
    with path.open("rb") as file:
        sidecar = parse_json(file.read(MAX_LINE_BYTES).decode())
    is_own = isinstance(sidecar, Mapping) and sidecar.keys() & {"game", "kind"}
    return sidecar if is_own and isinstance(sidecar.get("columns"), list | dict) else None
