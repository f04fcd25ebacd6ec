"""Fractions as text with all their digits, and back, whatever limit of digits Python was given: 4,300 by default."""

from __future__ import annotations

from fractions import Fraction

SHORT_BITS, SHORT_DIGITS = 2000, 600  # within any limit: the lowest that there can be is 640 digits


def fraction_text(number: Fraction) -> str:
    """Numerator, slash and denominator, or a whole number alone, as ``str`` has it.

    >>> fraction_text(Fraction(36, 43)), fraction_text(Fraction(-2)), len(fraction_text(Fraction(1, 10**5000)))
    ('36/43', '-2', 5003)
    """
    if max(map(int.bit_length, number.as_integer_ratio())) <= SHORT_BITS:
        return str(number)
    from flint import fmpq  # which knows no limit

    return str(fmpq(*number.as_integer_ratio()).str())


def fraction_of(text: str) -> Fraction:
    """The fraction of such a text; raises ValueError for another."""
    if len(text) <= SHORT_DIGITS:
        return Fraction(text)
    from flint import fmpz

    return Fraction(*(int(fmpz(part)) for part in text.split("/", 1)))
