"""Fractions as text with all their digits, and back, beyond Python's limit of digits (4,300 by default)."""

from __future__ import annotations

from fractions import Fraction

MAX_STR_BITS, MAX_INT_DIGITS = 2000, 600  # within any limit: the lowest that there can be is 640 digits


def fraction_text(number: Fraction) -> str:
    """Numerator, slash and denominator, or a whole number alone, as ``str`` has it.

    >>> fraction_text(Fraction(36, 43)), fraction_text(Fraction(-2)), len(fraction_text(Fraction(1, 10**5000)))
    ('36/43', '-2', 5003)
    """
    if max(map(int.bit_length, number.as_integer_ratio())) <= MAX_STR_BITS:
        return str(number)
    from flint import fmpq  # without a limit

    return str(fmpq(*number.as_integer_ratio()).str())


def fraction_of(text: str) -> Fraction:
    """The fraction of such a text; raises ValueError for another."""
    if len(text) <= MAX_INT_DIGITS:
        return Fraction(text)
    from flint import fmpz

    return Fraction(*(int(fmpz(part)) for part in text.split("/", 1)))
