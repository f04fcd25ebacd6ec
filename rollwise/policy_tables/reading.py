"""Tables that ``export`` wrote, perhaps edited since, read again row by row, with what they say of themselves."""

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

from rollwise.answers.spelling import shown_value
from rollwise.parsing.records import text_of
from rollwise.policy_tables.files import BETWEEN, LEVEL_FILES, OF, SUFFIXES, beside, is_folder, of_read
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.fields import Field
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import plain, quoted

LONGEST = 1 << 20  # letters of a line
MOST_LINES = 1000  # of a row
MOST_COLUMNS = 1000
MOST_ROWS = 10_000_000  # that are kept in memory
BATCH = 1 << 12  # rows
CHOSEN = ("best_move", "best")  # as it is called now, and in old tables
MOVES = "moves"
NUMBERS = ("value", "lower", "upper", VALUES := "values")
NEAR = 1e-6  # of a value, or of one: what a spreadsheet that shows a few digits rounds away
NEEDED = "needed"  # the column of tables for every target
NOTHING = ""  # a field that is not there, in a key
Key = tuple[str, ...]  # the fields of a row as they are typed
Cells = list[Any]
Rows = Callable[[Sequence[str]], Iterator[tuple[int, Cells]]]


@dataclass(frozen=True)
class TablePart:
    """One file of a table; ``description`` is what it says of itself, None where it says nothing."""

    path: Path
    columns: list[str]
    description: dict[str, Any] | None
    read: Rows
    n_rows: int = 0  # about, where that is known beforehand

    def rows(self, names: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        """(number of the row from 1, its cells in these columns); raises BadInput for text that cannot be read."""
        try:
            yield from self.read(names)
        except (ValueError, csv.Error) as error:
            raise BadInput(f"{self.path} is no table: {error}") from None

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
    file_format = SUFFIXES.get(path.suffix.lower())
    if file_format is None:
        raise BadInput(f"'{path.name}' is no table of export; one ends in {', '.join(SUFFIXES)}, or is a folder")
    if os.path.exists(path) and not os.path.isfile(path):
        raise BadInput(f"{path} is no ordinary file, and a table is read more than once: give the name of a file")
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
        rules = of_read(of)
    except BadInput as error:
        raise BadInput(f"{part.place(number, OF)}: {error}") from None

    def rows(names: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        for row, cells in part.rows([*names, OF]):
            if cells.pop() not in (of, "", None):
                raise BadInput(f"{part.place(row, OF)}: this row is of another game than row {number}, of {of}")
            yield row, cells

    beside = part.description or {}
    return replace(part, description={**(beside if beside.items() >= rules.items() else {}), **rules}, read=rows)


def _parquet(path: Path) -> TablePart:
    import pyarrow.parquet as pq

    with _by_arrow(path), pq.ParquetFile(path) as file:
        about = file.metadata
        n_leaves, metadata, n_rows = about.num_columns, about.metadata or {}, about.num_rows
        columns = list(file.schema_arrow.names) if n_leaves <= MOST_COLUMNS else [""] * n_leaves
    _require_columns(path, columns)

    def rows(names: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        number = 0
        with _by_arrow(path), pq.ParquetFile(path) as file:
            for batch in file.iter_batches(BATCH, columns=list(dict.fromkeys(names))):
                lists = {name: batch.column(name).to_pylist() for name in names}
                for cells in zip(*(lists[name] for name in names), strict=True):
                    number += 1
                    yield number, list(cells)

    text = metadata.get(b"rollwise")
    return TablePart(path, columns, None if text is None else _description(path, text.decode()), rows, n_rows)


@contextmanager
def _by_arrow(path: Path) -> Iterator[None]:
    """Whatever Arrow finds wrong with a file, such as a damaged page, as BadInput."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise BadInput(f"{path} is not a parquet table: {error}") from None


def _lines(path: Path, file: TextIO) -> Iterator[str]:
    """Line after line; raises BadInput for one that no table has."""
    while line := file.readline(LONGEST + 1):
        if len(line) > LONGEST:
            raise BadInput(f"{path} has a line of more than {LONGEST:,} letters, which no table has")
        yield line


class _Rows:
    """The lines of a file, as ``csv.reader`` takes them for rows; ``n_of_row``: so many it has taken for this one."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self.path, self.file = path, file
        self.n_of_row = 0

    def of_rows(self) -> Iterator[str]:
        """Line after line; raises BadInput where a row does not end, as after a quote that nobody closes."""
        for line in _lines(self.path, self.file):
            self.n_of_row += 1
            if self.n_of_row > MOST_LINES:
                raise BadInput(f"{self.path} has a row of more than {MOST_LINES:,} lines; a quote may be open")
            yield line


def _n_lines(path: Path) -> int:
    """How many lines there are, where there may be too many; else 0."""
    if path.stat().st_size < MOST_ROWS:
        return 0
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(partial(file.read, LONGEST), b""))


def _require_columns(path: Path, columns: Sequence[str]) -> None:
    """Raise BadInput for columns of one name, or more than any table has."""
    if len(columns) > MOST_COLUMNS:
        raise BadInput(f"{path} has {len(columns):,} columns; a table has at most {MOST_COLUMNS:,}")
    twice = next((name for name, number in Counter(columns).items() if name and number > 1), None)
    if twice is not None:
        raise BadInput(f"{path} has two columns '{twice}'")


def _csv(path: Path) -> TablePart:
    with path.open(newline="", encoding="utf-8-sig") as file:  # spreadsheets begin with a mark, and part as they like
        head = next(_lines(path, file), "")
        between = max(",;\t", key=head.count)
        columns = next(csv.reader([head], delimiter=between), [])
    _require_columns(path, columns)

    def rows(names: Sequence[str]) -> Iterator[tuple[int, Cells]]:
        places = [columns.index(name) for name in names]
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = _Rows(path, file)
            reader = csv.reader(lines.of_rows(), delimiter=between)
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

    return TablePart(path, columns, _beside(path), rows, _n_lines(path))


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
    return TablePart(path, columns, _beside(path), rows, _n_lines(path))


def _beside(path: Path) -> dict[str, Any] | None:
    """The description beside a file; None where there is none."""
    described = beside(path)
    if not described.is_file():
        return None
    return _description(described, text_of(described, most=LONGEST, no_such=("no text", "no description of a table")))


def _description(path: Path, text: str) -> dict[str, Any]:
    """What a file says of itself; raises BadInput."""
    try:
        description = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} does not say in JSON what it is of: {error}") from None
    if not isinstance(description, dict):  # what it says is compared with a game, or read by the door: no more to check
        raise BadInput(f"{path} does not say in a JSON object what it is of")
    return description


# --- rows as positions and moves -------------------------------------------------------------------------------------


def check_description(game: TurnGame, path: Path, part: TablePart) -> None:
    """Raise BadInput for a table of another game."""
    if part.description is None:
        return
    parameters = plain_parameters(game)
    ours = {"game": game.name, "parameters": parameters, "rules_version": game.rules_version}
    for name, value in ours.items():
        other = part.description.get(name)
        if other != value:
            of_game = part.description.get("game")
            hint = f"rollwise compare {of_game} {shlex.quote(str(path))}" if name == "game" else ""
            if isinstance(other, Mapping):
                differ = {one: held for one, held in other.items() if held != parameters.get(one)}
                hint = " ".join(f"-p {one}={shown_value(held)}" for one, held in differ.items())
            there, here = map(_in_words, (other, value))
            raise BadInput(f"{part.path} was made with {name} {there}; this is {name} {here}", hint=hint)


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={shown_value(held)}" for name, held in value.items()) or "none"
    return str(value)


class RowCheck:
    """A look at the rows of a table, one after the other: is each as ``export`` writes it, or changed on the way?

    ``empty``: scores that the first row has none of; ``sign``: before decimals, as the first row with any has it.
    """

    def __init__(self, part: TablePart, game: TurnGame) -> None:
        self.part, self.game, self.sign = part, game, ""
        self.empty: set[str] | None = None
        chosen = (part.description or {}).get("slice")
        usual = {field.name: str(field.left_out) for field in game.fields() if field.left_out is not None}
        slices = chosen.items() if isinstance(chosen, Mapping) and NEEDED not in part.columns else ()
        self.slice = {name: "none" if usual.get(name) == text else text for name, text in slices}
        self.names = [field.name for field in game.fields()]
        scores = {field.name for field in game.fields() if field.of == "board" and not field.form.get("none")}
        self.scores = scores - usual.keys()

    def fields(self, number: int, key: Key) -> None:
        """Raise BadInput for a score that is missing, and for a row outside the slice that the table says it is of."""
        empty = self.scores.intersection(compress(self.names, map(NOTHING.__eq__, key))) if NOTHING in key else set()
        self.empty = empty if self.empty is None else self.empty
        for name in empty ^ self.empty:
            raise self.changed(number, name, "is empty in this row or in the first, and not in both")
        for name, text in self.slice.items():
            typed = key[self.names.index(name)] if name in self.names else text
            if (typed or "none") != text:
                raise self.changed(number, name, f"is {typed}, and the table says that it is of {name}={text}")

    def numbers(self, number: int, cells: Mapping[str, Any]) -> list[float]:
        """Value, lower, upper and values of a row, those there are; raises BadInput for others than export writes."""
        found = [self._number(number, name, cells[name]) for name in NUMBERS[:3] if name in cells]
        cell = cells.get(VALUES, ())
        members = as_list(cell) if isinstance(cell, str | list | tuple) else [None]
        values = [each for member in members if (each := _finite(str(member).replace(",", "."))) is not None]
        if len(values) < len(members):
            raise self.changed(number, VALUES, f"is a list of numbers, got {quoted(plain(cell))}")
        if len(found) == 3:
            (value, low, high), near = found, NEAR * max(1.0, abs(found[0]))
            if self.game.unit == "probability" and not -near <= value <= 1 + near:
                raise self.changed(number, "value", f"is a chance, from 0 to 1, got {value:.9g}")
            if not low - near <= value <= high + near:
                raise self.changed(number, "value", f"{value:.9g} is not between lower {low:.9g} and upper {high:.9g}")
            if values and abs(values[0] - value) > near:
                raise self.changed(number, "value", f"{value:.9g} is not the first of values, {values[0]:.9g}")
        return [*found, *values]

    def _number(self, row: int, name: str, cell: Any) -> float:
        """A number with the decimal sign of the whole file."""
        sign = next((sign for sign in ",." if sign in cell), "") if isinstance(cell, str) else ""
        self.sign = self.sign or sign
        if sign not in ("", self.sign):
            raise self.changed(row, name, f"is {cell}, while other decimals of the file stand behind '{self.sign}'")
        number = _finite(cell.replace(",", ".") if sign else cell)
        if number is None:
            raise self.changed(row, name, f"is a number, got {quoted(plain(cell))}")
        return number

    def changed(self, number: int, column: str, what: str) -> BadInput:
        """The error for a cell that is not as ``export`` writes it."""
        return BadInput(
            f"{self.part.place(number)}: {column} {what}. Has a spreadsheet changed it? Export anew, and open the file "
            "there with decimal points (English) or all columns as text",
            field=column,
        )


def _finite(cell: Any) -> float | None:
    """The number of a cell; None for what is no finite number."""
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def read_rows(
    part: TablePart, game: TurnGame, others: Sequence[str], kept: int | None = None
) -> Iterator[tuple[int, Key, Cells]]:
    """The rows of a file: number, fields as they are typed, cells of the other columns; BadInput where one lacks.

    Rows of text, which a spreadsheet may have saved, are looked at; Parquet is as it was written. With ``kept``, where
    rows are kept and so many are already, TooLarge for too many, at once where the file says it.
    """
    fields, check = list(game.fields()), RowCheck(part, game) if part.path.suffix.lower() != ".parquet" else None
    names = [field.name for field in fields]
    numbers = [name for name in NUMBERS if check and name in part.columns]
    absent = [at for at, each in enumerate(fields) if each.left_out is not None and each.name not in part.columns]
    columns = [*(name for place, name in enumerate(names) if place not in absent), *others]
    for name in columns:
        if name not in part.columns:
            what = f"; it has: {', '.join(part.columns) or 'none'}" if name in names else ", as export writes it"
            raise BadInput(f"{part.path} has no column '{name}'{what}")
    known: list[dict[Any, str]] = [{} for _ in fields]
    for number, cells in part.rows([*columns, *numbers]):
        for place in absent:
            cells.insert(place, None)
        if kept is not None and kept + max(number, part.n_rows) > MOST_ROWS:
            raise TooLarge(f"{part.path} has too many rows: up to {MOST_ROWS:,} are compared; give a part of the table")
        try:
            key = _key_in(fields, known, cells)
        except BadInput as error:
            raise BadInput(f"{part.place(number, error.field)}: {error}") from None
        if check:
            check.fields(number, key)
            check.numbers(number, dict(zip(numbers, cells[len(names) + len(others) :], strict=True)))
        yield number, key, cells[len(names) : len(names) + len(others)]


def chosen_column(part: TablePart, fields: Sequence[Field]) -> str:
    """What the column of the moves that are played is called."""
    names = {field.name for field in fields}
    return next((name for name in CHOSEN if name in part.columns and name not in names), CHOSEN[0])


def _key_in(fields: Sequence[Field], known: Sequence[dict[Any, str]], cells: Sequence[Any]) -> Key:
    """The fields of a row as they are typed; ``known`` are the cells met so far."""
    try:
        return tuple([texts[cell] for texts, cell in zip(known, cells, strict=False)])
    except (KeyError, TypeError):  # not met before, or a list
        return tuple(map(_kept, fields, known, cells))


def _kept(field: Field, texts: dict[Any, str], cell: Any) -> str:
    name = cell if isinstance(cell, Hashable) else str(cell)
    if name not in texts:
        texts[name] = _typed_cell(field, cell)
    return texts[name]


def _typed_cell(field: Field, cell: Any) -> str:
    """A cell of a field as it is typed, however a format or a spreadsheet has kept it; NOTHING where there is none."""
    if cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell)):
        return NOTHING
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return _typed(field, field.parse(cell.removesuffix(".0") if isinstance(cell, str) else cell))


def _typed(field: Field, value: Any) -> str:
    """A value of a field as it is typed; NOTHING for none at all, which a table of numbers cannot tell from it."""
    return NOTHING if value is None or value == field.left_out else field.show(value)


def key_of(fields: Sequence[Field], row: Mapping[str, Any]) -> Key:
    """A row's fields as they are typed."""
    return tuple(_typed(field, row.get(field.name)) for field in fields)


def shown_key(fields: Sequence[Field], key: Key) -> str:
    """The same in a line."""
    return " ".join(f"{field.name}={text}" for field, text in zip(fields, key, strict=True) if text != NOTHING)


def as_list(cell: Any) -> list[Any]:
    """A list, which CSV has as text: ``roll|hold``, and numbers as ``[0.5 0.25]``, in older tables ``0.5|0.25``."""
    if not isinstance(cell, str):
        return list(cell)
    return cell[1:-1].split() if cell.startswith("[") else cell.split(BETWEEN)
