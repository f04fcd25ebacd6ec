"""Reader of tables of ``export``, perhaps edited since: rows one by one, and the description."""

from __future__ import annotations

import csv
import json
import math
import os
import shlex
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any, TextIO

from rollwise.parsing.records import read_text
from rollwise.policy_tables.files import GAME, LEVEL_FILES, SEPARATOR, SUFFIXES, is_folder, parse_rules, sidecar_path
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.fields import Field
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import plain, quoted
from rollwise.text.spelling import shown_value

MAX_LINE_CHARS = 1 << 20  # of a line
MAX_ROW_LINES = 1000  # of a row
MAX_COLUMNS = 1000
MAX_ROWS = 10_000_000  # held in memory
BATCH_ROWS = 1 << 12  # rows
MOVE_COLUMNS = ("best_move", "best")  # now, and in old tables
MOVES = "moves"
NUMBERS = ("value", "lower", "upper", VALUES := "values")
ROUNDING_TOLERANCE = 1e-6  # relative, or absolute below 1: rounding by a spreadsheet
NEEDED_COLUMN = "needed"  # the column of tables for every target
EMPTY = ""  # of an absent field, in a key
Key = tuple[str, ...]  # the fields of a row as users type them
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


# --- rows as positions and moves -------------------------------------------------------------------------------------


def require_same_game(game: TurnGame, path: Path, part: TablePart) -> None:
    """Raise BadInput for a table of another game."""
    if part.description is None:
        return
    parameters = plain_parameters(game)
    expected = {"game": game.name, "parameters": parameters, "rules_version": game.rules_version}
    for name, expected_value in expected.items():
        actual = part.description.get(name)
        if actual != expected_value:
            of_game = part.description.get("game")
            hint = f"rollwise compare {of_game} {shlex.quote(str(path))}" if name == "game" else ""
            if isinstance(actual, Mapping):
                differ = {one: setting for one, setting in actual.items() if setting != parameters.get(one)}
                hint = " ".join(f"-p {one}={shown_value(setting)}" for one, setting in differ.items())
            theirs, own = map(_in_words, (actual, expected_value))
            raise BadInput(f"{part.path} was made with {name} {theirs}; this is {name} {own}", hint=hint)


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={shown_value(setting)}" for name, setting in value.items()) or "none"
    return str(value)


class RowCheck:
    """Check of the rows of a table, one by one, for changes by a spreadsheet.

    ``empty``: scores absent in the first row; ``sign``: the decimal sign of the first row that has one.
    """

    def __init__(self, part: TablePart, game: TurnGame) -> None:
        self.part, self.game, self.sign = part, game, ""
        self.empty: set[str] | None = None
        slice_fields = (part.description or {}).get("slice")
        usual = {field.name: str(field.left_out) for field in game.fields() if field.left_out is not None}
        slices = slice_fields.items() if isinstance(slice_fields, Mapping) and NEEDED_COLUMN not in part.columns else ()
        self.slice = {name: "none" if usual.get(name) == text else text for name, text in slices}
        self.names = [field.name for field in game.fields()]
        scores = {field.name for field in game.fields() if field.of == "board" and not field.form.get("none")}
        self.scores = scores - usual.keys()

    def fields(self, number: int, key: Key) -> None:
        """Raise BadInput for a missing score, and for a row outside the slice of the table."""
        empty = self.scores.intersection(compress(self.names, map(EMPTY.__eq__, key))) if EMPTY in key else set()
        self.empty = empty if self.empty is None else self.empty
        for name in empty ^ self.empty:
            raise self.error(number, name, "is empty in this row or in the first, and not in both")
        for name, text in self.slice.items():
            typed = key[self.names.index(name)] if name in self.names else text
            if (typed or "none") != text:
                raise self.error(number, name, f"is {typed}, but the slice of the table is {name}={text}")

    def numbers(self, number: int, cells: Mapping[str, Any]) -> list[float]:
        """The present ones of value, lower, upper and values of a row; raises BadInput for values that contradict."""
        bounds = [self._number(number, name, cells[name]) for name in NUMBERS[:3] if name in cells]
        cell = cells.get(VALUES, ())
        members = parse_list(cell) if isinstance(cell, str | list | tuple) else [None]
        values = [each for member in members if (each := _finite_number(str(member).replace(",", "."))) is not None]
        if len(values) < len(members):
            raise self.error(number, VALUES, f"is a list of numbers, got {quoted(plain(cell))}")
        if len(bounds) == 3:
            (value, low, high), near = bounds, ROUNDING_TOLERANCE * max(1.0, abs(bounds[0]))
            if self.game.unit == "probability" and not -near <= value <= 1 + near:
                raise self.error(number, "value", f"is a chance, from 0 to 1, got {value:.9g}")
            if not low - near <= value <= high + near:
                raise self.error(number, "value", f"{value:.9g} is not between lower {low:.9g} and upper {high:.9g}")
            if values and abs(values[0] - value) > near:
                raise self.error(number, "value", f"{value:.9g} is not the first of values, {values[0]:.9g}")
        return [*bounds, *values]

    def _number(self, row: int, name: str, cell: Any) -> float:
        """The number of a cell; raises BadInput for another decimal sign than that of the file."""
        sign = next((sign for sign in ",." if sign in cell), "") if isinstance(cell, str) else ""
        self.sign = self.sign or sign
        if sign not in ("", self.sign):
            raise self.error(row, name, f"is {cell}, while other decimals of the file stand behind '{self.sign}'")
        number = _finite_number(cell.replace(",", ".") if sign else cell)
        if number is None:
            raise self.error(row, name, f"is a number, got {quoted(plain(cell))}")
        return number

    def error(self, number: int, column: str, problem: str) -> BadInput:
        """The error for a cell that ``export`` would not write."""
        return BadInput(
            f"{self.part.place(number)}: {column} {problem}. Has a spreadsheet changed it? Export anew, and open the "
            "file there with decimal points (English) or all columns as text",
            field=column,
        )


def _finite_number(cell: Any) -> float | None:
    """The number of a cell; None if it is no finite number."""
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def read_rows(
    part: TablePart, game: TurnGame, others: Sequence[str], n_stored: int | None = None
) -> Iterator[tuple[int, Key, Cells]]:
    """(number, fields as typed, cells of the other columns) of each row; BadInput for a missing column.

    Rows of text formats, which a spreadsheet may have saved, are checked. With ``n_stored``, the number of rows already
    in memory, TooLarge for too many, at once if the file gives its number of rows.
    """
    fields, check = list(game.fields()), RowCheck(part, game) if part.path.suffix.lower() != ".parquet" else None
    names = [field.name for field in fields]
    numbers = [name for name in NUMBERS if check and name in part.columns]
    absent = [index for index, each in enumerate(fields) if each.left_out is not None and each.name not in part.columns]
    columns = [*(name for place, name in enumerate(names) if place not in absent), *others]
    for name in columns:
        if name not in part.columns:
            what = f"; it has: {', '.join(part.columns) or 'none'}" if name in names else ", as export writes it"
            raise BadInput(f"{part.path} has no column '{name}'{what}")
    texts: list[dict[Any, str]] = [{} for _ in fields]
    for number, cells in part.rows([*columns, *numbers]):
        for place in absent:
            cells.insert(place, None)
        if n_stored is not None and n_stored + max(number, part.n_rows) > MAX_ROWS:
            raise TooLarge(f"{part.path} has too many rows: up to {MAX_ROWS:,} are compared; give a part of the table")
        try:
            key = _row_key(fields, texts, cells)
        except BadInput as error:
            raise BadInput(f"{part.place(number, error.field)}: {error}") from None
        if check:
            check.fields(number, key)
            check.numbers(number, dict(zip(numbers, cells[len(names) + len(others) :], strict=True)))
        yield number, key, cells[len(names) : len(names) + len(others)]


def find_move_column(part: TablePart, fields: Sequence[Field]) -> str:
    """The name of the column of best moves."""
    names = {field.name for field in fields}
    return next((name for name in MOVE_COLUMNS if name in part.columns and name not in names), MOVE_COLUMNS[0])


def _row_key(fields: Sequence[Field], caches: Sequence[dict[Any, str]], cells: Sequence[Any]) -> Key:
    """The fields of a row as users type them; ``caches``: texts of earlier cells, by field."""
    try:
        return tuple([cache[cell] for cache, cell in zip(caches, cells, strict=False)])
    except (KeyError, TypeError):  # a new cell, or a list
        return tuple(map(_cached_text, fields, caches, cells))


def _cached_text(field: Field, texts: dict[Any, str], cell: Any) -> str:
    name = cell if isinstance(cell, Hashable) else str(cell)
    if name not in texts:
        texts[name] = _typed_cell(field, cell)
    return texts[name]


def _typed_cell(field: Field, cell: Any) -> str:
    """A cell as users type the field, whatever the format or a spreadsheet made of it; ABSENT_TEXT if empty."""
    if cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell)):
        return EMPTY
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return _typed(field, field.parse(cell.removesuffix(".0") if isinstance(cell, str) else cell))


def _typed(field: Field, value: Any) -> str:
    """A value of a field as users type it; ABSENT_TEXT for none or the default, which columns of numbers merge."""
    return EMPTY if value is None or value == field.left_out else field.show(value)


def key_of(fields: Sequence[Field], row: Mapping[str, Any]) -> Key:
    """The fields of a row as users type them."""
    return tuple(_typed(field, row.get(field.name)) for field in fields)


def key_text(fields: Sequence[Field], key: Key) -> str:
    """A key as one line of fields."""
    return " ".join(f"{field.name}={text}" for field, text in zip(fields, key, strict=True) if text != EMPTY)


def parse_list(cell: Any) -> list[Any]:
    """A list from its CSV text: ``roll|hold``, and numbers as ``[0.5 0.25]``, in older tables ``0.5|0.25``."""
    if not isinstance(cell, str):
        return list(cell)
    return cell[1:-1].split() if cell.startswith("[") else cell.split(SEPARATOR)
