"""Claims as TOML: ``[[claim]]`` tables, read as data. Nothing in them is evaluated.

A claim has ``id``, ``game``, ``statement``, ``stated`` and one of the SHAPES, which says how the value is found:
``throw`` by counting throws, ``score`` by the game's own rules, ``ask`` and ``odds`` by those who know how to ask.
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
from rollwise.games.claims.stated import Stated, number_of, stated
from rollwise.games.claims.throwing import MOST_DICE, chance as chance_of_a_throw, pattern
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.schema import check, schema_of


class ThrowTable(TypedDict, total=False):
    """Dice that are thrown, and what they show."""

    dice: Required[Annotated[int, {"minimum": 1, "maximum": MOST_DICE}]]
    text: Required[str]


class ScoreTable(TypedDict, total=False):
    """What a roll scores in a box."""

    roll: Required[Any]
    box: Required[str]


class OddsTable(TypedDict, total=False):
    """The best chance of a turn that goes for a box."""

    box: Required[str]
    rolls: Required[int]
    aim: str


class ClaimTable(TypedDict, total=False):
    """A ``[[claim]]``: ``read`` goes with ``ask``, which says fields."""

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
BEST = "best"  # what is read is the best move, a text
BEGINS = re.compile(r"\s*\[\[\s*claim\s*\]\]")
MOST_DOTS = 64  # on a line: what the parser keeps grows with the square of a key of many parts
Found: TypeAlias = Value | Mapping[str, Value]


@dataclass(frozen=True)
class Row:
    """One ``[[claim]]``: ``number`` counts from 1, ``said`` is what stands in the table of its ``shape``.

    ``line``: where it begins, 0 where nobody knows.
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
    said: dict[str, Any]
    read: str
    source: str
    reading: str

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Errors name the row."""
        with _placed(self.sheet, self.number, self.line, self.id):
            yield


@contextmanager
def _placed(sheet: str, number: int, line: int, name: str = "") -> Iterator[None]:
    try:
        yield
    except BadInput as error:
        shown = f" ({name})" if name else ""
        # the hint is left out: what it would have pasted is a command, and no row of a sheet
        at = f", line {line}" if line else ""
        raise type(error)(f"{sheet}{at}, claim {number}{shown}: {error}", field=error.field) from None


def rows_of(text: str, sheet: str) -> list[Row]:
    """The rows of a claim sheet; raises BadInput, in one line with the row, for whatever is not as it should be."""
    rows = []
    for row in rows_and_faults(text, sheet):
        if isinstance(row, Claim):
            assert row.fault is not None
            raise row.fault
        rows.append(row)
    return rows


def rows_and_faults(text: str, sheet: str) -> Iterator[Row | Claim]:
    """The rows of a claim sheet; in place of one that cannot be read a claim with its fault.

    ``sheet`` is what to call it, and the source of rows that name none. Raises BadInput where it has no rows at all.
    """
    told = _parsed(text, sheet)
    other = [name for name in told if name != "claim"]
    if other:
        raise BadInput(f"{sheet} has a key '{_short(other[0])}'; a claim sheet has [[claim]] tables and nothing else")
    tables = told.get("claim")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise BadInput(f"{sheet} has no [[claim]] tables; a line [[claim]] begins each claim")
    begins = [number for number, line in enumerate(text.split("\n"), 1) if BEGINS.match(line)]
    begins = begins if len(begins) == len(tables) else [0] * len(tables)
    seen: dict[str, int] = {}
    for number, (table, line) in enumerate(zip(tables, begins, strict=True), 1):
        try:
            row = _row(table, sheet, number, line)
            with row.placed():
                if seen.setdefault(row.id, number) != number:
                    raise BadInput(f"claim {seen[row.id]} has this id too", field="id")
        except BadInput as error:
            id, game, statement, said = (str(table.get(key, "")) for key in ("id", "game", "statement", "stated"))
            yield faulty(error, id or f"claim {number}", game, sheet, statement, said)
        else:
            yield row


def faulty(error: BadInput, id: str, game: str, source: str, statement: str, stated: str) -> Claim:
    """A claim that cannot be read."""
    precision = Precision("not at all", lambda stated, value: None)
    return Claim(id, game, source, statement, stated, precision, lambda: {}, fault=error)


def _parsed(text: str, sheet: str) -> dict[str, Any]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            raise BadInput(f"{sheet} has more than {MOST_DOTS} dots on line {number}, which is no claim")
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except RecursionError:
        raise BadInput(f"{sheet} is nested too deeply") from None
    except (ValueError, ArithmeticError) as error:
        raise BadInput(f"{sheet} is not TOML: {error}") from None


def _row(table: Mapping[str, Any], sheet: str, number: int, line: int) -> Row:
    name = table.get("id")
    with _placed(sheet, number, line, _short(name) if isinstance(name, str) else ""):
        check(table, CLAIM, _shown)
        shapes = [shape for shape in SHAPES if shape in table]
        if len(shapes) != 1:
            several = f"has {' and '.join(shapes)}" if shapes else "has none"
            one = f"a claim has one of {', '.join(SHAPES)}; this one {several}"
            raise BadInput(one, field=(shapes or [""])[-1])
        (shape,) = shapes
        if "stated" not in table:
            raise _lacking("stated")
        named = stated(table["stated"])
        read = _line(table, "read", "value" if shape == "ask" else "")
        if read and shape != "ask":
            raise BadInput(f"read goes with ask, and this is a claim of {shape}", field="read")
        if read != BEST:
            number_of(named)
        elif named.low is not None:
            raise BadInput(f"stated is a move where the best one is read, got '{named.text}'", field="stated")
        game = _line(table, "game", None if shape != "throw" else "")
        if shape == "throw":
            pattern(table["throw"]["text"], table["throw"]["dice"])
            if table.get("params"):
                raise BadInput("a throw of dice has no params", field="params")
        return Row(
            sheet=sheet,
            number=number,
            line=line,
            id=_line(table, "id"),
            game=game,
            params=plain(table.get("params", {})),
            statement=_line(table, "statement"),
            stated=named,
            shape=shape,
            said=plain(table[shape]),
            read=read,
            source=_line(table, "source", sheet),
            reading=_line(table, "reading", ""),
        )


def _lacking(key: str) -> BadInput:
    return BadInput(f"a claim says its {key}; this one does not", field=key)


def _line(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """A text as one line."""
    if key not in table and default is None:
        raise _lacking(key)
    line = " ".join("".join(c if c.isprintable() else " " for c in table.get(key, default)).split())
    if not line and (default is None or key in table):
        raise BadInput(f"{key} is empty", field=key)
    return line


def plain(value: Any) -> Any:
    """A TOML value as the door takes values: its decimal numbers are floats."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [plain(part) for part in value]
    return {key: plain(part) for key, part in value.items()} if isinstance(value, dict) else value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _short(str(plain(value)) if isinstance(value, list | dict | Decimal) else repr(value))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "..."


# --- from rows to claims -------------------------------------------------------------------------------------------

Compute: TypeAlias = Callable[[Row], Found]


def _thrown(row: Row) -> Found:
    return chance_of_a_throw(row.said["dice"], row.said["text"])


def _scored(row: Row) -> Found:
    game = registry.game(row.game, row.params)
    assert isinstance(game, TurnGame)
    return score(game, row.said["roll"], row.said["box"])


BY_RULES: dict[str, Compute] = {"throw": _thrown, "score": _scored}  # how values are found that need no solved game


def claim_of(row: Row, finders: Mapping[str, Compute] = BY_RULES) -> Claim:
    """A row as a claim; raises BadInput for a shape that nobody here can find the value of."""
    if row.shape not in finders:
        raise BadInput(f"{row.sheet}, claim {row.number} ({row.id}): {row.shape} is not known here", field=row.shape)
    find = finders[row.shape]

    def compute() -> Found:
        with row.placed():
            return find(row)

    precision = row.stated.precision(chance=row.shape == "throw")
    return Claim(row.id, row.game, row.source, row.statement, row.stated.text, precision, compute, row.reading)
