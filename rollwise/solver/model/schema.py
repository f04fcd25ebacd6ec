"""Schemas of data from outside: one class serves both the check and the description as JSON schema.

The class is a ``TypedDict``; beside a type stand bounds in the keywords of JSON schema, and the text of the error.
Without one it follows from the type.

>>> from typing import TypedDict
>>> class Seat(TypedDict, total=False):
...     seat: Required[Annotated[int, {"minimum": 0}, "a seat is a whole number from 0"]]
>>> schema_of(Seat)["properties"]["seat"]
{'type': 'integer', 'minimum': 0, 'description': 'a seat is a whole number from 0'}
>>> check({"seat": -1}, schema_of(Seat))
Traceback (most recent call last):
rollwise.BadInput: a seat is a whole number from 0, got -1

msgspec and pydantic do such work too, but their errors name neither the expected value in our words nor the received.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Annotated, Any, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.names import did_you_mean
from rollwise.solver.model.plain import one_line, plain, quoted

Schema = dict[str, Any]
TYPES = {int: "integer", float: "number", str: "string", Mapping: "object"}
KINDS: dict[str, tuple[Any, str]] = {  # types of JSON: that of Python, and its text in errors
    "integer": (int, "a whole number"),
    "number": (int | float, "a number"),
    "string": (str, "text"),
    "array": (list | tuple, "a list"),
    "object": (Mapping, "a mapping of names to values"),
}
KEYWORDS: dict[str, Callable[[Any, Any], bool]] = {  # of JSON schema: True where the value satisfies the keyword
    "type": lambda value, kind: isinstance(value, KINDS[_kind(kind)][0]) and not isinstance(value, bool),
    "minimum": operator.ge,
    "maximum": operator.le,
    "exclusiveMinimum": operator.gt,
    "exclusiveMaximum": operator.lt,
    "maxLength": lambda text, most: len(text) <= most,
    "maxItems": lambda members, most: len(members) <= most,
    "items": lambda members, schema: all(_fits(member, schema) for member in members),
}


def schema_of(cls: Any, *, closed: bool = False) -> Schema:
    """The JSON schema of objects of this class; ``closed``: other names, there or in its parts, are errors."""
    hints = get_type_hints(cls, include_extras=True)
    required = [name for name, hint in hints.items() if get_origin(hint) is Required]
    properties = {name: _schema(hint, closed) for name, hint in hints.items()}
    schema = {"type": "object", "description": cls.__doc__, "properties": properties, "required": required}
    return schema | ({"additionalProperties": False} if closed else {})


def _schema(hint: Any, closed: bool) -> Schema:
    of, inside = get_origin(hint) or hint, get_args(hint)
    if is_typeddict(of):
        return schema_of(of, closed=closed)
    if of is Any or of in TYPES:
        return {} if of is Any else {"type": TYPES[of]}
    schema = _schema(inside[0], closed)
    if of is list:
        return {"type": "array", "items": schema}
    if of in (Union, UnionType):  # or null
        return schema | {"type": [schema["type"], "null"]}
    for beside in inside[1:] if of is Annotated else ():  # else of Required
        schema = schema | ({"description": beside} if isinstance(beside, str) else beside)
    return schema


def _kind(kind: str | list[str]) -> str:
    """The kind beside null."""
    return kind if isinstance(kind, str) else kind[0]


def _fits(value: Any, schema: Schema) -> bool:
    """True where the value satisfies the schema of its field; ``check`` looks into objects."""
    if value is None:
        return "null" in schema.get("type", "null")
    return all(KEYWORDS[keyword](value, bound) for keyword, bound in schema.items() if keyword in KEYWORDS)


def _expected_text(value: Any, schema: Schema) -> str:
    if "maximum" in schema and KEYWORDS["type"](value, schema["type"]):
        return f"from {schema['minimum']} to {schema['maximum']}"
    return KINDS[_kind(schema["type"])][1]


def error_text(value: Any) -> str:
    """Data from outside as an error shows it."""
    return quoted(plain(value))


def check(values: Mapping[str, Any], schema: Schema, show: Callable[[Any], str] = error_text, of: str = "") -> None:
    """Raise BadInput for the first field that violates the schema, is required and missing, or is unknown.

    ``show`` formats the received value, ``of`` is the name of the object.
    """
    fields = schema["properties"]
    for name in () if schema.get("additionalProperties", True) else values:
        if name not in fields:
            where = f" in {of}" if of else ""
            hint = did_you_mean(name, fields)
            raise BadInput(f"unknown key {quoted(name)}{hint}{where}; keys: {', '.join(fields)}", field=one_line(name))
    for name, field in fields.items():
        text = field.get("description", "")
        if name not in values and name in schema["required"] and not text:
            raise BadInput(f"{of} says no '{name}': {schema['description']}", field=name)
        if name in values or name in schema["required"]:
            value: Any = values.get(name)
            if not _fits(value, field):
                text = text or f"{of}.{name} is {_expected_text(value, field)}".removeprefix(".")
                raise BadInput(f"{text}, got {show(value)}", field=name)
            if "properties" in field:
                check(value, field, show, name)
