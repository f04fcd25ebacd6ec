"""Topological levels of boards, last level first: a board's successors are solved before it or together with it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import TurnGame

Ints = NDArray[np.int64]
BOARDS_PER_BLOCK = 1 << 18  # whose levels are computed together


def last_level_first(
    level_of: NDArray[np.integer[Any]], done_level: int | None = None, min_boards: int = 1
) -> Iterator[Ints]:
    """Runs of whole levels, the last level first, each of ``min_boards`` boards or more, in ascending order.

    ``level_of``: one number a board, -1 for impossible boards; levels from ``done_level`` on are left out.

    >>> [run.tolist() for run in last_level_first(np.array([1, 0, -1, 2, 1]))]
    [[3], [0, 4], [1]]
    >>> [run.tolist() for run in last_level_first(np.array([1, 0, -1, 2, 1]), done_level=2, min_boards=3)]
    [[0, 1, 4]]
    """
    sizes = np.bincount(level_of + 1)[1:]
    ends = np.cumsum(sizes) + len(level_of) - sizes.sum()
    fits_int16 = len(sizes) <= np.iinfo(np.int16).max  # numbers that are sorted digit by digit, which is quick
    by_level = np.argsort(level_of.astype(np.int16) if fits_int16 else level_of, kind="stable")
    end = None
    for level in np.flatnonzero(sizes[:done_level])[::-1].tolist():
        end = ends[level] if end is None else end
        begin = ends[level] - sizes[level]
        if end - begin >= min_boards or begin == ends[0] - sizes[0]:
            run = by_level[begin:end]
            yield run if end == ends[level] else np.sort(run)
            end = None


def board_columns(game: TurnGame, workers: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Level (-1 for impossible boards), root and order of every board."""
    space = game.boards()
    n = space.size
    level, root, order = np.full(n, -1, dtype=np.int32), np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)

    def fill(begin: int) -> None:
        end = min(n, begin + BOARDS_PER_BLOCK)
        columns = space.columns(np.arange(begin, end))
        levels = game.level(columns)
        level[begin:end] = np.where(game.possible(columns), 0 if levels is None else levels, -1)
        for column, values in ((root, game.root(columns)), (order, game.order(columns))):
            if np.any(values):  # zeros that are never written take no memory
                column[begin:end] = values

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(fill, range(0, n, BOARDS_PER_BLOCK)))
    return level, root, order
