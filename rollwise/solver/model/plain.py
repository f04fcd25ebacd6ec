"""Values as people write them, or Python objects, as plain data: None, bool, int, float, str, list and dict.

NumPy and pandas are not imported: their arrays and scalars have ``tolist`` or ``item``, other whole numbers
``__index__``. A value that cannot be read becomes its text for an error (``Unreadable``), so that each field can raise
an error of its own.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,98})")  # below HUGE; plain digits, no other script's, no signs or underscores
MAX_MEMBERS = 1000  # of a list: no field has more
MAX_DEPTH = 4  # of lists in lists
TOO_LARGE = 10**100  # an error shows only the number of digits of larger ones
MAX_SHOWN_CHARS = 60  # of a value in an error
NOTHING = ("", "-", "none", "nothing")  # an empty list, or no value
MISSING = ("NAType", "NaTType")  # the types of missing values of pandas
BRACKETS = {"[": "]", "(": ")", "{": "}"}
DASHES = str.maketrans("–—−", "---")  # as word processors and web pages write a hyphen


@dataclass(frozen=True)
class Unreadable:
    """The text, for an error, of a value that no field allows."""

    text: str

    def __repr__(self) -> str:
        return self.text


class Unordered(list[Any]):
    """The members of a set, in no order that means anything."""


def plain(value: Any) -> Any:
    """Any object as plain data. Raises nothing.

    >>> plain((1, range(2, 4))), plain({2: 5.0}), plain(object)
    ([1, [2, 3]], {2: 5}, <class 'object'>)
    """
    try:
        return _plain(value, MAX_DEPTH)
    except Exception:  # methods of an unknown object may raise anything
        return Unreadable(_shown(value))


def quoted(value: Any) -> str:
    """Plain data as an error shows it: short, on one line, text in quotes."""
    return one_line(f"'{value}'" if isinstance(value, str) else repr(value))


def one_line(text: str, max_chars: int = MAX_SHOWN_CHARS) -> str:
    """Text from outside as an error shows it: short, one line, no signs that a terminal would obey."""
    line = "".join(sign if sign.isprintable() else "?" for sign in " ".join(text[: 2 * max_chars].split()))
    return line if len(line) <= max_chars else line[:max_chars] + " ..."


def count_of(number: float, noun: str) -> str:
    """A number with its noun, in the plural unless it is one.

    >>> count_of(1, "decision"), count_of(1200, "decision")
    ('1 decision', '1,200 decisions')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def is_nothing(value: Any) -> bool:
    """True for a word that means none."""
    return isinstance(value, str) and value.strip().casefold() in NOTHING


def is_empty(cell: Any) -> bool:
    """True for the content of an empty cell: blank text, None, not a number, or a missing value of pandas or NumPy.

    >>> is_empty(" "), is_empty(float("nan")), is_empty("none"), is_empty(0)
    (True, True, False, False)
    """
    value = plain(cell)
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def whole(value: Any) -> int | None:
    """The whole number in this text or data, None for anything else.

    >>> whole("43"), whole(43), whole("4_3"), whole(True), whole(4.5)
    (43, 43, None, None, None)
    """
    if isinstance(value, str):
        return int(value) if WHOLE.fullmatch(value := value.strip()) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def truth(value: Any) -> bool | None:
    """A truth value, or a word for one, as a bool; None for anything else."""
    if isinstance(value, bool):
        return value
    words = {"true": True, "false": False, "yes": True, "no": False}
    return words.get(value.strip().casefold()) if isinstance(value, str) else None


def unwrapped(text: str) -> str:
    """Text without the brackets around it and the space in them.

    >>> unwrapped(" [1, 3] "), unwrapped("(1")
    ('1, 3', '(1')
    """
    text = text.translate(DASHES).strip()
    return text[1:-1].strip() if len(text) > 1 and BRACKETS.get(text[0]) == text[-1] else text


def parts(value: Any, *, at_spaces: bool = True) -> list[Any] | None:
    """The members of a list, as data or as text like ``1,2,3``, ``1 2 3`` or ``[1, 2, 3]``; None where it is none.

    ``at_spaces`` False: only commas part them, for there are spaces in names.
    """
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        text = unwrapped(value)
        members = re.split(r"\s*,\s*|\s+" if at_spaces else r"\s*,\s*", text) if text else []
        return [member.strip("'\"") for member in members]
    return [value] if whole(value) is not None else None


def pairs(argument: Any) -> list[tuple[Any, Any]] | None:
    """The pairs of a map, as data or as text like ``sixes:18,chance:23`` or ``[3:3 7:14]``; None where it is none."""
    if isinstance(argument, dict):
        return list(argument.items())
    items = []
    text = re.sub(r"(?<=[0-9])\s+(?=[0-9]+:)", ",", argument) if isinstance(argument, str) else argument
    for part in parts(text, at_spaces=False) or []:
        name, colon, value = str(part).partition(":")
        if not colon or not isinstance(part, str):
            return None
        items.append((name.strip(" '\""), value.strip(" '\"")))
    return items if isinstance(argument, str | list) else None


# --- objects ---------------------------------------------------------------------------------------------------------


def _plain(argument: Any, deeper: int) -> Any:
    if argument is None or type(argument).__name__ in MISSING:
        return None
    if isinstance(argument, bool | Unreadable):
        return argument
    if isinstance(argument, str):
        return str.__str__(argument)
    if isinstance(argument, int):
        return _number(int.__index__(argument))
    if isinstance(argument, float):  # where a column of whole numbers has gaps, pandas has 18.0
        number = float.__float__(argument)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if isinstance(argument, Fraction):
        return str(argument)
    if deeper == 0 or isinstance(argument, bytes | bytearray | memoryview):
        return Unreadable(_shown(argument))
    if isinstance(argument, Mapping | Sequence | Set) and len(argument) > MAX_MEMBERS:
        return Unreadable(f"{len(argument)} of them")
    if isinstance(argument, Mapping):
        return {_key(key): _plain(value, deeper - 1) for key, value in argument.items()}
    if isinstance(argument, Sequence):
        return [_plain(part, deeper - 1) for part in argument]
    if isinstance(argument, Set):
        return Unordered(sorted((_plain(part, deeper - 1) for part in argument), key=str))
    return _plain_of_array(argument, deeper)


def _plain_of_array(value: Any, deeper: int) -> Any:
    """Plain data of an array, or of a scalar of one, by its own methods; methods of a class are not called."""
    of = type(value)
    for name in ("tolist", "to_list", "item"):
        if callable(getattr(of, name, None)):
            size = getattr(value, "size", 0)
            if isinstance(size, int) and size > MAX_MEMBERS:
                return Unreadable(f"{size} of them")
            return _plain(getattr(value, name)(), deeper - 1)
    return _number(operator.index(value)) if hasattr(of, "__index__") else Unreadable(_shown(value))


def _number(n: int) -> Any:
    return n if abs(n) < TOO_LARGE else Unreadable(f"a number of {int(n.bit_length() * 0.30103)} digits or more")


def _key(key: Any) -> Any:
    value = _plain(key, 1)
    return Unreadable(_shown(key)) if isinstance(value, list | dict) else value


def _shown(value: Any) -> str:
    try:
        return one_line(repr(value))
    except Exception:
        return f"a {type(value).__name__}"
