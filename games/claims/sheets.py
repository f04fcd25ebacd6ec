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
from difflib import get_close_matches
from typing import Any, TypeAlias

from rollwise.games import registry
from rollwise.games.claims.claim import Claim, Precision, Value
from rollwise.games.claims.scoring import score
from rollwise.games.claims.stated import Stated, number_of, stated
from rollwise.games.claims.throwing import MOST_DICE, chance as chance_of_a_throw, pattern
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import TurnGame

SHAPES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # what each must say, and what it may; ask says fields
    "throw": (("dice", "text"), ()),
    "ask": ((), ()),
    "score": (("roll", "box"), ()),
    "odds": (("box", "rolls"), ("aim",)),
}
KEYS = ("id", "game", "params", "statement", "stated", *SHAPES, "read", "source", "reading")
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
        for key in table:
            if key not in KEYS:
                near = get_close_matches(key, KEYS, n=1)
                hint = f" (did you mean '{near[0]}'?)" if near else ""
                raise BadInput(f"unknown key '{_short(key)}'{hint}; keys: {', '.join(KEYS)}", field=_short(key))
        shape = _shape(table)
        said = _said(table, shape)
        named = stated(_wanted(table, "stated"))
        read = _line(table, "read", "value" if shape == "ask" else "")
        if read and shape != "ask":
            raise BadInput(f"read goes with ask, and this is a claim of {shape}", field="read")
        if read != BEST:
            number_of(named)
        elif named.low is not None:
            raise BadInput(f"stated is a move where the best one is read, got '{named.text}'", field="stated")
        game = _line(table, "game", None if shape != "throw" else "")
        params = table.get("params", {})
        if not isinstance(params, dict):
            raise BadInput(f"params is a table like {{target = 50}}, got {_shown(params)}", field="params")
        if params and shape == "throw":
            raise BadInput("a throw of dice has no params", field="params")
        return Row(
            sheet=sheet,
            number=number,
            line=line,
            id=_line(table, "id"),
            game=game,
            params={key: plain(value) for key, value in params.items()},
            statement=_line(table, "statement"),
            stated=named,
            shape=shape,
            said=said,
            read=read,
            source=_line(table, "source", sheet),
            reading=_line(table, "reading", ""),
        )


def _shape(table: Mapping[str, Any]) -> str:
    found = [shape for shape in SHAPES if shape in table]
    if len(found) != 1:
        several = f"has {' and '.join(found)}" if found else "has none"
        raise BadInput(f"a claim has one of {', '.join(SHAPES)}; this one {several}", field=(found or [""])[-1])
    return found[0]


def _said(table: Mapping[str, Any], shape: str) -> dict[str, Any]:
    """What a shape says, as plain data."""
    said = table[shape]
    must, may = SHAPES[shape]
    example = f"{{{', '.join(f'{key} = ...' for key in must)}}}" if must else "{mine = 43, theirs = 61}"
    if not isinstance(said, dict):
        raise BadInput(f"{shape} is a table like {example}, got {_shown(said)}", field=shape)
    if shape != "ask":
        for key in said:
            if key not in (*must, *may):
                raise BadInput(f"unknown key '{_short(key)}' in {shape}; keys: {', '.join((*must, *may))}", field=shape)
        for key in must:
            if key not in said:
                raise BadInput(f"{shape} says no '{key}'; it is a table like {example}", field=shape)
    kinds: dict[str, type] = {"dice": int, "text": str, "box": str, "rolls": int, "aim": str}
    for key, kind in kinds.items() if shape != "ask" else ():
        if key in said and (not isinstance(said[key], kind) or isinstance(said[key], bool)):
            what = "a whole number" if kind is int else "text"
            raise BadInput(f"{shape}.{key} is {what}, got {_shown(said[key])}", field=key)
    if shape == "throw":
        if not 1 <= said["dice"] <= MOST_DICE:
            raise BadInput(f"throw.dice is from 1 to {MOST_DICE}, got {_shown(said['dice'])}", field="dice")
        pattern(said["text"], said["dice"])
    return {key: plain(value) for key, value in said.items()}


def _wanted(table: Mapping[str, Any], key: str) -> Any:
    if key not in table:
        raise BadInput(f"a claim says its {key}; this one does not", field=key)
    return table[key]


def _line(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """A text as one line."""
    given = _wanted(table, key) if default is None else table.get(key, default)
    if not isinstance(given, str):
        raise BadInput(f"{key} is text, got {_shown(given)}", field=key)
    line = " ".join("".join(c if c.isprintable() else " " for c in given).split())
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
