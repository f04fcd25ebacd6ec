"""Where the best play goes, compiled: the chance of every end of a turn, and windows of points that move on.

``flow`` backs up the turns of a block of boards as ``solver.turn.kernels`` does, with every node in a row of its own,
and then lets chance run back from the root to the leaves. ``move`` adds what so comes to each next board to its
*window*, the chances of the points made so far: pages of WIDE numbers, the first of them for ``WIDE * position``
points, linked by rising position. Workers share neither windows nor pages: each has its own boards to add to.
"""

from __future__ import annotations

from math import frexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.kept_kernels import compiled
from rollwise.solver.turn.kernels import (
    EVEN,
    HALF,
    HALF_WIDE,
    LANES,
    MAX,
    MEAN,
    MIN,
    NextValues,
    Operations,
    Reached,
    gather,
    run,
)
from rollwise.solver.turn.lanes import add, any_above_zero, load, plus, store, times, total, where_reaches

WIDE = 32  # numbers of a page: 256 bytes
ENDED = -1  # the board that follows the last turn
AFTER, POSITION, ADDED = 0, 1, 2  # of a page: the next one, where it lies, how often something was added to it
HEAD = 4  # numbers of a page's head
FREE, FRESH, LAST = 0, 1, 2  # of a worker's pages: the first free one, the first never used, the one after the last
MOST_POINTS = 1 << 24  # of one turn
SIZES = 1100  # chances are counted by size: place e those of 2 ** -(e + 1) up to 2 ** -e


class Leaves(NamedTuple):
    """Of each leaf of a turn its row, its end, and what it earns itself."""

    row: NDArray[np.int64]
    of_leaf: NDArray[np.int64]
    own: NDArray[np.float64]


class Coming(NamedTuple):
    """The ends to which the best play of some boards comes; those of board j begin at ``start[j]``.

    Each is a leaf, the board that follows (or ENDED), the points made on the way, and its chance.
    """

    start: NDArray[np.int64]
    leaf: NDArray[np.int16]
    target: NDArray[np.int32]
    points: NDArray[np.int32]
    chance: NDArray[np.float64]


class Windows(NamedTuple):
    """Of each board the first page of its window; the numbers of all pages, and their heads."""

    first: NDArray[np.int32]
    pages: NDArray[np.float64]
    heads: NDArray[np.int32]


@compiled(inside=True)
def _spread(operations: Operations, rows: Any, tie: float) -> None:
    """Let the chance in the second half of the root's row run down to the leaves; values are in the first halves.

    Chance shares it out by weight, a choice gives all to the first move that is within ``tie`` of the best, or, where
    the first legal one is meant, to that.
    """
    ops, args, weights, scale = operations.ops, operations.args, operations.weights, operations.scale
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
        elif kind in (MAX, MIN):
            sign = -1.0 if kind == MIN else 1.0
            limit = plus(times(load(rows, row, HALF), sign), -tie)
            nothing = times(chance, 0.0)
            for k in range(first, end):
                place = np.uint64(args[k]) * np.uint64(LANES)
                value = times(load(rows, place, HALF), sign)
                place += np.uint64(HALF)
                store(rows, place, add(load(rows, place, HALF), where_reaches(value, limit, chance, nothing)))
                chance = where_reaches(value, limit, nothing, chance)
                if not any_above_zero(chance):
                    break


@compiled()
def flow(
    operations: Operations,
    leaves: Leaves,
    moves: Reached,
    values: Any,
    n_boards: int,
    total: float,
    tie: float,
    coming: Coming,
) -> int:
    """Fill ``coming`` for the boards of ``moves``; of moves within ``tie`` of the best the first is played.

    ``values`` are those of all boards and of the endings behind them, of both sides ``total`` together. Returns how
    many of the ends do not make a whole number of points, 0 or more.
    """
    n_rows = operations.n_rows
    rows = np.zeros(n_rows * LANES)
    root = operations.ops[operations.ops.shape[0] - 1, 1] * LANES
    worth = NextValues(values, values, total, -1.0)
    codes, extra, extra_of = moves.codes, moves.extra, moves.extra_of
    start, leaf, target = coming.start, coming.leaf, coming.target
    points, chance = coming.points, coming.chance
    count = codes.shape[1]
    wrong = 0
    n = 0
    for block in range(0, count, HALF):
        for e in range(codes.shape[0]):
            gather(codes[e], extra, extra_of[e], worth, rows, e * LANES, block, count - 1, HALF)
        run(operations, rows, HALF_WIDE, None)
        for row in range(n_rows):
            for lane in range(HALF):
                rows[row * LANES + HALF + lane] = 0.0
        for lane in range(HALF):
            rows[root + HALF + lane] = 1.0
        _spread(operations, rows, tie)
        for lane in range(min(HALF, count - block)):
            j = block + lane
            start[j] = n
            for x in range(leaves.row.shape[0]):
                p = rows[leaves.row[x] * LANES + HALF + lane]
                if p > 0.0:
                    e = leaves.of_leaf[x]
                    following = codes[e, j] >> 1
                    made = leaves.own[x]
                    if extra_of[e] >= 0:
                        made += extra[extra_of[e], j]
                    if following >= n_boards:
                        made += values[following]
                        following = ENDED
                    if not (0.0 <= made < MOST_POINTS and made == np.floor(made)):
                        wrong += 1
                        made = 0.0
                    leaf[n] = x
                    target[n] = following
                    points[n] = np.int32(made)
                    chance[n] = p
                    n += 1
    start[count] = n
    return wrong


@compiled(inside=True)
def worker_of(board: Any, workers: int) -> Any:
    """Which worker adds to a board: mixed, since neighbours differ in fields that say how much there is to do."""
    return (board * 2654435769 >> 20) % workers


@compiled()
def move(
    boards: Any,
    coming: Coming,
    clean: Any,
    windows: Windows,
    never: Any,
    stock: Any,
    worker: int,
    workers: int,
    span: int,
    least: float,
) -> float:
    """Add the windows of these boards to those of the boards that follow, for one worker's share of these.

    No window covers more than ``span`` pages. Bit k of ``clean`` is set for ends by which ``never[k]`` goes on, the
    chance that something has not happened yet. Where less than ``least`` would come to a page, it is left out: returns
    the sum of these chances, or -1 when there are no pages left.
    """
    start, target, points, chance = coming.start, coming.target, coming.points, coming.chance
    first, pages, heads = windows.first, windows.pages, windows.heads
    lost = 0.0
    laid = np.zeros((span + 2) * WIDE)  # a board's window in one piece
    for j in range(boards.shape[0]):
        page: Any = np.int64(first[boards[j]])
        low = np.int64(heads[page * HEAD + POSITION])
        high = low
        while page:
            high = np.int64(heads[page * HEAD + POSITION])
            place = np.uint64((high - low + 1) * WIDE)
            store(laid, place, load(pages, np.uint64(page) * np.uint64(WIDE), WIDE))
            page = np.int64(heads[page * HEAD + AFTER])
        for c in range(start[j], start[j + 1]):
            board = np.int64(target[c])
            if board == ENDED:
                board = first.shape[0] - workers + worker
                if j % workers != worker:
                    continue
            elif worker_of(board, workers) != worker:
                continue
            p = chance[c]
            for k in range(never.shape[0]):
                if clean[c] >> k & 1:
                    never[k, board] += p * never[k, boards[j]]
            shift = points[c] % WIDE
            beyond = points[c] // WIDE
            into = 0
            for position in range(low, high + 1 + (shift > 0)):
                row = times(load(laid, np.uint64((position - low + 1) * WIDE - shift), WIDE), p)
                here = total(row)
                if here < least:
                    lost += here
                    continue
                page = np.int64(heads[into * HEAD + AFTER] if into else first[board])
                while page and heads[page * HEAD + POSITION] < position + beyond:
                    into = page
                    page = np.int64(heads[page * HEAD + AFTER])
                if page == 0 or heads[page * HEAD + POSITION] > position + beyond:
                    new = stock[FREE]
                    if new:
                        stock[FREE] = heads[new * HEAD + AFTER]
                    else:
                        new = stock[FRESH]
                        if new == stock[LAST]:
                            return -1.0
                        stock[FRESH] = new + 1
                    heads[new * HEAD + AFTER] = page
                    heads[new * HEAD + POSITION] = position + beyond
                    heads[new * HEAD + ADDED] = 0
                    if into:
                        heads[into * HEAD + AFTER] = new
                    else:
                        first[board] = new
                    page = new
                into = page
                heads[into * HEAD + ADDED] += 1
                place = np.uint64(into) * np.uint64(WIDE)
                store(pages, place, add(load(pages, place, WIDE), row))
        for i in range((high - low + 2) * WIDE):
            laid[i] = 0.0
    return lost


@compiled(inside=True)
def _size(chance: float) -> int:
    """The place of a chance among the sizes."""
    return min(max(-frexp(chance)[1], 0), SIZES - 1)


@compiled()
def weigh(
    boards: Any,
    windows: Windows,
    sums: Any,
    mass: Any,
    of_board: Any,
    of_page: Any,
) -> tuple[int, int]:
    """The chance of each page and board (``mass``), and how much lies in those of each size.

    Returns how often something was added to a page, and how many pages a window covers, at most.
    """
    first, pages, heads = windows.first, windows.pages, windows.heads
    most = span = 0
    for j in range(boards.shape[0]):
        page: Any = np.int64(first[boards[j]])
        low = heads[page * HEAD + POSITION]
        whole = 0.0
        while page:
            here = 0.0
            for i in range(WIDE):
                here += pages[page * WIDE + i]
            sums[page] = here
            of_page[_size(here)] += here
            whole += here
            most = max(most, heads[page * HEAD + ADDED])
            span = max(span, heads[page * HEAD + POSITION] - low + 1)
            page = np.int64(heads[page * HEAD + AFTER])
        mass[j] = whole
        of_board[_size(whole)] += whole
    return most, span


@compiled()
def trim(
    boards: Any,
    mass: Any,
    least_board: float,
    least_page: float,
    windows: Windows,
    sums: Any,
    stock: Any,
    worker: int,
    workers: int,
) -> float:
    """Give back pages of less than ``least_page`` and boards of less than ``least_board``; what was lost with them.

    ``mass`` is what is left of each board, 0 for those given back. One worker's boards only.
    """
    first, pages, heads = windows.first, windows.pages, windows.heads
    lost = 0.0
    for j in range(boards.shape[0]):
        if worker_of(boards[j], workers) != worker:
            continue
        least = np.inf if mass[j] < least_board else least_page
        page: Any = np.int64(first[boards[j]])
        before = 0
        left = 0.0
        while page:
            after = heads[page * HEAD + AFTER]
            if sums[page] >= least:
                left += sums[page]
                before = page
            else:
                lost += sums[page]
                for i in range(WIDE):
                    pages[page * WIDE + i] = 0.0
                heads[page * HEAD + AFTER] = stock[FREE]
                stock[FREE] = page
                if before:
                    heads[before * HEAD + AFTER] = after
                else:
                    first[boards[j]] = after
            page = after
        mass[j] = left
    return lost


@compiled()
def book(
    coming: Coming,
    mass: Any,
    own: Any,
    of_leaf: Any,
    group: int,
    which: Any,
    source: Any,
    weight: Any,
) -> int:
    """Add the chance of each leaf on all boards to ``of_leaf``, ``group`` boards at a time.

    Ends at which a board adds points to what the leaf earns itself are listed in ``which``, with their board and the
    chance of it all; returns how many they are.
    """
    start, leaf, points, chance = coming.start, coming.leaf, coming.points, coming.chance
    part = np.zeros(of_leaf.shape[0])
    n = 0
    for first in range(0, mass.shape[0], group):
        part[:] = 0.0
        for j in range(first, min(first + group, mass.shape[0])):
            for c in range(start[j], start[j + 1]):
                here = chance[c] * mass[j]
                part[leaf[c]] += here
                if points[c] != own[leaf[c]]:
                    which[n] = c
                    source[n] = j
                    weight[n] = here
                    n += 1
        of_leaf += part
    return n


@compiled()
def unfold(boards: Any, windows: Windows) -> Any:
    """The windows of these boards together, by points."""
    first, pages, heads = windows.first, windows.pages, windows.heads
    last = 0
    for board in boards:
        page = first[board]
        while page:
            last = max(last, heads[page * HEAD + POSITION])
            page = np.int64(heads[page * HEAD + AFTER])
    found = np.zeros((last + 1) * WIDE)
    for board in boards:
        page = first[board]
        while page:
            low = heads[page * HEAD + POSITION] * WIDE
            for i in range(WIDE):
                found[low + i] += pages[page * WIDE + i]
            page = np.int64(heads[page * HEAD + AFTER])
    return found
