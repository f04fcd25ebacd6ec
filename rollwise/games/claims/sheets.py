"""Claim sheets in TOML: ``[[claim]]`` tables, read as data. Nothing in them is evaluated.

A claim has ``id``, ``game``, ``statement``, ``stated`` and one of the SHAPES, by which its value is computed:
``throw`` by counting throws, ``score`` and ``play`` by the game's own rules, ``ask`` and ``odds`` in
``rollwise.asking``. Rows of the package's own sheets may name functions of the module beside them too (``compute``).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from importlib import import_module
from operator import sub, truediv
from typing import Annotated, Any, Required, TypeAlias, TypedDict, cast

from rollwise.games import registry
from rollwise.games.claims.claim import Claim, Precision, Value
from rollwise.games.claims.plays import read_play
from rollwise.games.claims.scoring import score
from rollwise.games.claims.stated import Stated, meant, require_number, stated
from rollwise.games.claims.throwing import MAX_DICE, chance as chance_of_a_throw, pattern
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.schema import check, schema_of


class ThrowTable(TypedDict, total=False):
    """Throw of dice, and a pattern that it shows."""

    dice: Required[Annotated[int, {"minimum": 1, "maximum": MAX_DICE}]]
    text: Required[str]


class ScoreTable(TypedDict, total=False):
    """Score of a roll in a box, in a position (``state``) and after steps of the turn."""

    roll: Required[Any]
    box: Required[str]
    state: Mapping[str, Any]
    after: str


class OddsTable(TypedDict, total=False):
    """Best chance of a turn that goes for a box."""

    box: Required[str]
    rolls: Required[int]
    aim: str


class NamedPlay(TypedDict, total=False):
    """``[[play]]`` table: steps that several claims share."""

    id: Required[str]
    state: Mapping[str, Any]
    steps: Required[str]
    names: str


class PlayTable(TypedDict, total=False):
    """Steps of a game, of their own or those ``of`` a [[play]], and what to read ``after`` so many of them."""

    of: str
    state: Mapping[str, Any]
    steps: str
    after: Any
    read: Any
    names: str


class ClaimTable(TypedDict, total=False):
    """``[[claim]]`` table: ``read`` goes with ``ask``, whose table has fields of a question, and with ``play``."""

    id: str
    game: str
    params: Annotated[Mapping[str, Any], "params is a table like {target = 50}"]
    statement: str
    stated: Any
    means: Any
    throw: Annotated[ThrowTable, "throw is a table like {dice = ..., text = ...}"]
    ask: Annotated[Mapping[str, Any], "ask is a table like {mine = 43, theirs = 61}"]
    score: Annotated[ScoreTable, "score is a table like {roll = ..., box = ...}"]
    odds: Annotated[OddsTable, "odds is a table like {box = ..., rolls = ...}"]
    play: Annotated[PlayTable, "play is a table like {steps = ..., read = ...}"]
    combine: str
    readings: Annotated[Mapping[str, Any], "readings is a table of them, each a table like {throw = ...}"]
    read: str
    source: str
    reading: str


class OwnClaimTable(ClaimTable, total=False):
    """``[[claim]]`` table of the package: functions to compute and to compare its value, named."""

    compute: str
    args: Mapping[str, Any]
    agrees: str
    slow: Any


CLAIM, OWN_CLAIM, PLAY = (schema_of(table, closed=True) for table in (ClaimTable, OwnClaimTable, NamedPlay))
SHAPES = ("throw", "ask", "score", "odds", "play")
IN_LISTS = ("throw", "score", "play")  # shapes of which a claim may have several, in a list
FOR_ALL = ("game", "source", "params")  # keys that a sheet may say once, for all its claims
OF_A_READING = ("params", "combine", "read", "args", *SHAPES, "compute")
BEST = "best"  # the value to read is the best move, a text
BEGINS = re.compile(r"\s*\[\[\s*claim\s*\]\]")
MAX_DOTS_PER_LINE = 64  # the parser's memory grows with the square of the parts of a key
ClaimValue: TypeAlias = Value | Mapping[str, Value]


@dataclass(frozen=True)
class Row:
    """One ``[[claim]]``: ``number`` counts from 1, ``arguments`` is the table of its ``shape``, or a list of tables.

    ``line``: its first line, 0 where that is unknown. ``readings``: rows in its place, by name. ``code``: the module
    whose functions it may name, empty for a user's sheet; of these ``agrees`` compares the value.
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
    arguments: Any
    read: str
    source: str
    reading: str
    combine: str = ""
    readings: Mapping[str, Row] = field(default_factory=dict)
    code: str = ""
    agrees: str = ""
    slow: bool = False

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Name the row in errors inside the block."""
        with _locating_errors(self.sheet, self.number, self.line, self.id):
            yield

    def parts(self) -> list[Row]:
        """Rows with one table each: of all readings, and of all members of lists."""
        if self.readings:
            return [part for row in self.readings.values() for part in row.parts()]
        return [replace(self, arguments=table) for table in _members(self.arguments)]


def _members(tables: Any) -> Iterator[Any]:
    """Tables of a list, and of the lists in it."""
    for table in tables if isinstance(tables, list) else ():
        yield from _members(table)
    if not isinstance(tables, list):
        yield tables


@contextmanager
def _locating_errors(sheet: str, number: int, line: int, name: str = "") -> Iterator[None]:
    try:
        yield
    except BadInput as error:
        shown = f" ({name})" if name else ""
        # without the hint, which is a command line to paste, and no row of a sheet
        at = f", line {line}" if line else ""
        raise type(error)(f"{sheet}{at}, claim {number}{shown}: {error}", field=error.field) from None


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
        raise BadInput(f"{sheet} has a key '{_shorten(other[0])}'; a claim sheet has {expected}, and nothing else")
    tables = document.pop("claim", None)
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise BadInput(f"{sheet} has no [[claim]] tables; a line [[claim]] begins each claim")
    plays = _named_plays(document.pop("play", []), sheet)
    first_lines = [number for number, line in enumerate(text.split("\n"), 1) if BEGINS.match(line)]
    first_lines = first_lines if len(first_lines) == len(tables) else [0] * len(tables)
    first_numbers: dict[str, int] = {}
    for number, (table, line) in enumerate(zip(tables, first_lines, strict=True), 1):
        try:
            row = _parse_row({**_for_all(document, table), **table}, plays, Place(sheet, number, line, code))
            with row.placed():
                if first_numbers.setdefault(row.id, number) != number:
                    raise BadInput(f"claim {first_numbers[row.id]} has this id too", field="id")
        except BadInput as error:
            id, game, statement, value = (str(table.get(key, "")) for key in ("id", "game", "statement", "stated"))
            yield make_faulty_claim(error, id or f"claim {number}", game, sheet, statement, value)
        else:
            yield row


def _for_all(document: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Keys that the sheet says for all claims, this one among them; a throw has no rule parameters."""
    return {key: value for key, value in document.items() if not (key == "params" and "throw" in table)}


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


@dataclass(frozen=True)
class Place:
    """Place of a row."""

    sheet: str
    number: int
    line: int
    code: str


def _named_plays(tables: Any, sheet: str) -> dict[str, dict[str, Any]]:
    """The [[play]] tables by id; raises BadInput for the first fault."""
    plays = {}
    for number, table in enumerate(tables if isinstance(tables, list) else [tables], 1):
        try:
            check(table if isinstance(table, dict) else {"id": table}, PLAY, _format_value, "play")
        except BadInput as error:
            raise BadInput(f"{sheet}, play {number}: {error}", field=error.field) from None
        plays[table["id"]] = {key: value for key, value in table.items() if key != "id"}
    return plays


def _parse_row(table: Mapping[str, Any], plays: Mapping[str, Any], place: Place) -> Row:
    name = table.get("id")
    with _locating_errors(place.sheet, place.number, place.line, _shorten(name) if isinstance(name, str) else ""):
        listed = {shape: table[shape] for shape in IN_LISTS if isinstance(table.get(shape), list)}
        schema = OWN_CLAIM if place.code else CLAIM
        check({key: value for key, value in table.items() if key not in listed}, schema, _format_value)
        by_reading = "readings" in table
        shapes = ["readings"] if by_reading else [shape for shape in (*SHAPES, "compute") if shape in table]
        if len(shapes) != 1:
            several = f"has {' and '.join(shapes)}" if shapes else "has none"
            one = f"a claim has one of {', '.join(SHAPES)}; this one {several}"
            raise BadInput(one, field=(shapes or [""])[-1])
        (shape,) = shapes
        if "stated" not in table:
            raise _missing_key("stated")
        statement = meant(table["stated"], table["means"]) if "means" in table else stated(table["stated"])
        with_list = any(isinstance(part, list) for part in (table[shape], *listed.values()))
        read = _one_line(table, "read", "value" if shape == "ask" else "")
        if read and shape not in ("ask", "play", "readings"):
            raise BadInput(f"read goes with ask, and this is a claim of {shape}", field="read")
        if (shape in ("throw", "score", "odds") and not with_list) or (shape == "ask" and read != BEST):
            require_number(statement)
        elif read == BEST and statement.low is not None:
            raise BadInput(f"stated is a move where the best one is read, got '{statement.text}'", field="stated")
        game = _one_line(table, "game", None if shape not in ("throw", "readings") else "")
        combine = _one_line(table, "combine", "")
        if combine and combine not in COMBINED:
            raise BadInput(f"combine is one of {', '.join(COMBINED)}, got '{combine}'", field="combine")
        arguments: Any = as_plain(table[shape])
        for part in _members(arguments) if shape in IN_LISTS else ():
            check({shape: part}, CLAIM, _format_value)
        if shape == "throw":
            for part in _members(arguments):
                pattern(part["text"], part["dice"])
            if table.get("params"):
                raise BadInput("a throw of dice has no params", field="params")
        elif shape == "play":
            arguments = _each(arguments, lambda part: _whole_play(part, plays, read or "points"))
        elif shape == "compute":
            arguments = {"compute": arguments, "args": _as_tuples(as_plain(table.get("args", {})))}
        row = Row(
            sheet=place.sheet,
            number=place.number,
            line=place.line,
            id=_one_line(table, "id"),
            game=game,
            params=as_plain(table.get("params", {})),
            statement=_one_line(table, "statement"),
            stated=statement,
            shape=shape,
            arguments=arguments,
            read=read,
            source=_one_line(table, "source", place.sheet),
            reading=_one_line(table, "reading", ""),
            combine=combine,
            code=place.code,
            agrees=_one_line(table, "agrees", ""),
            slow=table.get("slow", False),
        )
    return replace(row, readings=_readings(table, plays, place)) if shape == "readings" else row


def _readings(table: Mapping[str, Any], plays: Mapping[str, Any], place: Place) -> dict[str, Row]:
    """Rows of all readings: what a reading does not say, the claim says for all of them."""
    common = {key: value for key, value in table.items() if key != "readings"}
    rows = {}
    for name, reading in table["readings"].items():
        with _locating_errors(place.sheet, place.number, place.line, _shorten(str(table["id"]))):
            if not isinstance(reading, dict) or set(reading) - set(OF_A_READING):
                raise BadInput(f"reading '{_shorten(name)}' is a table like {{throw = ...}}", field="readings")
        own_shape = any(shape in reading for shape in (*SHAPES, "compute"))
        shared = {key: value for key, value in common.items() if not (own_shape and key in OF_A_READING[1:])}
        whole = {**shared, **reading}
        if isinstance(reading.get("params"), dict):
            whole["params"] = {**shared.get("params", {}), **reading["params"]}
        rows[name] = _parse_row(whole, plays, place)
    return rows


def _whole_play(table: dict[str, Any], plays: Mapping[str, Any], read: str) -> dict[str, Any]:
    """Play with its state, its steps and what is read, also where these stand in a [[play]]."""
    named = table.get("of")
    if named is not None and named not in plays:
        raise BadInput(f"play is of a [[play]] with this id, got '{_shorten(named)}'", field="play")
    return {"read": read, **as_plain(plays.get(named, {})), **table}


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


# --- several values ------------------------------------------------------------------------------------------------


def _ratio(numbers: list[Fraction]) -> Fraction:
    if 0 in numbers[1:]:
        raise BadInput("a ratio to 0 has no value", field="combine")
    return reduce(truediv, numbers)


COMBINED: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "ratio": _ratio,
    "difference": lambda numbers: reduce(sub, numbers),
    "sum": sum,
    "least": min,
    "most": max,
    "mean": lambda numbers: sum(numbers) / Fraction(len(numbers)),
}


def _each(tables: Any, of: Callable[[Any], Any]) -> Any:
    return [_each(table, of) for table in tables] if isinstance(tables, list) else of(tables)


def _combined(values: Any, combine: str) -> Any:
    """Value with one number in place of each innermost list."""
    if not isinstance(values, list | tuple) or not combine:
        return values
    if any(isinstance(value, list | tuple) for value in values):
        return [_combined(value, combine) for value in values]
    if not values or not all(isinstance(value, Fraction) for value in values):
        raise BadInput("what is combined are numbers", field="combine")
    return COMBINED[combine](values)


def _flat(values: Any) -> Value:
    """One value, or all numbers of a list."""
    if not isinstance(values, list | tuple):
        return cast(Value, values)
    numbers = tuple(_members(_each(list(values), lambda value: list(value) if isinstance(value, tuple) else value)))
    if not all(isinstance(number, Fraction) for number in numbers):
        raise BadInput("several values are numbers", field="read")
    return numbers


# --- from rows to claims -------------------------------------------------------------------------------------------

Compute: TypeAlias = Callable[[Row], Any]


def _chance_of_row(row: Row) -> Fraction:
    return chance_of_a_throw(row.arguments["dice"], row.arguments["text"])


def _game_of_row(row: Row) -> TurnGame:
    game = registry.game(row.game, row.params)
    assert isinstance(game, TurnGame)
    return game


def _score_of_row(row: Row) -> Fraction:
    return score(_game_of_row(row), **row.arguments)


def _value_of_play(row: Row) -> Any:
    return read_play(_game_of_row(row), row.arguments)


def _value_of_function(row: Row) -> ClaimValue:
    value: ClaimValue = getattr(import_module(row.code), row.arguments["compute"])(**row.arguments["args"])
    return value


BY_RULES: dict[str, Compute] = {  # without a solved game
    "throw": _chance_of_row,
    "score": _score_of_row,
    "play": _value_of_play,
    "compute": _value_of_function,
}


def compute_row(row: Row, computers: Mapping[str, Compute] = BY_RULES) -> ClaimValue:
    """Value of a row, or the value of each of its readings; raises BadInput for one that cannot be compared."""
    if row.readings:
        return {name: cast(Value, compute_row(reading, computers)) for name, reading in row.readings.items()}
    compute_value = computers[row.shape]
    if row.shape not in IN_LISTS:
        return cast(ClaimValue, compute_value(row))
    values = _each(row.arguments, lambda table: compute_value(replace(row, arguments=table)))
    value = _flat(_combined(values, row.combine))
    if not isinstance(value, str):
        require_number(row.stated, several=isinstance(value, tuple))
    return value


def make_claim(row: Row, computers: Mapping[str, Compute] = BY_RULES) -> Claim:
    """Claim of a row; raises BadInput for a shape without a computer."""
    for part in row.parts():
        if part.shape not in computers:
            raise BadInput(
                f"{row.sheet}, claim {row.number} ({row.id}): {part.shape} is not known here", field=part.shape
            )

    def compute() -> ClaimValue:
        with row.placed():
            return compute_row(row, computers)

    precision = row.stated.precision(chance=all(part.shape == "throw" and not part.combine for part in row.parts()))
    if row.agrees:
        precision = Precision(row.agrees, lambda *both: getattr(import_module(row.code), row.agrees)(*both))
    of = (row.id, row.game, row.source, row.statement, row.stated.text)
    return Claim(*of, precision, compute, row.reading, slow=row.slow)
