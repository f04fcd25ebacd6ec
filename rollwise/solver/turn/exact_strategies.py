"""Chances of mixed strategies as multiples of 2**-53: their sum is exactly 1, and each is exact as a float."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PARTS_PER_ONE = 1 << 53


def to_parts(strategies: NDArray[np.float64]) -> NDArray[np.int64]:
    """Strategies as whole numbers of PARTS_PER_ONE, shape (..., moves): the likeliest move takes the remainder.

    >>> to_parts(np.array([[0.25, 0.75, 0.0]])).tolist() == [[PARTS_PER_ONE // 4, PARTS_PER_ONE // 4 * 3, 0]]
    True
    """
    parts: Any = np.floor(strategies * PARTS_PER_ONE).astype(np.int64)
    remainder = PARTS_PER_ONE - parts.sum(axis=-1)
    is_used = strategies.sum(axis=-1) > 0
    likeliest = np.argmax(strategies, axis=-1)[..., None]
    added = np.take_along_axis(parts, likeliest, axis=-1) + np.where(is_used, remainder, 0)[..., None]
    np.put_along_axis(parts, likeliest, added, axis=-1)
    return np.asarray(parts)
