"""The compiled backup of a table: rows of lanes as in ``solver.turn.kernels``, one row a seat for every node.

Where it is asked what a seat gets that alone plays its best, a node has as many rows more: its replies.
``solver.turn.vectors`` is the slow twin that a test compares it with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kept_kernels import compiled
from rollwise.solver.turn.kernels import HALF, HALF_WIDE, MAX, MEAN, Operations
from rollwise.solver.turn.lanes import add, fetch, larger, plus, put, times, where_reaches
from rollwise.solver.turn.mixed_decisions import LaidLots
from rollwise.solver.turn.vectors import NEXT_SEAT, REVERSED

LANES = HALF  # boards side by side
NONE, ONE, WIDE = np.uint64(0), np.uint64(1), np.uint64(LANES)


@compiled(inside=True)
def _row(rows: Any, place: Any, columns: Any, column: Any) -> Any:
    return fetch(rows, np.uint64(place) * columns + column, LANES, HALF_WIDE, None)


@compiled(inside=True)
def _mean(operations: Any, o: Any, first: Any, end: Any, rows: Any, columns: Any) -> None:
    """A chance node, or a leaf: the weighted mean of all its rows."""
    args, weights, even = operations.args, operations.weights, operations.ops[o, 0] != MEAN
    to = np.uint64(operations.ops[o, 1]) * columns
    for column in range(columns):
        row = _row(rows, args[first], columns, column)
        if even:
            for k in range(first + ONE, end):
                row = add(row, _row(rows, args[k], columns, column))
        else:
            row = times(row, weights[first])
            for k in range(first + ONE, end):
                row = add(row, times(_row(rows, args[k], columns, column), weights[k]))
        put(rows, to + column, LANES, times(row, operations.scale[o]))


@compiled(inside=True)
def _best(args: Any, first: Any, end: Any, rows: Any, columns: Any, column: Any) -> Any:
    """Lane by lane the most that a child has in this column."""
    best = _row(rows, args[first], columns, column)
    for k in range(first + ONE, end):
        best = larger(best, _row(rows, args[k], columns, column))
    return best


@compiled(inside=True)
def _choice(
    operations: Any, o: Any, first: Any, end: Any, slack: float, ties: int, rows: Any, columns: Any, limits: Any
) -> None:
    """A choice: lane by lane a child within ``slack`` of the best in the mover's row, which is the first of a node.

    ``limits`` hears what the child had to reach, in the mover's row, and then in that of the next seat.
    """
    args, to = operations.args, np.uint64(operations.ops[o, 1]) * columns
    mover, following = NONE, ONE
    least = plus(_best(args, first, end, rows, columns, mover), -slack)
    most = nothing = plus(least, -np.inf)
    if ties == NEXT_SEAT:
        for k in range(first, end):
            equal = where_reaches(
                _row(rows, args[k], columns, mover), least, _row(rows, args[k], columns, following), nothing
            )
            most = larger(most, equal)
        most = plus(most, -slack)
    put(limits, mover, LANES, least)
    put(limits, following, LANES, most)
    for column in range(columns):
        row = nothing
        for step in range(end - first):
            k = first + step if ties == REVERSED else end - ONE - step
            child = _row(rows, args[k], columns, column)
            if ties == NEXT_SEAT:
                child = where_reaches(_row(rows, args[k], columns, following), most, child, row)
            row = where_reaches(_row(rows, args[k], columns, mover), least, child, row)
        put(rows, to + column, LANES, row)


@compiled(inside=True)
def _note(args: Any, first: Any, end: Any, ties: int, rows: Any, columns: Any, limits: Any, out: Any) -> None:
    """Which edge the choice of these limits takes, lane by lane."""
    for lane in range(np.uint64(len(out))):
        for step in range(end - first):
            k = first + step if ties == REVERSED else end - ONE - step
            place = np.uint64(args[k]) * columns * WIDE + lane
            reaches = ties != NEXT_SEAT or rows[place + WIDE] >= limits[WIDE + lane]
            if reaches and rows[place] >= limits[lane]:
                out[lane] = k - first


@compiled(inside=True)
def _draw(operations: Any, o: Any, lots: Any, next_lot: Any, last_lot: Any, rows: Any, columns: Any) -> None:
    """Lanes on which the node of ``o`` is drawn by lot get the mean, and it is noted what each edge is worth."""
    args, (_, to, begin, many) = operations.args, operations.ops[o]
    for lane in range(LANES):
        lot = next_lot[lane]
        if lot == last_lot[lane] or lots.node[lot] != lots.node_of[o]:
            continue
        next_lot[lane] = lot + 1
        at = lots.at[lot]
        for x in range(lane, columns * LANES, LANES):
            mean = 0.0
            for k in range(many):
                if lots.chances[at + k] > 0:
                    mean += lots.chances[at + k] * rows[args[begin + k] * columns * LANES + x]
            rows[to * columns * LANES + x] = mean
        for k in range(many):
            lots.worths[at + k] = rows[args[begin + k] * columns * LANES + lane]


@compiled(inside=True)
def _lots_on(lots: Any, boards: Any, begin: int, last: int, next_lot: Any, last_lot: Any) -> bool:
    """Which lots are drawn on the boards from column ``begin`` to ``last``; are there any?"""
    found = False
    for lane in range(LANES):
        next_lot[lane] = last_lot[lane] = 0
        if begin + lane <= last:
            board = boards[begin + lane]
            next_lot[lane], last_lot[lane] = lots.first[board], lots.first[board + 1]
            found = found or lots.first[board] < lots.first[board + 1]
    return found


@compiled(inside=True)
def _gather(codes: Any, bits: int, values: Any, rows: Any, at: Any, begin: int, last: int) -> None:
    """One end of LANES boards from column ``begin`` on (after ``last`` that again), a row a seat from ``at``."""
    low, mask, seats = np.uint64(bits), np.uint64((1 << bits) - 1), np.uint64(values.shape[1])
    for lane in range(WIDE):
        code = np.uint64(codes[min(begin + np.int64(lane), last)])
        place, seat = code >> low, seats - (code & mask)
        to = at * WIDE + lane
        for _ in range(seats):
            seat -= seats if seat >= seats else NONE
            rows[to] = values[place, seat]
            seat += ONE
            to += WIDE


@compiled()
def sweep(
    operations: Any,
    codes: Any,
    bits: int,
    values: Any,
    replies: Any,
    slack: float,
    ties: int,
    boards: Any,
    lots: Any,
    taken: Any,
    out: Any,
    out_replies: Any,
    begin: int,
    end: int,
) -> None:
    """Back up ``boards``, those of ``codes`` (int32, shape (ends, boards)), from column ``begin`` to ``end``.

    ``values``: float64, shape (boards and endings, seats); ``out``: float64, shape (``end - begin``, seats).
    ``replies``: what each seat gets if it alone plays its best, same shape, with ``out_replies``; or both None.
    ``taken``: int16, shape (choices, ``end - begin``), hears which edge each choice takes, unless it is empty.
    """
    operations, lots = Operations(*operations), LaidLots(*lots)
    ops, args = operations.ops, operations.args
    seats = np.uint64(values.shape[1])
    columns = seats if replies is None else seats + seats
    rows, limits = np.zeros(operations.n_rows * np.int64(columns) * LANES), np.zeros(2 * LANES)
    next_lot, last_lot = np.zeros(LANES, dtype=np.int64), np.zeros(LANES, dtype=np.int64)
    root = ops[len(ops) - 1, 1] * np.int64(columns) * LANES
    noted = len(taken) > 0
    for block in range(begin, end, LANES):
        lanes = min(LANES, end - block)
        for e in range(np.uint64(len(codes))):
            _gather(codes[e], bits, values, rows, e * columns, block, end - 1)
            if replies is not None:
                _gather(codes[e], bits, replies, rows, e * columns + seats, block, end - 1)
        drawn = len(lots.node) > 0 and _lots_on(lots, boards, block, end - 1, next_lot, last_lot)
        choice = 0
        for o in range(np.uint64(len(ops))):
            first, last = np.uint64(ops[o, 2]), np.uint64(ops[o, 2] + ops[o, 3])
            if ops[o, 0] != MAX:
                _mean(operations, o, first, last, rows, columns)
                continue
            _choice(operations, o, first, last, slack, ties, rows, columns, limits)
            if noted:
                low = block - begin
                _note(args, first, last, ties, rows, columns, limits, taken[choice, low : low + lanes])
                choice += 1
            if drawn:
                _draw(operations, o, lots, next_lot, last_lot, rows, np.int64(columns))
            if replies is not None:  # who moves here takes the best for itself
                best = _best(args, first, last, rows, columns, seats)
                put(rows, np.uint64(ops[o, 1]) * columns + seats, LANES, best)
        for lane in range(lanes):
            for seat in range(values.shape[1]):
                out[block - begin + lane, seat] = rows[root + seat * LANES + lane]
                if replies is not None:
                    out_replies[block - begin + lane, seat] = rows[root + (values.shape[1] + seat) * LANES + lane]
