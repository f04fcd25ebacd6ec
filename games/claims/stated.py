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
from rollwise.solver.game.errors import BadInput, ModelError

WORDS = {
    word: Fraction(chance)
    for chance, words in ((0, "never|no chance|impossible"), (1, "always|certain"))
    for word in words.split("|")
}
PERCENT = r"%|percent|per cent"
FORM = re.compile(
    r"(?P<whole>-?(?:\d{1,3}(?:,\d{3})+|\d+))(?P<decimals>\.\d+)?(?:/(?P<per>\d+))?"
    rf"(?: ?(?P<percent>{PERCENT}))?(?: (?:points?|chips?|rolls?|turns?|games?))?"
)
FAR = 30  # decimal places, either way
LONGEST = 60  # characters of a number
HELP = "42, 42.0, 42.0 %, 1/36, 1,150 points, never or always"


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
    found = FORM.fullmatch(text)
    if found is None or len(text) > LONGEST:
        return Stated(text)
    per = int(found["per"] or 1)
    if per == 0 or (found["per"] and found["decimals"]):
        raise BadInput(f"stated is a fraction of whole numbers like 1/36, got '{text}'", field="stated")
    digits = found["whole"].replace(",", "") + (found["decimals"] or "")
    part = Fraction(1, 100) if found["percent"] else Fraction(1)
    if found["per"]:
        exact = Fraction(int(digits), per) * part
        return Stated(text, exact, exact)
    unit = Fraction(1, 10 ** len((found["decimals"] or ".")[1:])) * part
    return _rounded(text, Fraction(digits) * part, unit, whole=not found["decimals"] and not found["percent"])


def _rounded(text: str, number: Fraction, unit: Fraction, whole: bool) -> Stated:
    return Stated(text, number - unit / 2, number + unit / 2, whole)
