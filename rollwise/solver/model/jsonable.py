"""Answers as JSON: the fields of a dataclass are its keys, in their order, each left out where it has its default.

The metadata of a field say what differs: another name as ``key`` (``HIDDEN``: none; ``SPREAD``: all keys of its value,
among the rest), ``when`` and ``show`` of ``Key``. The web's description of answers is made of the same declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

HIDDEN, SPREAD = {"key": None}, {"key": ""}
MAX_STR_BITS, MAX_INT_DIGITS = 2000, 600  # within any limit: the lowest that there can be is 640 digits


class Key(NamedTuple):
    """One key: the attribute ``name`` as ``key``, converted by ``show``.

    Present where the attribute is not its ``default`` (``MISSING`` without one), or, if ``when`` names an attribute,
    where that is not empty.
    """

    key: str
    name: str
    default: Any
    when: str
    show: Callable[[Any], Any]


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
    cls: type = type(obj)
    keys: dict[str, Any] = {}
    for each in keys_of(cls):
        value = getattr(obj, each.name)
        if not _is_empty(getattr(obj, each.when)) if each.when else value != each.default:
            shown = each.show(value)
            keys |= {each.key: shown} if each.key else shown
    return keys


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value == ""


@cache
def keys_of(cls: type) -> tuple[Key, ...]:
    """Keys of objects of this class, in order."""
    keys = []
    for field in fields(cls):
        default = field.default
        if default is MISSING and field.default_factory is not MISSING:
            default = field.default_factory()
        declared = {"key": field.name, "when": "", "show": as_json, **field.metadata}
        if declared["key"] is not None:
            keys.append(Key(name=field.name, default=default, **declared))
    return tuple(keys)


def pick(of: object, *names: str) -> dict[str, Any]:
    """The attributes of an object with these names."""
    return {name: getattr(of, name) for name in names}


def fraction_text(number: Fraction) -> str:
    """Numerator, slash and denominator, or a whole number alone, as ``str`` has it.

    >>> fraction_text(Fraction(36, 43)), fraction_text(Fraction(-2)), len(fraction_text(Fraction(1, 10**5000)))
    ('36/43', '-2', 5003)
    """
    if max(map(int.bit_length, number.as_integer_ratio())) <= MAX_STR_BITS:
        return str(number)
    from flint import fmpq  # without a limit

    return str(fmpq(*number.as_integer_ratio()).str())


def fraction_of(text: str) -> Fraction:
    """The fraction of such a text; raises ValueError for another."""
    if len(text) <= MAX_INT_DIGITS:
        return Fraction(text)
    from flint import fmpz

    return Fraction(*(int(fmpz(part)) for part in text.split("/", 1)))
