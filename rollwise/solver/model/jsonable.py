"""Answers as JSON holds them: what a class shows is said once, beside its fields.

A class derived from ``Jsonable`` shows all its fields in their order, or what its ``JSON`` lists instead: names of
fields and properties, in words like these.

    value                      the field or property of this name
    class=called               the same under another name
    note?                      left out where there is nothing: None, no text, no entries
    moves?(best moves)         those in brackets, where there is something in ``moves``
    *advice                    all that this part shows, among the rest

``parts_of`` reads that for whoever describes the answers, too (``rollwise.web.shapes``), so no description drifts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, NamedTuple

from rollwise.solver.model.long_fractions import fraction_text

WORD = re.compile(r"(?:(\w+)\?\(([^)]*)\)|(\*)?(?:(\w+)=)?(\w+)(\?)?)(?:\s+|$)")


class ShownKey(NamedTuple):
    """One thing that is shown: the attribute ``name`` as ``key``, where there is something in ``where`` (if any).

    ``key`` empty: all that the attribute shows, among the rest.
    """

    key: str
    name: str
    where: str | None


class Jsonable:
    """Something that JSON shows, as ``JSON`` says: see the module; by default all its fields."""

    JSON: ClassVar[str] = ""

    def plain(self) -> dict[str, Any]:
        """As JSON shows it."""
        return shown(self)


def shown(of: Any, words: str = "") -> dict[str, Any]:
    """A dataclass as JSON shows it; ``words`` instead of its own ``JSON``."""
    plain: dict[str, Any] = {}
    cls: type = type(of)
    for key, name, where in parts_of(cls, words):
        if where is None or not _is_nothing(getattr(of, where)):
            value = as_json(getattr(of, name))
            plain |= {key: value} if key else value
    return plain


def as_json(value: Any) -> Any:
    """A value as JSON holds it: lists for tuples, texts for fractions, mappings for parts."""
    if isinstance(value, Jsonable):
        return value.plain()
    if isinstance(value, Mapping):
        return {str(key): as_json(held) for key, held in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(part) for part in value]
    if isinstance(value, Fraction):
        return fraction_text(value)
    return shown(value) if is_dataclass(value) else value


@cache
def parts_of(cls: type, words: str = "") -> tuple[ShownKey, ...]:
    """What objects of this class show, in this order."""
    words = (words or getattr(cls, "JSON", "")).strip()
    if not words:
        return tuple(ShownKey(field.name, field.name, None) for field in fields(cls))
    keys: list[ShownKey] = []
    at = 0
    while at < len(words):
        word = WORD.match(words, at)
        if word is None:
            raise ValueError(f"{cls.__name__}.JSON cannot be read from '{words[at:]}' on")
        where, inside, spread, key, name, may_miss = word.groups()
        if where:
            keys += [each._replace(where=where) for each in parts_of(cls, inside)]
        else:
            keys.append(ShownKey("" if spread else key or name, name, name if may_miss else None))
        at = word.end()
    return tuple(keys)


def _is_nothing(value: Any) -> bool:
    return value is None or value is False or value in ("", {}, (), [])
