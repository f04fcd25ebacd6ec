"""Dice of a match: typed, or drawn from a seed and the place in the game, whatever was taken back before.

A number is drawn from the SHA-256 sum of a text that names the seed and the place, so it is the same in every version
of Python, on every machine, and in any order of asking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import count
from math import lcm
from typing import Any

from rollwise.solver.model.errors import DiceError
from rollwise.solver.model.fields import dice_in_text
from rollwise.solver.model.plain import plain, quoted, whole
from rollwise.solver.model.throws import Faces

SPARE_BITS = 64  # bits drawn beyond those of the number, so that few draws are rejected


def draw_below(limit: int, *place: object) -> int:
    """Draw a uniform whole number from 0 to ``limit`` - 1 for this place, by rejection sampling.

    >>> [draw_below(6, "seed", 7, at) for at in range(8)] == [draw_below(6, "seed", 7, at) for at in range(8)]
    True
    """
    n_blocks = (limit.bit_length() + SPARE_BITS + 255) // 256
    for attempt in count():
        bits = 0
        for block in range(n_blocks):
            text = " ".join(["rollwise", *map(str, place), str(attempt), str(block)])
            bits = bits << 256 | int.from_bytes(sha256(text.encode()).digest(), "big")
        n_values = 1 << 256 * n_blocks
        if bits < n_values - n_values % limit:
            return bits % limit
    raise AssertionError("count() ends nowhere")


def draw_index(chances: Sequence[Fraction], *place: object) -> int:
    """Draw an index with these chances, in exact arithmetic.

    >>> draw_index([Fraction(1, 3), Fraction(0), Fraction(2, 3)], "a place") in (0, 2)
    True
    """
    denominator = lcm(*(chance.denominator for chance in chances))
    weights = [int(chance * denominator) for chance in chances]
    remaining = draw_below(sum(weights), *place)
    for number, weight in enumerate(weights):
        remaining -= weight
        if remaining < 0:
            return number
    raise AssertionError("one of them was drawn")


def draw_throw(throws: Mapping[Faces, Fraction], *place: object) -> Faces:
    """Draw the throw at this place of the game."""
    faces = sorted(throws)
    return faces[draw_index([throws[each] for each in faces], *place)]


def parse_throw(dice: Any, throws: Mapping[Faces, Fraction]) -> Faces:
    """Parse a typed throw, dice in any order; raises DiceError for one that cannot fall."""
    dice = plain(dice)
    if not throws:
        raise DiceError(f"no further dice fall here, got {quoted(dice)}")
    numbers_typed = [whole(die) for die in dice_in_text(dice)]
    sizes, highest = sorted({len(throw) for throw in throws}), max(max(throw) for throw in throws)
    falls = f"{' or '.join(map(str, sizes))} {'die falls' if sizes == [1] else 'dice fall'}"
    if not numbers_typed or None in numbers_typed:
        raise DiceError(f"{falls} here, each 1 to {highest}; got {quoted(dice)}")
    faces = tuple(sorted(die for die in numbers_typed if die is not None))
    if len(faces) not in sizes:
        raise DiceError(f"{falls} here, got {len(faces)}: {throw_text(faces)}")
    if not 1 <= min(faces) <= max(faces) <= highest:
        raise DiceError(f"a die shows 1 to {highest}, got {throw_text(faces)}")
    if faces not in throws:
        raise DiceError(f"{throw_text(faces)} cannot fall here")
    return faces


def throw_text(faces: Sequence[int]) -> str:
    """A throw in a message."""
    return " ".join(map(str, faces[:20])) + (" ..." if len(faces) > 20 else "")
