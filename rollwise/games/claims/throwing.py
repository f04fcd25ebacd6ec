"""Patterns of one throw in words: ``three of a kind``, ``no 1 or 5``, ``total at most 5``. Nothing is evaluated.

A fixed list of forms parses a text from left to right; any other text is refused, never guessed.
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
from rollwise.solver.model.names import NUMERALS

Truths: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class ThrowColumns:
    """All different throws of some dice, as columns: ``ways`` each falls, ``total``, length of the longest ``row``.

    ``counts``: a row for each face, how many dice show it; ``shape``: the same, largest number first.
    """

    ways: Numbers
    counts: Numbers
    shape: Numbers
    total: Numbers
    row: Numbers

    @property
    def different(self) -> Numbers:
        """Number of different faces."""
        number: Numbers = (self.counts > 0).sum(axis=0)
        return number


Pattern: TypeAlias = Callable[[ThrowColumns], Truths]

MAX_DICE = 20  # 53,130 different throws; sums of ways stay below 2 ** 63
MAX_TEXT_CHARS = 1000  # the time of a pattern grows with them
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
    """P(one throw of these dice fits the pattern), by counting all throws.

    Raises BadInput for a text outside the vocabulary, and for an impossible number of dice.

    >>> chance(2, "total 7 or 11"), chance(6, "no 1 or 5 and no three of a kind")
    (Fraction(2, 9), Fraction(5, 162))
    """
    if not 1 <= dice <= MAX_DICE:
        raise BadInput(f"dice is from 1 to {MAX_DICE}, got {dice}", field="dice")
    columns = _enumerate_throws(dice)
    return Fraction(int(columns.ways[pattern(text, dice)(columns)].sum()), 6**dice)


@cache
def _enumerate_throws(dice: int) -> ThrowColumns:
    falls = throws(dice)
    counts = np.array([[faces.count(face) for faces, _ in falls] for face in range(1, 7)], dtype=np.int8)
    row, longest = np.zeros(len(falls), dtype=np.int64), np.zeros(len(falls), dtype=np.int64)
    for of_face in counts:
        row = np.where(of_face > 0, row + 1, 0)
        longest = np.maximum(longest, row)
    ways = np.array([ways for _, ways in falls])
    return ThrowColumns(ways, counts, -np.sort(-counts, axis=0), np.arange(1, 7) @ counts, longest)


@cache
def pattern(text: str, dice: int) -> Pattern:
    """Pattern that a text names, for a throw of so many dice; raises BadInput."""
    if len(text) > MAX_TEXT_CHARS:
        raise BadInput(f"throw.text has up to {MAX_TEXT_CHARS:,} letters, got {len(text):,}", field="text")
    rest = " ".join(text.lower().split())
    either: list[list[Pattern]] = [[]]
    while True:
        parsed, rest = _parse_first(rest, text, dice)
        either[-1].append(parsed)
        if not rest:
            return _any_of([_all_of(parts) for parts in either])
        joiner = re.match(r",? (and|or) ", rest)
        assert joiner is not None  # each form ends before one
        if joiner[1] == "or":
            either.append([])
        rest = rest[joiner.end() :]


def _unknown_pattern(text: str) -> BadInput:
    shown = text if len(text) <= 60 else text[:60] + "..."
    return BadInput(f"throw.text cannot be '{shown}'; it is one of: {', '.join(FORMS)}; {JOINED}", field="text")


def _parse_first(rest: str, text: str, dice: int) -> tuple[Pattern, str]:
    """Longest pattern at the beginning, and the rest of the text."""
    ends = r"(?=$|,? and |,? or )"
    matches = [(first, parse) for form, parse in PARSERS if (first := re.match(form + ends, rest))]
    if not matches:
        raise _unknown_pattern(text)
    first, parse = max(matches, key=lambda match: match[0].end())
    return parse(first, dice), rest[first.end() :]


def _all_of(parts: list[Pattern]) -> Pattern:
    return lambda thrown: reduce(np.logical_and, (part(thrown) for part in parts))


def _any_of(parts: list[Pattern]) -> Pattern:
    return lambda thrown: reduce(np.logical_or, (part(thrown) for part in parts))


# --- numbers, faces, and how many ----------------------------------------------------------------------------------

NUMBER = rf"(?:\d{{1,3}}|{'|'.join(NUMERALS)})"
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
    return NUMERALS.index(word) + 1 if word in NUMERALS else int(word)


def _face(word: str) -> int:
    if word[0].isdigit():
        return int(word[0])
    return FACES.index("six" if word.startswith("six") else word.removesuffix("s")) + 1


def _faces(listed: str) -> frozenset[int]:
    return frozenset(_face(word) for word in re.findall(rf"\b{FACE}\b", listed))


def _compares(count: Callable[[ThrowColumns], Numbers], compared: str | None, number: str) -> Pattern:
    compare, target = COMPARE[compared or "at least"], _number(number)
    return lambda thrown: compare(count(thrown), target)


def _unless(no: str | None, fits: Pattern) -> Pattern:
    return (lambda thrown: ~fits(thrown)) if no else fits


# --- the forms -----------------------------------------------------------------------------------------------------


def _shows(match: re.Match[str], dice: int) -> Pattern:
    """``a 1 or 5``: some die shows one of these; ``no 1 or 5``."""
    places = [face - 1 for face in _faces(match["faces"])]
    return _unless(match["no"], lambda thrown: thrown.counts[places].sum(axis=0) > 0)


def _shows_only(match: re.Match[str], dice: int) -> Pattern:
    places = [face - 1 for face in _faces(match["faces"])]
    return lambda thrown: thrown.counts[places].sum(axis=0) == dice


def _shows_many(match: re.Match[str], dice: int) -> Pattern:
    """``at least two sixes``."""
    place = _face(match["face"]) - 1
    return _compares(lambda thrown: thrown.counts[place], match["compared"], match["number"])


def _of_a_kind(match: re.Match[str], dice: int) -> Pattern:
    """``three of a kind``: some face shows so often; with ``exactly`` none more often."""
    return _unless(match["no"], _compares(lambda thrown: thrown.shape[0], match["compared"], match["number"]))


def _groups(match: re.Match[str], dice: int) -> Pattern:
    """``two pairs``: four equal dice are two pairs, six equal dice two triples, but not different ones."""
    size = 2 if match["group"] == "pair" else 3
    most = 1 if match["different"] else dice

    def groups(thrown: ThrowColumns) -> Numbers:
        number: Numbers = np.minimum(thrown.counts // size, most).sum(axis=0, dtype=np.int8)
        return number

    return _unless(match["no"], _compares(groups, None, "one" if match["number"] in ("", "a") else match["number"]))


def _full_house(match: re.Match[str], dice: int) -> Pattern:
    """``a full house``: three of one face and two of another."""
    return _unless(match["no"], lambda thrown: (thrown.shape[0] > 2) & (thrown.shape[1] > 1))


def _straight(match: re.Match[str], dice: int) -> Pattern:
    """``a straight of four``: so many dice in a row, or all of them."""
    long = _number(match["number"]) if match["number"] else dice
    return _unless(match["no"], lambda thrown: thrown.row >= long)


def _different(match: re.Match[str], dice: int) -> Pattern:
    return _compares(lambda thrown: thrown.different, match["compared"], match["number"])


def _all_are(match: re.Match[str], dice: int) -> Pattern:
    words: dict[str, Pattern] = {
        "different": lambda thrown: thrown.different == dice,
        "equal": lambda thrown: thrown.different == 1,
        "even": lambda thrown: thrown.counts[::2].sum(axis=0) == 0,
        "odd": lambda thrown: thrown.counts[1::2].sum(axis=0) == 0,
    }
    return words[match["word"]]


def _total(match: re.Match[str], dice: int) -> Pattern:
    totals = [int(number) for number in re.findall(r"\d+", match["totals"])]
    return lambda thrown: np.isin(thrown.total, totals)


def _total_compared(match: re.Match[str], dice: int) -> Pattern:
    return _compares(lambda thrown: thrown.total, match["compared"].replace("less", "fewer"), match["number"])


def _total_between(match: re.Match[str], dice: int) -> Pattern:
    low, high = int(match["low"]), int(match["high"])
    return lambda thrown: (low <= thrown.total) & (thrown.total <= high)


def _total_is(match: re.Match[str], dice: int) -> Pattern:
    odd = match["word"] == "odd"
    return lambda thrown: thrown.total % 2 == odd


def _is_roll(match: re.Match[str], dice: int) -> Pattern:
    """``dice 6-5``: these dice, in any order."""
    roll = match["dice"].split("-")
    if len(roll) != dice:
        raise BadInput(f"throw.text names {len(roll)} dice, and {dice} are thrown: '{match[0]}'", field="text")
    counts = np.array([[roll.count(str(face))] for face in range(1, 7)])
    return lambda thrown: (thrown.counts == counts).sum(axis=0) == 6


NO = r"(?P<no>no )?"
PARSERS: tuple[tuple[str, Callable[[re.Match[str], int], Pattern]], ...] = (
    (rf"(?P<no>)(?P<faces>{EACH})", _shows),
    (rf"(?P<no>no )(?P<faces>{LISTED})", _shows),
    (rf"only (?P<faces>{LISTED})", _shows_only),
    (rf"{COMPARED} (?P<number>{NUMBER}) (?P<face>{FACE})", _shows_many),
    (rf"{NO}(?:{COMPARED} )?(?P<number>{NUMBER}) of a kind", _of_a_kind),
    (rf"{NO}(?P<number>a|{NUMBER}) (?P<different>different )?(?P<group>pair|triple)s?", _groups),
    (r"(?P<no>no )(?P<number>)(?P<different>)(?P<group>pair|triple)s?", _groups),
    (rf"{NO}(?:a )?full house", _full_house),
    (rf"{NO}(?:a )?straight(?: of (?P<number>{NUMBER}))?", _straight),
    (rf"{COMPARED} (?P<number>{NUMBER}) different faces?", _different),
    (r"all (?P<word>different|equal|even|odd)", _all_are),
    (r"total (?P<totals>\d{1,3}(?:(?:, \d{1,3})*,? or \d{1,3})?)", _total),
    (r"total (?P<compared>at least|at most|exactly|more than|less than) (?P<number>\d{1,3})", _total_compared),
    (r"total (?P<low>\d{1,3}) to (?P<high>\d{1,3})", _total_between),
    (r"total (?P<word>even|odd)", _total_is),
    (r"dice (?P<dice>[1-6](?:-[1-6])*)", _is_roll),
)
