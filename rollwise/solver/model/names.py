"""Names as people write them: in any case, with spaces, hyphens or underscores; answers have the one spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 60  # characters of a name that are looked at to guess what was meant
LEAST = 3  # letters of a name that is guessed at
BETWEEN = re.compile(r"[\s_–—'’-]+")
PLAIN = re.compile(r"[^\W_](?:[\w\s–—'’-]|[.,](?=\s|\d))*")  # words and numbers, and no path
COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
WORDS = {word: str(number) for number, word in enumerate(COUNTED, 1)}
WORDS |= {f"{number}s": f"{word}s" for number, word in enumerate(COUNTED[:5], 1)} | {"6s": "sixes"}
WORDS |= {"aces": "ones", "sm": "small", "lg": "large"}  # as printed sheets have them


def folded(name: str) -> str:
    """A name without what people write in different ways.

    >>> folded("Full_House"), folded("3-2-1"), folded("piggy six") == folded("Piggy-Six")
    ('fullhouse', '321', True)
    """
    return BETWEEN.sub("", name.casefold())


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, each in its one spelling."""
    found = re.findall(r"\d+s\b|[^\W\d_]+|\d+", re.sub("['’]", "", text.casefold()))
    return [WORDS.get(word, word) for word in found]


def matched(name: object, known: Iterable[str]) -> str | None:
    """The one of the ``known`` names that is meant, as it is spelt there; None where it is none of them, or two.

    >>> matched("Rolls Left", ["roll", "rolls_left"]), matched("rolls", ["roll", "rolls_left"])
    ('rolls_left', None)
    """
    if not isinstance(name, str):
        return None
    found = list(known)
    if name in found:
        return name
    alike = [other for other in found if folded(other) == folded(name)]
    if not alike and PLAIN.fullmatch(name):
        alike = [other for other in found if "".join(words_of(other)) == "".join(words_of(name))]
    return alike[0] if len(alike) == 1 else None


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The only known name that one slip makes this one: a letter too many, too few, another, or two exchanged.

    >>> nearest("yatzee", ["yahtzee"]), nearest("21", ["421"]), nearest("big", ["pig"]), nearest("pig 34", ["pig"])
    ('yahtzee', None, None, None)
    """
    if not isinstance(name, str):
        return None
    near = {other for other in known if _is_slip(folded(name[:LONGEST]), folded(other))}
    return near.pop() if len(near) == 1 else None


def _is_slip(typed: str, name: str) -> bool:
    """True where one letter differs, in a name long enough for that; a digit is no letter."""
    short = min(len(typed), len(name))
    if short < LEAST or re.sub(r"\D", "", typed) != re.sub(r"\D", "", name):
        return False
    at = next((at for at in range(short) if typed[at] != name[at]), short)
    one, other = typed[at:], name[at:]
    is_exchanged = (one[1::-1], one[2:]) == (other[:2], other[2:])
    return is_exchanged or one[1:] == other or one == other[1:] or (len(name) > LEAST and one[1:] == other[1:])


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """That guess as an error tells it, with a space before it; empty where nothing is like it.

    >>> did_you_mean("their", ["mine", "theirs"])
    " (did you mean 'theirs'?)"
    """
    near = nearest(name, known)
    return f" (did you mean '{near}'?)" if near else ""
