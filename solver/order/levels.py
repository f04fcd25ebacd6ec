"""Boards by level, the last level first: what they lead to is solved before them, or together with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def from_last(level_of: NDArray[np.integer[Any]], below: int | None = None, together: int = 1) -> Iterator[Ints]:
    """Runs of whole levels, the last level first, each of ``together`` boards or more; its boards ascend.

    ``level_of``: one number a board, -1 where no board can be; levels from ``below`` on are left out, they are done.

    >>> [run.tolist() for run in from_last(np.array([1, 0, -1, 2, 1]))]
    [[3], [0, 4], [1]]
    >>> [run.tolist() for run in from_last(np.array([1, 0, -1, 2, 1]), below=2, together=3)]
    [[0, 1, 4]]
    """
    sizes = np.bincount(level_of + 1)[1:]
    ends = np.cumsum(sizes) + len(level_of) - sizes.sum()
    short = len(sizes) <= np.iinfo(np.int16).max  # numbers that are sorted digit by digit, which is quick
    by_level = np.argsort(level_of.astype(np.int16) if short else level_of, kind="stable")
    end = None
    for level in np.flatnonzero(sizes[:below])[::-1].tolist():
        end = ends[level] if end is None else end
        begin = ends[level] - sizes[level]
        if end - begin >= together or begin == ends[0] - sizes[0]:
            run = by_level[begin:end]
            yield run if end == ends[level] else np.sort(run)
            end = None
