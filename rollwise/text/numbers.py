"""Number formats: as many decimal places as are certain, chances in per cent, half widths rounded up.

The terminal, pages and cards all format chances, values, changes and losses here.

Decimal places, for chances those of per cents: TEXT_PLACES in a sentence and beside a bar; in a table one more than
the interval makes certain, at most TABLE_PLACES, since smaller differences do not matter in play (``--json`` has all
digits). Parts that add up to a sum (``--why``) have as many as their sum needs.
"""

from __future__ import annotations

import math

TEXT_PLACES, TABLE_PLACES = 2, 4  # decimal places: in a sentence, and at most in a table
MAX_PLACES = 9  # at most, where two numbers are to differ
SHORT_FRACTION_CHARS = 24  # longest fraction beside its number
WHOLE_CHARS = 400  # longest fraction printed whole
ENDS = 12
EXACTLY = "exact"  # in place of the interval of an exact fraction
PP = "pp"  # percentage points
HUNDREDTHS = "hundredths of the game's scale: percentage points where chances are counted"  # of a loss
COUNTS = ("", " thousand", " million", " billion", " trillion")
BYTES = (" bytes", " KB", " MB", " GB", " TB", " PB")
TIMES = ((60, "second"), (60, "minute"), (24, "hour"), (365, "day"))  # number of each that make one of the next


def difference_unit(unit: str) -> str:
    """The unit of a difference of values, in full.

    >>> difference_unit("probability"), difference_unit("points")
    ('percentage points', 'points')
    """
    return "percentage points" if unit == "probability" else unit


def page_places(value: float, unit: str) -> int:
    """Decimal places of the large number on a page.

    >>> page_places(0.465, "probability"), page_places(246.64, "points"), page_places(2.514, "turns")
    (1, 1, 2)
    """
    return 1 if unit == "probability" or abs(value) >= 10 else TEXT_PLACES


def scaled(value: float, unit: str) -> float:
    """A value as it is printed: a chance in per cent."""
    return 100 * value if unit == "probability" else value


def number(value: float, unit: str, places: int = TEXT_PLACES, *, signed: bool = False) -> str:
    """A value as text, chances in per cent; a printed zero has no sign.

    >>> number(-1e-9, "points", 4), number(0.25, "points", signed=True), number(-1e-9, "points", signed=True)
    ('0.0000', '+0.25', '0.00')
    """
    if unit == "probability":
        return percent(value, places)
    shown = f"{value:{'+' * signed}.{places}f}"
    return shown if float(shown) else shown.lstrip("+-")


def n_places(lower: float, upper: float, unit: str) -> int:
    """Decimal places in a table for a number with these certified bounds.

    >>> n_places(0.5, 0.5, "probability"), n_places(0.1, 0.1004, "probability"), n_places(244, 252, "points")
    (4, 3, 1)
    """
    half = scaled((upper - lower) / 2, unit)
    return TABLE_PLACES if half <= 0 else min(TABLE_PLACES, max(0, 1 - math.floor(math.log10(half))))


def percent(chance: float, places: int = TEXT_PLACES) -> str:
    """A chance in per cent; only an impossible event is shown as 0, only a certain one as 100.

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


def half_width(lower: float, upper: float, unit: str) -> str:
    """Half the width of an interval, rounded up."""
    half = scaled((upper - lower) / 2, unit)
    if half <= 0:
        return EXACTLY
    exponent = math.floor(math.log10(half))
    digit = math.ceil(half / 10**exponent)
    return f"± {digit}e{exponent:+03d}" if digit < 10 else f"± 1e{exponent + 1:+03d}"


def fraction(exact: str | None) -> str | None:
    """The fraction if it is short enough to stand beside its number, else None."""
    return exact if exact is not None and len(exact) <= SHORT_FRACTION_CHARS else None


def shorten_fraction(exact: str) -> str:
    """A fraction with all its digits; in a long one numerator and denominator are shortened, with their length.

    >>> shorten_fraction("36/43"), shorten_fraction(f"{10**409}/{3 * 10**410}")
    ('36/43', '100000000000...000000000000 (410 digits) / 300000000000...000000000000 (411 digits)')
    """
    long = [(part, f"{part[:ENDS]}...{part[-ENDS:]} ({len(part.lstrip('-')):,} digits)") for part in exact.split("/")]
    return exact if len(exact) <= WHOLE_CHARS else " / ".join(min(pair, key=len) for pair in long)


def loss(value: float, unit: str, places: int = TEXT_PLACES, *, named: bool = False) -> str:
    """A loss: chances in percentage points (pp); ``named``: other units by name.

    Only a loss of 0 is shown as 0.

    >>> loss(0.3313, "probability"), loss(1.674, "points"), loss(0.00001, "points", named=True), loss(0, "points")
    ('33.13 pp', '1.67', '<0.01 points', '0.00')
    """
    shown, smallest = scaled(value, unit), 10.0**-places
    text = f"<{smallest:.{places}f}" if 0 < shown < smallest / 2 else f"{shown:.{places}f}"
    return f"{text} {PP}" if unit == "probability" else f"{text} {unit}" if named else text


def cost(by: float, unit: str, places: int = TEXT_PLACES) -> str:
    """A cost for a sentence, with its unit in full.

    >>> cost(0.028371, "probability"), cost(-1.5, "points"), cost(1e-7, "probability")
    ('2.84 percentage points', '-1.50 points', '<0.01 percentage points')
    """
    return f"{number(by, unit, places).removesuffix(' %')} {difference_unit(unit)}"


def signed(change: float, unit: str, places: int = TEXT_PLACES) -> str:
    """A change with its sign, chances in percentage points; a printed zero has none.

    >>> signed(0.125, "probability"), signed(-1e-9, "points")
    ('+12.50', '0.00')
    """
    return number(scaled(change, unit), "", places, signed=True)


def change(by: float, unit: str, places: int = TEXT_PLACES) -> str:
    """A change with its sign and, for chances, pp.

    >>> change(0.125, "probability"), change(-1.5, "points")
    ('+12.50 pp', '-1.50')
    """
    return f"{signed(by, unit, places)} {PP}" if unit == "probability" else signed(by, unit, places)


def distinct_places(first: float, second: float, unit: str) -> int:
    """Decimal places at which two values differ, at least two."""
    for places in range(TEXT_PLACES, MAX_PLACES):
        if round(scaled(first, unit), places) != round(scaled(second, unit), places):
            return places
    return MAX_PLACES


def in_thousands(number: float, names: tuple[str, ...]) -> str:
    """A number to two digits, with the name of its power of a thousand.

    >>> in_thousands(7, COUNTS), in_thousands(8_120_601, COUNTS), in_thousands(5.6e19, COUNTS)
    ('7', '8.1 million', '5.6e19')
    >>> in_thousands(999_999, BYTES), in_thousands(3e17, BYTES)
    ('1.0 MB', '300 PB')
    """
    rank = 0
    short = whole = float(f"{number:.2g}")
    while short >= 1000 and rank < len(names) - 1:
        short, rank = short / 1000, rank + 1
    if short >= 1000:
        return f"{whole:.1e}".replace("e+", "e") + names[0]
    return f"{short:.1f}{names[rank]}" if short < 10 and rank else f"{short:.0f}{names[rank]}"


def time_in_words(seconds: float) -> str:
    """Seconds to two digits, as minutes, hours, days or years where they are many.

    >>> time_in_words(0.2), time_in_words(59), time_in_words(3603), time_in_words(4000), time_in_words(86400 * 3)
    ('a second', '59 seconds', 'an hour', '1.1 hours', '3 days')
    >>> time_in_words(3e12), time_in_words(3e15)
    ('95 thousand years', '95 million years')
    """
    number, unit = seconds, "year"
    for many, name in TIMES:
        if number < many:
            unit = name
            break
        number /= many
    if float(f"{number:.2g}") <= 1:  # only seconds are fewer than one
        return f"{'an' if unit == 'hour' else 'a'} {unit}"
    return f"{number:.2g} {unit}s" if number < 100 else f"{in_thousands(number, COUNTS)} {unit}s"
