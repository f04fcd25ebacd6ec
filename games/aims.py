"""What one turn can go for on a score sheet: a box, as if the others were not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.sheets import NUMBERS
from solver.model import Aim


def box_aims(boxes: Sequence[str], dice: int) -> dict[str, Aim]:
    """These boxes of a game whose results name the box first: at least so many dice of a face, or more than 0 points.

    >>> aims = box_aims(["twos", "chance"], dice=5)
    >>> aims["twos"].marks["at least 3"], aims["chance"].marks
    (6, {'more than 0': 1})
    """
    return {box: Aim(_fills(box), _marks(box, dice)) for box in boxes}


def _fills(box: str) -> Any:
    return lambda result: result[0] == box


def _marks(box: str, dice: int) -> dict[str, int]:
    if box not in NUMBERS:
        return {"more than 0": 1}
    return {f"at least {count}": count * (NUMBERS.index(box) + 1) for count in range(1, dice + 1)}
