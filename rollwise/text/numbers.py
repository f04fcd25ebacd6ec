"""Numbers as they are printed: so many digits as are sure, chances in per cent, half widths rounded up.

How a chance, a value, a change or a loss is worded stands here alone, for the terminal, for pages and for cards.

Digits after the point, of per cents for chances: TOLD in a sentence, for nobody says more aloud; in a table one more
than its interval is sure of, for what lies beyond is noise, and MOST at most, for no player can tell apart what differs
by less (``--json`` has them all). Beside a bar stand TOLD. Parts that have to add up to a sum (``--why``) have as many
as their sum needs.
"""

from __future__ import annotations

import math

TOLD, MOST = 2, 4  # digits after the point: in a sentence, and at most in a table
MOST_PLACES = 9  # and where two numbers are to be told apart
SHORT = 24  # characters of a fraction that stands beside its number,
WHOLE = 400  # and of one that is printed whole; of a longer one so many digits stand at both ends
ENDS = 12
EXACTLY = "exact"  # what is proved of a number that is known as a fraction
PP = "pp"  # what chances differ by, in short
HUNDREDTHS = "hundredths of the game's scale: percentage points where chances are counted"  # of a loss


def difference_unit(unit: str) -> str:
    """What values differ by, in full.

    >>> difference_unit("probability"), difference_unit("points")
    ('percentage points', 'points')
    """
    return "percentage points" if unit == "probability" else unit


def places(value: float, unit: str) -> int:
    """Digits after the point on a page, where one number stands large: as many as one says aloud.

    >>> places(0.465, "probability"), places(246.64, "points"), places(2.514, "turns")
    (1, 1, 2)
    """
    return 1 if unit == "probability" or abs(value) >= 10 else TOLD


def scaled(value: float, unit: str) -> float:
    """A value as it is printed: a chance in per cent."""
    return 100 * value if unit == "probability" else value


def number(value: float, unit: str, places: int = TOLD, *, signed: bool = False) -> str:
    """A value with its unit: chances in per cent; what is printed as nothing has no sign.

    >>> number(-1e-9, "points", 4), number(0.25, "points", signed=True), number(-1e-9, "points", signed=True)
    ('0.0000', '+0.25', '0.00')
    """
    if unit == "probability":
        return percent(value, places)
    shown = f"{value:{'+' * signed}.{places}f}"
    return shown if float(shown) else shown.lstrip("+-")


def digits(lower: float, upper: float, unit: str) -> int:
    """How many digits a number that is proved to lie between these has in a table.

    >>> digits(0.5, 0.5, "probability"), digits(0.1, 0.1004, "probability"), digits(244, 252, "points")
    (4, 3, 1)
    """
    half = scaled((upper - lower) / 2, unit)
    return MOST if half <= 0 else min(MOST, max(0, 1 - math.floor(math.log10(half))))


def percent(chance: float, places: int = TOLD) -> str:
    """A chance in per cent; what can happen is never shown as 0, and what can fail never as 100.

    >>> percent(0.5, 1), percent(1e-9, 2), percent(1 - 1e-9, 2), percent(1.0, 0)
    ('50.0 %', '<0.01 %', '>99.99 %', '100 %')
    """
    shown = f"{100 * chance:.{places}f}"
    step = 10.0**-places
    if chance > 0 and float(shown) == 0:
        return f"<{step:.{places}f} %"
    if chance < 1 and float(shown) >= 100:
        return f">{100 - step:.{places}f} %"
    return f"{shown.removeprefix('-') if float(shown) == 0 else shown} %"


def width(lower: float, upper: float, unit: str) -> str:
    """Half the width of an interval, rounded up."""
    half = scaled((upper - lower) / 2, unit)
    if half <= 0:
        return EXACTLY
    exponent = math.floor(math.log10(half))
    digit = math.ceil(half / 10**exponent)
    return f"± {digit}e{exponent:+03d}" if digit < 10 else f"± 1e{exponent + 1:+03d}"


def fraction(exact: str | None) -> str | None:
    """A fraction that is short enough to stand beside its number; None for others."""
    return exact if exact is not None and len(exact) <= SHORT else None


def shortened(exact: str) -> str:
    """A fraction with all its digits; of a long one numerator and denominator each in short, with how many they have.

    >>> shortened("36/43"), shortened(f"{10**409}/{3 * 10**410}")
    ('36/43', '100000000000...000000000000 (410 digits) / 300000000000...000000000000 (411 digits)')
    """
    long = [(part, f"{part[:ENDS]}...{part[-ENDS:]} ({len(part.lstrip('-')):,} digits)") for part in exact.split("/")]
    return exact if len(exact) <= WHOLE else " / ".join(min(pair, key=len) for pair in long)


def loss(lost: float, unit: str, places: int = TOLD, *, named: bool = False) -> str:
    """What is lost, as every answer says it: chances in percentage points (pp), ``named``: other units by name.

    What is lost is never shown as nothing.

    >>> loss(0.3313, "probability"), loss(1.674, "points"), loss(0.00001, "points", named=True), loss(0, "points")
    ('33.13 pp', '1.67', '<0.01 points', '0.00')
    """
    shown, least = scaled(lost, unit), 10.0**-places
    text = f"<{least:.{places}f}" if 0 < shown < least / 2 else f"{shown:.{places}f}"
    return f"{text} {PP}" if unit == "probability" else f"{text} {unit}" if named else text


def cost(by: float, unit: str, places: int = TOLD) -> str:
    """A cost in full, as a sentence has it.

    >>> cost(0.028371, "probability"), cost(-1.5, "points"), cost(1e-7, "probability")
    ('2.84 percentage points', '-1.50 points', '<0.01 percentage points')
    """
    return f"{number(by, unit, places).removesuffix(' %')} {difference_unit(unit)}"


def signed(change: float, unit: str, places: int = TOLD) -> str:
    """A change with its sign, chances in percentage points; what is printed as nothing has none.

    >>> signed(0.125, "probability"), signed(-1e-9, "points")
    ('+12.50', '0.00')
    """
    return number(scaled(change, unit), "", places, signed=True)


def change(by: float, unit: str, places: int = TOLD) -> str:
    """The same with pp behind it.

    >>> change(0.125, "probability"), change(-1.5, "points")
    ('+12.50 pp', '-1.50')
    """
    return f"{signed(by, unit, places)} {PP}" if unit == "probability" else signed(by, unit, places)


def places_to_tell(first: float, second: float, unit: str) -> int:
    """Decimal places at which two values can be told apart, at least two."""
    for places in range(TOLD, MOST_PLACES):
        if round(scaled(first, unit), places) != round(scaled(second, unit), places):
            return places
    return MOST_PLACES
