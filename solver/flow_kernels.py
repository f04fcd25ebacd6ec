"""Where the best play goes, compiled: the chance of every end of a turn, and windows of points that move on.

``flow`` backs up the turns of a block of boards as ``solver.kernels`` does, with every node in a row of its own, and
then lets chance run back from the root to the leaves. ``move`` adds what so comes to each next board to its *window*,
the chances of the points made so far: pages of WIDE numbers, the first of them for ``WIDE * position`` points, linked
by rising position. Workers share neither windows nor pages: each has its own boards to add to.
"""

from __future__ import annotations

from math import frexp
from typing import Any

import numpy as np
from numba import njit

from solver.kernels import EVEN, HALF, LANES, MAX, MEAN, MIN, gather, run
from solver.lanes import add, any_above_zero, load, store, times, where_equal

WIDE = 32  # numbers of a page: 256 bytes
ENDED = -1  # the board that follows the last turn
FREE, FRESH, LAST = 0, 1, 2  # of a worker's pages: the first free one, the first never used, the one after the last
SIZES = 1100  # chances are counted by size: place e those of 2 ** -(e + 1) up to 2 ** -e


@njit(nogil=True, cache=True, inline="always")
def _spread(ops: Any, args: Any, weights: Any, scale: Any, rows: Any) -> None:
    """Let the chance in the second half of the root's row run down to the leaves; values are in the first halves.

    Chance shares it out by weight, a choice gives all to the first move that is worth as much as itself.
    """
    for o in range(ops.shape[0] - 1, -1, -1):
        kind = ops[o, 0]
        first = ops[o, 2]
        end = first + ops[o, 3]
        row = np.uint64(ops[o, 1]) * np.uint64(LANES)
        chance = load(rows, row + np.uint64(HALF), HALF)
        if not any_above_zero(chance):
            continue
        if kind == EVEN:
            chance = times(chance, scale[o])
            for k in range(first, end):
                place = np.uint64(args[k]) * np.uint64(LANES) + np.uint64(HALF)
                store(rows, place, add(load(rows, place, HALF), chance))
        elif kind == MEAN:
            chance = times(chance, scale[o])
            for k in range(first, end):
                place = np.uint64(args[k]) * np.uint64(LANES) + np.uint64(HALF)
                store(rows, place, add(load(rows, place, HALF), times(chance, weights[k])))
        elif kind == MAX or kind == MIN:  # noqa: PLR1714  numba
            best = load(rows, row, HALF)
            nothing = times(chance, 0.0)
            for k in range(first, end):
                place = np.uint64(args[k]) * np.uint64(LANES)
                value = load(rows, place, HALF)
                place += np.uint64(HALF)
                store(rows, place, add(load(rows, place, HALF), where_equal(value, best, chance, nothing)))
                chance = where_equal(value, best, nothing, chance)
                if not any_above_zero(chance):
                    break


@njit(nogil=True, cache=True)
def flow(
    ops: Any,
    args: Any,
    weights: Any,
    scale: Any,
    n_rows: int,
    leaf_row: Any,
    of_leaf: Any,
    own: Any,
    codes: Any,
    extra: Any,
    extra_of: Any,
    values: Any,
    n_boards: int,
    worth: Any,
    start: Any,
    leaf: Any,
    target: Any,
    points: Any,
    chance: Any,
) -> int:
    """The ends to which the best play of these boards comes, board by board: those of board j begin at ``start[j]``.

    Each is a leaf, the board that follows (or ENDED), the points made on the way, and its chance. ``values`` are those
    of all boards and constants, ``worth`` what each constant is worth, in points; -1 where the rules forbid it.
    Returns how many of the ends are forbidden.
    """
    rows = np.zeros(n_rows * LANES)
    root = ops[ops.shape[0] - 1, 1] * LANES
    count = codes.shape[1]
    forbidden = 0
    n = 0
    for block in range(0, count, HALF):
        for e in range(codes.shape[0]):
            gather(codes[e], extra, extra_of[e], values, values, 0.0, 1.0, rows, e * LANES, block, count - 1, HALF)
        run(ops, args, weights, scale, rows, HALF)
        for row in range(n_rows):
            for lane in range(HALF):
                rows[row * LANES + HALF + lane] = 0.0
        for lane in range(HALF):
            rows[root + HALF + lane] = 1.0
        _spread(ops, args, weights, scale, rows)
        for lane in range(min(HALF, count - block)):
            j = block + lane
            start[j] = n
            for x in range(leaf_row.shape[0]):
                p = rows[leaf_row[x] * LANES + HALF + lane]
                if p > 0.0:
                    e = of_leaf[x]
                    following = codes[e, j] >> 1
                    made = own[x]
                    if extra_of[e] >= 0:
                        made += np.int64(extra[extra_of[e], j])
                    if following >= n_boards:
                        ended = worth[following - n_boards]
                        forbidden += ended < 0
                        made += ended
                        following = ENDED
                    leaf[n] = x
                    target[n] = following
                    points[n] = made
                    chance[n] = p
                    n += 1
    start[count] = n
    return forbidden


@njit(nogil=True, cache=True, inline="always")
def _page(
    first: Any, following: Any, position: Any, added: Any, stock: Any, board: int, before: int, wanted: int
) -> int:
    """The page of a board's window for a position, put in where there is none; 0 when there are no pages left.

    ``before`` is a page of the window at that position or before it, or 0.
    """
    if before and position[before] == wanted:
        return before
    page = following[before] if before else first[board]
    while page and position[page] < wanted:
        before = page
        page = following[page]
    if page and position[page] == wanted:
        return page
    new = stock[FREE]
    if new:
        stock[FREE] = following[new]
    else:
        new = stock[FRESH]
        if new == stock[LAST]:
            return 0
        stock[FRESH] = new + 1
    following[new] = page
    position[new] = wanted
    added[new] = 0
    if before:
        following[before] = new
    else:
        first[board] = new
    return new


@njit(nogil=True, cache=True)
def move(
    boards: Any,
    start: Any,
    target: Any,
    points: Any,
    chance: Any,
    clean: Any,
    first: Any,
    pages: Any,
    following: Any,
    position: Any,
    added: Any,
    sums: Any,
    never: Any,
    stock: Any,
    ended: Any,
    worker: int,
    workers: int,
    least: float,
) -> float:
    """Add the windows of these boards to those of the boards that follow, for one worker's share of these.

    ``clean``: ends by which ``never`` goes on, the chance that something has not happened yet. Pages from which less
    than ``least`` would come are left out: returns the sum of these chances, or -1 when there are no pages left.
    """
    lost = 0.0
    for j in range(boards.shape[0]):
        source = first[boards[j]]
        for c in range(start[j], start[j + 1]):
            board = np.int64(target[c])
            if (j if board == ENDED else board) % workers != worker:
                continue
            p = chance[c]
            if clean[c]:
                never[never.shape[0] - 1 - worker if board == ENDED else board] += p * never[boards[j]]
            page = source
            into = 0
            while page:
                if p * sums[page] < least:
                    lost += p * sums[page]
                    page = following[page]
                    continue
                low = position[page] * WIDE + points[c]
                if board == ENDED:
                    for i in range(WIDE):
                        ended[low + i] += p * pages[page * WIDE + i]
                    page = following[page]
                    continue
                beyond = low % WIDE
                into = _page(first, following, position, added, stock, board, into, low // WIDE)
                if into == 0:
                    return -1.0
                added[into] += 1
                for i in range(WIDE - beyond):
                    pages[into * WIDE + beyond + i] += p * pages[page * WIDE + i]
                if beyond:
                    into = _page(first, following, position, added, stock, board, into, low // WIDE + 1)
                    if into == 0:
                        return -1.0
                    added[into] += 1
                    for i in range(beyond):
                        pages[into * WIDE + i] += p * pages[page * WIDE + WIDE - beyond + i]
                page = following[page]
    return lost


@njit(nogil=True, cache=True)
def weigh(
    boards: Any,
    first: Any,
    pages: Any,
    following: Any,
    added: Any,
    sums: Any,
    mass: Any,
    of_board: Any,
    of_page: Any,
) -> int:
    """The chance of each page and board (``mass``), and how much lies in those of each size; the most additions."""
    most = 0
    for j in range(boards.shape[0]):
        page = first[boards[j]]
        whole = 0.0
        while page:
            here = 0.0
            for i in range(WIDE):
                here += pages[page * WIDE + i]
            sums[page] = here
            of_page[min(-frexp(here)[1], SIZES - 1)] += here
            whole += here
            most = max(most, added[page])
            page = following[page]
        mass[j] = whole
        of_board[min(-frexp(whole)[1], SIZES - 1)] += whole
    return most


@njit(nogil=True, cache=True)
def trim(
    boards: Any,
    mass: Any,
    least_board: float,
    least_page: float,
    first: Any,
    pages: Any,
    following: Any,
    sums: Any,
    stock: Any,
    worker: int,
    workers: int,
) -> float:
    """Give back pages of less than ``least_page`` and boards of less than ``least_board``; what was lost with them.

    ``mass`` is what is left of each board, 0 for those given back. One worker's boards only.
    """
    lost = 0.0
    for j in range(boards.shape[0]):
        if boards[j] % workers != worker:
            continue
        least = np.inf if mass[j] < least_board else least_page
        page = first[boards[j]]
        before = 0
        left = 0.0
        while page:
            after = following[page]
            if sums[page] >= least:
                left += sums[page]
                before = page
            else:
                lost += sums[page]
                for i in range(WIDE):
                    pages[page * WIDE + i] = 0.0
                following[page] = stock[FREE]
                stock[FREE] = page
                if before:
                    following[before] = after
                else:
                    first[boards[j]] = after
            page = after
        mass[j] = left
    return lost
