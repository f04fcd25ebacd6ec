"""Answers as JSON: the fields of a dataclass are its keys, in their order, each left out where it has its default.

The metadata of a field says what differs: ``HIDDEN``, no key; ``SPREAD``, the keys of its value among the rest;
``key(...)``. ``rollwise.web.shapes`` describes the keys from the same declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from rollwise.solver.model.fraction_text import fraction_text

HIDDEN, SPREAD = {"hidden": True}, {"key": ""}


class Key(NamedTuple):
    """One key: the attribute ``name`` as ``key``, formatted by ``show``; ``key`` empty: all keys of its value.

    Left out where the attribute has its ``default`` (``MISSING``: never), or, instead, where that of ``when`` is empty.
    """

    key: str
    name: str
    default: Any
    when: str
    show: Callable[[Any], Any]


def key(name: str | None = None, *, when: str = "", show: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """Metadata of a field: another ``name``, and ``when`` and ``show`` of its ``Key``."""
    given = {"key": name, "when": when, "show": show}
    return {option: value for option, value in given.items() if value}


class Jsonable:
    """A dataclass with a JSON form, of its fields (see the module)."""

    def plain(self) -> dict[str, Any]:
        """The object as JSON."""
        return _of_fields(self)


def as_json(value: Any) -> Any:
    """A value as JSON: lists for tuples, texts for fractions, mappings for parts."""
    if isinstance(value, Jsonable):
        return value.plain()
    if isinstance(value, Mapping):
        return {str(name): as_json(entry) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(part) for part in value]
    if isinstance(value, Fraction):
        return fraction_text(value)
    return _of_fields(value) if is_dataclass(value) else value


def _of_fields(obj: Any) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for each in keys_of(type(obj)):
        value = getattr(obj, each.name)
        if not _is_empty(getattr(obj, each.when)) if each.when else value != each.default:
            shown = each.show(value)
            keys |= {each.key: shown} if each.key else shown
    return keys


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value == ""


@cache
def keys_of(cls: Any) -> tuple[Key, ...]:
    """Keys of objects of this class, in order."""
    keys = []
    for field in fields(cls):
        of, default = field.metadata, field.default
        if default is MISSING and field.default_factory is not MISSING:
            default = field.default_factory()
        if "hidden" not in of:
            keys.append(
                Key(of.get("key", field.name), field.name, default, of.get("when", ""), of.get("show", as_json))
            )
    return tuple(keys)


def pick(of: object, *names: str) -> dict[str, Any]:
    """The attributes of an object with these names."""
    return {name: getattr(of, name) for name in names}
