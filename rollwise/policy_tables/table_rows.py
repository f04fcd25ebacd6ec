"""Rows of tables of ``export`` as fields and moves, checked for changes by a spreadsheet."""

from __future__ import annotations

import math
import shlex
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

from rollwise.policy_tables.files import SEPARATOR
from rollwise.policy_tables.table_reader import MAX_ROWS, Cells, TablePart
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.fields import Field
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import plain, quoted
from rollwise.text.spelling import shown_value

MOVE_COLUMNS = ("best_move", "best")  # now, and in old tables
MOVES = "moves"
NUMBERS = ("value", "lower", "upper", VALUES := "values")
ROUNDING_TOLERANCE = 1e-6  # relative, or absolute below 1: rounding by a spreadsheet
NEEDED_COLUMN = "needed"  # the column of tables for every target
EMPTY = ""  # of an absent field, in a key
Key = tuple[str, ...]  # the fields of a row as users type them


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
