"""Fractions as text with all their decimal digits, and back: Python's own limit of digits stays as its user set it."""

from __future__ import annotations

from fractions import Fraction

SHORT_BITS, SHORT_DIGITS = 2000, 600  # whole numbers that no limit refuses: the lowest that Python takes is 640 digits


def fraction_text(number: Fraction) -> str:
    """Numerator, slash and denominator, or a whole number alone, as ``str`` has it.

    >>> fraction_text(Fraction(36, 43)), fraction_text(Fraction(-2)), len(fraction_text(Fraction(1, 10**5000)))
    ('36/43', '-2', 5003)
    """
    parts = (number.numerator, number.denominator)[: 1 if number.denominator == 1 else 2]
    return "/".join(map(_digits, parts))


def fraction_of(text: str) -> Fraction:
    """The fraction that such a text is of; raises ValueError for another.

    >>> fraction_of("36/43"), fraction_of("9" * 5000) == 10**5000 - 1
    (Fraction(36, 43), True)
    """
    return Fraction(*map(_whole, text.split("/", 1)))


def _digits(number: int) -> str:
    if number.bit_length() <= SHORT_BITS:
        return str(number)
    from flint import fmpz  # which knows no limit, and is quick

    return str(fmpz(number).str())


def _whole(digits: str) -> int:
    if len(digits) <= SHORT_DIGITS:
        return int(digits)
    from flint import fmpz

    return int(fmpz(digits))
