"""Dice that depend on a seed and on the place in the game, and on nothing that was done before or taken back.

A number is drawn from the SHA-256 sum of a text that names the seed and the place, so it is the same in every version
of Python, on every machine, and in any order of asking.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import count
from math import lcm

SPARE = 64  # bits that are drawn beyond those of the number, so that few draws are thrown away


def below(limit: int, *place: object) -> int:
    """A whole number from 0 to ``limit`` - 1, each as likely as any other, that belongs to this place.

    >>> [below(6, "seed", 7, place) for place in range(8)] == [below(6, "seed", 7, place) for place in range(8)]
    True
    """
    blocks = (limit.bit_length() + SPARE + 255) // 256
    for attempt in count():
        drawn = 0
        for block in range(blocks):
            text = " ".join(["rollwise", *map(str, place), str(attempt), str(block)])
            drawn = drawn << 256 | int.from_bytes(sha256(text.encode()).digest(), "big")
        whole = 1 << 256 * blocks
        if drawn < whole - whole % limit:
            return drawn % limit
    raise AssertionError("count() ends nowhere")


def pick(chances: Sequence[Fraction], *place: object) -> int:
    """The number of one of these, as often as its chance says, in whole parts.

    >>> pick([Fraction(1, 3), Fraction(0), Fraction(2, 3)], "a place") in (0, 2)
    True
    """
    parts = lcm(*(chance.denominator for chance in chances))
    weights = [int(chance * parts) for chance in chances]
    at = below(sum(weights), *place)
    for number, weight in enumerate(weights):
        at -= weight
        if at < 0:
            return number
    raise AssertionError("one of them was drawn")
