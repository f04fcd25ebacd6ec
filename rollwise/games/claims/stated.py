"""Stated value of a claim, as a number with its tolerance, which follows from the digits that are written.

``42.0 %`` agrees with 41.95 % to 42.05 %, both included: a value midway between two figures may be rounded to either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import Any

from rollwise.games.claims.claim import Certified, Value
from rollwise.solver.model.errors import BadInput, ModelError

WORD_CHANCES = {
    word: Fraction(chance)
    for chance, words in ((0, "never|no chance|impossible"), (1, "always|certain"))
    for word in words.split("|")
}
PERCENT = r"%|percent|per cent"
NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
FORM = re.compile(
    rf"(?P<whole>-?{NUMBER})(?P<decimals>\.\d+)?(?:/(?P<per>{NUMBER})| (?:in|out of) (?P<of>{NUMBER}))?"
    rf"(?: ?(?P<percent>{PERCENT}))?(?: (?:points?|chips?|rolls?|turns?|games?))?"
)
MAX_EXPONENT = 30  # decimal places, before or after the point
MAX_NUMBER_CHARS = 60  # of a text that is a number
BOUND = re.compile(r"(?:(?P<compared>more than|at least) (?P<least>.+)|(?P<from>\S+) to (?P<most>\S+))")
HELP = "42, 42.0, 42.0 %, 30,6 %, 1/36, 1 in 42, two thirds, 1,150 points, never or always"
COMMA = re.compile(
    r"(?<![\d,.])(-?\d+),(?=(?:\d{1,2}|\d{4,})(?!\d|,))|(?<![\d,.])(-?0),(?=\d)|(-?\d+),(?=\d{3} ?(?:%|per))"
)
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
FIGURES = {word: number for number, word in enumerate(f"{ONES} eighteen nineteen".split())}
FIGURES |= {word: 10 * number for number, word in enumerate(TENS.split(), 2)}
TIMES = {"hundred": 100, "thousand": 1000}
PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4} | {
    f"{part}{ending}": number
    for number, part in enumerate(["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 3)
    for ending in ("", "s")
}


@dataclass(frozen=True)
class Stated:
    """Stated value: ``text``, and the interval ``low`` to ``high`` of values that agree; of words an equal text agrees.

    ``whole``: a whole number without a percent sign. Of a chance, 0 and 1 are exact: never and always. ``open``: the
    interval begins above ``low``. ``several``: the values of a list, each its own part of the text. ``words``: the text
    that agrees, where it is another.
    """

    text: str
    low: Fraction | None = None
    high: Fraction | float | None = None
    whole: bool = False
    open: bool = False
    several: tuple[Stated, ...] = ()
    words: str = ""

    def exactly(self) -> Stated:
        """The same without the tolerance of its digits, where it is a whole number or a list of them."""
        several = tuple(part.exactly() for part in self.several)
        if not self.whole or self.low is None or self.high is None:
            return replace(self, several=several)
        middle = (self.low + Fraction(self.high)) / 2
        return replace(self, low=middle, high=middle, several=several)

    def agrees(self, value: Value, chance: bool = False) -> bool | None:
        """True where the value is as stated; None where its bounds do not decide it."""
        if isinstance(value, str):
            return value == (self.words or self.text)
        if isinstance(value, tuple):
            parts = self.several or (self,)
            return len(parts) == len(value) and all(part.agrees(of) for part, of in zip(parts, value, strict=True))
        if self.low is None or self.high is None:
            raise ModelError(f"a claim of '{self.text}' cannot be compared with {value}")
        low, high = self.low, self.high
        chance = chance or (isinstance(value, Certified) and value.unit == "probability")
        if self.whole and chance:
            low = high = Fraction(low + high) / 2
        if not isinstance(value, Certified):
            return low <= value <= high and not (self.open and value == low)
        if value.exact is not None:
            return self.agrees(value.exact, chance)
        if low <= value.lower and value.upper <= high and not (self.open and value.lower == low):
            return True
        return False if value.upper < low or high < value.lower else None


def stated(value: Any) -> Stated:
    """Stated value from a TOML value; raises BadInput for one that is neither a number nor a text.

    >>> stated("3 %").high, stated("1/36").high, stated(Decimal("0.50")).high
    (Fraction(7, 200), Fraction(1, 36), Fraction(101, 200))
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise BadInput(f"stated is a number or a text like {HELP}, got {str(value).lower()[:60]}", field="stated")
    if isinstance(value, str):
        return _parse_text(" ".join(value.split()))
    number = Decimal(value) if isinstance(value, Decimal) or abs(value) < 10 ** (MAX_EXPONENT + 1) else Decimal("inf")
    if not number.is_finite() or abs(number.adjusted()) > MAX_EXPONENT or len(number.as_tuple().digits) > MAX_EXPONENT:
        raise BadInput(f"stated is a number that can be written out, got {str(value)[:20]}", field="stated")
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return _round_interval(str(value), Fraction(number), Fraction(10) ** exponent, whole=isinstance(value, int))


def meant(value: Any, meaning: Any) -> Stated:
    """Stated value that is no figure, with what it means: a figure, ``more than 1``, ``at least 84``, ``8 to 16``.

    >>> meant("usually", "more than 1/2").agrees(Fraction(1, 2)), meant("any", "8 to 16").agrees(Fraction(8))
    (False, True)
    """
    text = stated(value).text
    match = BOUND.fullmatch(meaning) if isinstance(meaning, str) else None
    if match is None:
        return replace(stated(meaning), text=text, words=str(meaning))
    least, most = _middle(match["least"] or match["from"]), _middle(match["most"]) if match["most"] else inf
    return Stated(text, least, most, open=match["compared"] == "more than")


def _middle(figure: str) -> Fraction:
    """Figure without its tolerance."""
    number = require_number(stated(figure))
    return (Fraction(number.low or 0) + Fraction(number.high or 0)) / 2


def require_number(statement: Stated, several: bool = False) -> Stated:
    """Statement unchanged, if it is a number (or ``several``); raises BadInput for a text, which fits moves alone."""
    if statement.low is None and not (several and statement.several):
        raise BadInput(f"stated is a number like {HELP}, got '{statement.text}'", field="stated")
    return statement


def _parse_text(text: str) -> Stated:
    if not text or len(text) > 1000:
        raise BadInput(f"stated is a number or a text like {HELP}, got {len(text)} characters", field="stated")
    word = WORD_CHANCES.get(text.lower())
    if word is not None:
        return Stated(text, word, word)
    match = FORM.fullmatch(_in_figures(text))
    if match is None or len(text) > MAX_NUMBER_CHARS:
        parts = tuple(_parse_text(part) for part in text.split(", ")) if ", " in text else ()
        return Stated(text, several=parts if all(part.low is not None for part in parts) else ())
    per, cases = (int((match[name] or "1").replace(",", "")) for name in ("per", "of"))
    if per == 0 or ((match["per"] or match["of"]) and match["decimals"]):
        raise BadInput(f"stated is a fraction of whole numbers like 1/36 or 1 in 36, got '{text}'", field="stated")
    if match["of"]:
        return _one_in(text, int(match["whole"].replace(",", "")), cases)
    digits = match["whole"].replace(",", "") + (match["decimals"] or "")
    part = Fraction(1, 100) if match["percent"] else Fraction(1)
    if match["per"]:
        exact = Fraction(int(digits), per) * part
        return Stated(text, exact, exact)
    unit = Fraction(1, 10 ** len((match["decimals"] or ".")[1:])) * part
    return _round_interval(text, Fraction(digits) * part, unit, whole=not match["decimals"] and not match["percent"])


def _one_in(text: str, cases: int, of: int) -> Stated:
    """Statement ``1 in 42``: 42 has the tolerance of its digits; of more cases, as ``5 in 36``, it is exact."""
    if cases < 0 or of < max(1, cases):
        raise BadInput(f"stated is a chance like 1 in 42, got '{text}'", field="stated")
    if cases != 1 or of == 1:
        return Stated(text, Fraction(cases, of), Fraction(cases, of))
    return Stated(text, Fraction(2, 2 * of + 1), Fraction(2, 2 * of - 1))


def _in_figures(text: str) -> str:
    """Text with numbers in words, and decimal commas, turned into figures.

    >>> _in_figures("two thirds"), _in_figures("twenty-five points"), _in_figures("one in six"), _in_figures("30,6 %")
    ('2/3', '25 points', '1 in 6', '30.6 %')
    >>> _in_figures("one thousand one hundred and fifty"), _in_figures("half"), _in_figures("1,150")
    ('1150', '1/2', '1,150')
    """
    words: list[str] = []
    total, part, counting = 0, 0, False
    for word in [*re.sub(r"(?<=[a-z])-(?=[a-z])", " ", COMMA.sub(_with_point, text.lower())).split(), ""]:
        value, times = FIGURES.get(word), TIMES.get(word) if counting or words[-1:] == ["a"] else None
        whole = counting and part % 100 == 0
        if value is not None and (not counting or whole or (part % 10 == 0 and part % 100 > 10 and value < 10)):
            part, counting = part + value, True
        elif times is not None:
            words = words if counting else words[:-1]
            part, counting = max(1, part) * times, True
            total, part = (total + part, 0) if word == "thousand" else (total, part)
        elif word != "and" or not whole:
            words += [str(total + part)] if counting else []
            total, part, counting = 0, value or 0, value is not None
            if word in PARTS:
                before = words.pop() if words and (words[-1].isdigit() or words[-1] == "a") else "1"
                word = f"{before.replace('a', '1')}/{PARTS[word]}"
            words += [word] if value is None else []
    return " ".join(words).strip()


def _with_point(match: re.Match[str]) -> str:
    return f"{match[1] or match[2] or match[3]}."


def _round_interval(text: str, number: Fraction, unit: Fraction, whole: bool) -> Stated:
    return Stated(text, number - unit / 2, number + unit / 2, whole)
