"""Compiled loops of the forward pass of a forecast: chances of the ends of turns, and windows of points that move on.

``flow`` backs up the turns of a block of boards as ``solver.turn.kernels`` does, with every node in a row of its own,
and then lets probability run from the root to the leaves. ``move`` adds it, for each next board, to its *window*, the
probabilities of the points earned so far: pages of PAGE_SIZE numbers, the first of them for ``PAGE_SIZE * position``
points, linked by rising position. Workers share neither windows nor pages: each adds to boards of its own.
"""

from __future__ import annotations

from math import frexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.kernel_cache import compiled
from rollwise.solver.turn.kernels import (
    EVEN,
    HALF_LANES,
    HALF_ROW,
    LANES,
    MAX,
    MEAN,
    MIN,
    NextValues,
    Operations,
    TurnEnds,
    gather,
    run,
)
from rollwise.solver.turn.lanes import add, any_above_zero, load, plus, store, times, total, where_reaches

PAGE_SIZE = 32  # numbers of a page: 256 bytes
ENDED = -1  # the board that follows the last turn
AFTER, POSITION, ADDED = 0, 1, 2  # of a page: the next page, its position, the number of additions to it
HEAD_SIZE = 4  # numbers of a page's head
FREE, FRESH, LAST = 0, 1, 2  # of a worker's pages: the first free one, the first never used, the one after the last
MAX_TURN_POINTS = 1 << 24  # of one turn
N_SIZES = 1100  # size classes of chances: place e has those from 2 ** -(e + 1) up to 2 ** -e


class Leaves(NamedTuple):
    """Row, end and own reward of each leaf of a turn."""

    row: NDArray[np.int64]
    of_leaf: NDArray[np.int64]
    own: NDArray[np.float64]


class BlockEnds(NamedTuple):
    """Ends of the turns of some boards under the optimal policy; those of board j begin at ``start[j]``.

    Each is a leaf, the board that follows (or ENDED), the points of the turn, and its chance.
    """

    start: NDArray[np.int64]
    leaf: NDArray[np.int16]
    target: NDArray[np.int32]
    points: NDArray[np.int32]
    chance: NDArray[np.float64]


class Windows(NamedTuple):
    """The first page of each board's window; the numbers of all pages, and their heads."""

    first: NDArray[np.int32]
    pages: NDArray[np.float64]
    heads: NDArray[np.int32]


@compiled(inside=True)
def _push_down(operations: Operations, rows: Any, tie: float) -> None:
    """Push the probability in the second half of the root's row down to the leaves; values are in the first halves.

    Throws split it by weight, a choice gives all to the first move that is within ``tie`` of the best, or, in
    ``FirstLegal``, to the first legal one.
    """
    ops, args, weights, scale = operations.ops, operations.args, operations.weights, operations.scale
    for o in range(ops.shape[0] - 1, -1, -1):
        kind = ops[o, 0]
        first = ops[o, 2]
        end = first + ops[o, 3]
        row = np.uint64(ops[o, 1]) * np.uint64(LANES)
        chance = load(rows, row + np.uint64(HALF_LANES), HALF_LANES)
        if not any_above_zero(chance):
            continue
        if kind == EVEN:
            chance = times(chance, scale[o])
            for k in range(first, end):
                place = np.uint64(args[k]) * np.uint64(LANES) + np.uint64(HALF_LANES)
                store(rows, place, add(load(rows, place, HALF_LANES), chance))
        elif kind == MEAN:
            chance = times(chance, scale[o])
            for k in range(first, end):
                place = np.uint64(args[k]) * np.uint64(LANES) + np.uint64(HALF_LANES)
                store(rows, place, add(load(rows, place, HALF_LANES), times(chance, weights[k])))
        elif kind in (MAX, MIN):
            sign = -1.0 if kind == MIN else 1.0
            limit = plus(times(load(rows, row, HALF_LANES), sign), -tie)
            nothing = times(chance, 0.0)
            for k in range(first, end):
                place = np.uint64(args[k]) * np.uint64(LANES)
                value = times(load(rows, place, HALF_LANES), sign)
                place += np.uint64(HALF_LANES)
                store(rows, place, add(load(rows, place, HALF_LANES), where_reaches(value, limit, chance, nothing)))
                chance = where_reaches(value, limit, nothing, chance)
                if not any_above_zero(chance):
                    break


@compiled()
def flow(
    operations: Operations,
    leaves: Leaves,
    moves: TurnEnds,
    values: Any,
    n_boards: int,
    total: float,
    tie: float,
    ends: BlockEnds,
) -> int:
    """Fill ``ends`` for the boards of ``moves``; of moves within ``tie`` of the best the first is played.

    ``values`` are those of all boards and of the endings behind them, of both sides ``total`` together. Returns the
    number of ends whose points are not a whole number, 0 or more.
    """
    n_rows = operations.n_rows
    rows = np.zeros(n_rows * LANES)
    root = operations.ops[operations.ops.shape[0] - 1, 1] * LANES
    worth = NextValues(values, values, total, -1.0)
    codes, extra, extra_of = moves.codes, moves.extra, moves.extra_of
    start, leaf, target = ends.start, ends.leaf, ends.target
    points, chance = ends.points, ends.chance
    count = codes.shape[1]
    wrong = 0
    n = 0
    for block in range(0, count, HALF_LANES):
        for e in range(codes.shape[0]):
            gather(codes[e], extra, extra_of[e], worth, rows, e * LANES, block, count - 1, HALF_LANES)
        run(operations, rows, HALF_ROW, None)
        for row in range(n_rows):
            for lane in range(HALF_LANES):
                rows[row * LANES + HALF_LANES + lane] = 0.0
        for lane in range(HALF_LANES):
            rows[root + HALF_LANES + lane] = 1.0
        _push_down(operations, rows, tie)
        for lane in range(min(HALF_LANES, count - block)):
            j = block + lane
            start[j] = n
            for x in range(leaves.row.shape[0]):
                p = rows[leaves.row[x] * LANES + HALF_LANES + lane]
                if p > 0.0:
                    e = leaves.of_leaf[x]
                    following = codes[e, j] >> 1
                    earned = leaves.own[x]
                    if extra_of[e] >= 0:
                        earned += extra[extra_of[e], j]
                    if following >= n_boards:
                        earned += values[following]
                        following = ENDED
                    if not (0.0 <= earned < MAX_TURN_POINTS and earned == np.floor(earned)):
                        wrong += 1
                        earned = 0.0
                    leaf[n] = x
                    target[n] = following
                    points[n] = np.int32(earned)
                    chance[n] = p
                    n += 1
    start[count] = n
    return wrong


@compiled(inside=True)
def worker_of(board: Any, workers: int) -> Any:
    """The worker that adds to a board: a hash, since the work of neighbours differs by their fields."""
    return (board * 2654435769 >> 20) % workers


@compiled()
def move(
    boards: Any,
    ends: BlockEnds,
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
    chance that event k has not happened yet. An addition of less than ``least`` to a page is left out: returns the sum
    of these, or -1 when there are no more pages.
    """
    start, target, points, chance = ends.start, ends.target, ends.points, ends.chance
    first, pages, heads = windows.first, windows.pages, windows.heads
    lost = 0.0
    window = np.zeros((span + 2) * PAGE_SIZE)  # a board's window, contiguous
    for j in range(boards.shape[0]):
        page: Any = np.int64(first[boards[j]])
        low = np.int64(heads[page * HEAD_SIZE + POSITION])
        high = low
        while page:
            high = np.int64(heads[page * HEAD_SIZE + POSITION])
            place = np.uint64((high - low + 1) * PAGE_SIZE)
            store(window, place, load(pages, np.uint64(page) * np.uint64(PAGE_SIZE), PAGE_SIZE))
            page = np.int64(heads[page * HEAD_SIZE + AFTER])
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
            shift = points[c] % PAGE_SIZE
            beyond = points[c] // PAGE_SIZE
            into = 0
            for position in range(low, high + 1 + (shift > 0)):
                row = times(load(window, np.uint64((position - low + 1) * PAGE_SIZE - shift), PAGE_SIZE), p)
                here = total(row)
                if here < least:
                    lost += here
                    continue
                page = np.int64(heads[into * HEAD_SIZE + AFTER] if into else first[board])
                while page and heads[page * HEAD_SIZE + POSITION] < position + beyond:
                    into = page
                    page = np.int64(heads[page * HEAD_SIZE + AFTER])
                if page == 0 or heads[page * HEAD_SIZE + POSITION] > position + beyond:
                    new = stock[FREE]
                    if new:
                        stock[FREE] = heads[new * HEAD_SIZE + AFTER]
                    else:
                        new = stock[FRESH]
                        if new == stock[LAST]:
                            return -1.0
                        stock[FRESH] = new + 1
                    heads[new * HEAD_SIZE + AFTER] = page
                    heads[new * HEAD_SIZE + POSITION] = position + beyond
                    heads[new * HEAD_SIZE + ADDED] = 0
                    if into:
                        heads[into * HEAD_SIZE + AFTER] = new
                    else:
                        first[board] = new
                    page = new
                into = page
                heads[into * HEAD_SIZE + ADDED] += 1
                place = np.uint64(into) * np.uint64(PAGE_SIZE)
                store(pages, place, add(load(pages, place, PAGE_SIZE), row))
        for i in range((high - low + 2) * PAGE_SIZE):
            window[i] = 0.0
    return lost


@compiled(inside=True)
def _size(chance: float) -> int:
    """Size class of a chance."""
    return min(max(-frexp(chance)[1], 0), N_SIZES - 1)


@compiled()
def weigh(boards: Any, windows: Windows, sums: Any, mass: Any, of_board: Any, of_page: Any) -> tuple[int, int]:
    """Sum up the probability of each page and board (``mass``), and that of pages and boards of each size class.

    Returns the largest numbers of additions to a page, and of pages that a window covers.
    """
    first, pages, heads = windows.first, windows.pages, windows.heads
    n_added = span = 0
    for j in range(boards.shape[0]):
        page: Any = np.int64(first[boards[j]])
        low = heads[page * HEAD_SIZE + POSITION]
        whole = 0.0
        while page:
            here = 0.0
            for i in range(PAGE_SIZE):
                here += pages[page * PAGE_SIZE + i]
            sums[page] = here
            of_page[_size(here)] += here
            whole += here
            n_added = max(n_added, heads[page * HEAD_SIZE + ADDED])
            span = max(span, heads[page * HEAD_SIZE + POSITION] - low + 1)
            page = np.int64(heads[page * HEAD_SIZE + AFTER])
        mass[j] = whole
        of_board[_size(whole)] += whole
    return n_added, span


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
    """Free pages of less than ``least_page`` and boards of less than ``least_board``; returns their probability.

    ``mass`` gets what remains of each board, 0 for freed ones. One worker's boards only.
    """
    first, pages, heads = windows.first, windows.pages, windows.heads
    lost = 0.0
    for j in range(boards.shape[0]):
        if worker_of(boards[j], workers) != worker:
            continue
        least = np.inf if mass[j] < least_board else least_page
        page: Any = np.int64(first[boards[j]])
        before = 0
        remaining = 0.0
        while page:
            after = heads[page * HEAD_SIZE + AFTER]
            if sums[page] >= least:
                remaining += sums[page]
                before = page
            else:
                lost += sums[page]
                for i in range(PAGE_SIZE):
                    pages[page * PAGE_SIZE + i] = 0.0
                heads[page * HEAD_SIZE + AFTER] = stock[FREE]
                stock[FREE] = page
                if before:
                    heads[before * HEAD_SIZE + AFTER] = after
                else:
                    first[boards[j]] = after
            page = after
        mass[j] = remaining
    return lost


@compiled()
def book(ends: BlockEnds, mass: Any, own: Any, of_leaf: Any, group: int, which: Any, source: Any, weight: Any) -> int:
    """Add the chance of each leaf on all boards to ``of_leaf``, ``group`` boards at a time.

    Ends at which a board adds points to the leaf's own reward are listed in ``which``, with their board and their
    total chance; returns the number of them.
    """
    start, leaf, points, chance = ends.start, ends.leaf, ends.points, ends.chance
    group_sum = np.zeros(of_leaf.shape[0])
    n = 0
    for first in range(0, mass.shape[0], group):
        group_sum[:] = 0.0
        for j in range(first, min(first + group, mass.shape[0])):
            for c in range(start[j], start[j + 1]):
                here = chance[c] * mass[j]
                group_sum[leaf[c]] += here
                if points[c] != own[leaf[c]]:
                    which[n] = c
                    source[n] = j
                    weight[n] = here
                    n += 1
        of_leaf += group_sum
    return n


@compiled()
def unfold(boards: Any, windows: Windows) -> Any:
    """Sum of the windows of these boards, by points."""
    first, pages, heads = windows.first, windows.pages, windows.heads
    last = 0
    for board in boards:
        page = first[board]
        while page:
            last = max(last, heads[page * HEAD_SIZE + POSITION])
            page = np.int64(heads[page * HEAD_SIZE + AFTER])
    points_chances = np.zeros((last + 1) * PAGE_SIZE)
    for board in boards:
        page = first[board]
        while page:
            low = heads[page * HEAD_SIZE + POSITION] * PAGE_SIZE
            for i in range(PAGE_SIZE):
                points_chances[low + i] += pages[page * PAGE_SIZE + i]
            page = np.int64(heads[page * HEAD_SIZE + AFTER])
    return points_chances
