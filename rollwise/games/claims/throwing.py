"""Patterns of one throw, said in words: ``three of a kind``, ``no 1 or 5``, ``total at most 5``. Nothing is evaluated.

A text is read from left to right by a fixed list of forms; what is not on the list is refused, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.dice import throws
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.names import COUNTED

Truths: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Thrown:
    """All different throws of so many dice, a number each: the ``ways`` it falls, its ``total``, the longest ``row``.

    ``counts``: a row for each face, how many dice show it; ``shape``: the same, largest number first.
    """

    ways: Numbers
    counts: Numbers
    shape: Numbers
    total: Numbers
    row: Numbers

    @property
    def different(self) -> Numbers:
        """How many different faces there are."""
        number: Numbers = (self.counts > 0).sum(axis=0)
        return number


Pattern: TypeAlias = Callable[[Thrown], Truths]

MOST_DICE = 20  # all 53,130 different throws are looked at; a chance is a sum of whole numbers below 2 ** 63
LONGEST = 1000  # letters of a text: what it takes to look at all throws grows with them
FACES = ("one", "two", "three", "four", "five", "six")
FORMS = (
    "a 1 or 5",
    "no 1 or 5",
    "only 2, 3 or 4",
    "at least two sixes",
    "exactly one 6",
    "a pair",
    "two pairs",
    "three pairs",
    "three of a kind",
    "exactly three of a kind",
    "two triples",
    "a full house",
    "a straight",
    "a straight of four",
    "all different",
    "all equal",
    "at least three different faces",
    "all even",
    "all odd",
    "total 7",
    "total 7 or 11",
    "total at most 5",
    "total 3 to 6",
    "total even",
    "dice 6-5",
)
JOINED = "no before a pattern of equal dice, a straight or a full house; 'and' binds closer than 'or'"


def chance(dice: int, text: str) -> Fraction:
    """P(one throw of so many dice is what the text says), by counting all throws.

    Raises BadInput for a text that is not of the vocabulary, and for a number of dice that is none.

    >>> chance(2, "total 7 or 11"), chance(6, "no 1 or 5 and no three of a kind")
    (Fraction(2, 9), Fraction(5, 162))
    """
    if not 1 <= dice <= MOST_DICE:
        raise BadInput(f"dice is from 1 to {MOST_DICE}, got {dice}", field="dice")
    every = _thrown(dice)
    return Fraction(int(every.ways[pattern(text, dice)(every)].sum()), 6**dice)


@cache
def _thrown(dice: int) -> Thrown:
    falls = throws(dice)
    counts = np.array([[faces.count(face) for faces, _ in falls] for face in range(1, 7)], dtype=np.int8)
    row, longest = np.zeros(len(falls), dtype=np.int64), np.zeros(len(falls), dtype=np.int64)
    for of_face in counts:
        row = np.where(of_face > 0, row + 1, 0)
        longest = np.maximum(longest, row)
    ways = np.array([ways for _, ways in falls])
    return Thrown(ways, counts, -np.sort(-counts, axis=0), np.arange(1, 7) @ counts, longest)


@cache
def pattern(text: str, dice: int) -> Pattern:
    """The pattern that a text names, for a throw of so many dice; raises BadInput."""
    if len(text) > LONGEST:
        raise BadInput(f"throw.text has up to {LONGEST:,} letters, got {len(text):,}", field="text")
    rest = " ".join(text.lower().split())
    either: list[list[Pattern]] = [[]]
    while True:
        found, rest = _first(rest, text, dice)
        either[-1].append(found)
        if not rest:
            return _any_of([_all_of(parts) for parts in either])
        joint = re.match(r",? (and|or) ", rest)
        assert joint is not None  # each form ends before one
        if joint[1] == "or":
            either.append([])
        rest = rest[joint.end() :]


def _refused(text: str) -> BadInput:
    said = text if len(text) <= 60 else text[:60] + "..."
    return BadInput(f"throw.text cannot be '{said}'; it is one of: {', '.join(FORMS)}; {JOINED}", field="text")


def _first(rest: str, text: str, dice: int) -> tuple[Pattern, str]:
    """The longest pattern at the beginning, and what is left of the text after it."""
    ends = r"(?=$|,? and |,? or )"
    matches = [(found, read) for form, read in READERS if (found := re.match(form + ends, rest))]
    if not matches:
        raise _refused(text)
    found, read = max(matches, key=lambda match: match[0].end())
    return read(found, dice), rest[found.end() :]


def _all_of(parts: list[Pattern]) -> Pattern:
    return lambda thrown: reduce(np.logical_and, (part(thrown) for part in parts))


def _any_of(parts: list[Pattern]) -> Pattern:
    return lambda thrown: reduce(np.logical_or, (part(thrown) for part in parts))


# --- numbers, faces, and how many ----------------------------------------------------------------------------------

NUMBER = rf"(?:\d{{1,3}}|{'|'.join(COUNTED)})"
COMPARED = r"(?P<compared>at least|at most|exactly|more than|fewer than)"
FACE = r"(?:[1-6]s?|ones?|twos?|threes?|fours?|fives?|six|sixes)"
LISTED = rf"{FACE}(?:(?:, {FACE})*,? or {FACE})?"  # 1, 4 or 5
EACH = rf"an? {FACE}(?:(?:, (?:an? )?{FACE})*,? or (?:an? )?{FACE})?"  # a 1, a 4 or a 5
COMPARE: dict[str, Callable[[Numbers, int], Truths]] = {
    "at least": lambda count, number: count >= number,
    "at most": lambda count, number: count <= number,
    "exactly": lambda count, number: count == number,
    "more than": lambda count, number: count > number,
    "fewer than": lambda count, number: count < number,
}


def _number(word: str) -> int:
    return COUNTED.index(word) + 1 if word in COUNTED else int(word)


def _face(word: str) -> int:
    if word[0].isdigit():
        return int(word[0])
    return FACES.index("six" if word.startswith("six") else word.removesuffix("s")) + 1


def _faces(listed: str) -> frozenset[int]:
    return frozenset(_face(word) for word in re.findall(rf"\b{FACE}\b", listed))


def _counted(counted: Callable[[Thrown], Numbers], compared: str | None, number: str) -> Pattern:
    compare, wanted = COMPARE[compared or "at least"], _number(number)
    return lambda thrown: compare(counted(thrown), wanted)


def _unless(no: str | None, fits: Pattern) -> Pattern:
    return (lambda thrown: ~fits(thrown)) if no else fits


# --- the forms -----------------------------------------------------------------------------------------------------


def _shows(found: re.Match[str], dice: int) -> Pattern:
    """A 1 or 5: some die shows one of these."""
    places = [face - 1 for face in _faces(found["faces"])]
    return lambda thrown: thrown.counts[places].sum(axis=0) > 0


def _shows_none(found: re.Match[str], dice: int) -> Pattern:
    return _unless("no", _shows(found, dice))


def _shows_only(found: re.Match[str], dice: int) -> Pattern:
    places = [face - 1 for face in _faces(found["faces"])]
    return lambda thrown: thrown.counts[places].sum(axis=0) == dice


def _so_many(found: re.Match[str], dice: int) -> Pattern:
    """At least two sixes."""
    place = _face(found["face"]) - 1
    return _counted(lambda thrown: thrown.counts[place], found["compared"], found["number"])


def _of_a_kind(found: re.Match[str], dice: int) -> Pattern:
    """Some face lies so often; with ``exactly`` none lies more often."""
    return _unless(found["no"], _counted(lambda thrown: thrown.shape[0], found["compared"], found["number"]))


def _groups(found: re.Match[str], dice: int) -> Pattern:
    """Pairs or triples, so many; four equal dice are two pairs, six equal dice two triples, but not different ones."""
    size = 2 if found["group"] == "pair" else 3
    most = 1 if found["different"] else dice

    def groups(thrown: Thrown) -> Numbers:
        number: Numbers = np.minimum(thrown.counts // size, most).sum(axis=0, dtype=np.int8)
        return number

    return _unless(found["no"], _counted(groups, None, "one" if found["number"] == "a" else found["number"]))


def _no_group(found: re.Match[str], dice: int) -> Pattern:
    size = 2 if found["group"] == "pair" else 3
    return lambda thrown: thrown.shape[0] < size


def _full_house(found: re.Match[str], dice: int) -> Pattern:
    """Three of one face and two of another."""
    return _unless(found["no"], lambda thrown: (thrown.shape[0] > 2) & (thrown.shape[1] > 1))


def _straight(found: re.Match[str], dice: int) -> Pattern:
    """All dice in a row, or so many of them."""
    long = _number(found["number"]) if found["number"] else dice
    return _unless(found["no"], lambda thrown: thrown.row >= long)


def _different(found: re.Match[str], dice: int) -> Pattern:
    return _counted(lambda thrown: thrown.different, found["compared"], found["number"])


def _all_are(found: re.Match[str], dice: int) -> Pattern:
    words: dict[str, Pattern] = {
        "different": lambda thrown: thrown.different == dice,
        "equal": lambda thrown: thrown.different == 1,
        "even": lambda thrown: thrown.counts[::2].sum(axis=0) == 0,
        "odd": lambda thrown: thrown.counts[1::2].sum(axis=0) == 0,
    }
    return words[found["word"]]


def _total(found: re.Match[str], dice: int) -> Pattern:
    totals = [int(number) for number in re.findall(r"\d+", found["totals"])]
    return lambda thrown: np.isin(thrown.total, totals)


def _total_compared(found: re.Match[str], dice: int) -> Pattern:
    return _counted(lambda thrown: thrown.total, found["compared"].replace("less", "fewer"), found["number"])


def _total_between(found: re.Match[str], dice: int) -> Pattern:
    low, high = int(found["low"]), int(found["high"])
    return lambda thrown: (low <= thrown.total) & (thrown.total <= high)


def _total_is(found: re.Match[str], dice: int) -> Pattern:
    odd = found["word"] == "odd"
    return lambda thrown: thrown.total % 2 == odd


def _these(found: re.Match[str], dice: int) -> Pattern:
    """These dice, in any order."""
    wanted = found["dice"].split("-")
    if len(wanted) != dice:
        raise BadInput(f"throw.text names {len(wanted)} dice, and {dice} are thrown: '{found[0]}'", field="text")
    counts = np.array([[wanted.count(str(face))] for face in range(1, 7)])
    return lambda thrown: (thrown.counts == counts).sum(axis=0) == 6


NO = r"(?P<no>no )?"
READERS: tuple[tuple[str, Callable[[re.Match[str], int], Pattern]], ...] = (
    (rf"(?P<faces>{EACH})", _shows),
    (rf"no (?P<faces>{LISTED})", _shows_none),
    (rf"only (?P<faces>{LISTED})", _shows_only),
    (rf"{COMPARED} (?P<number>{NUMBER}) (?P<face>{FACE})", _so_many),
    (rf"{NO}(?:{COMPARED} )?(?P<number>{NUMBER}) of a kind", _of_a_kind),
    (rf"{NO}(?P<number>a|{NUMBER}) (?P<different>different )?(?P<group>pair|triple)s?", _groups),
    (r"no (?P<group>pair|triple)s?", _no_group),
    (rf"{NO}(?:a )?full house", _full_house),
    (rf"{NO}(?:a )?straight(?: of (?P<number>{NUMBER}))?", _straight),
    (rf"{COMPARED} (?P<number>{NUMBER}) different faces?", _different),
    (r"all (?P<word>different|equal|even|odd)", _all_are),
    (r"total (?P<totals>\d{1,3}(?:(?:, \d{1,3})*,? or \d{1,3})?)", _total),
    (r"total (?P<compared>at least|at most|exactly|more than|less than) (?P<number>\d{1,3})", _total_compared),
    (r"total (?P<low>\d{1,3}) to (?P<high>\d{1,3})", _total_between),
    (r"total (?P<word>even|odd)", _total_is),
    (r"dice (?P<dice>[1-6](?:-[1-6])*)", _these),
)
