"""Matching of names as people write them: any case, spaces, hyphens or underscores, and single slips."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_GUESSED_CHARS = 60  # of a name that is compared with others
MIN_LETTERS = 3  # of a name that is compared with others
BETWEEN = re.compile(r"[\s_–—'’-]+")
PLAIN = re.compile(r"[^\W_](?:[\w\s–—'’-]|[.,](?=\s|\d))*")  # words and numbers, and no path
NUMERALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
SPELLINGS = {word: str(number) for number, word in enumerate(NUMERALS, 1)}
SPELLINGS |= {f"{number}s": f"{word}s" for number, word in enumerate(NUMERALS[:5], 1)} | {"6s": "sixes"}
SPELLINGS |= {"aces": "ones", "sm": "small", "lg": "large"}  # as printed sheets have them


def folded(name: str) -> str:
    """A name without the differences of case, spaces and hyphens.

    >>> folded("Full_House"), folded("3-2-1"), folded("piggy six") == folded("Piggy-Six")
    ('fullhouse', '321', True)
    """
    return BETWEEN.sub("", name.casefold())


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, each in its one spelling."""
    words = re.findall(r"\d+s\b|[^\W\d_]+|\d+", re.sub("['’]", "", text.casefold()))
    return [SPELLINGS.get(word, word) for word in words]


def matched(name: object, names: Iterable[str]) -> str | None:
    """The one of ``names`` that matches this name, as it is spelt there; None where none does, or several do.

    >>> matched("Rolls Left", ["roll", "rolls_left"]), matched("rolls", ["roll", "rolls_left"])
    ('rolls_left', None)
    """
    if not isinstance(name, str):
        return None
    candidates = list(names)
    if name in candidates:
        return name
    alike = [other for other in candidates if folded(other) == folded(name)]
    if not alike and PLAIN.fullmatch(name):
        alike = [other for other in candidates if "".join(words_of(other)) == "".join(words_of(name))]
    return alike[0] if len(alike) == 1 else None


def nearest(name: object, names: Iterable[str]) -> str | None:
    """The only one of ``names`` within one slip of this: a letter too many, too few, another, or two exchanged.

    >>> nearest("yatzee", ["yahtzee"]), nearest("21", ["421"]), nearest("big", ["pig"]), nearest("pig 34", ["pig"])
    ('yahtzee', None, None, None)
    """
    if not isinstance(name, str):
        return None
    near = {other for other in names if _is_slip(folded(name[:MAX_GUESSED_CHARS]), folded(other))}
    return near.pop() if len(near) == 1 else None


def _is_slip(typed: str, name: str) -> bool:
    """True where the two differ by one slip, in a name long enough for that; a digit is no letter."""
    short = min(len(typed), len(name))
    if short < MIN_LETTERS or re.sub(r"\D", "", typed) != re.sub(r"\D", "", name):
        return False
    place = next((place for place in range(short) if typed[place] != name[place]), short)
    rest, other = typed[place:], name[place:]
    is_exchanged = (rest[1::-1], rest[2:]) == (other[:2], other[2:])
    return is_exchanged or rest[1:] == other or rest == other[1:] or (len(name) > MIN_LETTERS and rest[1:] == other[1:])


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """The nearest name as a suggestion in an error, with a space before it; empty where there is none.

    >>> did_you_mean("their", ["mine", "theirs"])
    " (did you mean 'theirs'?)"
    """
    near = nearest(name, names)
    return f" (did you mean '{near}'?)" if near else ""
