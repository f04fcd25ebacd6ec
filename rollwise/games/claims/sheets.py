"""Claim sheets in TOML: ``[[claim]]`` tables, read as data. Nothing in them is evaluated.

A claim has ``id``, ``game``, ``statement``, ``stated`` and one of the SHAPES, by which its value is computed:
``throw`` by counting throws, ``score`` and ``play`` by the game's own rules, ``ask`` and ``odds`` in
``rollwise.questions``. Rows of the package's own sheets may name functions of the module beside them too (``compute``).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from rollwise.games.claims.claim import Claim
from rollwise.games.claims.stated import Stated, meant, require_number, stated
from rollwise.games.claims.tables import CLAIM, FOR_ALL, IN_LISTS, OF_A_SHAPE, OWN_CLAIM, PLAY, SHAPES
from rollwise.games.claims.throwing import pattern
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.schema import check

BEST = "best"  # the value to read is the best move, a text
COMBINED = ("ratio", "difference", "sum", "least", "most", "mean")
BEGINS = re.compile(r"\s*\[\[\s*claim\s*\]\]")
MAX_DOTS_PER_LINE = 64  # the parser's memory grows with the square of the parts of a key


@dataclass(frozen=True)
class Place:
    """Place of a claim: ``number`` counts from 1, ``line`` is its first one, 0 where that is unknown.

    ``code``: the module whose functions it may name, empty for a user's sheet.
    """

    sheet: str
    number: int
    line: int
    code: str = ""

    @contextmanager
    def named(self, id: str) -> Iterator[None]:
        """Name the claim in errors inside the block."""
        try:
            yield
        except BadInput as error:
            shown = f" ({id})" if id else ""
            # without the hint, which is a command line to paste, and no row of a sheet
            at = f", line {self.line}" if self.line else ""
            raise type(error)(f"{self.sheet}{at}, claim {self.number}{shown}: {error}", field=error.field) from None


@dataclass(frozen=True)
class Row:
    """One ``[[claim]]``: ``arguments`` is the table of its ``shape``, or a list of tables to ``combine``.

    ``readings``: rows in its place, by name. ``agrees``: the function that compares the value, where it is named.
    """

    place: Place
    id: str
    game: str
    params: dict[str, Any]
    statement: str
    stated: Stated
    shape: str
    arguments: Any
    read: str
    combine: str
    source: str
    reading: str
    agrees: str
    slow: bool
    readings: Mapping[str, Row] = field(default_factory=dict)

    def parts(self) -> list[Row]:
        """Rows with one table each: of all readings, and of all members of lists."""
        if self.readings:
            return [part for row in self.readings.values() for part in row.parts()]
        return [replace(self, arguments=table) for table in members(self.arguments)]


def members(tree: Any) -> list[Any]:
    """Members of a list and of the lists in it; a single one where it is no list."""
    return [leaf for member in tree for leaf in members(member)] if isinstance(tree, list) else [tree]


def each(tree: Any, of: Callable[[Any], Any]) -> Any:
    """Lists of the same form, with ``of(member)`` in place of each member."""
    return [each(member, of) for member in tree] if isinstance(tree, list) else of(tree)


def parse_rows(text: str, sheet: str, code: str = "") -> list[Row]:
    """Rows of a claim sheet; raises BadInput, in one line with the row, for any fault."""
    rows = []
    for row in parse_rows_or_faults(text, sheet, code):
        if isinstance(row, Claim):
            assert row.fault is not None
            raise row.fault
        rows.append(row)
    return rows


def parse_rows_or_faults(text: str, sheet: str, code: str = "") -> Iterator[Row | Claim]:
    """Rows of a claim sheet; in place of one that cannot be read a claim with its fault.

    ``sheet``: its name, and the source of rows that name none. ``code``: the module beside one of the package's own
    sheets. Raises BadInput where it has no rows at all.
    """
    document = _parse_toml(text, sheet)
    other = [name for name in document if name not in ("claim", "play", *FOR_ALL)]
    if other:
        expected = f"[[claim]] and [[play]] tables, {', '.join(FOR_ALL)}"
        raise BadInput(f"{sheet} has a key '{_shorten(other[0])}'; a claim sheet has {expected} and nothing else")
    tables = document.pop("claim", None)
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise BadInput(f"{sheet} has no [[claim]] tables; a line [[claim]] begins each claim")
    plays = _named_plays(document.pop("play", []), sheet)
    first_lines = [number for number, line in enumerate(text.split("\n"), 1) if BEGINS.match(line)]
    first_lines = first_lines if len(first_lines) == len(tables) else [0] * len(tables)
    first_numbers: dict[str, int] = {}
    for number, (table, line) in enumerate(zip(tables, first_lines, strict=True), 1):
        for_all = {key: value for key, value in document.items() if not (key == "params" and "throw" in table)}
        try:
            row = _parse_row({**for_all, **table}, plays, Place(sheet, number, line, code))
            with row.place.named(row.id):
                if first_numbers.setdefault(row.id, number) != number:
                    raise BadInput(f"claim {first_numbers[row.id]} has this id too", field="id")
        except BadInput as error:
            id, game, statement, value = (str(table.get(key, "")) for key in ("id", "game", "statement", "stated"))
            yield make_faulty_claim(error, id or f"claim {number}", game, sheet, statement, value)
        else:
            yield row


def make_faulty_claim(error: BadInput, id: str, game: str, source: str, statement: str, stated: str) -> Claim:
    """Claim that cannot be read."""
    return Claim(id, game, source, statement, stated, lambda stated, value: None, lambda: {}, fault=error)


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


def _named_plays(tables: Any, sheet: str) -> dict[str, dict[str, Any]]:
    """The [[play]] tables by id; raises BadInput for the first fault."""
    plays: dict[str, dict[str, Any]] = {}
    for number, table in enumerate(tables if isinstance(tables, list) else [tables], 1):
        if not isinstance(table, dict):
            raise BadInput(f"{sheet} has a key 'play'; a line [[play]] begins each play")
        try:
            check(table, PLAY, _format_value, "play")
        except BadInput as error:
            raise BadInput(f"{sheet}, play {number}: {error}", field=error.field) from None
        plays[table["id"]] = {key: as_plain(value) for key, value in table.items() if key != "id"}
    return plays


def _parse_row(table: Mapping[str, Any], plays: Mapping[str, Any], place: Place) -> Row:
    name = table.get("id")
    with place.named(_shorten(name) if isinstance(name, str) else ""):
        lists = [shape for shape in IN_LISTS if isinstance(table.get(shape), list)]
        schema = OWN_CLAIM if place.code else CLAIM
        check({key: value for key, value in table.items() if key not in lists}, schema, _format_value)
        shapes = [shape for shape in (*SHAPES, "compute") if shape in table]
        if len(shapes) != 1 and "readings" not in table:
            several = f"has {' and '.join(shapes)}" if shapes else "has none"
            one = f"a claim has one of {', '.join(SHAPES)}; this one {several}"
            raise BadInput(one, field=(shapes or [""])[-1])
        shape = "readings" if "readings" in table else shapes[0]
        _require_key(table, "stated")
        statement = meant(table["stated"], table["means"]) if "means" in table else stated(table["stated"])
        statement = statement.exactly() if place.code else statement  # a rule sheet's whole numbers are meant so
        read = _one_line(table, "read", "value" if shape == "ask" else "")
        if read and shape not in ("ask", "play", "readings"):
            raise BadInput(f"read goes with ask and play, and this is a claim of {shape}", field="read")
        combine = _one_line(table, "combine", "")
        if combine and combine not in COMBINED:
            raise BadInput(f"combine is one of {', '.join(COMBINED)}, got '{_shorten(combine)}'", field="combine")
        if (shape in ("throw", "score", "odds") and shape not in lists) or (shape == "ask" and read != BEST):
            require_number(statement)
        elif read == BEST and statement.low is not None:
            raise BadInput(f"stated is a move where the best one is read, got '{statement.text}'", field="stated")
        game = _one_line(table, "game", None if shape not in ("throw", "readings") else "")
        row = Row(
            place=place,
            id=_one_line(table, "id"),
            game=game,
            params=as_plain(table.get("params", {})),
            statement=_one_line(table, "statement"),
            stated=statement,
            shape=shape,
            arguments={} if shape == "readings" else _arguments(table, shape, plays, read),
            read=read,
            combine=combine,
            source=_one_line(table, "source", place.sheet),
            reading=_one_line(table, "reading", ""),
            agrees=_one_line(table, "agrees", ""),
            slow=table.get("slow", False),
        )
    readings = {name: _parse_row(part, plays, place) for name, part in _readings(table, place).items()}
    return replace(row, readings=readings)


def _arguments(table: Mapping[str, Any], shape: str, plays: Mapping[str, Any], read: str) -> Any:
    """Table of the shape, or tables, each with all that its value is computed from."""
    arguments = as_plain(table[shape])
    if shape == "compute":
        return {"compute": arguments, "args": _as_tuples(as_plain(table.get("args", {})))}
    for part in members(arguments) if shape in IN_LISTS else ():
        check({shape: part}, CLAIM, _format_value)
        if shape == "throw":
            pattern(part["text"], part["dice"])
    if shape == "throw" and table.get("params"):
        raise BadInput("a throw of dice has no params", field="params")
    return each(arguments, lambda part: _whole_play(part, plays, read or "points")) if shape == "play" else arguments


def _whole_play(table: dict[str, Any], plays: Mapping[str, Any], read: str) -> dict[str, Any]:
    """Play with its state and steps, also where these stand in a [[play]], and with what is read."""
    of = table.get("of")
    if of is not None and of not in plays:
        raise BadInput(f"play is of a [[play]] of the sheet, got '{_shorten(of)}'", field="play")
    play = {"steps": "", "read": read, **plays.get(of or "", {}), **table}
    if not all(isinstance(read, str) for read in members(play["read"])):
        raise BadInput(f"play.read is text, or a list of it, got {_format_value(play['read'])}", field="read")
    return play


def _readings(table: Mapping[str, Any], place: Place) -> dict[str, dict[str, Any]]:
    """Tables of all readings: what a reading does not say, the claim says for it."""
    tables = {}
    for name, reading in table.get("readings", {}).items():
        with place.named(_shorten(table["id"])):
            if not isinstance(reading, dict) or set(reading) - {"params", *OF_A_SHAPE}:
                raise BadInput(f"reading '{_shorten(name)}' is a table like {{throw = ...}}", field="readings")
        dropped = {"readings", *(OF_A_SHAPE if any(shape in reading for shape in (*SHAPES, "compute")) else ())}
        common = {key: value for key, value in table.items() if key not in dropped}
        params = {**common.get("params", {}), **own} if isinstance(own := reading.get("params"), dict) else own
        tables[name] = {**common, **reading, **({} if params is None else {"params": params})}
    return tables


def _require_key(table: Mapping[str, Any], key: str) -> None:
    if key not in table:
        raise BadInput(f"a claim says its {key}; this one does not", field=key)


def _one_line(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """Text of a key as one line."""
    if default is None:
        _require_key(table, key)
    line = " ".join("".join(c if c.isprintable() else " " for c in table.get(key, default)).split())
    if not line and (default is None or key in table):
        raise BadInput(f"{key} is empty", field=key)
    return line


def as_plain(value: Any) -> Any:
    """TOML value with floats for its decimal numbers."""
    if isinstance(value, dict):
        return {key: as_plain(part) for key, part in value.items()}
    return each(value, as_plain) if isinstance(value, list) else float(value) if isinstance(value, Decimal) else value


def _as_tuples(value: Any) -> Any:
    """Value with tuples for its lists."""
    if isinstance(value, dict):
        return {key: _as_tuples(part) for key, part in value.items()}
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _shorten(str(as_plain(value)) if isinstance(value, list | dict | Decimal) else repr(value))


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "..."
