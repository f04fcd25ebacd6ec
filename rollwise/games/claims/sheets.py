"""Claim sheets in TOML: ``[[claim]]`` tables, read as data. Nothing in them is evaluated.

A claim has ``id``, ``game``, ``statement``, ``stated`` and one of the SHAPES, by which its value is computed:
``throw`` by counting throws, ``score`` by the game's own rules, ``ask`` and ``odds`` in ``rollwise.questions``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Required, TypeAlias, TypedDict

from rollwise.games import registry
from rollwise.games.claims.claim import Claim, Precision, Value
from rollwise.games.claims.scoring import score
from rollwise.games.claims.stated import Stated, require_number, stated
from rollwise.games.claims.throwing import MAX_DICE, chance as chance_of_a_throw, pattern
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.schema import check, schema_of


class ThrowTable(TypedDict, total=False):
    """Throw of dice, and a pattern that it shows."""

    dice: Required[Annotated[int, {"minimum": 1, "maximum": MAX_DICE}]]
    text: Required[str]


class ScoreTable(TypedDict, total=False):
    """Score of a roll in a box."""

    roll: Required[Any]
    box: Required[str]


class OddsTable(TypedDict, total=False):
    """Best chance of a turn that goes for a box."""

    box: Required[str]
    rolls: Required[int]
    aim: str


class ClaimTable(TypedDict, total=False):
    """``[[claim]]`` table: ``read`` goes with ``ask``, whose table has fields of a question."""

    id: str
    game: str
    params: Annotated[Mapping[str, Any], "params is a table like {target = 50}"]
    statement: str
    stated: Any
    throw: Annotated[ThrowTable, "throw is a table like {dice = ..., text = ...}"]
    ask: Annotated[Mapping[str, Any], "ask is a table like {mine = 43, theirs = 61}"]
    score: Annotated[ScoreTable, "score is a table like {roll = ..., box = ...}"]
    odds: Annotated[OddsTable, "odds is a table like {box = ..., rolls = ...}"]
    read: str
    source: str
    reading: str


CLAIM = schema_of(ClaimTable, closed=True)
SHAPES = ("throw", "ask", "score", "odds")
BEST = "best"  # the value to read is the best move, a text
BEGINS = re.compile(r"\s*\[\[\s*claim\s*\]\]")
MAX_DOTS_PER_LINE = 64  # the parser's memory grows with the square of the parts of a key
ClaimValue: TypeAlias = Value | Mapping[str, Value]


@dataclass(frozen=True)
class Row:
    """One ``[[claim]]``: ``number`` counts from 1, ``arguments`` is the table of its ``shape``.

    ``line``: its first line, 0 where that is unknown.
    """

    sheet: str
    number: int
    line: int
    id: str
    game: str
    params: dict[str, Any]
    statement: str
    stated: Stated
    shape: str
    arguments: dict[str, Any]
    read: str
    source: str
    reading: str

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Name the row in errors inside the block."""
        with _locating_errors(self.sheet, self.number, self.line, self.id):
            yield


@contextmanager
def _locating_errors(sheet: str, number: int, line: int, name: str = "") -> Iterator[None]:
    try:
        yield
    except BadInput as error:
        shown = f" ({name})" if name else ""
        # without the hint, which is a command line to paste, and no row of a sheet
        at = f", line {line}" if line else ""
        raise type(error)(f"{sheet}{at}, claim {number}{shown}: {error}", field=error.field) from None


def parse_rows(text: str, sheet: str) -> list[Row]:
    """Rows of a claim sheet; raises BadInput, in one line with the row, for any fault."""
    rows = []
    for row in parse_rows_or_faults(text, sheet):
        if isinstance(row, Claim):
            assert row.fault is not None
            raise row.fault
        rows.append(row)
    return rows


def parse_rows_or_faults(text: str, sheet: str) -> Iterator[Row | Claim]:
    """Rows of a claim sheet; in place of one that cannot be read a claim with its fault.

    ``sheet``: its name, and the source of rows that name none. Raises BadInput where it has no rows at all.
    """
    document = _parse_toml(text, sheet)
    other = [name for name in document if name != "claim"]
    if other:
        raise BadInput(f"{sheet} has a key '{_shorten(other[0])}'; a claim sheet has [[claim]] tables and nothing else")
    tables = document.get("claim")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise BadInput(f"{sheet} has no [[claim]] tables; a line [[claim]] begins each claim")
    first_lines = [number for number, line in enumerate(text.split("\n"), 1) if BEGINS.match(line)]
    first_lines = first_lines if len(first_lines) == len(tables) else [0] * len(tables)
    first_numbers: dict[str, int] = {}
    for number, (table, line) in enumerate(zip(tables, first_lines, strict=True), 1):
        try:
            row = _parse_row(table, sheet, number, line)
            with row.placed():
                if first_numbers.setdefault(row.id, number) != number:
                    raise BadInput(f"claim {first_numbers[row.id]} has this id too", field="id")
        except BadInput as error:
            id, game, statement, value = (str(table.get(key, "")) for key in ("id", "game", "statement", "stated"))
            yield make_faulty_claim(error, id or f"claim {number}", game, sheet, statement, value)
        else:
            yield row


def make_faulty_claim(error: BadInput, id: str, game: str, source: str, statement: str, stated: str) -> Claim:
    """Claim that cannot be read."""
    precision = Precision("not at all", lambda stated, value: None)
    return Claim(id, game, source, statement, stated, precision, lambda: {}, fault=error)


def _parse_toml(text: str, sheet: str) -> dict[str, Any]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MAX_DOTS_PER_LINE:
            raise BadInput(f"{sheet} has more than {MAX_DOTS_PER_LINE} dots on line {number}, which is no claim")
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except RecursionError:
        raise BadInput(f"{sheet} is nested too deeply") from None
    except (ValueError, ArithmeticError) as error:
        raise BadInput(f"{sheet} is not TOML: {error}") from None


def _parse_row(table: Mapping[str, Any], sheet: str, number: int, line: int) -> Row:
    name = table.get("id")
    with _locating_errors(sheet, number, line, _shorten(name) if isinstance(name, str) else ""):
        check(table, CLAIM, _format_value)
        shapes = [shape for shape in SHAPES if shape in table]
        if len(shapes) != 1:
            several = f"has {' and '.join(shapes)}" if shapes else "has none"
            one = f"a claim has one of {', '.join(SHAPES)}; this one {several}"
            raise BadInput(one, field=(shapes or [""])[-1])
        (shape,) = shapes
        if "stated" not in table:
            raise _missing_key("stated")
        statement = stated(table["stated"])
        read = _one_line(table, "read", "value" if shape == "ask" else "")
        if read and shape != "ask":
            raise BadInput(f"read goes with ask, and this is a claim of {shape}", field="read")
        if read != BEST:
            require_number(statement)
        elif statement.low is not None:
            raise BadInput(f"stated is a move where the best one is read, got '{statement.text}'", field="stated")
        game = _one_line(table, "game", None if shape != "throw" else "")
        if shape == "throw":
            pattern(table["throw"]["text"], table["throw"]["dice"])
            if table.get("params"):
                raise BadInput("a throw of dice has no params", field="params")
        return Row(
            sheet=sheet,
            number=number,
            line=line,
            id=_one_line(table, "id"),
            game=game,
            params=as_plain(table.get("params", {})),
            statement=_one_line(table, "statement"),
            stated=statement,
            shape=shape,
            arguments=as_plain(table[shape]),
            read=read,
            source=_one_line(table, "source", sheet),
            reading=_one_line(table, "reading", ""),
        )


def _missing_key(key: str) -> BadInput:
    return BadInput(f"a claim says its {key}; this one does not", field=key)


def _one_line(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """Text of a key as one line."""
    if key not in table and default is None:
        raise _missing_key(key)
    line = " ".join("".join(c if c.isprintable() else " " for c in table.get(key, default)).split())
    if not line and (default is None or key in table):
        raise BadInput(f"{key} is empty", field=key)
    return line


def as_plain(value: Any) -> Any:
    """TOML value with floats for its decimal numbers."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [as_plain(part) for part in value]
    return {key: as_plain(part) for key, part in value.items()} if isinstance(value, dict) else value


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _shorten(str(as_plain(value)) if isinstance(value, list | dict | Decimal) else repr(value))


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "..."


# --- from rows to claims -------------------------------------------------------------------------------------------

Compute: TypeAlias = Callable[[Row], ClaimValue]


def _chance_of_row(row: Row) -> ClaimValue:
    return chance_of_a_throw(row.arguments["dice"], row.arguments["text"])


def _score_of_row(row: Row) -> ClaimValue:
    game = registry.game(row.game, row.params)
    assert isinstance(game, TurnGame)
    return score(game, row.arguments["roll"], row.arguments["box"])


BY_RULES: dict[str, Compute] = {"throw": _chance_of_row, "score": _score_of_row}  # without a solved game


def make_claim(row: Row, computers: Mapping[str, Compute] = BY_RULES) -> Claim:
    """Claim of a row; raises BadInput for a shape without a computer."""
    if row.shape not in computers:
        raise BadInput(f"{row.sheet}, claim {row.number} ({row.id}): {row.shape} is not known here", field=row.shape)
    compute_value = computers[row.shape]

    def compute() -> ClaimValue:
        with row.placed():
            return compute_value(row)

    precision = row.stated.precision(chance=row.shape == "throw")
    return Claim(row.id, row.game, row.source, row.statement, row.stated.text, precision, compute, row.reading)
