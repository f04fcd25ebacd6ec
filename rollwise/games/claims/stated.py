"""What a claim states, as a number with its tolerance: the digits that are written say how closely it is meant.

``42.0 %`` agrees with 41.95 % to 42.05 %, both included: a value midway between two figures may be rounded to either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from rollwise.games.claims.claim import Certified, Precision, Value
from rollwise.solver.model.errors import BadInput, ModelError

WORDS = {
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
FAR = 30  # decimal places, either way
LONGEST = 60  # characters of a number
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
    """``text`` is what is stated; a value agrees with it from ``low`` to ``high``, or, where it is words, if equal.

    ``whole``: a whole number without a percent sign. For a chance, 0 and 1 are meant exactly: never and always.
    """

    text: str
    low: Fraction | None = None
    high: Fraction | None = None
    whole: bool = False

    def precision(self, chance: bool = False) -> Precision:
        """How a value is compared with it; ``chance`` says that the value is a probability."""

        def agrees(said: str, value: Value) -> bool | None:
            return (self if said == self.text else stated(said)).agrees(value, chance)

        return Precision("to the digits that are stated", agrees)

    def agrees(self, value: Value, chance: bool = False) -> bool | None:
        """Is the value as stated? None: its bounds do not tell."""
        if isinstance(value, str) and self.low is None:
            return value == self.text
        if isinstance(value, str | tuple) or self.low is None or self.high is None:
            raise ModelError(f"a claim of '{self.text}' cannot be compared with {value}")
        low, high = self.low, self.high
        if self.whole and (chance or (isinstance(value, Certified) and value.unit == "probability")):
            low = high = (low + high) / 2
        if not isinstance(value, Certified):
            return low <= value <= high
        if value.exact is not None:
            return low <= value.exact <= high
        if low <= value.lower and value.upper <= high:
            return True
        return False if value.upper < low or high < value.lower else None


def stated(given: Any) -> Stated:
    """What a TOML value states; raises BadInput for what is neither a number nor a text.

    >>> stated("3 %").high, stated("1/36").high, stated(Decimal("0.50")).high
    (Fraction(7, 200), Fraction(1, 36), Fraction(101, 200))
    """
    if isinstance(given, bool) or not isinstance(given, int | Decimal | str):
        raise BadInput(f"stated is a number or a text like {HELP}, got {str(given).lower()[:60]}", field="stated")
    if isinstance(given, str):
        return _of_text(" ".join(given.split()))
    number = Decimal(given) if isinstance(given, Decimal) or abs(given) < 10 ** (FAR + 1) else Decimal("inf")
    if not number.is_finite() or abs(number.adjusted()) > FAR or len(number.as_tuple().digits) > FAR:
        raise BadInput(f"stated is a number that can be written out, got {str(given)[:20]}", field="stated")
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return _rounded(str(given), Fraction(number), Fraction(10) ** exponent, whole=isinstance(given, int))


def number_of(said: Stated) -> Stated:
    """The same, if it is a number; raises BadInput for a text, which only a move is compared with."""
    if said.low is None:
        raise BadInput(f"stated is a number like {HELP}, got '{said.text}'", field="stated")
    return said


def _of_text(text: str) -> Stated:
    if not text or len(text) > 1000:
        raise BadInput(f"stated is a number or a text like {HELP}, got {len(text)} characters", field="stated")
    word = WORDS.get(text.lower())
    if word is not None:
        return Stated(text, word, word)
    found = FORM.fullmatch(_in_figures(text))
    if found is None or len(text) > LONGEST:
        return Stated(text)
    per, of = (int((found[name] or "1").replace(",", "")) for name in ("per", "of"))
    if per == 0 or ((found["per"] or found["of"]) and found["decimals"]):
        raise BadInput(f"stated is a fraction of whole numbers like 1/36 or 1 in 36, got '{text}'", field="stated")
    if found["of"]:
        return _one_in(text, int(found["whole"].replace(",", "")), of)
    digits = found["whole"].replace(",", "") + (found["decimals"] or "")
    part = Fraction(1, 100) if found["percent"] else Fraction(1)
    if found["per"]:
        exact = Fraction(int(digits), per) * part
        return Stated(text, exact, exact)
    unit = Fraction(1, 10 ** len((found["decimals"] or ".")[1:])) * part
    return _rounded(text, Fraction(digits) * part, unit, whole=not found["decimals"] and not found["percent"])


def _one_in(text: str, cases: int, of: int) -> Stated:
    """``1 in 42``: 42 is meant as closely as it is written; of more cases, as ``5 in 36``, the fraction is."""
    if cases < 0 or of < max(1, cases):
        raise BadInput(f"stated is a chance like 1 in 42, got '{text}'", field="stated")
    if cases != 1 or of == 1:
        return Stated(text, Fraction(cases, of), Fraction(cases, of))
    return Stated(text, Fraction(2, 2 * of + 1), Fraction(2, 2 * of - 1))


def _in_figures(text: str) -> str:
    """Numbers that are written as words, and decimal commas, as figures.

    >>> _in_figures("two thirds"), _in_figures("twenty-five points"), _in_figures("one in six"), _in_figures("30,6 %")
    ('2/3', '25 points', '1 in 6', '30.6 %')
    >>> _in_figures("one thousand one hundred and fifty"), _in_figures("half"), _in_figures("1,150")
    ('1150', '1/2', '1,150')
    """
    told: list[str] = []
    total, part, counting = 0, 0, False
    for word in [*re.sub(r"(?<=[a-z])-(?=[a-z])", " ", COMMA.sub(_dotted, text.lower())).split(), ""]:
        worth, times = FIGURES.get(word), TIMES.get(word) if counting or told[-1:] == ["a"] else None
        whole = counting and part % 100 == 0
        if worth is not None and (not counting or whole or (part % 10 == 0 and part % 100 > 10 and worth < 10)):
            part, counting = part + worth, True
        elif times is not None:
            told = told if counting else told[:-1]
            part, counting = max(1, part) * times, True
            total, part = (total + part, 0) if word == "thousand" else (total, part)
        elif word != "and" or not whole:
            told += [str(total + part)] if counting else []
            total, part, counting = 0, worth or 0, worth is not None
            if word in PARTS:
                before = told.pop() if told and (told[-1].isdigit() or told[-1] == "a") else "1"
                word = f"{before.replace('a', '1')}/{PARTS[word]}"
            told += [word] if worth is None else []
    return " ".join(told).strip()


def _dotted(found: re.Match[str]) -> str:
    return f"{found[1] or found[2] or found[3]}."


def _rounded(text: str, number: Fraction, unit: Fraction, whole: bool) -> Stated:
    return Stated(text, number - unit / 2, number + unit / 2, whole)
