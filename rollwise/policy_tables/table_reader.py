"""Reader of table files of ``export``, perhaps edited since: cells row by row, and the description."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from rollwise.parsing.records import read_text
from rollwise.policy_tables.files import GAME, LEVEL_FILES, SUFFIXES, is_folder, parse_rules, sidecar_path
from rollwise.solver.model.errors import BadInput

MAX_LINE_CHARS = 1 << 20  # of a line
MAX_ROW_LINES = 1000  # of a row
MAX_COLUMNS = 1000
MAX_ROWS = 10_000_000  # held in memory
BATCH_ROWS = 1 << 12  # rows
Cells = list[Any]
Rows = Callable[[Sequence[str]], Iterator[tuple[int, Cells]]]


@dataclass(frozen=True)
class TablePart:
    """One file of a table; ``description``: its own description, None if it has none."""

    path: Path
    columns: list[str]
    description: dict[str, Any] | None
    read: Rows
    n_rows: int = 0  # estimated before reading, or 0

    def rows(self, names: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        """(number of the row from 1, its cells in these columns); raises BadInput for text that cannot be read."""
        try:
            yield from self.read(names)
        except (ValueError, csv.Error) as error:
            raise BadInput(f"{self.path} is no table: {error}") from None

    def place(self, row: int, column: str = "") -> str:
        """The place of a cell in words, for errors."""
        return f"{self.path} row {row}" + (f", column '{column}'" if column else "")


def read_table(path: Path) -> list[TablePart]:
    """The files of a table: one, or those of a folder with a file for each level; raises BadInput."""
    if is_folder(path):
        files = sorted(path.glob(LEVEL_FILES))
        if not files:
            raise BadInput(f"{path} holds no {LEVEL_FILES}, as export writes them into a folder")
        return [_part(file) for file in files]
    return [_part(path)]


def _part(path: Path) -> TablePart:
    file_format = SUFFIXES.get(path.suffix.lower())
    if file_format is None:
        raise BadInput(f"'{path.name}' is no table of export; one ends in {', '.join(SUFFIXES)}, or is a folder")
    if os.path.exists(path) and not os.path.isfile(path):
        raise BadInput(f"{path} is no ordinary file, and a table is read more than once: give the name of a file")
    try:
        return _described_by_rows({"csv": _csv, "jsonl": _json_lines, "parquet": _parquet}[file_format](path))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, csv.Error) as error:
        raise BadInput(f"{path} is not a {file_format} table: {error}") from None


def _described_by_rows(part: TablePart) -> TablePart:
    """The part with the game named in its rows, which overrides the sidecar file, since that may be older."""
    every = part.rows([GAME]) if GAME in part.columns else iter(())
    first_row, text = next(((first_row, str(cell)) for first_row, (cell,) in every if cell), (0, ""))
    if not text.strip():
        return part
    try:
        rules = parse_rules(text)
    except BadInput as error:
        raise BadInput(f"{part.place(first_row, GAME)}: {error}") from None

    def rows(names: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        for row, cells in part.rows([*names, GAME]):
            if cells.pop() not in (text, "", None):
                raise BadInput(f"{part.place(row, GAME)}: this row is of another game than row {first_row}, of {text}")
            yield row, cells

    sidecar = part.description or {}
    return replace(part, description={**(sidecar if sidecar.items() >= rules.items() else {}), **rules}, read=rows)


def _parquet(path: Path) -> TablePart:
    import pyarrow.parquet as pq

    with _arrow_errors(path), pq.ParquetFile(path) as file:
        about = file.metadata
        n_leaves, metadata, n_rows = about.num_columns, about.metadata or {}, about.num_rows
        columns = list(file.schema_arrow.names) if n_leaves <= MAX_COLUMNS else [""] * n_leaves
    _require_columns(path, columns)

    def rows(names: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        number = 0
        with _arrow_errors(path), pq.ParquetFile(path) as file:
            for batch in file.iter_batches(BATCH_ROWS, columns=list(dict.fromkeys(names))):
                lists = {name: batch.column(name).to_pylist() for name in names}
                for cells in zip(*(lists[name] for name in names), strict=True):
                    number += 1
                    yield number, list(cells)

    text = metadata.get(b"rollwise")
    return TablePart(path, columns, None if text is None else _description(path, text.decode()), rows, n_rows)


@contextmanager
def _arrow_errors(path: Path) -> Iterator[None]:
    """Raise BadInput for an error of Arrow, such as a damaged page."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise BadInput(f"{path} is not a parquet table: {error}") from None


def _lines(path: Path, file: TextIO) -> Iterator[str]:
    """The lines of a file; raises BadInput for one that is too long."""
    while line := file.readline(MAX_LINE_CHARS + 1):
        if len(line) > MAX_LINE_CHARS:
            raise BadInput(f"{path} has a line of more than {MAX_LINE_CHARS:,} letters, which no table has")
        yield line


class _LineCounter:
    """Source of lines for ``csv.reader``; ``n_of_row``: the lines taken for the current row."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self.path, self.file = path, file
        self.n_of_row = 0

    def row_lines(self) -> Iterator[str]:
        """The lines of the file; raises BadInput for a row without an end, as after an open quote."""
        for line in _lines(self.path, self.file):
            self.n_of_row += 1
            if self.n_of_row > MAX_ROW_LINES:
                raise BadInput(f"{self.path} has a row of more than {MAX_ROW_LINES:,} lines; a quote may be open")
            yield line


def _count_lines(path: Path) -> int:
    """The number of lines of a large file; 0 for a small one."""
    if path.stat().st_size < MAX_ROWS:
        return 0
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(partial(file.read, MAX_LINE_CHARS), b""))


def _require_columns(path: Path, columns: Sequence[str]) -> None:
    """Raise BadInput for duplicate or too many columns."""
    if len(columns) > MAX_COLUMNS:
        raise BadInput(f"{path} has {len(columns):,} columns; a table has at most {MAX_COLUMNS:,}")
    twice = next((name for name, number in Counter(columns).items() if name and number > 1), None)
    if twice is not None:
        raise BadInput(f"{path} has two columns '{twice}'")


def _csv(path: Path) -> TablePart:
    with path.open(newline="", encoding="utf-8-sig") as file:  # spreadsheets write a BOM, and choose a separator
        head = next(_lines(path, file), "")
        separator = max(",;\t", key=head.count)
        columns = next(csv.reader([head], delimiter=separator), [])
    _require_columns(path, columns)

    def rows(names: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        places = [columns.index(name) for name in names]
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = _LineCounter(path, file)
            reader = csv.reader(lines.row_lines(), delimiter=separator)
            next(reader)
            for number, cells in enumerate(reader, 1):
                lines.n_of_row = 0
                if not cells:
                    continue  # an empty line
                if len(cells) != len(columns):
                    missing = columns[len(cells)] if len(cells) < len(columns) else ""
                    what = f"has no column '{missing}'" if missing else f"has more than {len(columns)} columns"
                    raise BadInput(f"{path} row {number} {what}")
                yield number, [cells[place] for place in places]

    return TablePart(path, columns, _sidecar_description(path), rows, _count_lines(path))


def _json_lines(path: Path) -> TablePart:
    def objects() -> Iterator[tuple[int, dict[str, Any]]]:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate((line for line in _lines(path, file) if line.strip()), 1):
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise BadInput(f"{path} row {number} is not JSON: {error}") from None
                except RecursionError:
                    raise BadInput(f"{path} row {number} is nested too deeply") from None
                if not isinstance(row, dict):
                    raise BadInput(f"{path} row {number} is no JSON object, got {line.strip()[:40]}")
                yield number, row

    def rows(names: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        for number, row in objects():
            missing = next((name for name in names if name not in row), None)
            if missing is not None:
                raise BadInput(f"{path} row {number} has no column '{missing}'")
            yield number, [row[name] for name in names]

    columns = next((list(row) for _, row in objects()), [])
    _require_columns(path, columns)
    return TablePart(path, columns, _sidecar_description(path), rows, _count_lines(path))


def _sidecar_description(path: Path) -> dict[str, Any] | None:
    """The description in the sidecar file; None if there is none."""
    file = sidecar_path(path)
    if not file.is_file():
        return None
    return _description(
        file, read_text(file, max_bytes=MAX_LINE_CHARS, refusals=("no text", "no description of a table"))
    )


def _description(path: Path, text: str) -> dict[str, Any]:
    """The parsed description; raises BadInput."""
    try:
        description = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is no JSON description of a table: {error}") from None
    if not isinstance(description, dict):  # its values are checked where they are used
        raise BadInput(f"{path} is no JSON object that describes a table")
    return description
