"""Dice of a match: typed, or drawn by a seed and the place in the game, whatever was done before or taken back.

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
from rollwise.solver.model.fields import dice_said
from rollwise.solver.model.plain import plain, quoted, whole
from rollwise.solver.model.throws import Faces

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


def drawn(throws: Mapping[Faces, Fraction], *place: object) -> Faces:
    """The throw that falls at this place of the game."""
    faces = sorted(throws)
    return faces[pick([throws[each] for each in faces], *place)]


def typed(dice: Any, throws: Mapping[Faces, Fraction]) -> Faces:
    """The throw that was typed, in any order; raises DiceError where it cannot fall."""
    dice = plain(dice)
    if not throws:
        raise DiceError(f"no further dice fall here, got {quoted(dice)}")
    each = [whole(die) for die in dice_said(dice)]
    numbers, most = sorted({len(throw) for throw in throws}), max(max(throw) for throw in throws)
    falls = f"{' or '.join(map(str, numbers))} {'die falls' if numbers == [1] else 'dice fall'}"
    if not each or None in each:
        raise DiceError(f"{falls} here, each 1 to {most}; got {quoted(dice)}")
    faces = tuple(sorted(die for die in each if die is not None))
    if len(faces) not in numbers:
        raise DiceError(f"{falls} here, got {len(faces)}: {shown(faces)}")
    if not 1 <= min(faces) <= max(faces) <= most:
        raise DiceError(f"a die shows 1 to {most}, got {shown(faces)}")
    if faces not in throws:
        raise DiceError(f"{shown(faces)} cannot fall here")
    return faces


def shown(faces: Sequence[int]) -> str:
    """A throw in a message."""
    return " ".join(map(str, faces[:20])) + (" ..." if len(faces) > 20 else "")
