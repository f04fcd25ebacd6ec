"""Tables that ``export`` wrote, perhaps edited since, read again row by row, with what they say of themselves."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rollwise.solver.game.errors import BadInput
from rollwise.tables.files import LEVEL_FILES, OF, beside, is_folder, of_read, the_format

Cells = list[Any]
Rows = Callable[[Sequence[str]], Iterator[tuple[int, Cells]]]


@dataclass(frozen=True)
class TablePart:
    """One file of a table: ``rows(columns)`` gives (number of the row from 1, its cells in these columns).

    ``description`` is what the file says of itself, None where it says nothing.
    """

    path: Path
    columns: list[str]
    description: dict[str, Any] | None
    rows: Rows

    def place(self, row: int, column: str = "") -> str:
        """Where something is, in words."""
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
    file_format = the_format(path, None)
    try:
        return _of_its_rows({"csv": _csv, "jsonl": _json_lines, "parquet": _parquet}[file_format](path))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, csv.Error) as error:
        raise BadInput(f"{path} is not a {file_format} table: {error}") from None


def _of_its_rows(part: TablePart) -> TablePart:
    """A file that says in its rows what it is of: sooner believed than what stands beside it, which may be older."""
    every = part.rows([OF]) if OF in part.columns else iter(())
    number, of = next(((number, str(cell)) for number, (cell,) in every if cell), (0, ""))
    if not of.strip():
        return part
    try:
        said = of_read(of)
    except BadInput as error:
        raise BadInput(f"{part.place(number, OF)}: {error}") from None

    def rows(wanted: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        for row, cells in part.rows([*wanted, OF]):
            if cells.pop() not in (of, "", None):
                raise BadInput(f"{part.place(row, OF)}: this row is of another game than row {number}, of {of}")
            yield row, cells

    return replace(part, description={**(part.description or {}), **said}, rows=rows)


def _parquet(path: Path) -> TablePart:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        columns, metadata = list(file.schema_arrow.names), file.metadata.metadata or {}

    def rows(wanted: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        number = 0
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=list(dict.fromkeys(wanted))):
                lists = {name: batch.column(name).to_pylist() for name in wanted}
                for cells in zip(*(lists[name] for name in wanted), strict=True):
                    number += 1
                    yield number, list(cells)

    told = metadata.get(b"rollwise")
    return TablePart(path, columns, None if told is None else _description(path, told.decode()), rows)


def _csv(path: Path) -> TablePart:
    with path.open(newline="", encoding="utf-8-sig") as file:  # spreadsheets begin with a mark, and part as they like
        head = file.readline()
        between = max(",;\t", key=head.count)
        columns = next(csv.reader([head], delimiter=between), [])
    twice = next((name for name in columns if name and columns.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"{path} has two columns '{twice}'")

    def rows(wanted: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        places = [columns.index(name) for name in wanted]
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, delimiter=between)
            next(reader)
            for number, cells in enumerate(reader, 1):
                if not cells:
                    continue  # an empty line
                if len(cells) != len(columns):
                    missing = columns[len(cells)] if len(cells) < len(columns) else ""
                    what = f"has no column '{missing}'" if missing else f"has more than {len(columns)} columns"
                    raise BadInput(f"{path} row {number} {what}")
                yield number, [cells[place] for place in places]

    return TablePart(path, columns, _beside(path), _readable(path, rows))


def _json_lines(path: Path) -> TablePart:
    def objects() -> Iterator[tuple[int, dict[str, Any]]]:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate((line for line in file if line.strip()), 1):
                try:
                    found = json.loads(line)
                except ValueError as error:
                    raise BadInput(f"{path} row {number} is not JSON: {error}") from None
                except RecursionError:
                    raise BadInput(f"{path} row {number} is nested too deeply") from None
                if not isinstance(found, dict):
                    raise BadInput(f"{path} row {number} is no JSON object, got {line.strip()[:40]}")
                yield number, found

    def rows(wanted: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        for number, found in objects():
            missing = next((name for name in wanted if name not in found), None)
            if missing is not None:
                raise BadInput(f"{path} row {number} has no column '{missing}'")
            yield number, [found[name] for name in wanted]

    columns = next((list(found) for _, found in objects()), [])
    return TablePart(path, columns, _beside(path), _readable(path, rows))


def _readable(path: Path, rows: Rows) -> Rows:
    """The same, in which text that cannot be read is told in one line."""

    def read(wanted: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        try:
            yield from rows(wanted)
        except (ValueError, csv.Error) as error:
            raise BadInput(f"{path} is no table: {error}") from None

    return read


def _beside(path: Path) -> dict[str, Any] | None:
    """The description beside a file; None where there is none."""
    described = beside(path)
    if not described.is_file():
        return None
    try:
        text = described.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise BadInput(f"{described} cannot be read: {error}") from None
    return _description(described, text)


def _description(path: Path, text: str) -> dict[str, Any]:
    """What a file says of itself; raises BadInput."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} does not say in JSON what it is of: {error}") from None
    if not isinstance(found, dict):
        raise BadInput(f"{path} does not say in a JSON object what it is of")
    return found
