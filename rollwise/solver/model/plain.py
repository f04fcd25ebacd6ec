"""Values as people write them, and as Python has them, become plain data: None, bool, int, float, str, list and dict.

NumPy and pandas are not asked for: their arrays and scalars say ``tolist`` or ``item``, other whole numbers
``__index__``. What cannot be read is kept as what an error shows of it (``Strange``), so that whoever reads a field
says in its own words what was wanted.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,98})")  # below HUGE; plain digits, no other script's, no signs or underscores
MOST = 1000  # members of a list that are looked at: no field has more
DEEPEST = 4  # lists in lists
HUGE = 10**100  # from here on a number is told by its digits
LONGEST = 60  # characters of a value that an error shows
NOTHING = ("", "-", "none", "nothing")  # words for an empty list, or for what is not there
MISSING = ("NAType", "NaTType")  # the types of missing values of pandas
WRAPPED = {"[": "]", "(": ")", "{": "}"}
DASHES = str.maketrans("–—−", "---")  # as word processors and web pages write a hyphen


@dataclass(frozen=True)
class Strange:
    """Something that no field can hold, as an error shows it."""

    text: str

    def __repr__(self) -> str:
        return self.text


class Unordered(list[Any]):
    """The members of a set, in no order that means anything."""


def plain(given: Any) -> Any:
    """Any object as plain data. Raises nothing.

    >>> plain((1, range(2, 4))), plain({2: 5.0}), plain(object)
    ([1, [2, 3]], {2: 5}, <class 'object'>)
    """
    try:
        return _plain(given, DEEPEST)
    except Exception:  # whatever an object does when it is asked
        return Strange(_seen(given))


def quoted(given: Any) -> str:
    """Plain data as an error shows it: short, on one line, text in quotes."""
    return on_a_line(f"'{given}'" if isinstance(given, str) else repr(given))


def on_a_line(text: str, longest: int = LONGEST) -> str:
    """Text from outside as an error shows it: short, one line, no signs that a terminal would obey."""
    line = "".join(sign if sign.isprintable() else "?" for sign in " ".join(text[: 2 * longest].split()))
    return line if len(line) <= longest else line[:longest] + " ..."


def count_of(number: float, noun: str) -> str:
    """A number with its noun, in the plural unless it is one.

    >>> count_of(1, "decision"), count_of(1200, "decision")
    ('1 decision', '1,200 decisions')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def is_nothing(given: Any) -> bool:
    """True for a word that says that there is none."""
    return isinstance(given, str) and given.strip().casefold() in NOTHING


def is_empty(given: Any) -> bool:
    """True for what stands in an empty cell: blank text, None, not a number, or what pandas and NumPy have there.

    >>> is_empty(" "), is_empty(float("nan")), is_empty("none"), is_empty(0)
    (True, True, False, False)
    """
    value = plain(given)
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def whole(given: Any) -> int | None:
    """The whole number that this is, None where it is none.

    >>> whole("43"), whole(43), whole("4_3"), whole(True), whole(4.5)
    (43, 43, None, None, None)
    """
    if isinstance(given, str):
        return int(given) if WHOLE.fullmatch(given := given.strip()) else None
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def truth(given: Any) -> bool | None:
    """True or false, as said by a word too; None for anything else."""
    if isinstance(given, bool):
        return given
    words = {"true": True, "false": False, "yes": True, "no": False}
    return words.get(given.strip().casefold()) if isinstance(given, str) else None


def unwrapped(text: str) -> str:
    """Text without the brackets around it and the space in them.

    >>> unwrapped(" [1, 3] "), unwrapped("(1")
    ('1, 3', '(1')
    """
    text = text.translate(DASHES).strip()
    return text[1:-1].strip() if len(text) > 1 and WRAPPED.get(text[0]) == text[-1] else text


def parts(given: Any, *, at_spaces: bool = True) -> list[Any] | None:
    """The members of a list, as data or as text like ``1,2,3``, ``1 2 3`` or ``[1, 2, 3]``; None where it is none.

    ``at_spaces`` False: only commas part them, for there are spaces in names.
    """
    if isinstance(given, list):
        return given
    if isinstance(given, str):
        text = unwrapped(given)
        members = re.split(r"\s*,\s*|\s+" if at_spaces else r"\s*,\s*", text) if text else []
        return [member.strip("'\"") for member in members]
    return [given] if whole(given) is not None else None


def pairs(given: Any) -> list[tuple[Any, Any]] | None:
    """The pairs of a map, as data or as text like ``sixes:18,chance:23`` or ``[3:3 7:14]``; None where it is none."""
    if isinstance(given, dict):
        return list(given.items())
    found = []
    text = re.sub(r"(?<=[0-9])\s+(?=[0-9]+:)", ",", given) if isinstance(given, str) else given
    for part in parts(text, at_spaces=False) or []:
        name, colon, value = str(part).partition(":")
        if not colon or not isinstance(part, str):
            return None
        found.append((name.strip(" '\""), value.strip(" '\"")))
    return found if isinstance(given, str | list) else None


# --- objects ---------------------------------------------------------------------------------------------------------


def _plain(given: Any, deeper: int) -> Any:
    if given is None or type(given).__name__ in MISSING:
        return None
    if isinstance(given, bool | Strange):
        return given
    if isinstance(given, str):
        return str.__str__(given)
    if isinstance(given, int):
        return _number(int.__index__(given))
    if isinstance(given, float):  # where a column of whole numbers has gaps, pandas has 18.0
        number = float.__float__(given)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if isinstance(given, Fraction):
        return str(given)
    if deeper == 0 or isinstance(given, bytes | bytearray | memoryview):
        return Strange(_seen(given))
    if isinstance(given, Mapping | Sequence | Set) and len(given) > MOST:
        return Strange(f"{len(given)} of them")
    if isinstance(given, Mapping):
        return {_key(key): _plain(value, deeper - 1) for key, value in given.items()}
    if isinstance(given, Sequence):
        return [_plain(part, deeper - 1) for part in given]
    if isinstance(given, Set):
        return Unordered(sorted((_plain(part, deeper - 1) for part in given), key=str))
    return _told(given, deeper)


def _told(given: Any, deeper: int) -> Any:
    """What an array, or a scalar of one, says of itself; a class is not asked."""
    of = type(given)
    for name in ("tolist", "to_list", "item"):
        if callable(getattr(of, name, None)):
            size = getattr(given, "size", 0)
            if isinstance(size, int) and size > MOST:
                return Strange(f"{size} of them")
            return _plain(getattr(given, name)(), deeper - 1)
    return _number(operator.index(given)) if hasattr(of, "__index__") else Strange(_seen(given))


def _number(number: int) -> Any:
    return number if abs(number) < HUGE else Strange(f"a number of {int(number.bit_length() * 0.30103)} digits or more")


def _key(key: Any) -> Any:
    told = _plain(key, 1)
    return Strange(_seen(key)) if isinstance(told, list | dict) else told


def _seen(given: Any) -> str:
    try:
        return on_a_line(repr(given))
    except Exception:
        return f"a {type(given).__name__}"
