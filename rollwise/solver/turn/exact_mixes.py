"""Chances of a mix as whole parts: they are 1 together to the last bit, and floats hold them exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PARTS = 1 << 53  # to 1


def in_parts(mixes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Mixes as whole numbers of PARTS, shape (..., moves): what rounding leaves over goes to the likeliest move.

    >>> in_parts(np.array([[0.25, 0.75, 0.0]])).tolist() == [[PARTS // 4, PARTS // 4 * 3, 0]]
    True
    """
    found: Any = np.floor(mixes * PARTS).astype(np.int64)
    left = PARTS - found.sum(axis=-1)
    some = mixes.sum(axis=-1) > 0
    likeliest = np.argmax(mixes, axis=-1)[..., None]
    added = np.take_along_axis(found, likeliest, axis=-1) + np.where(some, left, 0)[..., None]
    np.put_along_axis(found, likeliest, added, axis=-1)
    return np.asarray(found)
