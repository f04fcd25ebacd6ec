"""What data from outside may be: said once, in a class, for the check of it and for its description as JSON schema.

A class is a ``TypedDict``; what stands beside a type are bounds in the words of JSON schema, and the line that an error
says. Without one it is made from the type.

>>> from typing import TypedDict
>>> class Seat(TypedDict, total=False):
...     seat: Required[Annotated[int, {"minimum": 0}, "a seat is a whole number from 0"]]
>>> schema_of(Seat)["properties"]["seat"]
{'type': 'integer', 'minimum': 0, 'description': 'a seat is a whole number from 0'}
>>> check({"seat": -1}, schema_of(Seat))
Traceback (most recent call last):
rollwise.BadInput: a seat is a whole number from 0, got -1

msgspec and pydantic do such work too: their errors name neither what is wanted in words of ours nor what came.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Annotated, Any, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.names import did_you_mean
from rollwise.solver.model.plain import on_a_line, plain, quoted

Schema = dict[str, Any]
TYPES = {int: "integer", float: "number", str: "string", Mapping: "object"}
KINDS: dict[str, tuple[Any, str]] = {  # of JSON: what Python has for it, and how it is said
    "integer": (int, "a whole number"),
    "number": (int | float, "a number"),
    "string": (str, "text"),
    "array": (list | tuple, "a list"),
    "object": (Mapping, "a mapping of names to values"),
}
WORDS: dict[str, Callable[[Any, Any], bool]] = {  # of JSON schema: is this value as the word says?
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
    """The JSON schema of objects of this class; ``closed``: no further names stand beside its own, or in its parts."""
    hints = get_type_hints(cls, include_extras=True)
    needed = [name for name, hint in hints.items() if get_origin(hint) is Required]
    properties = {name: _schema(hint, closed) for name, hint in hints.items()}
    schema = {"type": "object", "description": cls.__doc__, "properties": properties, "required": needed}
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
    """Is this what the schema of a field says? What is in an object is looked at by ``check``."""
    if value is None:
        return "null" in schema.get("type", "null")
    return all(WORDS[word](value, said) for word, said in schema.items() if word in WORDS)


def _in_words(value: Any, schema: Schema) -> str:
    if "maximum" in schema and WORDS["type"](value, schema["type"]):
        return f"from {schema['minimum']} to {schema['maximum']}"
    return KINDS[_kind(schema["type"])][1]


def in_error(value: Any) -> str:
    """Data from outside as an error shows it."""
    return quoted(plain(value))


def check(values: Mapping[str, Any], schema: Schema, show: Callable[[Any], str] = in_error, of: str = "") -> None:
    """Raise BadInput for the first field that is not as the schema says, is needed and not there, or unknown.

    ``show`` shows what came, ``of`` is what the object is called.
    """
    fields = schema["properties"]
    for name in () if schema.get("additionalProperties", True) else values:
        if name not in fields:
            where = f" in {of}" if of else ""
            hint = did_you_mean(name, fields)
            raise BadInput(f"unknown key {quoted(name)}{hint}{where}; keys: {', '.join(fields)}", field=on_a_line(name))
    for name, field in fields.items():
        words = field.get("description", "")
        if name not in values and name in schema["required"] and not words:
            raise BadInput(f"{of} says no '{name}': {schema['description']}", field=name)
        if name in values or name in schema["required"]:
            value: Any = values.get(name)
            if not _fits(value, field):
                words = words or f"{of}.{name} is {_in_words(value, field)}".removeprefix(".")
                raise BadInput(f"{words}, got {show(value)}", field=name)
            if "properties" in field:
                check(value, field, show, name)
