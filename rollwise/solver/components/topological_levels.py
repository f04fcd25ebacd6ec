"""Boards by level, the last level first: what they lead to is solved before them, or together with them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import TurnGame

Ints = NDArray[np.int64]
COLUMNS = 1 << 18  # boards whose levels are found together


def last_level_first(level_of: NDArray[np.integer[Any]], below: int | None = None, together: int = 1) -> Iterator[Ints]:
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


def columns_of(game: TurnGame, workers: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Level (-1 for boards that cannot be), root and order of every board."""
    space = game.boards()
    n = space.size
    level, root, order = np.full(n, -1, dtype=np.int32), np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)

    def fill(begin: int) -> None:
        end = min(n, begin + COLUMNS)
        columns = space.columns(np.arange(begin, end))
        levels = game.level(columns)
        level[begin:end] = np.where(game.possible(columns), 0 if levels is None else levels, -1)
        for every, here in ((root, game.root(columns)), (order, game.order(columns))):
            if np.any(here):  # zeros that are never written take no memory
                every[begin:end] = here

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(fill, range(0, n, COLUMNS)))
    return level, root, order
