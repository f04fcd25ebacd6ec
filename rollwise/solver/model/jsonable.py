"""Answers as JSON: each class declares its keys once, beside its fields.

A class derived from ``Jsonable`` has all its fields as keys, in their order, or those that its ``JSON`` lists instead,
names of fields and properties in items like these.

    value                      the field or property of this name
    class=called               the same under another name
    note?                      left out where it is empty: None, no text, no entries
    moves?(best moves)         those in brackets, where ``moves`` is not empty
    *advice                    all keys of this part, among the rest

``parts_of`` parses that for the description of the answers, too (``rollwise.web.shapes``), so that both agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, NamedTuple

from rollwise.solver.model.fraction_text import fraction_text

SPEC_ITEM = re.compile(r"(?:(\w+)\?\(([^)]*)\)|(\*)?(?:(\w+)=)?(\w+)(\?)?)(?:\s+|$)")


class ShownKey(NamedTuple):
    """One key: the attribute ``name`` as ``key``, present where the attribute ``where`` (if any) is not empty.

    ``key`` empty: all keys of the attribute, among the rest.
    """

    key: str
    name: str
    where: str | None


class Jsonable:
    """An object with a JSON form, declared by ``JSON`` (see the module); by default all its fields."""

    JSON: ClassVar[str] = ""

    def plain(self) -> dict[str, Any]:
        """The object as JSON."""
        return shown(self)


def shown(obj: Any, spec: str = "") -> dict[str, Any]:
    """A dataclass as JSON; ``spec`` instead of its own ``JSON``."""
    keys: dict[str, Any] = {}
    cls: type = type(obj)
    for key, name, where in parts_of(cls, spec):
        if where is None or not _is_nothing(getattr(obj, where)):
            value = as_json(getattr(obj, name))
            keys |= {key: value} if key else value
    return keys


def as_json(value: Any) -> Any:
    """A value as JSON: lists for tuples, texts for fractions, mappings for parts."""
    if isinstance(value, Jsonable):
        return value.plain()
    if isinstance(value, Mapping):
        return {str(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(part) for part in value]
    if isinstance(value, Fraction):
        return fraction_text(value)
    return shown(value) if is_dataclass(value) else value


@cache
def parts_of(cls: type, spec: str = "") -> tuple[ShownKey, ...]:
    """Keys of objects of this class, in order."""
    spec = (spec or getattr(cls, "JSON", "")).strip()
    if not spec:
        return tuple(ShownKey(field.name, field.name, None) for field in fields(cls))
    keys: list[ShownKey] = []
    at = 0
    while at < len(spec):
        item = SPEC_ITEM.match(spec, at)
        if item is None:
            raise ValueError(f"{cls.__name__}.JSON cannot be read from '{spec[at:]}' on")
        where, inside, spread, key, name, may_miss = item.groups()
        if where:
            keys += [each._replace(where=where) for each in parts_of(cls, inside)]
        else:
            keys.append(ShownKey("" if spread else key or name, name, name if may_miss else None))
        at = item.end()
    return tuple(keys)


def _is_nothing(value: Any) -> bool:
    return value is None or value is False or value in ("", {}, (), [])


def pick(of: object, *names: str) -> dict[str, Any]:
    """The attributes of an object with these names."""
    return {name: getattr(of, name) for name in names}
